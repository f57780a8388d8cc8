// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// group_sum: groups that straddle ranks. Rows are sorted by key and cut evenly, so that the last
// group of one rank may be the first of the next, or of several: their sums are added up, and each
// rank that has a part of a group knows the whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "exercise/api.hpp"

namespace parallax {

/// The keys at which the rows were cut.
class Cuts {
 public:
  /// This rank has groups `begin` to `end`, both included: `begin` is the last key of the rank
  /// before it. Called by all ranks.
  Cuts(std::int64_t begin, std::int64_t end) : begin_(begin), end_(end) {
    for (const auto& of_rank : ranks::gathered({static_cast<double>(begin)}))
      keys_.push_back(static_cast<std::int64_t>(of_rank[0]));
    keys_.erase(keys_.begin());  // the first rank begins where all rows do
  }

  /// `columns` numbers of the first group and of the last, which may be one and the same, become
  /// the whole groups' numbers. `add` adds up arrays over all ranks.
  template <class T>
  void join(T* first, T* last, std::size_t columns,
            const std::function<void(std::vector<T>&)>& add) const {
    std::vector<T> parts(keys_.size() * columns);
    const auto for_each_own = [&](const auto& f) {
      for (std::size_t k = 0; k < keys_.size(); ++k)
        for (T* const row : {first, last})
          if (keys_[k] == (row == first ? begin_ : end_)) f(&parts[k * columns], row);
    };
    for_each_own([&](T* part, const T* row) { std::copy(row, row + columns, part); });
    add(parts);
    for_each_own([&](const T* part, T* row) { std::copy(part, part + columns, row); });
  }

  /// What each rank sends for it; nothing where there is one.
  template <class T>
  [[nodiscard]] std::vector<Message> messages(std::size_t columns) const {
    if (keys_.empty()) return {};
    return {{.bytes = static_cast<double>(keys_.size() * columns * sizeof(T)), .from_host = true}};
  }

  /// By a sum over the ranks, as the kernels' parts are added up.
  template <class T>
  static void by_reduction(std::vector<T>& x) {
    ranks::sum(x.data(), x.size());
  }
  /// By asking everybody, as their reference is.
  template <class T>
  static void by_gathering(std::vector<T>& x) {
    const auto all = ranks::gathered({x.begin(), x.end()});
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = 0;
      for (const auto& of_rank : all) x[k] += static_cast<T>(of_rank[k]);
    }
  }

 private:
  std::int64_t begin_, end_;
  std::vector<std::int64_t> keys_;  ///< of the cuts, in the order of the ranks
};

}  // namespace parallax
