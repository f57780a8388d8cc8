// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort on several ranks: what a rank receives from the others is sorted already, one run
// from each, as long as they come. Merged two and two like the lesson's, all at once: for R ranks
// the keys make log2(R) trips through memory.
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/tuning.hpp"
#include "uniform_sort/lesson.hpp"

namespace parallax::kernels {

/// How many keys a thread merges. A search among cold keys costs a core more than some thousand
/// merged ones. On a GPU neighbours read and write places `merge_stretch` keys apart: what all
/// of them have in hand must fit the cache.
template <class Space>
inline constexpr int merge_stretch = is_host_space<Space> ? 4096 : 4;

/// Merges run 2 p with run 2 p + 1, for each p. Run r is from bounds(r * step) to
/// bounds((r + 1) * step), and may have no keys at all.
template <class Keys, class Bounds>
struct MergeParts {
  Keys from, to;
  Bounds bounds;
  std::int64_t step, stretch, n;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const std::int64_t last = Kokkos::min((thread + 1) * stretch, n);
    for (std::int64_t out = thread * stretch; out < last;) {
      // The last pair that begins at `out` or before: pairs without keys come before it.
      std::int64_t pair = 0, pairs = (bounds.extent_int(0) - 1) / (2 * step);
      while (pairs - pair > 1) {
        const std::int64_t guess = (pair + pairs) / 2;
        if (bounds(2 * step * guess) <= out)
          pair = guess;
        else
          pairs = guess;
      }
      const std::int64_t run = 2 * step * pair, end = bounds(run + 2 * step);
      const std::int64_t stop = Kokkos::min(last, end);
      merge_two(from, to, bounds(run), bounds(run + step), end, out, stop);
      out = stop;
    }
  }
};

/// Sorts `keys`, where run r, from ends[r] to ends[r + 1], is sorted: the first of `ends` is 0
/// and the last how many keys there are. `buffer` is as long as `keys`; the result is in one of
/// them.
template <class Space, class Keys>
Keys uniform_sort_merge_parts(const Space& space, Keys keys, Keys buffer,
                              const std::vector<std::int64_t>& ends) {
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  const auto runs = static_cast<std::int64_t>(std::bit_ceil(ends.size() - 1));
  // Runs without keys fill up to a power of two, so that there are pairs on every trip.
  const Kokkos::View<std::int64_t*, typename Keys::memory_space> bounds(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::uniform_sort::bounds"),
      static_cast<std::size_t>(runs) + 1);
  const auto on_host = Kokkos::create_mirror_view(bounds);
  for (std::size_t r = 0; r < on_host.extent(0); ++r) on_host(r) = r < ends.size() ? ends[r] : n;
  Kokkos::deep_copy(space, bounds, on_host);
  space.fence("parallax::uniform_sort: bounds are on their way");
  const std::int64_t stretch = merge_stretch<Space>;
  for (std::int64_t step = 1; step < runs; step *= 2) {
    Kokkos::parallel_for(
        "parallax::uniform_sort::merge_parts",
        SortRange<Space>(space, 0, (n + stretch - 1) / stretch),
        MergeParts<Keys, decltype(bounds)>{keys, buffer, bounds, step, stretch, n});
    std::swap(keys, buffer);
  }
  return keys;
}

}  // namespace parallax::kernels
