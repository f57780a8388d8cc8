// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A radix sort, least significant digit first, in one source for every backend. Digits have 8 bits;
// each pass moves the keys once, stably, into 256 bins. One idea a file:
//   radix_key.hpp    keys as integers that compare in the same order; their range
//   radix_count.hpp  one read counts the digits of all passes: where bins start, what to skip
//   radix_rank.hpp   where in its tile each key goes
//   radix_pass.hpp   a pass: tiles go to their bins, teams look back at earlier ones
//   radix_sort.hpp   this one: the passes, to and fro between two buffers
//
// Traffic: (1 + 2 passes) arrays of keys, and one more where the range is worth knowing. Memory:
// the keys twice, and 2 KiB a tile.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "device/radix_count.hpp"
#include "device/radix_key.hpp"
#include "device/radix_pass.hpp"
#include "device/radix_rank.hpp"

namespace parallax::kernels {

/// What a sort of up to `n` keys needs besides the keys: make it once, use it often.
template <class Space, class Key, class Value = NoValue,
          class Tuning = RadixTuning<Space, sizeof(Key)>>
struct RadixWorkspace {
  In<Space, Key*> keys;
  In<Space, Value*> values;
  In<Space, std::uint64_t*> counts, published;
  In<Space, int*> next_tiles;
  Kokkos::View<std::uint64_t*, Kokkos::SharedHostPinnedSpace> host_counts;

  RadixWorkspace(const Space& space, std::int64_t n)
      : keys(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::radix_sort::keys"),
             n),
        values(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::radix_sort::values"),
            std::is_same_v<Value, NoValue> ? 0 : n),
        counts(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::radix_sort::counts"),
            sizeof(Key) * radix_bins),
        published(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                     "parallax::radix_sort::published"),
                  (n + Tuning::tile - 1) / Tuning::tile * radix_bins),
        next_tiles("parallax::radix_sort::next_tiles", sizeof(Key)),
        host_counts("parallax::radix_sort::host_counts", counts.size()) {}
};

template <class Space, class Key, class Value>
struct RadixSorted {
  In<Space, Key*> keys;
  In<Space, Value*> values;
};

/// Sorts `keys` ascending; `values`, where there are any, follow their keys, and equal keys keep
/// their order. As the data moves to and fro, the result is in `keys` or in the workspace: what
/// is returned says which. With a `third` array, as long, it is in the workspace. `known`: codes
/// that no key is outside of.
template <class Space, class Key, class Value, class Tuning>
RadixSorted<Space, Key, Value> radix_sort(
    const Space& space, const std::type_identity_t<In<Space, Key*>>& keys,
    const std::type_identity_t<In<Space, Value*>>& values,
    const RadixWorkspace<Space, Key, Value, Tuning>& work,
    const RadixSorted<Space, Key, Value>& third = {},
    const std::type_identity_t<std::optional<RadixRange<Key>>>& known = {}) {
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  const Kokkos::pair<std::int64_t, std::int64_t> all(0, n);
  RadixSorted<Space, Key, Value> from{keys, values};
  const RadixSorted<Space, Key, Value> second{Kokkos::subview(work.keys, all), work.values};
  if (n < 2) return from;
  const auto plan = radix_plan<Space, Key>(space, keys, work.counts, work.host_counts, known);
  auto to = second;
  const bool by_third = plan.passes % 2 == 0 && third.keys.size() >= keys.size();
  if (by_third) to = {Kokkos::subview(third.keys, all), third.values};
  const auto tiles = static_cast<int>((n + Tuning::tile - 1) / Tuning::tile);
  const auto published = Kokkos::subview(work.published, Kokkos::pair<std::int64_t, std::int64_t>(
                                                             0, std::int64_t{tiles} * radix_bins));
  Kokkos::deep_copy(space, published, 0);
  Kokkos::deep_copy(space, work.next_tiles, 0);

  using Pass = RadixPass<Space, Key, Value, Tuning>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tuning::threads, Tuning::teams>>;
  for (int p = 0; p < plan.passes; ++p) {
    const int first_bin = plan.digit[p] * radix_bins;
    const Pass pass{
        from.keys,
        to.keys,
        from.values,
        to.values,
        Kokkos::subview(work.counts, Kokkos::pair<int, int>(first_bin, first_bin + radix_bins)),
        work.published,
        Kokkos::subview(work.next_tiles, p),
        plan.low,
        plan.digit[p] * radix_bits,
        p + 1,
        p == 0,
        p + 1 == plan.passes};
    Kokkos::parallel_for(
        "parallax::radix_sort::pass",
        Policy(space, tiles, Tuning::groups, Tuning::lanes)
            .set_scratch_size(Tuning::scratch_level,
                              Kokkos::PerTeam(static_cast<int>(Pass::scratch_bytes) + 64)),
        pass);
    std::swap(from, to);
    if (p == 0 && by_third) to = second;
  }
  return from;
}

/// The same for keys only; returns the view that holds them.
template <class Space, class Key, class Tuning>
In<Space, Key*> radix_sort(const Space& space, const std::type_identity_t<In<Space, Key*>>& keys,
                           const RadixWorkspace<Space, Key, NoValue, Tuning>& work,
                           const std::type_identity_t<In<Space, Key*>>& third = {},
                           const std::type_identity_t<std::optional<RadixRange<Key>>>& known = {}) {
  return radix_sort(space, keys, In<Space, NoValue*>(), work, {third, {}}, known).keys;
}

}  // namespace parallax::kernels
