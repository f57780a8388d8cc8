// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/registration.hpp"

#include <catch2/catch_test_macros.hpp>

namespace parallax {
namespace {

Exercise unit(int place, const std::string& precision) {
  Specialization specialization;
  specialization.space = "serial";
  specialization.precision = precision;
  specialization.place = place;
  Exercise exercise;
  exercise.name = "in_two_units";
  exercise.specializations = {specialization};
  return exercise;
}
const bool later = register_exercise(unit(1, "f64")), earlier = register_exercise(unit(0, "f32"));

struct Binding {
  template <class Space, class T>
  static Plan plan(const Space& /*space*/, const Parameters& /*parameters*/) {
    return {};
  }
};
Exercise named(const std::string& name) {
  Exercise exercise;
  exercise.name = name;
  return exercise;
}
const Registration<Binding, double, float> whole{named("in_one_unit")};

}  // namespace

TEST_CASE("an exercise that is compiled in units is one, its specializations in their order") {
  REQUIRE((later && earlier));
  CHECK(precisions(find_exercise("in_two_units")) == std::vector<std::string>{"f32", "f64"});
  const auto& exercise = find_exercise("in_one_unit");
  CHECK(precisions(exercise) == std::vector<std::string>{"f64", "f32"});
  int place = 0;
  for (const auto& each : exercise.specializations) CHECK(each.place == place++);
  CHECK(place > 0);
}

}  // namespace parallax
