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
#include <utility>
#include <vector>

#include "exercise/api.hpp"
#include "group_sum/lesson.hpp"

namespace parallax::group_sum {

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

  /// The first of the groups, of `columns` numbers each, and the last become the whole groups: from
  /// every rank's first and last group with their keys, independently of the kernels' sums.
  template <class T>
  void join(std::vector<T>& groups, std::size_t columns) const {
    if (groups.empty()) return;
    const auto first = groups.begin(), last = groups.end() - static_cast<std::ptrdiff_t>(columns);
    std::vector<double> own{static_cast<double>(begin_), static_cast<double>(end_)};
    if (first != last) own.insert(own.end(), first, first + (groups.end() - last));
    own.resize(2 + columns);  // zeros for the first group where it is the last, too
    own.insert(own.end(), last, groups.end());
    const auto all = ranks::gathered(own);
    for (const auto& [key, group] : {std::pair(begin_, first), std::pair(end_, last)})
      for (std::size_t k = 0; k < columns; ++k) {
        double sum = 0;
        for (const auto& of_rank : all)
          for (const std::size_t end : {0, 1})
            if (of_rank[end] == static_cast<double>(key)) sum += of_rank[2 + end * columns + k];
        group[static_cast<std::ptrdiff_t>(k)] = static_cast<T>(sum);
      }
  }

  /// `run`, if this rank has rows. Then the first and the last of `sums` become the whole groups'
  /// sums, by way of the host.
  template <class Space, class T>
  std::function<void()> joined(const Space& space, const kernels::group_sum::Sums<Space, T>& sums,
                               bool any, const std::function<void()>& run) const {
    const auto end = [&](std::size_t group) { return Kokkos::subview(sums, group, Kokkos::ALL); };
    const auto first = end(0), last = end(sums.extent(0) - 1);
    const Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> own("parallax::group_sum::ends", 8);
    const auto own_first = Kokkos::subview(own, std::pair(0, 4)),
               own_last = Kokkos::subview(own, std::pair(4, 8));
    return [=, cuts = *this] {
      if (any)
        run();
      else
        Kokkos::deep_copy(space, sums, T(0));
      Kokkos::deep_copy(space, own_first, first);
      Kokkos::deep_copy(space, own_last, last);
      space.fence("parallax::group_sum: before the groups at the cuts");
      cuts.join(own_first.data(), own_last.data(), 4);
      Kokkos::deep_copy(space, first, own_first);
      Kokkos::deep_copy(space, last, own_last);
    };
  }

  /// What each rank sends for it; nothing where there is one.
  template <class T>
  [[nodiscard]] std::vector<Message> messages(std::size_t columns) const {
    if (keys_.empty()) return {};
    return {{.bytes = static_cast<double>(keys_.size() * columns * sizeof(T)), .from_host = true}};
  }

 private:
  /// `first` and `last` may be the same group.
  template <class T>
  void join(T* first, T* last, std::size_t columns) const {
    std::vector<T> parts(keys_.size() * columns);
    const auto for_each_own = [&](const auto& f) {
      for (std::size_t k = 0; k < keys_.size(); ++k)
        for (T* const row : {first, last})
          if (keys_[k] == (row == first ? begin_ : end_)) f(&parts[k * columns], row);
    };
    for_each_own([&](T* part, const T* row) { std::copy(row, row + columns, part); });
    ranks::sum(parts.data(), parts.size());
    for_each_own([&](const T* part, T* row) { std::copy(part, part + columns, row); });
  }

  std::int64_t begin_, end_;
  std::vector<std::int64_t> keys_;  ///< of the cuts, in the order of the ranks
};

}  // namespace parallax::group_sum
