// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// scan: exclusive prefix sums, offsets(i) = a(0) + ... + a(i - 1), for i from 0 to n. Lengths
// of lists become the places where the lists begin. A copy's rate is the ceiling.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::scan {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and large arrays have more elements.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Kokkos calls the body twice for most indices: once to learn what a part of the range adds up to,
/// and once more, with `final`, when `sum` has all indices before this one.
// begin: kokkos_scan
template <class Array>
struct Running {
  using value_type = typename Array::non_const_value_type;
  Array a, offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sum, bool final) const {
    // student: begin kokkos_scan
    if (final) offsets(i) = sum;
    if (i < static_cast<std::int64_t>(a.extent(0))) sum += a(i);
    // student: end kokkos_scan
  }
};

/// The form to use in practice. Index n writes the total.
template <class Space, class Array>
void kokkos_scan(const Space& space, const Array& a, const Array& offsets) {
  Kokkos::parallel_scan("parallax::scan::kokkos_scan", Range<Space>(space, 0, a.extent(0) + 1),
                        Running<Array>{a, offsets});
}
// end: kokkos_scan

constexpr int block = 1024;  ///< numbers that one thread or one team adds up

template <class Array>
struct AddBlock {
  Array a, sums;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    const std::int64_t n = a.extent(0);
    typename Array::non_const_value_type sum = 0;
    for (std::int64_t i = b * block; i < n && i < (b + 1) * block; ++i) sum += a(i);
    sums(b) = sum;
  }
};

template <class Array>
struct WriteBlock {
  Array a, starts, offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    const std::int64_t n = a.extent(0);
    auto sum = starts(b);
    for (std::int64_t i = b * block; i < n && i < (b + 1) * block; ++i) {
      offsets(i) = sum;
      sum += a(i);
    }
    if (b == n / block) offsets(n) = sum;
  }
};

/// The sum of each block; a scan of these few sums, which says where each block starts; the blocks
/// again. Index n is in the last block.
template <class Space, class Array>
void three_kernels(const Space& space, const Array& a, const Array& sums, const Array& starts,
                   const Array& offsets) {
  const std::int64_t blocks = a.extent(0) / block + 1;
  // student: begin three_kernels
  Kokkos::parallel_for("parallax::scan::three_kernels::sums", Range<Space>(space, 0, blocks),
                       AddBlock<Array>{a, sums});
  kokkos_scan(space, sums, starts);
  Kokkos::parallel_for("parallax::scan::three_kernels::blocks", Range<Space>(space, 0, blocks),
                       WriteBlock<Array>{a, starts, offsets});
  // student: end three_kernels
}

/// A team for each block: a tree in scratch memory (Blelloch). Up: sums of pairs, of pairs of
/// pairs. Down: a node passes on what comes before it, to the right child with the left one's sum.
// begin: team_scratch
template <class Space, class Array>
void team_scratch(const Space& space, int team_size, const Array& a, const Array& sums,
                  const Array& starts, const Array& offsets) {
  using T = typename Array::non_const_value_type;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const std::int64_t n = a.extent(0);
  const Policy policy(space, static_cast<int>(n / block + 1), team_size);
  Kokkos::parallel_for(
      "parallax::scan::team_scratch::sums", policy, KOKKOS_LAMBDA(const Member& team) {
        const std::int64_t begin = std::int64_t{team.league_rank()} * block;
        T sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, begin, Kokkos::min(begin + block, n)),
            [&](std::int64_t i, T& part) { part += a(i); }, sum);
        if (team.team_rank() == 0) sums(team.league_rank()) = sum;
      });
  kokkos_scan(space, sums, starts);
  Kokkos::parallel_for(
      "parallax::scan::team_scratch::blocks",
      Policy(policy).set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(block))),
      KOKKOS_LAMBDA(const Member& team) {
        const Scratch x(team.team_scratch(0), block);
        const std::int64_t begin = std::int64_t{team.league_rank()} * block;
        const auto all = Kokkos::TeamThreadRange(team, block);
        Kokkos::parallel_for(all, [&](int i) { x(i) = begin + i < n ? a(begin + i) : 0; });
        team.team_barrier();
        // student: begin team_scratch
        for (int step = 1; step < block; step *= 2) {  // up: a node is the sum of two
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(block) / (2 * step)),
                               [&](int k) {
                                 const int right = (k + 1) * 2 * step - 1;
                                 x(right) += x(right - step);
                               });
          team.team_barrier();  // one level ends before the next begins
        }
        if (team.team_rank() == 0) x(block - 1) = starts(team.league_rank());
        team.team_barrier();
        for (int step = block / 2; step > 0; step /= 2) {  // down: what comes before each node
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(block) / (2 * step)),
                               [&](int k) {
                                 const int right = (k + 1) * 2 * step - 1, left = right - step;
                                 const T before = x(right);
                                 x(right) += x(left);
                                 x(left) = before;
                               });
          team.team_barrier();
        }
        // student: end team_scratch
        Kokkos::parallel_for(all, [&](int i) {
          if (begin + i <= n) offsets(begin + i) = x(i);
        });
      });
}
// end: team_scratch

/// Compaction of the events with a pair: `place` counts those kept before this one.
// begin: compact
template <class Array>
struct Keep {
  using value_type = std::int64_t;
  Array leptons, kept;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& place, bool final) const {
    if (leptons(i) < 2) return;
    if (final) kept(place) = static_cast<typename Array::non_const_value_type>(i);
    ++place;
  }
};
// end: compact

template <class Space, class Array>
void compact(const Space& space, const Array& leptons, const Array& kept) {
  Kokkos::parallel_scan("parallax::scan::compact", Range<Space>(space, 0, leptons.extent(0)),
                        Keep<Array>{leptons, kept});
}

}  // namespace parallax::kernels::scan
