// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// integration2d: the midpoint rule for sin(x + y) over [0, pi] x [0, y_upper], n points an axis:
//   x_i = (pi/n) (i + 1/2),  y_j = (y_upper/n) (j + 1/2)
//   result = (pi/n) (y_upper/n) sum_ij sin(x_i + y_j)
//
// n * n sines for one number: arithmetic is the limit, not memory. Threads that all added to one
// variable would overwrite each other's sums. Here each writes its own partial sum into an
// array C, which is copied back and added up on the host:
//
//   row_per_thread  a thread for each x, which adds up all y: n partial sums
//   block           the same threads in teams of a chosen size, a GPU's blocks
//   block_scratch   the same teams. A team adds up its threads' sums in scratch memory, a GPU's
//                   shared memory, and writes one: fewer to copy back
//   team_scratch    a team for each x: its threads share the y. On a GPU n threads are few, and
//                   this starts many more
//
// T is the type of the sines. Sums are doubles, since a float cannot hold many terms: from 2^24 on
// floats are 2 apart, and a sine no longer changes the sum.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::integration2d {

/// The grid: n points on each axis; steps along x and y in radians (0 if there are no points). Rows
/// are those that are added up: all of them, or what one of several processes has.
template <class T>
struct Grid {
  std::int64_t n, rows;
  T step_x, step_y, first_row = T(0.5);  // where the rows begin, in steps
  Grid(std::int64_t points, double y_upper)
      : n(points > 0 ? points : 0),
        rows(n),
        step_x(static_cast<T>(n > 0 ? Kokkos::numbers::pi / static_cast<double>(n) : 0.0)),
        step_y(static_cast<T>(n > 0 ? y_upper / static_cast<double>(n) : 0.0)) {}
  KOKKOS_FUNCTION T x(auto i) const { return step_x * (static_cast<T>(i) + first_row); }
  KOKKOS_FUNCTION T y(auto j) const { return step_y * (static_cast<T>(j) + T(0.5)); }
  KOKKOS_FUNCTION double cell() const { return double(step_x) * double(step_y); }

  /// The part of row i at y_first, y_(first + stride), ...: the loop that each kernel below runs.
  // begin: row_per_thread
  KOKKOS_FUNCTION double part_of_row(int i, int first, int stride) const {
    const T at = x(i);
    double sum = 0.0;
    // student: begin row_per_thread
    for (int j = first; j < n; j += stride) sum += Kokkos::sin(at + y(j));
    // student: end row_per_thread
    return cell() * sum;
  }
  // end: row_per_thread
};

// begin: row_per_thread
template <class T, class Partial>
struct Row {
  Grid<T> grid;
  Partial c;
  KOKKOS_FUNCTION void operator()(int i) const { c(i) = grid.part_of_row(i, 0, 1); }
};
// end: row_per_thread

/// c[i] = the sum over row i. `c` is a rank-1 view of doubles in memory of `Space`, one a row.
// begin: row_per_thread
template <class Space, class T, class Partial>
void row_per_thread(const Space& space, const Grid<T>& grid, const Partial& c) {
  Kokkos::parallel_for("parallax::integration2d::row_per_thread",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>(space, 0, grid.rows),
                       Row<T, Partial>{grid, c});
}
// end: row_per_thread

template <class Space>
using Scratch =
    Kokkos::View<double*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
template <class Space>
using Team = typename Kokkos::TeamPolicy<Space>::member_type;

/// c[i] = the sum over row i, in teams of `team_size` threads.
template <class Space, class T, class Partial>
void block(const Space& space, int team_size, const Grid<T>& grid, const Partial& c) {
  const int rows = c.extent_int(0), league = (rows + team_size - 1) / team_size;
  const Row<T, Partial> row{grid, c};
  Kokkos::parallel_for(
      "parallax::integration2d::block", Kokkos::TeamPolicy<Space>(space, league, team_size),
      KOKKOS_LAMBDA(const Team<Space>& team) {
        const int begin = team.league_rank() * team.team_size();
        const int end = Kokkos::min(begin + team.team_size(), rows);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), row);
      });
}

/// Adds `mine` of all threads of a team; thread 0 gets the sum. In each step the upper half of the
/// numbers is added to the lower half, so that 16 threads need 4 steps. The middle is rounded up,
/// for any number of threads. The barrier keeps threads from reading what has not been written yet.
template <class Space>
KOKKOS_FUNCTION double team_sum(const Team<Space>& team, double mine) {
  const Scratch<Space> sum(team.team_scratch(0), team.team_size());
  const int rank = team.team_rank();
  sum(rank) = mine;
  for (int width = team.team_size(); width > 1;) {
    const int middle = (width + 1) / 2;
    team.team_barrier();
    if (rank + middle < width) sum(rank) += sum(rank + middle);
    width = middle;
  }
  return sum(rank);
}

/// A league of teams, with scratch memory for a double from each thread.
template <class Space>
Kokkos::TeamPolicy<Space> teams(const Space& space, int league, int team_size) {
  const auto bytes = static_cast<int>(Scratch<Space>::shmem_size(team_size));
  return Kokkos::TeamPolicy<Space>(space, league, team_size)
      .set_scratch_size(0, Kokkos::PerTeam(bytes));
}

/// c[b] = the sum over the rows of team b, `team_size` of them: one for each entry of `c`.
template <class Space, class T, class Partial>
void block_scratch(const Space& space, int team_size, const Grid<T>& grid, const Partial& c) {
  Kokkos::parallel_for(
      "parallax::integration2d::block_scratch", teams(space, c.extent_int(0), team_size),
      KOKKOS_LAMBDA(const Team<Space>& team) {
        // student: begin block_scratch
        const int i = team.league_rank() * team.team_size() + team.team_rank();
        // The last team has threads beyond the end. They may not leave: the others wait at a
        // barrier.
        const double row = i < grid.rows ? grid.part_of_row(i, 0, 1) : 0.0;
        const double sum = team_sum<Space>(team, row);
        if (team.team_rank() == 0) c(team.league_rank()) = sum;
        // student: end block_scratch
      });
}

/// c[i] = the sum over row i. Kokkos writes such a tree itself if you ask for a parallel_reduce
/// over a TeamThreadRange.
template <class Space, class T, class Partial>
void team_scratch(const Space& space, int team_size, const Grid<T>& grid, const Partial& c) {
  Kokkos::parallel_for(
      "parallax::integration2d::team_scratch", teams(space, static_cast<int>(grid.rows), team_size),
      KOKKOS_LAMBDA(const Team<Space>& team) {
        // student: begin team_scratch
        const int row = team.league_rank();
        const double part = grid.part_of_row(row, team.team_rank(), team.team_size());
        const double sum = team_sum<Space>(team, part);
        if (team.team_rank() == 0) c(row) = sum;
        // student: end team_scratch
      });
}

/// Copies the partial sums back and adds them up on the host. It waits for the kernel.
template <class Partial>
double sum_on_host(const Partial& c) {
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  double sum = 0.0;
  for (std::size_t i = 0; i < on_host.extent(0); ++i) sum += on_host(i);
  return sum;
}

}  // namespace parallax::kernels::integration2d
