// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What row_sum's matrix and sums must be, and the check of the matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <type_traits>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::row_sum {

/// Element i of the matrix by Box and Muller's formula with the C library's functions, from a
/// generator written apart from the kernel's.
template <class T>
double normal(std::uint64_t seed, std::uint64_t i) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int digits = std::numeric_limits<T>::digits;
  const auto integer = [seed](std::uint64_t k) {
    return static_cast<double>(reference::philox_bits<Bits>(seed, k) >> (8 * sizeof(T) - digits));
  };
  const double radius = std::sqrt(-2 * std::log(std::ldexp(integer(i / 2 * 2) + 1, -digits)));
  const double angle = 2 * std::numbers::pi * std::ldexp(integer(i / 2 * 2 + 1), -digits);
  return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

/// The matrix, whose first element is number `first`. The device's logarithms and cosines differ
/// from the C library's by some of the last bits, and the logarithm's error counts for more where
/// the logarithm is nearly 0.
template <class A>
Verdict check_numbers(const A& a, std::uint64_t seed, std::int64_t first) {
  using T = typename A::non_const_value_type;
  const auto size = static_cast<std::int64_t>(a.size());
  const auto at = [&](std::int64_t i) { return static_cast<double>(a.data()[i]); };
  const double sum = ranks::total(check::sum(size, at));
  const double squares =
      ranks::total(check::sum(size, [&](std::int64_t i) { return at(i) * at(i); }));
  const double n = std::max(1.0, ranks::total(static_cast<double>(size)));
  return check::each(
             "every number with Box and Muller's formula by the C library", a,
             [=](std::int64_t i) { return normal<T>(seed, static_cast<std::uint64_t>(first + i)); },
             64 * static_cast<double>(std::numeric_limits<T>::epsilon()))
      .with({{"mean", sum / n}, {"variance", squares / n}});
}

/// The sum of each row with an error of one rounding (Neumaier's compensated summation).
template <class A>
std::shared_ptr<const std::vector<double>> compensated_sums(const A& a) {
  const time_spent::Timer referring(time_spent::Part::references);
  const auto sums = std::make_shared<std::vector<double>>(a.extent(0));
  constexpr std::size_t stretch = 64;  // rows that a core takes at a time
  const auto stretches = static_cast<std::int64_t>((sums->size() + stretch - 1) / stretch);
  check::on_all_cores(stretches, [&](std::int64_t s) {
    const auto begin = static_cast<std::size_t>(s) * stretch;
    for (auto r = begin; r < std::min(sums->size(), begin + stretch); ++r) {
      double sum = 0, lost = 0;
      for (std::size_t c = 0; c < a.extent(1); ++c) {
        const double x = static_cast<double>(a(r, c)), next = sum + x;
        lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
      }
      (*sums)[r] = sum + lost;
    }
  });
  return sums;
}

}  // namespace parallax::row_sum
