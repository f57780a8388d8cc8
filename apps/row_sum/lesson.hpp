// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// row_sum: the sum of each row of a rows x columns matrix of normal(0, 1) numbers, made on the
// device.
//
// There are two loops and one question: which of them becomes parallel? `range` gives a row to a
// thread. `team` gives a row to a team, whose threads read neighbouring elements together: what a
// GPU wants of a row-major matrix. `team_scratch` writes out what `team` leaves to Kokkos. Making
// the numbers where they are needed saves their copy from the host, which takes far longer than the
// sums.
//
// Work: rows * columns numbers read once (`generate`: written once), one addition each. The ceiling
// is the memory.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "random/fill.hpp"

namespace parallax::kernels::row_sum {

/// Fills `a` with normal(0, 1) numbers. Element number i, counted along the rows from `first` on,
/// depends only on the seed and i: the matrix is the same on every backend.
template <class Space, class Matrix>
void generate(const Space& space, const Matrix& a, std::uint64_t seed, std::int64_t first = 0) {
  static_assert(std::is_same_v<typename Matrix::array_layout, Kokkos::LayoutRight>,
                "generate counts along the rows of a row-major matrix.");
  using T = typename Matrix::non_const_value_type;
  random::fill_normal(space, Kokkos::View<T*, typename Matrix::device_type>(a.data(), a.size()),
                      T(0), T(1), seed, first);
}

/// The indices 0 to n - 1, of 64 bits each: Kokkos's own choice has 32 on a GPU, too few for
/// what is computed from them, such as the place of a row.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Matrix, class Sums>
struct Row {
  Matrix a;
  Sums sums;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    // student: begin range
    const auto columns = static_cast<std::int64_t>(a.extent(1));
    typename Sums::value_type sum = 0;
    for (std::int64_t c = 0; c < columns; ++c) sum += a(row, c);
    sums(row) = sum;
    // student: end range
  }
};

/// A row for each thread. A CPU core reads its row in the order of memory. On a GPU neighbouring
/// threads read neighbouring rows: coalesced where those are neighbours in memory (LayoutLeft), a
/// whole row apart where they are not (LayoutRight).
template <class Space, class Matrix, class Sums>
void range(const Space& space, const Matrix& a, const Sums& sums) {
  Kokkos::parallel_for("parallax::row_sum::range", Range<Space>(space, 0, a.extent(0)),
                       Row<Matrix, Sums>{a, sums});
}

/// A row for each team: a parallel loop inside a parallel loop. Threads of a team read neighbouring
/// elements, and Kokkos joins their sums.
// begin: team
template <class Space, class Matrix, class Sums>
void team(const Space& space, int team_size, const Matrix& a, const Sums& sums) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using T = typename Sums::value_type;
  const int rows = static_cast<int>(a.extent(0));
  const auto columns = static_cast<std::int64_t>(a.extent(1));
  Kokkos::parallel_for(
      "parallax::row_sum::team", Policy(space, rows, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int row = team.league_rank();
        // student: begin team
        T sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, columns),
            [&](std::int64_t c, T& part) { part += a(row, c); }, sum);
        // Every thread of the team has the sum now; one of them writes it.
        Kokkos::single(Kokkos::PerTeam(team), [&] { sums(row) = sum; });
        // student: end team
      });
}
// end: team

/// The same by hand. Each thread adds up every team_size-th element of the row and leaves its sum
/// in scratch memory, where the team adds the sums up by halves.
template <class Space, class Matrix, class Sums>
void team_scratch(const Space& space, int team_size, const Matrix& a, const Sums& sums) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using T = typename Sums::value_type;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const int rows = static_cast<int>(a.extent(0));
  const auto columns = static_cast<std::int64_t>(a.extent(1));
  Kokkos::parallel_for(
      "parallax::row_sum::team_scratch",
      Policy(space, rows, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(team_size))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch partial(team.team_scratch(0), team.team_size());
        const int row = team.league_rank(), me = team.team_rank();
        // student: begin team_scratch
        T sum = 0;
        for (std::int64_t c = me; c < columns; c += team.team_size()) sum += a(row, c);
        partial(me) = sum;
        team.team_barrier();  // all partial sums are there
        for (int n = team.team_size(); n > 1; n = (n + 1) / 2) {
          const int middle = (n + 1) / 2;  // an odd length has a middle without a partner
          if (me + middle < n) partial(me) += partial(me + middle);
          team.team_barrier();  // one level of the tree ends before the next begins
        }
        if (me == 0) sums(row) = partial(0);
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::row_sum
