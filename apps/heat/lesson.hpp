// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// heat: heat spreads over a plate, in time steps. In each step a point moves towards the mean of
// its four neighbours, u' = u + a (north + south + west + east - 4 u), a five-point stencil. The
// frame of the plate, its outermost points, keeps its heat.
//
//   mdrange        a kernel for each step; neighbours come from memory or from the caches
//   team_scratch   the same, by tiles: a team brings a tile and its halo to scratch memory once
//   graph          the kernels of all steps recorded once, launched together
//
// A step reads one field and writes another: 2 sizeof(T) bytes and 7 operations for each point.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>
#include <cstdint>

namespace parallax::kernels::heat {

/// How much of a difference evens out in a step. Above 1/4 the steps overshoot, and blow up. A
/// power of two: no product is rounded, so that all processors find the same bits.
inline constexpr float a = 0.125F;

/// All points of the plate, with its frame. Rows are contiguous everywhere: a rank can send one.
template <class Space, class T>
using Field = Kokkos::View<T**, Kokkos::LayoutRight, typename Space::memory_space>;

/// What point (i, j) of `u` is after a step; `u` is a field, or a tile of one.
// begin: mdrange
template <class Points>
KOKKOS_INLINE_FUNCTION auto after(const Points& u, std::int64_t i, std::int64_t j) {
  typename Points::value_type next = u(i, j);
  // student: begin mdrange
  next += a * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
  // student: end mdrange
  return next;
}

template <class Field>
struct Step {
  Field from, to;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    to(i, j) = after(from, i, j);
  }
};

// One pair of indices for each inner point; the last index runs fastest (Right), as in memory.
template <class Space, class Field>
auto inner_points(const Space& space, const Field& u) {
  using Order = Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>;
  using Policy = Kokkos::MDRangePolicy<Space, Order, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t rows = u.extent(0), columns = u.extent(1);
  return Policy(space, {1, 1}, {rows - 1, columns - 1}, {1, 512});  // a tile is part of a row
}

template <class Space, class Field>
void mdrange(const Space& space, const Field& from, const Field& to) {
  Kokkos::parallel_for("parallax::heat::mdrange", inner_points(space, from), Step<Field>{from, to});
}
// end: mdrange

/// A tile's inner points, and scratch memory for them and the halo around them.
inline constexpr int tile_rows = 16, tile_columns = 32;
template <class Space, class T>
using Tile = Kokkos::View<T[tile_rows + 2][tile_columns + 2], Kokkos::LayoutRight,
                          typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

// begin: team_scratch
template <class Space, class Field>
void team_scratch(const Space& space, int team_size, const Field& from, const Field& to) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Tile<Space, typename Field::value_type>;
  const std::int64_t rows = from.extent(0) - 2, columns = from.extent(1) - 2;
  const auto down = static_cast<int>((rows + tile_rows - 1) / tile_rows);
  const auto across = static_cast<int>((columns + tile_columns - 1) / tile_columns);
  Kokkos::parallel_for(
      "parallax::heat::team_scratch",
      Policy(space, down * across, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch tile(team.team_scratch(0));
        // Where the tile's halo begins in the field; tiles at the edges are smaller.
        const std::int64_t top = std::int64_t{team.league_rank() / across} * tile_rows;
        const std::int64_t left = std::int64_t{team.league_rank() % across} * tile_columns;
        const auto height = static_cast<int>(Kokkos::min<std::int64_t>(tile_rows, rows - top));
        const auto width =
            static_cast<int>(Kokkos::min<std::int64_t>(tile_columns, columns - left));
        // student: begin team_scratch
        const int with_halo = width + 2;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, (height + 2) * with_halo), [&](int e) {
          const int r = e / with_halo, c = e % with_halo;
          tile(r, c) = from(top + r, left + c);
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, height * width), [&](int e) {
          const int r = 1 + e / width, c = 1 + e % width;
          to(top + r, left + c) = after(tile, r, c);
        });
        // student: end team_scratch
      });
}
// end: team_scratch

/// From `start`, which is only read, to `end` in `steps` steps; `spare` takes turns with `end`.
template <class Field>
struct Fields {
  Field start, spare, end;
  int steps;
  Field to(int step) const { return (steps - step) % 2 == 0 ? end : spare; }
  Field from(int step) const { return step == 1 ? start : to(step - 1); }
};

/// Index k of the frame: an element of the first and the last column, and of both rows.
template <class Field>
struct Frame {
  Field start, spare, end;
  KOKKOS_FUNCTION void copy(std::int64_t i, std::int64_t j) const {
    spare(i, j) = end(i, j) = start(i, j);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t rows = start.extent(0), columns = start.extent(1);
    if (k < rows) copy(k, 0), copy(k, columns - 1);
    if (k < columns) copy(0, k), copy(rows - 1, k);
  }
};

template <class Space, class Field>
auto along_the_frame(const Space& space, const Field& u) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t rows = u.extent(0), columns = u.extent(1);
  return Range(space, 0, rows > columns ? rows : columns);
}

/// Puts the frame around both fields once, and then launches step(from, to) after step.
template <class Space, class Field, class OneStep>
void run(const Space& space, const Fields<Field>& f, const OneStep& step) {
  Kokkos::parallel_for("parallax::heat::frame", along_the_frame(space, f.start),
                       Frame<Field>{f.start, f.spare, f.end});
  for (int k = 1; k <= f.steps; ++k) step(f.from(k), f.to(k));
}

/// The same kernels as nodes of a graph, each after the one before; `submit(space)` runs them all.
// begin: graph
template <class Space, class Field>
auto graph(const Space& space, const Fields<Field>& f) {
  using Node = Kokkos::Experimental::GraphNodeRef<Space>;  // of any kernel
  auto graph = Kokkos::Experimental::create_graph<Space>([&](const Node& root) {
    Node last = root.then_parallel_for("parallax::heat::frame", along_the_frame(space, f.start),
                                       Frame<Field>{f.start, f.spare, f.end});
    for (int k = 1; k <= f.steps; ++k)
      last = last.then_parallel_for("parallax::heat::graph", inner_points(space, f.start),
                                    Step<Field>{f.from(k), f.to(k)});
  });
  graph.instantiate();
  return graph;
}
// end: graph

}  // namespace parallax::kernels::heat
