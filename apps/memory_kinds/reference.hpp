// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The input of memory_kinds, and its convolution in integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::memory_kinds {

/// Whole numbers of 0..levels-1.
struct Signal {
  std::int64_t seed, begin;
  double levels;
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t i) const {
    return static_cast<std::int32_t>(levels * data::uniform_at<double>(seed, begin + i));
  }
};

/// The first has half of T's digits and one more, which no narrower type holds; then 1..16. Not
/// symmetric: a filter turned round would be seen.
template <class T>
struct Weight {
  static constexpr int digits = std::numeric_limits<T>::digits;
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t k) const {
    return 1 + (k == 0 ? 1 << (digits / 2) : static_cast<std::int32_t>(7 * k % 16));
  }
  /// The most levels of a signal (2^27 in f64) whose sums T holds: each is then exact, in any
  /// order and on every processor.
  static double levels(int taps) {
    std::int64_t sum = 0;
    for (int k = 0; k < taps; ++k) sum += Weight{}(k);
    const std::int64_t whole = (std::int64_t{1} << digits) / sum;
    return static_cast<double>(whole);
  }
};

/// The convolution in integers, a stretch at a time, made when it is first asked for.
template <class T>
class Reference {
  using Whole = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

 public:
  Reference(Signal signal, std::int64_t n, int taps) : signal_(signal), n_(n), taps_(taps) {}

  const std::vector<Whole>& values() {
    const std::int64_t size = std::max<std::int64_t>(0, n_ - taps_ + 1);
    if (static_cast<std::int64_t>(values_.size()) == size) return values_;
    const time_spent::Timer referring(time_spent::Part::references);
    values_.assign(static_cast<std::size_t>(size), 0);
    constexpr std::int64_t stretch = 4096;
    check::on_all_cores((size + stretch - 1) / stretch, [&](std::int64_t s) {
      const std::int64_t begin = s * stretch, count = std::min(stretch, size - begin);
      std::vector<std::int32_t> x(static_cast<std::size_t>(count + taps_));
      for (std::int64_t i = 0; i < count + taps_ - 1; ++i) x[i] = signal_(begin + i);
      for (int k = 0; k < taps_; ++k) {
        const Whole weight = Weight<T>{}(k);
        for (std::int64_t i = 0; i < count; ++i) values_[begin + i] += weight * x[i + k];
      }
    });
    return values_;
  }

 private:
  Signal signal_;
  std::int64_t n_;
  int taps_;
  std::vector<Whole> values_;
};

}  // namespace parallax::memory_kinds
