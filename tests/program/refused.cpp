// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What is refused: exit statuses 2 and 3, in one line.
#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "platform/device/space_info.hpp"
#include "program/program.hpp"

using namespace parallax::program;

TEST_CASE("bad usage is refused in one line with status 2") {
  require_refused(2, {}, {"a command is required", "run"});
  require_refused(2, {"rnu"}, {"unknown command 'rnu'", "'run'"});
  require_refused(2, {"run", "--vriant", "wide"}, {"unknown option '--vriant'", "'--variant'"});
  require_refused(2, {"run", "vector_ad"}, {"unknown exercise 'vector_ad'", "'vector_add'"});
  require_refused(2, {"run", "vector_add", "--variant", "wid"},
                  {"unknown variant 'wid'", "'wide'"});
  require_refused(2, {"run", "--space", "abacus"}, {"space 'abacus' is not built", "built in: "});
  require_refused(2, {"run", "--precision", "f16"}, {"unknown precision 'f16'", "'f32'"});
  require_refused(2, {"run", "--size", "cours"}, {"unknown size 'cours'", "'course'"});
  require_refused(2, {"run", "--seed", "-1"}, {"--seed", "'-1'"});
  require_refused(2, {"run", "--repeat", "0"}, {"--repeat", "'0'"});
  require_refused(2, {"run", "--verify", "sample"}, {"--verify", "'sample'", "'sampled'"});
  require_refused(2, {"run", "--verify", ""}, {"--verify", "''", "full", "sampled"});
  require_refused(2, {"run", "--min-time", "soon"}, {"--min-time", "'soon'"});
  require_refused(2, {"run", "--energy", "--energy-time", "0.5"}, {"--energy-time", "'0.5'"});
  require_refused(2, {"run", "--energy-time", "5"}, {"--energy-time", "--energy"});
  require_refused(2, {"run", "--energy", "--verify-only"}, {"--energy", "--verify-only"});
  require_refused(2, {"run", "--counters", "--verify-only"}, {"--counters", "--verify-only"});
  require_refused(2, {"run", "--counters", "--sweep", "n=1,2"}, {"--counters", "--sweep"});
  require_refused(2, {"run", "--set", "n"}, {"'n'", "name=value"});
  require_refused(2, {"run", "vector_add", "--set", "m=3"}, {"unknown parameter 'm'"});
  require_refused(2, {"run", "--image", "x.png", "vector_add"}, {"--image", "mandelbrot"});
  require_refused(2, {"run", "vector_add", "--json", ""}, {"--json", "''"});
  require_refused(2, {"run", "--size", "tiny", "--kokkos-nonsense"}, {"'--kokkos-nonsense'"});
  require_refused(2, {"run", "--size", "tiny", "--kokkos-tools-libs="},
                  {"'--kokkos-tools-libs='", "expected a value"});
}

TEST_CASE("what Kokkos and OpenMP would abort at is refused before they start") {
  for (const auto* value : {"0", "-1", "abc", "1e9", "0x4", "99999999999"})
    require_refused(2, with(quick, {std::string("--kokkos-num-threads=") + value}),
                    {"--kokkos-num-threads", std::string("'") + value + "'", "whole number"});
  require_refused(2, with(quick, {"--kokkos-num-threads"}), {"expected a value"});
  require_refused(2, with(quick, {"--kokkos-device-id=x"}), {"--kokkos-device-id", "'x'"});
  require_refused(2, with(quick, {"--kokkos-disable-warnings=maybe"}), {"'maybe'", "true"});
  require_refused(2, {"run", "--dry-run", "--kokkos-num-threads=0"}, {"--kokkos-num-threads"});
  require_refused(3, with(quick, {"--kokkos-tools-libs=/nonexistent.so"}), {"/nonexistent.so"});
  require_refused(2, quick, {"KOKKOS_NUM_THREADS", "'abc'"},
                  [] { setenv("KOKKOS_NUM_THREADS", "abc", 1); });
}

TEST_CASE("sizes that cannot be are refused in one line with status 2") {
  for (const char* n : {"0", "-5", "abc", "1.5", "1e30", "9223372036854775808", "", "nan", "inf"}) {
    INFO("n = " << n);
    require_refused(2, {"run", "vector_add", "--set", std::string("n=") + n},
                    {"parameter 'n'", std::string("'") + n + "'", "whole number"});
  }
  require_refused(2, {"run", "mandelbrot", "--real", "1,0"}, {"'real'", "low <= high"});
}

TEST_CASE("what the machine cannot do is refused before the work with status 3") {
  require_refused(3, {"run", "vector_add", "--set", "n=1e14"}, {"vector_add", "memory", "free"});
  require_refused(3, with(quick, {"--json", "/nonexistent/folder/x.json"}),
                  {"/nonexistent/folder/x.json"});
  require_refused(3, with(quick, {"--csv", "/"}), {"'/'"});
  require_refused(3, {"run", "--size", "no-such-file.json"}, {"no-such-file.json"});
  require_refused(3, with(quick, {"--space", host, "--energy"}),
                  {"--energy", host + ": no RAPL: /nowhere has no domain 'package'"},
                  [] { setenv("PARALLAX_RAPL", "/nowhere", 1); });
}

TEST_CASE("a limit of the address space is heeded by ceilings and by the memory check") {
  for (const auto& space : parallax::space_names())
    if (!parallax::runs_on_host(space))
      SKIP("a device's runtime reserves more than any such limit");
  const auto limited = [] {
    const rlimit most{1'500'000'000, 1'500'000'000};
    setrlimit(RLIMIT_AS, &most);
  };
  const auto outcome =
      run(with(with_ceilings, {"--verbose", "--space", host}), "parallax", limited);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("ceilings of " + host) != std::string::npos);
  CHECK(outcome.out.find("inf ") == std::string::npos);
  require_refused(3, {"run", "vector_add", "--space", host, "--set", "n=2e8"}, {"memory", "free"},
                  limited);
}

TEST_CASE("options that contradict --tune or --tuned-for-this-machine are refused") {
  const std::vector<std::string> tune{"run", "matmul", "--space", host, "--tune"};
  for (const auto& other : std::vector<std::vector<std::string>>{{"--verify-only"},
                                                                 {"--dry-run"},
                                                                 {"--diagnose"},
                                                                 {"--team-size", "1"},
                                                                 {"--sweep", "team_size=1,2"},
                                                                 {"--set", "tile=8"},
                                                                 {"--json", "x"},
                                                                 {"--csv", "x"},
                                                                 {"--tuned-for-this-machine"}})
    require_refused(2, with(tune, other), {"--tune and " + other[0], "exclude"});
  const std::vector<std::string> tuned{"run", "matmul", "--space", host,
                                       "--tuned-for-this-machine"};
  require_refused(2, with(tuned, {"--team-size", "1"}), {tuned.back() + " and --team-size"});
  require_refused(2, with(tuned, {"--dry-run"}), {tuned.back() + " and --dry-run"});
  for (const auto* flag : {"--tune", "--tuned-for-this-machine"})
    require_refused(2, {"run", "vector_add", "--variant", "range", flag},
                    {flag, "tuning parameters"});
}
