// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/settings.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>

#include "platform/base/error.hpp"
#include "platform/host/processors.hpp"

using namespace parallax;

namespace {

using Variables = std::map<std::string, std::string>;

std::function<const char*(const char*)> lookup(const Variables& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

int threads(const Variables& variables, const std::vector<std::string>& flags = {},
            int processors = 8, bool openmp = true) {
  return check_kokkos_settings({flags, lookup(variables), openmp, processors});
}

}  // namespace

TEST_CASE("the number of threads is the flag's, the variable's, OpenMP's or the machine's") {
  const Variables all{{"KOKKOS_NUM_THREADS", "3"}, {"OMP_NUM_THREADS", "2, 4"}};
  CHECK(threads(all, {"--kokkos-num-threads=5", "--kokkos-num-threads=6"}) == 6);
  CHECK(threads(all) == 3);
  CHECK(threads({{"OMP_NUM_THREADS", "2 ,4"}}) == 2);
  CHECK(threads({}) == 8);
  CHECK(threads({{"OMP_THREAD_LIMIT", "4"}}) == 4);
  CHECK(threads({}, {}, 8, false) == 0);
}

TEST_CASE("a machine of more processors than Kokkos can hold gets as many threads as it can") {
  CHECK(threads({}, {}, 768) == most_threads);
  CHECK_THROWS_AS(threads({{"OMP_NUM_THREADS", "513"}}), UsageError);
  CHECK_THROWS_AS(threads({{"KOKKOS_NUM_THREADS", "513"}}), UsageError);
  // Nothing of OpenMP matters where it is not built in.
  CHECK(threads({{"OMP_NUM_THREADS", "513"}}, {}, 768, false) == 0);
}

TEST_CASE("values that a runtime would abort at or deadlock with are refused") {
  for (const Variables& wrong : {Variables{{"KOKKOS_DEVICE_ID", "-1"}},
                                 {{"KOKKOS_DISABLE_WARNINGS", "maybe"}},
                                 {{"KOKKOS_PRINT_CONFIGURATION", ""}},
                                 {{"KOKKOS_TUNE_INTERNALS", "2"}},
                                 {{"KOKKOS_MAP_DEVICE_ID_BY", "luck"}},
                                 {{"KOKKOS_VISIBLE_DEVICES", "0,x"}},
                                 {{"KOKKOS_VISIBLE_DEVICES", ""}},
                                 {{"OMP_NUM_THREADS", "2147483648"}},
                                 {{"OMP_DYNAMIC", "true"}}}) {
    INFO(wrong.begin()->first << "=" << wrong.begin()->second);
    CHECK_THROWS_AS(threads(wrong), UsageError);
  }
  // Kokkos takes the beginning for the name.
  for (const char* wrong : {"--kokkos-num-threadss=4", "--kokkos-device-id4", "--kokkos-tools-args",
                            "--kokkos-disable-warnings="}) {
    INFO(wrong);
    CHECK_THROWS_AS(threads({}, {wrong}), UsageError);
  }
  for (const Variables& right : {Variables{{"KOKKOS_DISABLE_WARNINGS", "Yes"}},
                                 {{"KOKKOS_VISIBLE_DEVICES", "1,0"}},
                                 {{"KOKKOS_TOOLS_LIBS", ""}},
                                 {{"OMP_NUM_THREADS", ""}},
                                 // The runtimes ignore these, and say so.
                                 {{"OMP_NUM_THREADS", "x"}},
                                 {{"OMP_NUM_THREADS", "-1"}},
                                 {{"OMP_THREAD_LIMIT", "0"}},
                                 {{"OMP_PROC_BIND", "near"}},
                                 {{"OMP_PROC_BIND", "SPREAD,close"}},
                                 {{"OMP_PLACES", "cores(4)"}},
                                 {{"OMP_PLACES", "{0:4},{4:4}"}},
                                 {{"OMP_DYNAMIC", "FALSE"}}}) {
    INFO(right.begin()->first << "=" << right.begin()->second);
    CHECK(threads(right) == 8);
  }
  CHECK(threads({}, {"--kokkos-disable-warnings", "--kokkos-unheard-of"}) == 8);
}

TEST_CASE("a device that does not exist is refused") {
  const auto choose = [](const Variables& variables, const std::vector<std::string>& flags) {
    require_device_id({flags, lookup(variables)}, 2);
  };
  CHECK_NOTHROW(choose({}, {}));
  CHECK_NOTHROW(choose({{"KOKKOS_DEVICE_ID", "2"}}, {"--kokkos-device-id=1"}));
  CHECK_THROWS_AS(choose({{"KOKKOS_DEVICE_ID", "2"}}, {}), MachineError);
}

TEST_CASE("threads are bound where they fill the cores and nobody has said how") {
  const auto choice = [](const Variables& variables, int count, int cores) {
    return choose_binding({lookup(variables), count, cores});
  };
  CHECK(choice({}, 8, 8).bind);
  CHECK(choice({}, 16, 8).bind);  // two hardware threads for each core
  CHECK_FALSE(choice({}, 7, 8).bind);
  CHECK_FALSE(choice({}, 1, 1).bind);
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    CHECK_FALSE(choice({{name, "0-7"}}, 8, 8).bind);
    CHECK(choice({{name, "0-7"}}, 8, 8).told);
    CHECK(choice({{name, "0-7"}}, 8, 8).reason == std::string(name) + "=0-7");
  }
}
