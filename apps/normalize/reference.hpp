// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// normalize: the input, and the judge of a normalized vector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::normalize {

/// Element i of v: uniform on [-1, 1), times `scale`.
template <class T>
struct Input {
  std::int64_t seed, begin;
  T scale;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return (2 * data::uniform_at<T>(seed, begin + i) - 1) * scale;
  }
};

/// The largest |element| of the input: near 1, near the largest number, or a subnormal one.
template <class T>
T scale_of(const std::string& input) {
  if (input == "huge") return std::numeric_limits<T>::max();
  if (input == "subnormal") return std::numeric_limits<T>::min() / 2;
  return input == "zero" ? T(0) : T(1);
}

/// Judges v / norm: this rank has `n` elements of it. What all variants share is computed once,
/// when it is first asked for.
template <class T>
class Reference {
 public:
  Reference(std::int64_t n, const Input<T>& v) : n_(n), v_(v) {}

  /// Every element against v / norm in extended precision, and the norm against it, each with the
  /// roundings of its type. `of_sum`: how far off a norm may be by the sum of squares.
  template <class Out, class Norm>
  Verdict check(const Out& out, const Norm& norm_out, double of_sum) {
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const double relative = 8 * eps + of_sum;
    const auto h = data::on_host(out);
    const auto found_norm = data::on_host(norm_out)();
    const long double norm = this->norm(), one_over = 1 / norm;
    auto verdict = check::each(
        "every element with v / norm in extended precision", h,
        [&](std::int64_t i) {
          return static_cast<double>(static_cast<long double>(v_(i)) * one_over);
        },
        [&](std::int64_t, double expected) {
          return relative * std::abs(expected) +
                 static_cast<double>(std::numeric_limits<T>::denorm_min());
        });
    const long double squares =
        sum_of_squares([&](std::int64_t i) { return static_cast<long double>(h(i)); });
    const double length = std::sqrt(ranks::total(static_cast<double>(squares)));
    if (ranks::total(static_cast<double>(n_)) > 0)
      verdict =
          check::both(verdict, check::number("the norm afterwards with 1", length, 1, relative));
    using Limits = std::numeric_limits<std::remove_const_t<decltype(found_norm)>>;
    const bool fits = norm <= Limits::max();
    const double expected = static_cast<double>(fits ? norm : Limits::infinity());
    const double allowed = fits ? (static_cast<double>(Limits::epsilon()) + of_sum) * expected +
                                      static_cast<double>(Limits::denorm_min())
                                : 0;
    return check::both(verdict, check::number("the norm with one in extended precision", found_norm,
                                              expected, allowed))
        .with({{"norm", static_cast<double>(found_norm)}, {"norm_after", length}});
  }

  /// The sum of squares in f64, where the norm has fewer digits.
  Verdict check_squares(double found, double of_sum) {
    const auto expected = static_cast<double>(this->norm() * this->norm());
    return check::number("the sum of squares with one in extended precision", found, expected,
                         2 * of_sum * expected);
  }

 private:
  /// By blocks, whose sums have errors of a block's length times 2^-64.
  template <class X>
  long double sum_of_squares(const X& x) const {
    constexpr std::int64_t block = 1 << 14;
    std::vector<long double> sums(static_cast<std::size_t>((n_ + block - 1) / block));
    check::on_all_cores(static_cast<std::int64_t>(sums.size()), [&](std::int64_t b) {
      long double sum = 0;
      for (std::int64_t i = b * block; i < std::min(n_, (b + 1) * block); ++i) sum += x(i) * x(i);
      sums[static_cast<std::size_t>(b)] = sum;
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0L);
  }

  /// From the squares of v over its largest element, so that neither leaves the range.
  long double norm() {
    if (norm_ >= 0) return norm_;
    const time_spent::Timer referring(time_spent::Part::references);
    const auto scale = static_cast<long double>(v_.scale == 0 ? T(1) : v_.scale);
    const auto scaled = [&](std::int64_t i) { return static_cast<long double>(v_(i)) / scale; };
    const auto own = static_cast<double>(sum_of_squares(scaled));
    return norm_ = std::sqrt(static_cast<long double>(ranks::total(own))) * scale;
  }

  std::int64_t n_;
  Input<T> v_;
  long double norm_ = -1;
};

}  // namespace parallax::normalize
