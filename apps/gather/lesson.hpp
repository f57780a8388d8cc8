// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// gather: out[i] = array[index[i]], and what becomes of an index that is out of range.
//
// A GPU cannot raise an exception: a million threads are under way when one of them finds
// an index that does not exist. There are two honest answers, and one that is not:
//
//   checked     look at all indices first, and refuse before anything is launched (NumPy)
//   wrap        give every index a meaning: the remainder (CuPy does this without being asked)
//   unchecked   promise that indices are right; a wrong one reads whatever is in that memory
//
// A Kokkos built with Kokkos_ENABLE_DEBUG_BOUNDS_CHECK stops the last one: it checks every access.
//
// An index is 8 bytes and so is what it fetches, but memory delivers 32 bytes or more at a time: a
// random order wastes most of them. 24 bytes per element are the least, 48 where none is cached.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace parallax::kernels::gather {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and large arrays have more elements.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Trusts its indices. Bodies for one element are structs, not lambdas: in a build for CUDA a
/// lambda costs the CPU a function call for each.
// begin: unchecked
template <class Array, class Index>
struct Unchecked {
  Array array;
  Index index;
  Array out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { out(i) = array(index(i)); }
};
// end: unchecked

/// out[i] = array[index[i]] for indices of 0..array.extent(0)-1. `array` and `out` are rank-1 views
/// of one type, `index` of 64-bit integers: 32 bits end at 2^31 elements. Nothing is checked.
// begin: unchecked
template <class Space, class Array, class Index>
void unchecked(const Space& space, const Array& array, const Index& index, const Array& out) {
  static_assert(sizeof(typename Index::value_type) == 8, "gather takes 64-bit indices");
  // student: begin unchecked
  Kokkos::parallel_for("parallax::gather::unchecked", Range<Space>(space, 0, out.extent(0)),
                       Unchecked<Array, Index>{array, index, out});
  // student: end unchecked
}
// end: unchecked

/// `at` modulo the extent, in 0..extent-1: -1 is the last element, extent the first. (The % of C++
/// keeps the sign of its left side, hence the addition.) A 64-bit division is some forty
/// instructions; an index that is in range needs none.
KOKKOS_INLINE_FUNCTION std::int64_t wrapped(std::int64_t at, std::int64_t extent) {
  if (at >= 0 && at < extent) return at;
  at %= extent;
  return at < 0 ? at + extent : at;
}

template <class Array, class Index>
struct Wrap {
  Array array;
  Index index;
  Array out;
  std::int64_t extent;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // student: begin wrap
    out(i) = array(wrapped(index(i), extent));
    // student: end wrap
  }
};

template <class Space, class Array, class Index>
void wrap(const Space& space, const Array& array, const Index& index, const Array& out) {
  const auto extent = static_cast<std::int64_t>(array.extent(0));
  Kokkos::parallel_for("parallax::gather::wrap", Range<Space>(space, 0, out.extent(0)),
                       Wrap<Array, Index>{array, index, out, extent});
}

/// `wrap` with a detour: a team brings 1024 indices into its scratch memory, waits, and gathers
/// from there. Each index is used once, so the copy saves nothing: the random reads of `array` take
/// the time, and those do not fit in scratch memory.
template <class Space, class Array, class Index>
void team_scratch(const Space& space, int team_size, const Array& array, const Index& index,
                  const Array& out) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch =
      Kokkos::View<std::int64_t*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 1024;
  const auto extent = static_cast<std::int64_t>(array.extent(0));
  const auto n = static_cast<std::int64_t>(out.extent(0));
  const auto teams = static_cast<int>((n + block - 1) / block);
  Kokkos::parallel_for(
      "parallax::gather::team_scratch",
      Policy(space, teams, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(block))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch staged(team.team_scratch(0), block);
        const std::int64_t begin = team.league_rank() * block;
        const std::int64_t end = Kokkos::min(begin + block, n);
        const auto mine = Kokkos::TeamThreadRange(team, begin, end);
        // student: begin team_scratch
        Kokkos::parallel_for(
            mine, [&](std::int64_t i) { staged(i - begin) = wrapped(index(i), extent); });
        team.team_barrier();  // another thread may have brought the index
        Kokkos::parallel_for(mine, [&](std::int64_t i) { out(i) = array(staged(i - begin)); });
        // student: end team_scratch
      });
}

/// The position of the first index that is not in -extent..extent-1.
template <class Index>
struct FirstWrong {
  Index index;
  std::int64_t extent;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    if ((index(i) < -extent || index(i) >= extent) && i < first) first = i;
  }
};

/// Throws std::out_of_range for the first index that is not in -extent..extent-1. The words are
/// NumPy's. It waits for the answer: that is the price of refusing before the launch.
template <class Space, class Index>
void require_in_bounds(const Space& space, const Index& index, std::int64_t extent) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = none;
  Kokkos::parallel_reduce("parallax::gather::checked::look",
                          Range<Space>(space, 0, index.extent(0)), FirstWrong<Index>{index, extent},
                          Kokkos::Min<std::int64_t>(first));
  if (first == none) return;
  std::int64_t wrong = 0;
  Kokkos::deep_copy(wrong, Kokkos::subview(index, first));
  throw std::out_of_range("index " + std::to_string(wrong) +
                          " is out of bounds for axis 0 with size " + std::to_string(extent));
}

/// Refuses before the launch, or gathers. Negative indices count from the end, as in Python, which
/// for these is the remainder.
template <class Space, class Array, class Index>
void checked(const Space& space, const Array& array, const Index& index, const Array& out) {
  const auto extent = static_cast<std::int64_t>(array.extent(0));
  require_in_bounds(space, index, extent);
  Kokkos::parallel_for("parallax::gather::checked", Range<Space>(space, 0, out.extent(0)),
                       Wrap<Array, Index>{array, index, out, extent});
}

}  // namespace parallax::kernels::gather
