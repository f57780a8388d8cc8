// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "measure/verify/trial.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("launch is right for odd sizes and numbers of kernels in every space") {
  test::verify_everywhere("launch", {{{"n", "0"}},
                                     {{"n", "1"}, {"kernels", "1"}},
                                     {{"n", "1"}, {"kernels", "33"}},
                                     {{"n", "127"}, {"kernels", "2"}},
                                     {{"n", "1023"}, {"kernels", "3"}},
                                     {{"n", "1024"}},
                                     {{"n", "1025"}, {"kernels", "20"}},
                                     {{"n", "65537"}, {"kernels", "7"}}});
}

TEST_CASE("launch: the first element after the chain, worked out by hand") {
  // It begins as 2654435761, less 2^32 as a signed number.
  const auto after = [](int kernels) {
    std::int64_t x = 2654435761;
    for (int k = 0; k < kernels; ++k) x = (3 * x + k) % (std::int64_t{1} << 32);
    return static_cast<double>(x < (std::int64_t{1} << 31) ? x : x - (std::int64_t{1} << 32));
  };
  CHECK(after(1) == -626627309);
  test::for_each_instance("launch", [&](const Exercise& e, const Specialization& instance) {
    for (const int kernels : {1, 2, 20}) {
      const auto plan = test::plan_of(e, instance, {{"kernels", std::to_string(kernels)}});
      for (const auto& row : plan.rows) {
        if (!row.unavailable.empty() || (row.phase != "chain" && row.phase != "build")) continue;
        INFO(row.variant << " " << row.phase << ", " << kernels << " kernels");
        const auto verdict = verify(row);
        CHECK(verdict.passed);
        CHECK(test::number(verdict.result, "first") == after(kernels));
        CHECK(test::number(verdict.result, "kernels") == kernels);
      }
    }
  });
}

TEST_CASE("launch: kernels in another order, left out or done twice do not pass the check") {
  test::for_each_instance("launch", [](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, {{"kernels", "2"}});
    for (const auto& row : plan.rows) {
      if (row.variant != "range" || row.phase == "empty") continue;
      INFO(row.phase);
      const auto& output = row.judge.outputs.at(0);
      const auto wrap = [](long double x) {
        return static_cast<long double>(
            static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(x))));
      };
      using Steps = std::vector<int>;
      for (const Steps& steps : {Steps{}, Steps{0}, Steps{1}, Steps{1, 0}, Steps{0, 1, 1}}) {
        output.poison();
        auto values = output.read();
        for (auto& x : values)
          for (const int k : steps) x = wrap(3 * x + k);
        output.write(values);
        INFO(steps.size() << " steps");
        CHECK_FALSE(row.judge.check().passed);
      }
      output.poison();
      auto values = output.read();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool second = i >= values.size() / 2;
        if (row.phase == "chain")
          values[i] = wrap(3 * wrap(3 * values[i]) + 1);
        else
          values[i] = wrap(3 * values[i] + (second ? 1 : 0));
      }
      output.write(values);
      CHECK(row.judge.check().passed);
    }
  });
}

TEST_CASE(
    "launch: independent kernels alone are dealt out to instances, and all phases are there") {
  test::for_each_instance("launch", [](const Exercise& e, const Specialization& instance) {
    std::vector<std::string> phases;
    for (const auto& row : test::plan_of(e, instance).rows) {
      if (row.variant == "instances") CHECK(row.phase == "independent");
      if (row.variant == "graph") phases.push_back(row.phase);
    }
    CHECK(phases == std::vector<std::string>{"empty", "chain", "build", "independent"});
  });
}

TEST_CASE("launch: a launch for each kernel, or one for all") {
  const auto& e = find_exercise("launch");
  const auto plan = test::plan_of(e, e.specializations.front(), {{"kernels", "7"}});
  for (const auto& row : plan.rows) {
    if (row.variant == "graph" || row.variant.rfind("native", 0) == 0) continue;
    INFO(row.variant << " " << row.phase);
    const std::size_t launches = row.phase == "empty" || row.variant == "fused" ? 1 : 7;
    CHECK(test::labels_of(row.run).size() == launches);
  }
}
