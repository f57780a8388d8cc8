// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// normalize: out = v / norm2(v).
//
// No element can be divided before all have been read: a reduction, then a map, and between them
// all threads wait. The end of a kernel is that barrier, so there are at least two kernels:
//
//   sum_then_scale   sum, then divide
//   team_scratch     team_sum, then divide
//
// Several processes that have a part of the vector each add up their sums in between.
//
// Squares leave the range of floating point long before the numbers do: 1e20f squared is infinite.
// Here all squares are f64, where the square of every f32 fits, and so does their sum. For f64
// there is no wider type: these kernels are right for norms between 1e-145 and 1e154 only, and
// tuned.hpp shows what the others take.
//
// A zero vector has no direction: norm and `out` are then 0, and the caller must refuse it. NaN in,
// NaN out; an infinity gives a norm of infinity, 0 for finite elements and NaN for itself, as in
// NumPy.
//
// Work: n numbers read twice and written once (read once where they fit in a cache), 3 n flops.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::normalize {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and an array may have more elements
/// than that counts.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// norm = sqrt(norm), by one thread: once, and not once for each element.
template <class Norm>
struct Root {
  Norm norm;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { norm() = Kokkos::sqrt(norm()); }
};

template <class Array, class Norm>
struct Quotient {
  Array v, out;
  Norm norm;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out(i) = static_cast<typename Array::value_type>(norm() == 0 ? 0 : v(i) / norm());
  }
};

/// The second half of both: `norm` holds the sum of squares, and becomes its root. Both
/// kernels go to one execution space instance, which runs them one after the other; the host waits
/// for neither.
// begin: divide
template <class Space, class Array, class Norm>
void divide(const Space& space, const Array& v, const Array& out, const Norm& norm) {
  // student: begin sum_then_scale
  Kokkos::parallel_for("parallax::normalize::root", Range<Space>(space, 0, 1), Root<Norm>{norm});
  Kokkos::parallel_for("parallax::normalize::divide", Range<Space>(space, 0, v.extent(0)),
                       Quotient<Array, Norm>{v, out, norm});
  // student: end sum_then_scale
}
// end: divide

// begin: sum
template <class Array>
struct Square {
  Array v;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const {
    const double x = v(i);
    sum += x * x;
  }
};
// end: sum

/// norm = the sum of squares. `norm` is a rank-0 view of f64 in the space's memory: the sum stays
/// where the next kernel needs it.
// begin: sum
template <class Space, class Array, class Norm>
void sum(const Space& space, const Array& v, const Norm& norm) {
  Kokkos::parallel_reduce("parallax::normalize::sum", Range<Space>(space, 0, v.extent(0)),
                          Square<Array>{v}, norm);
}
// end: sum

/// The same sum in the course's way: each thread squares its own part, a team adds its threads'
/// sums in scratch memory, and the teams add theirs to one number.
template <class Space, class Array, class Norm>
void team_sum(const Space& space, int team_size, const Array& v, const Norm& norm) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch =
      Kokkos::View<double*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 1024;  // elements of a team
  const auto n = static_cast<std::int64_t>(v.extent(0));
  const auto teams = static_cast<int>((n + block - 1) / block);
  const auto bytes = Kokkos::PerTeam(Scratch::shmem_size(team_size));
  Kokkos::deep_copy(space, norm, 0);
  Kokkos::parallel_for(
      "parallax::normalize::team_sum", Policy(space, teams, team_size).set_scratch_size(0, bytes),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch partial(team.team_scratch(0), team.team_size());
        const int me = team.team_rank();
        const std::int64_t first = team.league_rank() * block;
        const std::int64_t end = first + block < n ? first + block : n;
        // student: begin team_scratch
        double sum = 0;  // of every team_size-th element: neighbouring threads read neighbours
        for (std::int64_t i = first + me; i < end; i += team.team_size()) {
          const double x = v(i);
          sum += x * x;
        }
        partial(me) = sum;
        team.team_barrier();  // all partial sums are there
        for (int left = team.team_size(); left > 1; left = (left + 1) / 2) {
          const int middle = (left + 1) / 2;  // an odd length leaves out the middle one
          if (me + middle < left) partial(me) += partial(me + middle);
          team.team_barrier();  // one level of the tree ends before the next begins
        }
        if (me == 0) Kokkos::atomic_add(&norm(), partial(0));
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::normalize
