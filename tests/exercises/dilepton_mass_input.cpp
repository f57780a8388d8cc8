// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass with events from a file: the numbers are the synthetic run's, whole or in
// slices.
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "data/event_file.hpp"
#include "data/synthetic_file.hpp"
#include "measure/verify/trial.hpp"
#include "platform/base/error.hpp"
#include "support/rows.hpp"
#include "support/temporary_file.hpp"

using namespace parallax;

namespace {

/// A file of events that is removed with the object.
class Generated {
 public:
  Generated(const data::SyntheticEvents& events, bool f64) {
    data::EventFormat format;
    format.f64 = f64;
    data::write_synthetic(path(), format, events, [](std::int64_t) {});
  }
  [[nodiscard]] const std::string& path() const { return file_.path(); }

 private:
  test::TemporaryFile file_;
};

/// What a build without HDF5 does.
void require_refusal() {
  const auto& e = find_exercise("dilepton_mass");
  CHECK_THROWS_AS(test::plan_of(e, e.specializations.front(), {{"input", "x.h5"}}), MachineError);
}

/// The settings of a run of a file. (GCC 16 takes a list of pairs written out in a call for memory
/// freed by mistake.)
test::Assignments from_file(const std::string& path, const std::string& slice,
                            const std::string& pair) {
  test::Assignments set;
  set.emplace_back("input", path);
  set.emplace_back("input_slice", slice);
  set.emplace_back("pair", pair);
  return set;
}

void require_equal(const Values& found, const Values& expected) {
  for (const auto& [name, value] : expected) {
    INFO(name);
    bool same = false;
    for (const auto& [key, other] : found) same = same || (key == name && other == value);
    CHECK(same);
  }
}

}  // namespace

TEST_CASE("events from a file give the synthetic run's numbers, whole and in slices") {
  if (!data::have_hdf5()) return require_refusal();
  for (const bool f64 : {false, true}) {
    const Generated file({12345, 3001, 1.5, 700}, f64);
    for (const std::string pair : {"heaviest", "first", "any"})
      for (const std::string variant : {"event_per_thread", "team_scratch",
                                        "event_per_thread_stable", "event_per_team", "balanced"})
        for (const std::string precision : {"f32", "f64"}) {
          INFO(variant << " " << precision << " " << pair << ", file of f64: " << f64);
          test::Assignments synthetic;
          synthetic.emplace_back("n", "3001");
          synthetic.emplace_back("giant_event", "700");
          synthetic.emplace_back("pair", pair);
          const auto expected = test::result_of("dilepton_mass", variant, synthetic, precision);
          CHECK(test::number(expected, "events_with_pair") > 1000);
          for (const std::string slice : {"20000000", "3000", "97"}) {
            INFO("slices of " << slice);
            const auto found = test::result_of("dilepton_mass", variant,
                                               from_file(file.path(), slice, pair), precision);
            require_equal(found, expected);
            CHECK(test::number(found, "unusable_leptons") == 0);
            CHECK(test::number(found, "slices") == (slice == "97" ? 31 : slice == "3000" ? 2 : 1));
          }
        }
  }
}

TEST_CASE("the check of a run in slices can fail, in every slice") {
  if (!data::have_hdf5()) return require_refusal();
  const Generated file({12345, 1009, 2, 0}, false);
  test::for_each_instance("dilepton_mass", [&](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, {{"input", file.path()}, {"input_slice", "100"}});
    REQUIRE(plan.rows.size() == e.variants.size());
    for (const auto& row : plan.rows) {
      INFO(row.variant);
      CHECK(row.phase == "end_to_end");
      const auto& output = row.judge.outputs.at(0);
      output.poison();
      CHECK_FALSE(row.judge.check().passed);  // a kernel that wrote nothing
      CHECK(verify(row).passed);
      const auto right = output.read();
      REQUIRE(right.size() == 1009);
      for (const std::size_t k :
           {std::size_t{0}, std::size_t{99}, std::size_t{100}, right.size() - 1}) {
        auto damaged = right;
        damaged[k] += 1;
        output.write(damaged);
        CHECK_FALSE(row.judge.check().passed);
        damaged[k] = std::numeric_limits<long double>::quiet_NaN();
        output.write(damaged);
        CHECK_FALSE(row.judge.check().passed);
      }
      output.write(right);
      CHECK(row.judge.check().passed);
    }
  });
}
