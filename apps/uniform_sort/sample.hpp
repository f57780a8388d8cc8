// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A sample of keys, which says how many of all keys come before one. It is put in order only where
// it is asked: codes go to 1024 bins by their leading bits, and a bin is sorted when it is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/radix_key.hpp"

namespace parallax::uniform_sort {

template <class Bits>
class Sample {
 public:
  /// At least one code.
  explicit Sample(const std::vector<Bits>& codes) : codes_(codes.size()) {
    const auto [least, largest] = std::minmax_element(codes.begin(), codes.end());
    least_ = *least;
    largest_ = *largest;
    const Bits range = largest_ - least_;
    shift_ = std::max(0, kernels::radix_width(range) - 10);
    starts_.assign(static_cast<std::size_t>(range >> shift_) + 2, 0);
    for (const Bits code : codes) ++starts_[bin_of(code) + 1];
    for (std::size_t b = 1; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
    auto next = starts_;
    for (const Bits code : codes) codes_[next[bin_of(code)]++] = code;
    is_sorted_.resize(starts_.size() - 1);
  }

  [[nodiscard]] std::size_t size() const { return codes_.size(); }
  [[nodiscard]] Bits least() const { return least_; }
  [[nodiscard]] Bits largest() const { return largest_; }
  /// The code before which `k` come, k < size().
  [[nodiscard]] Bits at(std::size_t k) {
    sort(static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), k) -
                                  starts_.begin()) -
         1);
    return codes_[k];
  }
  /// How many are less.
  [[nodiscard]] std::size_t below(Bits code) {
    if (code <= least_) return 0;
    if (code > largest_) return size();
    const std::size_t bin = bin_of(code);
    sort(bin);
    return static_cast<std::size_t>(std::lower_bound(begin_of(bin), begin_of(bin + 1), code) -
                                    codes_.begin());
  }

 private:
  [[nodiscard]] std::size_t bin_of(Bits code) const {
    return static_cast<std::size_t>((code - least_) >> shift_);
  }
  [[nodiscard]] auto begin_of(std::size_t bin) {
    return codes_.begin() + static_cast<std::ptrdiff_t>(starts_[bin]);
  }
  void sort(std::size_t bin) {
    if (!is_sorted_[bin]) std::sort(begin_of(bin), begin_of(bin + 1));
    is_sorted_[bin] = true;
  }

  std::vector<Bits> codes_;  ///< bin by bin
  Bits least_ = 0, largest_ = 0;
  int shift_ = 0;
  std::vector<std::size_t> starts_;  ///< of each bin, and the end of the last
  std::vector<bool> is_sorted_;
};

/// Of the codes above `low` and up to `high` the one that ends in most zeros. Low < high.
template <class Bits>
Bits roundest(Bits low, Bits high) {
  const int zeros = kernels::radix_width(low ^ high) - 1;
  return high >> zeros << zeros;
}

}  // namespace parallax::uniform_sort
