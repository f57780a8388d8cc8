// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// launch: small kernels, one after the other or side by side, and the ways to launch them. Kernel k
// does x = 3 x + k on its part of the data. In a chain all have the same part: each needs what the
// one before it wrote. Independent kernels have a part each. Whole numbers wrap round, so every
// result is exact, and a step that is left out, done twice or out of turn shows.
//
//   range, team, team_scratch   a launch for each kernel, on one instance, which keeps their order
//   instances                   a launch for each kernel, on several instances in turn
//   graph                       all kernels recorded once, launched together as often as wanted
//   fused                       one kernel that does the work of all
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>
#include <cstdint>
#include <vector>

namespace parallax::kernels::launch {

/// x after step k. Unsigned on the way, since signed numbers that overflow are undefined.
KOKKOS_INLINE_FUNCTION std::int32_t step(std::int32_t x, int k) {
  return static_cast<std::int32_t>(3 * static_cast<std::uint32_t>(x) + k);
}

// begin: range
template <class Part>
struct Step {
  Part x;
  int k;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) = step(x(i), k); }
};
// end: range

/// The indices of `x`, of 64 bits each: Kokkos's own choice has 32 on a GPU.
template <class Space, class Part>
auto indices(const Space& space, const Part& x) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  return Range(space, 0, static_cast<std::int64_t>(x.extent(0)));
}

// begin: range
// parts[k] is what kernel k works on: the same array for all, or another for each.
template <class Space, class Part>
void range(const Space& space, const std::vector<Part>& parts) {
  // student: begin range
  for (int k = 0; k < std::ssize(parts); ++k)
    Kokkos::parallel_for("parallax::launch::range", indices(space, parts[k]),
                         Step<Part>{parts[k], k});
  // student: end range
}
// end: range

/// On several instances (CUDA's and HIP's streams), in turn: right only for independent kernels.
/// Kernel k always has the same instance, so that a second round comes after the first.
// begin: instances
template <class Space, class Part>
void instances(const std::vector<Space>& instances, const std::vector<Part>& parts) {
  for (int k = 0; k < std::ssize(parts); ++k)
    Kokkos::parallel_for("parallax::launch::instances",
                         indices(instances[k % instances.size()], parts[k]),
                         Step<Part>{parts[k], k});
}
// end: instances

/// Records the kernels and their order: in a chain each after the one before it, else all after the
/// root, which is no kernel. Its `submit(space)` launches them; the making costs more than that.
// begin: graph
template <class Space, class Part>
auto graph(const Space& space, const std::vector<Part>& parts, bool chain) {
  using Node = Kokkos::Experimental::GraphNodeRef<Space>;  // of any kernel
  auto graph = Kokkos::Experimental::create_graph<Space>([&](const Node& root) {
    // student: begin graph
    Node last = root;
    for (int k = 0; k < std::ssize(parts); ++k)
      last = (chain ? last : root)
                 .then_parallel_for("parallax::launch::graph", indices(space, parts[k]),
                                    Step<Part>{parts[k], k});
    // student: end graph
  });
  graph.instantiate();
  return graph;
}
// end: graph

// begin: fused
template <class Part>
struct AllSteps {
  Part x;
  int kernels;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // student: begin fused
    auto value = x(i);  // in a register, for all steps of a chain
    for (int k = 0; k < kernels; ++k) value = step(value, k);
    x(i) = value;
    // student: end fused
  }
};
// end: fused

template <class Space, class Part>
void fused(const Space& space, const Part& x, int kernels) {
  Kokkos::parallel_for("parallax::launch::fused", indices(space, x), AllSteps<Part>{x, kernels});
}

/// The steps of independent kernels side by side: `i` says which element, `k` which kernel. `i` is
/// the fast index (Left), so that neighbours in memory have neighbouring threads.
template <class All>
struct StepsSideBySide {
  All x;
  std::int64_t n;  // elements of a part
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    x(k * n + i) = step(x(k * n + i), static_cast<int>(k));
  }
};

template <class Space, class All>
void fused_parts(const Space& space, const All& x, std::int64_t n, int kernels) {
  using Rows = Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>;
  using Policy = Kokkos::MDRangePolicy<Space, Rows, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("parallax::launch::fused", Policy(space, {0, 0}, {n, kernels}),
                       StepsSideBySide<All>{x, n});
}

/// A block of elements for each team; `Staged`: by way of scratch memory, which gains nothing. It
/// is no KOKKOS_LAMBDA: in a build for CUDA a host makes one in the time of a small kernel.
template <class Space, class Part, bool Staged>
struct Block {
  static constexpr std::int64_t size = 1024;
  using Scratch = Kokkos::View<int*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Part x;
  int k;
  KOKKOS_FUNCTION void operator()(const auto& team) const {
    const std::int64_t n = x.extent(0), begin = size * team.league_rank();
    const auto each = Kokkos::TeamThreadRange(team, n - begin < size ? n - begin : size);
    if constexpr (Staged) {
      const Scratch block(team.team_scratch(0), size);
      Kokkos::parallel_for(each, [&](std::int64_t i) { block(i) = x(begin + i); });
      team.team_barrier();
      Kokkos::parallel_for(each, [&](std::int64_t i) { x(begin + i) = step(block(i), k); });
    } else {
      Kokkos::parallel_for(each, [&](std::int64_t i) { x(begin + i) = step(x(begin + i), k); });
    }
  }
};

template <bool Staged = false, class Space, class Part>
void team(const Space& space, int team_size, const std::vector<Part>& parts) {
  using Body = Block<Space, Part, Staged>;
  for (int k = 0; k < std::ssize(parts); ++k) {
    const auto blocks = static_cast<int>((parts[k].extent(0) + Body::size - 1) / Body::size);
    const auto bytes = Staged ? Body::Scratch::shmem_size(Body::size) : 0;
    const auto policy = Kokkos::TeamPolicy<Space>(space, blocks, team_size)
                            .set_scratch_size(0, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for(Staged ? "parallax::launch::team_scratch" : "parallax::launch::team",
                         policy, Body{parts[k], k});
  }
}

template <class Space, class Part>
void team_scratch(const Space& space, int team_size, const std::vector<Part>& parts) {
  team<true>(space, team_size, parts);
}

}  // namespace parallax::kernels::launch
