// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The input of gather, and what is said of indices that do not exist.
#pragma once

#include <cstdint>
#include <string>

#include "exercise/api.hpp"

namespace parallax::gather {

enum class Input { random, negative, course, in_range, far };

/// The index list. `course`: the first half in range, the second half beyond the end; for 6 values
/// it is 2, 3, 5, 6, 7, 8. `in_range`: only that first half. `negative` begins with the lowest
/// index that exists, `far` with the one below.
struct Indices {
  Input input;
  std::int64_t n, seed;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (input == Input::course || input == Input::in_range)
      return i < n / 2 ? (2 + 3 * i / 2) % n : n + i - n / 2;
    const double u = data::uniform_at<double>(seed, i);
    const auto in_range = static_cast<std::int64_t>(u * static_cast<double>(n));
    if (input == Input::far) return i == 0 ? -n - 1 : in_range + n * (i % 7 - 3);
    if (input == Input::negative && i == 0) return -n;
    return input == Input::negative && in_range % 2 == 1 ? in_range - n : in_range;
  }
};

/// 0, 1.1, 2.2...
struct Value {
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return 1.1 * static_cast<double>(i); }
};

/// What `checked` must say: which index is the first that does not exist. Empty where all do.
inline std::string refusal_of(const Indices& index_at, std::int64_t indices) {
  const auto is_out = [&](std::int64_t i) {
    const auto at = index_at(i);
    return at < -index_at.n || at >= index_at.n;
  };
  const time_spent::Timer referring(time_spent::Part::references);
  if (check::sum(indices, [&](std::int64_t i) { return std::int64_t{is_out(i)}; }) == 0) return "";
  for (std::int64_t i = 0; i < indices; ++i)
    if (const auto at = index_at(i); is_out(i))
      return "index " + std::to_string(at) + " is out of bounds for axis 0 with size " +
             std::to_string(index_at.n);
  return "";
}

inline Input input_of(const std::string& name) {
  if (name == "course") return Input::course;
  if (name == "in_range") return Input::in_range;
  if (name == "negative") return Input::negative;
  return name == "far" ? Input::far : Input::random;
}

}  // namespace parallax::gather
