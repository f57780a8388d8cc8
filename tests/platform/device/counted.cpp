// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/counted.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/folder.hpp"

using namespace parallax;

namespace {

/// Both FIFOs, with perf's end of them. perf answers "ack\n" and a null byte; all answers that a
/// test needs are there before the questions, so that nothing waits.
class Perf {
 public:
  explicit Perf(const test::Folder& folder)
      : control_name_(folder.file("control")), acknowledge_name_(folder.file("acknowledge")) {
    REQUIRE(mkfifo(control_name_.c_str(), 0600) == 0);
    REQUIRE(mkfifo(acknowledge_name_.c_str(), 0600) == 0);
  }
  ~Perf() {
    for (const int file : {control_, acknowledge_})
      if (file >= 0) close(file);
  }

  void start(int answers) {
    control_ = open(control_name_.c_str(), O_RDWR | O_NONBLOCK);
    acknowledge_ = open(acknowledge_name_.c_str(), O_RDWR | O_NONBLOCK);
    for (int k = 0; k < answers; ++k) REQUIRE(write(acknowledge_, "ack\n", 5) == 5);
  }

  counted::Request request(const char* pass = nullptr) const {
    return counted::Request::of((control_name_ + "," + acknowledge_name_).c_str(), pass);
  }

  std::string heard() const { return content(control_); }
  std::string unread_answers() const { return content(acknowledge_); }

 private:
  static std::string content(int file) {
    char bytes[100];
    const auto count = read(file, bytes, sizeof bytes);
    return {bytes, static_cast<std::size_t>(count > 0 ? count : 0)};
  }

  std::string control_name_, acknowledge_name_;
  int control_ = -1, acknowledge_ = -1;
};

}  // namespace

TEST_CASE("a section switches perf on and off, and waits for both answers") {
  const test::Folder folder;
  Perf perf(folder);
  perf.start(2);
  auto request = perf.request();
  {
    const counted::Section section(request);
    CHECK(perf.heard() == "enable\n");
  }
  CHECK(perf.heard() == "disable\n");
  CHECK(perf.unread_answers() == std::string(1, '\0'));
}

TEST_CASE("only one section of a process counts: the first, or the one after those to pass") {
  const test::Folder folder;
  Perf perf(folder);
  perf.start(2);
  auto request = perf.request("1");
  { const counted::Section section(request); }
  CHECK(perf.heard().empty());
  CHECK_FALSE(request.counted);
  { const counted::Section section(request); }
  CHECK(perf.heard() == "enable\ndisable\n");
  CHECK(request.counted);
  { const counted::Section section(request); }
  CHECK(perf.heard().empty());
}

TEST_CASE("without perf at the other end a section does nothing") {
  const test::Folder folder;
  const Perf perf(folder);
  auto request = perf.request();
  { const counted::Section section(request); }
  CHECK(request.done);
}

TEST_CASE("without the variable nothing is asked for") {
  CHECK(counted::Request::of(nullptr, nullptr).done);
  CHECK(counted::Request::of("", "3").done);
  CHECK(counted::Request::of("neither", nullptr).done);
}

TEST_CASE("a device's switches come without FIFOs") {
  auto request = counted::Request::of("device", nullptr);
  CHECK(request.device);
  CHECK(request.control.empty());
  { const counted::Section section(request); }
  CHECK(request.done);
}
