// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "exercise/exercise.hpp"
#include "exercise/guard_zones.hpp"
#include "exercise/team_size.hpp"
#include "platform/device/spaces.hpp"

namespace parallax {

/// Enters an exercise into the program: a static object of the app's file.
///
/// `Binding` has a `template <class Space, class T> static Plan plan(Space const&, Parameters
/// const&)`; it is compiled for every space built in and for each precision `Ts`: the first
/// is the exercise's default. What a space cannot do with some parameters it may refuse in a
/// `template <class Space, class T> static void refuse(Parameters const&)`.
template <class Binding, class... Ts>
struct Registration {
  explicit Registration(Exercise exercise) {
    for_each_built_in_space([&]<class Space>() { (add<Space, Ts>(exercise), ...); });
    register_exercise(std::move(exercise));
  }

 private:
  template <class Space, class T>
  static void add(Exercise& exercise) {
    exercise.specializations.push_back(
        {space_name<Space>(), precision_name<T>(), sizeof(T), [](const Parameters& p) {
           guard_zones::Recording recording;
           auto plan = Binding::template plan<Space, T>(make_space<Space>(p.threads()), p);
           const auto arrays = recording.arrays();
           for (auto& row : plan.rows) row.arrays = arrays;
           return plan;
         }});
    exercise.specializations.back().refuse = [](const Parameters& p) {
      require_team_size<Space>(p.team_size());
      require_threads<Space>(p.threads());
      if constexpr (requires { Binding::template refuse<Space, T>(p); })
        Binding::template refuse<Space, T>(p);
    };
  }
};

}  // namespace parallax
