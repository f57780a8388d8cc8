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

/// Element i of a matrix that sums without rounding in any order: -4 .. 4, and never 0, so that no
/// element is lost unseen. Sums stay near 0, far below 2^24.
struct Whole {
  KOKKOS_FUNCTION int operator()(std::int64_t i) const {
    const int k = static_cast<int>(8 * data::uniform_at<double>(0, i)) - 4;
    return k < 0 ? k : k + 1;
  }
};

/// Whether kernel(a, sums) adds up all columns: the roundings of a long row may be as large as the
/// last of its normals, and these rows of whole numbers have none.
template <class Numbers, class Space, class Kernel>
Verdict whole_rows_by(const Space& space, std::int64_t rows, std::int64_t columns,
                      const Kernel& kernel) {
  using T = typename Numbers::value_type;
  const Numbers a(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "whole numbers"), rows,
                  columns);
  const data::Array<Space, T> sums("sums of whole numbers", rows);
  data::fill(space, data::Array<Space, T>(a.data(), a.size()), Whole{});
  kernel(a, sums);
  space.fence("parallax::row_sum: whole numbers");
  return check::each("rows of whole numbers, exactly", data::on_host(sums), [=](std::int64_t r) {
    return check::sum(columns, [=](std::int64_t c) { return Whole{}(r * columns + c); });
  });
}

}  // namespace parallax::row_sum
