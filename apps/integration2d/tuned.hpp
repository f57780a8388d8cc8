// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// integration2d's fast kernels: the sums of lesson.hpp at the rate of the arithmetic units.
//
// With its argument and the addition to a sum, a sine (device/sine.hpp) takes 16 floating-point
// instructions in double (27 flops) and 12 in float (19 flops) with 2 integer ones. Over the rate
// at which the machine issues those, that is the floor. The first three variants do exactly this
// work and differ in who adds up what; the fourth replaces most sines by angle addition and is
// reported apart.
//
// T is the type of the sines' arithmetic. Partial sums of at most `steps` terms are kept in T, and
// go into doubles from there: a float sum of 1e10 terms would stop growing long before its end.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/sine.hpp"
#include "device/tuning.hpp"
#include "integration2d/lesson.hpp"

namespace parallax::kernels::integration2d {

/// Points and steps are doubles, whatever the sines are.
using WideGrid = Grid<double>;

/// The indices 0 to n - 1, of 64 bits each: there are more runs of points than 32 bits count.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Lanes of one thread: vector registers on a host, independent sines in flight on a device (the
/// chain of one polynomial is long; 1, 2, 4, 8, 16 lanes took 15.3, 13.2, 13.3, 12.4, 11.3 ms on an
/// H100, n = 102 400, double).
template <class Space, class T>
inline constexpr int sine_lanes = is_host_space<Space> ? vector_lanes<Space, T> : 16;

/// Sum of sin(x_i + y_j) over begin <= j < end. Lane l takes every `Lanes`-th point; the loops over
/// lanes are what the compiler vectorises.
template <class T, int Lanes>
KOKKOS_FUNCTION double sum_of_sines(const WideGrid& grid, std::int64_t i, std::int64_t begin,
                                    std::int64_t end) {
  constexpr int steps = 16;
  const T step = static_cast<T>(Lanes * grid.step_y);
  T offset[Lanes];
  double total[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    offset[l] = static_cast<T>(l * grid.step_y);
    total[l] = 0.0;
  }
  for (std::int64_t j = begin; j < end; j += steps * Lanes) {
    const T start = static_cast<T>(grid.x(i) + grid.y(j));
    const std::int64_t left = end - j;
    const int full = left < steps * Lanes ? static_cast<int>(left / Lanes) : steps;
    T part[Lanes];
    for (int l = 0; l < Lanes; ++l) part[l] = T(0);
    for (int k = 0; k < full; ++k) {
      const T t = Kokkos::fma(static_cast<T>(k), step, start);
      for (int l = 0; l < Lanes; ++l) part[l] += sine(t + offset[l]);
    }
    if (full < steps) {  // the end of the range: fewer points than lanes
      const int rest = static_cast<int>(left) - full * Lanes;
      const T t = Kokkos::fma(static_cast<T>(full), step, start);
      for (int l = 0; l < Lanes; ++l) part[l] += l < rest ? sine(t + offset[l]) : T(0);
    }
    for (int l = 0; l < Lanes; ++l) total[l] += static_cast<double>(part[l]);
  }
  double sum = 0.0;
  for (int l = 0; l < Lanes; ++l) sum += total[l];
  return sum;
}

/// One index for every x, an inner loop over y. `result` is a rank-0 view of double in memory of
/// `Space`. On a GPU n threads are few (102 400 do not fill an H100), so small blocks are asked
/// for, which spread more evenly over the multiprocessors; hosts ignore that.
template <class T, class Space, class Result>
void row_per_thread_wide(const Space& space, const WideGrid& grid, const Result& result) {
  using Policy =
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>, Kokkos::LaunchBounds<64>>;
  Kokkos::parallel_reduce(
      "parallax::integration2d::row_per_thread_wide", Policy(space, 0, grid.rows),
      KOKKOS_LAMBDA(std::int64_t i, double& sum) {
        sum += grid.cell() * sum_of_sines<T, sine_lanes<Space, T>>(grid, i, 0, grid.n);
      },
      result);
}

/// A team for every x. Each thread sums its share of the row, puts the partial sum into scratch
/// memory, and the team adds those in a tree.
template <class T, class Space, class Result>
void team_scratch_wide(const Space& space, int team_size, const WideGrid& grid,
                       const Result& result) {
  Kokkos::parallel_reduce(
      "parallax::integration2d::team_scratch_wide",
      teams(space, static_cast<int>(grid.rows), team_size),
      KOKKOS_LAMBDA(const Team<Space>& member, double& sum) {
        const Scratch<Space> partial(member.team_scratch(0), member.team_size());
        const int rank = member.team_rank();
        const std::int64_t begin = grid.n * rank / member.team_size();
        const std::int64_t end = grid.n * (rank + 1) / member.team_size();
        partial(rank) =
            sum_of_sines<T, sine_lanes<Space, T>>(grid, member.league_rank(), begin, end);
        // The upper half is added onto the lower until one is left; any team size will do.
        for (int width = member.team_size(); width > 1;) {
          const int middle = (width + 1) / 2;
          member.team_barrier();
          if (rank + middle < width) partial(rank) += partial(rank + middle);
          width = middle;
        }
        if (rank == 0) sum += grid.cell() * partial(0);
        member.team_barrier();  // the next row of this team writes into the same scratch
      },
      result);
}

/// One reduction over all points, each index a run of up to `run` points of one row: no index waits
/// for another, and the parallelism no longer depends on the number of rows.
template <class T, class Space, class Result>
void flat(const Space& space, const WideGrid& grid, const Result& result) {
  constexpr std::int64_t run = is_host_space<Space> ? 4096 : 512;
  const std::int64_t runs = (grid.n + run - 1) / run;  // in a row
  Kokkos::parallel_reduce(
      "parallax::integration2d::flat", Range<Space>(space, 0, grid.rows * runs),
      KOKKOS_LAMBDA(std::int64_t index, double& sum) {
        const std::int64_t i = index / runs;
        const std::int64_t begin = (index % runs) * run;
        const std::int64_t end = begin + run < grid.n ? begin + run : grid.n;
        sum += grid.cell() * sum_of_sines<T, sine_lanes<Space, T>>(grid, i, begin, end);
      },
      result);
}

/// A turn by the angle d: s' = s + (s (cos d - 1) + c sin d). Written with cos d - 1 = -2
/// sin^2(d/2), a small number with all its digits, the rounding errors of many turns come only from
/// the additions.
template <class T>
struct Turn {
  T grow, mix;
  explicit Turn(double d)
      : grow(static_cast<T>(-2.0 * sine(d / 2) * sine(d / 2))), mix(static_cast<T>(sine(d))) {}
  KOKKOS_FUNCTION void operator()(T& s, T& c) const {
    const T turned = Kokkos::fma(s, grow, Kokkos::fma(c, mix, s));
    c = Kokkos::fma(c, grow, Kokkos::fma(-s, mix, c));
    s = turned;
  }
};

/// The sum of sines over begin <= j < end by angle addition: every lane starts with one sine and
/// one cosine, and each step turns it by the angle of `Lanes` points.
template <class T, int Lanes>
KOKKOS_FUNCTION double sum_by_turning(const WideGrid& grid, const Turn<T>& turn, std::int64_t i,
                                      std::int64_t begin, std::int64_t end) {
  T s[Lanes], c[Lanes], part[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    const double angle = grid.x(i) + grid.y(begin + l);
    s[l] = sine(static_cast<T>(angle));
    c[l] = sine(static_cast<T>(angle + Kokkos::numbers::pi / 2));
    part[l] = T(0);
  }
  const int steps = static_cast<int>((end - begin) / Lanes);
  for (int k = 0; k < steps; ++k) {
    for (int l = 0; l < Lanes; ++l) {
      part[l] += s[l];
      turn(s[l], c[l]);
    }
  }
  const int rest = static_cast<int>(end - begin) - steps * Lanes;
  double sum = 0.0;
  for (int l = 0; l < Lanes; ++l) sum += static_cast<double>(part[l] + (l < rest ? s[l] : T(0)));
  return sum;
}

/// Floating-point instructions of one point of `recurrence`.
inline constexpr int rotation_operations = 5;

/// As `flat`, with a pair of sines for every lane of a run and angle addition from there. Not the
/// same work: about 5 operations a point instead of 16. A run is short, so that errors do not build
/// up.
template <class T, class Space, class Result>
void recurrence(const Space& space, const WideGrid& grid, const Result& result) {
  constexpr int lanes = sine_lanes<Space, T>;
  constexpr std::int64_t run = 64 * lanes;
  const Turn<T> turn(lanes * grid.step_y);
  const std::int64_t runs = (grid.n + run - 1) / run;
  Kokkos::parallel_reduce(
      "parallax::integration2d::recurrence", Range<Space>(space, 0, grid.rows * runs),
      KOKKOS_LAMBDA(std::int64_t index, double& sum) {
        const std::int64_t i = index / runs;
        const std::int64_t begin = (index % runs) * run;
        const std::int64_t end = begin + run < grid.n ? begin + run : grid.n;
        sum += grid.cell() * sum_by_turning<T, lanes>(grid, turn, i, begin, end);
      },
      result);
}

}  // namespace parallax::kernels::integration2d
