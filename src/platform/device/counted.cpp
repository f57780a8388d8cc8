// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/counted.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <string_view>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda_profiler_api.h>
#endif

namespace parallax::counted {
namespace {

/// For an answer on a busy machine. A profiler that has ended does not wait: its end of the FIFO is
/// closed.
constexpr int patience_ms = 60'000;

/// rocprofv3 counts whole processes, and hosts have no switch: both do nothing here.
void switch_device([[maybe_unused]] bool on) {
#if defined(KOKKOS_ENABLE_CUDA)
  static_cast<void>(on ? cudaProfilerStart() : cudaProfilerStop());
#endif
}

/// Sends a command, and waits until perf has carried it out. perf answers "ack\n" and a null byte,
/// which may come after we have read on.
void command(int control, int acknowledge, std::string_view text) {
  if (write(control, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return;
  pollfd answer{acknowledge, POLLIN, 0};
  char byte = 0;
  while (byte != '\n') {
    if (poll(&answer, 1, patience_ms) <= 0 || (answer.revents & POLLIN) == 0) return;
    if (read(acknowledge, &byte, 1) != 1) return;
  }
}

}  // namespace

Request Request::of(const char* asked, const char* pass) {
  Request request;
  if (asked == nullptr || *asked == '\0') return request;
  const std::string text = asked;
  const auto comma = text.find(',');
  request.device = text == "device";
  if (comma != std::string::npos) {
    request.control = text.substr(0, comma);
    request.acknowledge = text.substr(comma + 1);
  }
  request.pass = pass == nullptr ? 0 : std::atol(pass);
  request.done = !request.device && comma == std::string::npos;
  return request;
}

Request& Request::of_process() {
  static Request request =
      of(std::getenv("PARALLAX_COUNTED"), std::getenv("PARALLAX_COUNTED_PASS"));
  return request;
}

bool finished() { return Request::of_process().counted; }

Section::Section(Request& request) : request_(request) {
  if (request.done || request.pass-- > 0) return;
  request.done = counts_ = true;
  if (request.device) switch_device(true);
  if (request.control.empty()) return;
  // Without waiting: where perf has gone, there is no reader.
  control_ = open(request.control.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  acknowledge_ = open(request.acknowledge.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  command(control_, acknowledge_, "enable\n");
}

Section::~Section() {
  if (!counts_) return;
  request_.counted = true;
  if (request_.device) switch_device(false);
  if (control_ >= 0) command(control_, acknowledge_, "disable\n");
  for (const int file : {control_, acknowledge_})
    if (file >= 0) close(file);
}

}  // namespace parallax::counted
