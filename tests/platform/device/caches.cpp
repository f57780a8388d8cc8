// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/caches.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "measure/ceilings/flush.hpp"
#include "support/folder.hpp"

using namespace parallax;

namespace {

/// Four processors: an L1 each, two L2 for two of them each, one L3; in a new folder.
class MachineWithCaches {
 public:
  MachineWithCaches() {
    for (int p = 0; p < 4; ++p) {
      cache(p, 0, "1", "Instruction", "64K", std::to_string(p));
      cache(p, 1, "1", "Data", "48K", std::to_string(p));
      cache(p, 2, "2", "Unified", "2M", p < 2 ? "0-1" : "2-3");
      cache(p, 3, "3", "Unified", "32768K", "0-3");
    }
  }
  test::Folder root;

 private:
  void cache(int processor, int index, const std::string& level, const std::string& type,
             const std::string& size, const std::string& shared) const {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                               "/cache/index" + std::to_string(index);
    root.write(folder + "/level", level);
    root.write(folder + "/type", type);
    root.write(folder + "/size", size);
    root.write(folder + "/shared_cpu_list", shared);
  }
};

std::vector<double> totals(const std::vector<Cache>& caches) {
  std::vector<double> all;
  for (const auto& cache : caches) all.push_back(cache.total());
  return all;
}

}  // namespace

TEST_CASE("a space has the data caches of its threads' processors") {
  const MachineWithCaches machine;
  constexpr double k = 1024, m = 1048576;
  const auto caches = host_caches({0, 1, 2, 3}, 4, machine.root.path());
  CHECK(totals(caches) == std::vector<double>{4 * 48 * k, 2 * 2 * m, 32 * m});
  CHECK(caches[1].name() == "L2");
  CHECK(totals(host_caches({0, 1, 2, 3}, 1, machine.root.path())) ==
        std::vector<double>{48 * k, 2 * m, 32 * m});
  CHECK(totals(host_caches({2, 3}, 2, machine.root.path())) ==
        std::vector<double>{2 * 48 * k, 2 * m, 32 * m});
  CHECK(host_caches({7}, 1, machine.root.path()).empty());
  CHECK(host_caches({0}, 1, "/nonexistent").empty());
}

TEST_CASE("the nearest level that holds the arrays") {
  const std::vector<Cache> caches{{1, 100, 2}, {2, 1000, 1}};
  CHECK(level_that_holds(200, caches) == "L1");
  CHECK(level_that_holds(201, caches) == "L2");
  CHECK(level_that_holds(1001, caches) == "memory");
  CHECK(level_that_holds(1, {}).empty());
  CHECK(last_level_bytes(caches) == 1000);
  CHECK(last_level_bytes({}) > 0);
}

TEST_CASE("caches are emptied by reading twice as much as they hold, all of it") {
  const std::vector<Cache> caches{{1, 1e6, 2}, {2, 8e6, 1}};
  CHECK(Flush::wanted_bytes(true, caches) == 20e6);
  CHECK(Flush::wanted_bytes(false, caches) >= 1e9);
  CHECK(Flush::wanted_bytes(false, {{2, 4e9, 1}}) == 8e9);
  CHECK(Flush::wanted_bytes(true, {}) >= 2 * last_level_bytes({}));
  for (const auto& name : space_names()) {
    const auto space = describe_space(name);
    if (Flush::wanted_bytes(space.on_host, caches_of(space)) > space.memory_free / 4) continue;
    const Flush flush(space);
    INFO(name);
    CHECK(flush.bytes_read() == 0);
    flush();
    CHECK(flush.bytes_read() >= flush.bytes());
    CHECK(flush.bytes_read() < 1.1 * flush.bytes() + 1e6);
  }
}

TEST_CASE("too little memory to empty caches is refused in a line that says how much it takes") {
  auto space = describe_space(space_names().front());
  space.memory_free = 1e5;
  CHECK_THROWS_WITH(Flush(space), Catch::Matchers::ContainsSubstring("--cold needs") &&
                                      Catch::Matchers::ContainsSubstring("100 kB"));
}
