// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// heat on several ranks: each has neighbouring rows of the plate, and around them, where one rank
// has the frame, a row of each neighbour, its halo. Before a step the halo is exchanged:
//
//   mdrange, team_scratch   all of it, and then the step
//   overlapped              the inner rows are computed meanwhile, then the first and the last
//
// On a host nothing overlaps: the cores that compute are those that send.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exercise/api.hpp"
#include "heat/lesson.hpp"

namespace parallax::heat {

/// Sends the first and the last inner row of a field to the ranks before and after this one, and
/// receives theirs. What `upwards` launches runs while rows go to the ranks before, what
/// `downwards` launches while rows go to the ranks after.
template <class Space, class Field>
void exchange_halo(const Space&, const Field& u, const Transport::Meanwhile& upwards = {},
                   const Transport::Meanwhile& downwards = {}) {
  auto& way = transport::of(space_name<Space>());
  const int before = ranks::rank() - 1;
  const int after = ranks::rank() + 1 < ranks::size() ? ranks::rank() + 1 : -1;
  const std::int64_t last = static_cast<std::int64_t>(u.extent(0)) - 2;
  const auto row = [&](std::int64_t i) { return u.data() + i * u.stride(0); };
  const std::size_t bytes = u.extent(1) * sizeof(typename Field::value_type);
  way.exchange(row(1), before, row(last + 1), after, bytes, upwards);
  way.exchange(row(last), after, row(0), before, bytes, downwards);
}

/// What each rank sends in a run: before the first step the halo is there.
inline std::vector<Message> halos(int steps, double bytes) {
  return std::vector<Message>(static_cast<std::size_t>(2 * (steps - 1)),
                              {bytes, Message::Pattern::to_neighbour});
}

/// A run of step(from, to); several ranks exchange the halo before each but the first.
template <class Space, class Field, class OneStep>
void run_with_halo(const Space& space, const kernels::heat::Fields<Field>& f, const OneStep& step) {
  kernels::heat::run(space, f, [&](const Field& from, const Field& to) {
    if (ranks::several() && from.data() != f.start.data()) exchange_halo(space, from);
    step(from, to);
  });
}

/// Some of a field's rows and the row on each side.
template <class Field>
Field with_neighbours(const Field& u, std::int64_t begin, std::int64_t end) {
  return Kokkos::subview(u, std::pair(begin - 1, end + 1), Kokkos::ALL);
}

template <class Space, class Field>
void overlapped(const Space& space, const kernels::heat::Fields<Field>& f) {
  const std::int64_t end = static_cast<std::int64_t>(f.start.extent(0)) - 1;  // of inner rows
  kernels::heat::run(space, f, [&](const Field& from, const Field& to) {
    const auto rows = [&](std::int64_t first, std::int64_t last) {
      if (first < last)
        kernels::heat::mdrange(space, with_neighbours(from, first, last),
                               with_neighbours(to, first, last));
    };
    if (from.data() == f.start.data()) return rows(1, end);
    const std::int64_t middle = (end + 1) / 2;
    exchange_halo(
        space, from, [&] { rows(2, middle); },
        [&] { rows(std::max<std::int64_t>(2, middle), end - 1); });
    rows(1, 2);
    if (end > 2) rows(end - 1, end);
  });
}

}  // namespace parallax::heat
