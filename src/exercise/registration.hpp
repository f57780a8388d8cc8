// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "exercise/exercise.hpp"
#include "exercise/guard_zones.hpp"
#include "exercise/team_size.hpp"
#include "platform/device/spaces.hpp"

// Compilers for GPUs take minutes for a long exercise. CMake compiles its file several times, each
// time for some of its spaces and precisions ("// units: N" in the file).
#if !defined(PARALLAX_UNITS)
#define PARALLAX_UNIT 0
#define PARALLAX_UNITS 1
#endif

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
  /// Where a type is in a list.
  template <class X, class... All>
  static constexpr int position() {
    int k = 0, at = 0;
    ((at = std::is_same_v<X, All> ? k : at, ++k), ...);
    return at;
  }
  template <class Space, class... All>
  static constexpr int position_in(SpaceList<All...> /*spaces*/) {
    return position<Space, All...>();
  }

  template <class Space, class T>
  static void add(Exercise& exercise) {
    constexpr int place =
        position_in<Space>(Spaces{}) * static_cast<int>(sizeof...(Ts)) + position<T, Ts...>();
    if constexpr (place % PARALLAX_UNITS == PARALLAX_UNIT)
      exercise.specializations.push_back(
          {.space = space_name<Space>(),
           .precision = precision_name<T>(),
           .scalar_bytes = sizeof(T),
           .plan =
               [](const Parameters& p) {
                 guard_zones::Recording recording;
                 auto plan = Binding::template plan<Space, T>(make_space<Space>(p.threads()), p);
                 return watched(std::move(plan), recording.arrays());
               },
           .refuse =
               [](const Parameters& p) {
                 require_team_size<Space>(p.team_size());
                 require_threads<Space>(p.threads());
                 if constexpr (requires { Binding::template refuse<Space, T>(p); })
                   Binding::template refuse<Space, T>(p);
               },
           .place = place});
  }
};

}  // namespace parallax
