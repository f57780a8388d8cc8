// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass, the variant `balanced`. What an event needs decides who does it:
//
//   up to `small` leptons   a thread, its leptons lying in the team's scratch memory
//   up to `medium`          a team
//   more                    all teams: its pairs are cut into blocks of rows x columns
//
// The first kernel does the small ones and leaves the rest to the second.
//
// A lepton's functions are evaluated once (tuned_lepton.hpp), by neighbouring threads for
// neighbouring leptons, whatever the events; only the pairs, which are cheap, are ragged. Many
// events have no pair at all: the others are listed first, by kind, and a warp or vector then has
// events of one kind. A GPU's time goes to instructions and to waiting for loads, not to bandwidth.
#pragma once

#include "device/tuning.hpp"
#include "device/worklist.hpp"
#include "dilepton_mass/tuned.hpp"
#include "dilepton_mass/tuned_scratch.hpp"

namespace parallax::kernels::dilepton_mass {

/// How `balanced` is cut.
template <class Space>
struct Tuning {
  static constexpr int threads = is_host_space<Space> ? 1 : 128;
  static constexpr int events = is_host_space<Space> ? 256 : 512;  ///< that a team takes at a time
  static constexpr int capacity = 2 * events;                      ///< leptons in scratch memory
  /// Leptons of a thread side by side: SIMD on a CPU, loads in flight on a GPU.
  static constexpr int ahead = is_host_space<Space> ? 32 : 1;
  /// Events of a thread side by side; this many leptons of each are held in registers.
  static constexpr int lanes = is_host_space<Space> ? 32 : 1, held = 4;
  static constexpr int small = 32, medium = 512;
  static constexpr int block_rows = 128;                         ///< of a large event's pairs
  static constexpr int columns = is_host_space<Space> ? 32 : 4;  ///< of them side by side
};

/// The events that the first kernel leaves to the second, and the largest masses found so far of
/// those whose pairs are shared out.
template <class Space, class Tune = Tuning<Space>>
struct Workspace {
  Workspace(const Space& space, std::int64_t leptons)
      : list(space, leptons / (Tune::small + 1), leptons / (Tune::medium + 1)),
        most(Kokkos::view_alloc(space, "parallax::dilepton_mass::most"),
             leptons / (Tune::medium + 1)) {}
  Worklist<Space> list;
  /// As bits: numbers that are not negative are in the order of their bits, and integers have an
  /// atomic maximum everywhere. 0 between runs.
  Kokkos::View<unsigned long long*, typename Space::memory_space> most;
};

template <class Space, class Offsets, class T, class Masses, class Tune, Pair pair>
struct Balanced {
  struct Small {};
  struct Rest {};
  template <class Tag>
  using Policy = Kokkos::TeamPolicy<Space, Tag, Kokkos::LaunchBounds<Tune::threads>>;
  using Member = typename Policy<Small>::member_type;
  using Staged = TeamLeptons<Space, T, Tune>;
  using List = PairList<Space, Tune>;
  using Bits = typename detail::Exponential<T>::Bits;
  static constexpr int capacity = Tune::capacity;
  static_assert(Tune::medium <= capacity && Tune::small <= capacity,
                "A team's event must fit in scratch memory.");
  static_assert(Tune::events % (Tune::threads * Tune::lanes) == 0, "Threads must come out even.");

  Offsets offsets;
  Leptons<Space, T> leptons;
  Masses masses;
  Workspace<Space, Tune> work;
  std::int64_t events;

  /// A pair's mass is asked for where the product of the charges is negative; where no charge is
  /// asked, all count as positive, and the sign is turned.
  KOKKOS_FORCEINLINE_FUNCTION static int sign(int charge) {
    return pair == Pair::any ? charge * charge : charge;
  }
  KOKKOS_FORCEINLINE_FUNCTION static T m2(const Lepton<T>& a, const Lepton<T>& b) {
    return pair == Pair::any ? -a.m2(b) : a.m2(b);
  }

  KOKKOS_FUNCTION void leave_for_later(std::int64_t event, std::int64_t length) const {
    if (length <= Tune::medium)
      work.list.add_medium(event);
    else
      work.list.add_large(event);
  }

  /// Brings `count` leptons from `base` into scratch memory, by all threads.
  KOKKOS_FUNCTION void stage(const Member& team, const Staged& lepton, std::int64_t base,
                             int count) const {
    constexpr int ahead = Tune::ahead;
    const int size = team.team_size();
    const T *const pt = leptons.pt.data() + base, *const eta = leptons.eta.data() + base,
                   *const phi = leptons.phi.data() + base;
    const std::int8_t* const charge = leptons.charge.data() + base;
    int k = team.team_rank();
    for (; k + (ahead - 1) * size < count; k += ahead * size) {
      T p[ahead], e[ahead], f[ahead];
      int q[ahead];
      for (int u = 0; u < ahead; ++u) {
        p[u] = pt[k + u * size];
        e[u] = eta[k + u * size];
        f[u] = phi[k + u * size];
        q[u] = charge[k + u * size];
      }
      for (int u = 0; u < ahead; ++u)
        lepton.set(k + u * size, Lepton<T>(p[u], e[u], f[u], sign(q[u])));
    }
    for (; k < count; k += size) lepton.set(k, Lepton<T>(pt[k], eta[k], phi[k], sign(charge[k])));
  }

  /// A team's events: all but a few are small.
  KOKKOS_FUNCTION void operator()(Small, const Member& team) const {
    const std::int64_t first = std::int64_t{team.league_rank()} * Tune::events;
    const std::int64_t end = Kokkos::min(first + Tune::events, events);
    if constexpr (pair == Pair::first) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, end), [&](std::int64_t i) {
        const std::int64_t from = offsets(i), to = offsets(i + 1);
        if (to - from > Tune::small)
          leave_for_later(i, to - from);
        else
          masses(i) = first_pair(leptons, from, to);
      });
    } else {
      const Staged lepton(team);
      List list(team);
      std::int64_t event = first;
      while (event < end) {
        const Bounds bounds(offsets, team, event, end);
        const std::int64_t base = offsets(event), total = offsets(end) - base;
        if (total <= capacity) {  // nearly always
          heaviest(team, event, static_cast<int>(end - event), base, static_cast<int>(total),
                   lepton, list, bounds);
          break;
        }
        const std::int64_t fit = with_room(team, event, end, base);
        if (fit > event)
          heaviest(team, event, static_cast<int>(fit - event), base,
                   static_cast<int>(offsets(fit) - base), lepton, list, bounds);
        else if (team.team_rank() == 0)  // one event has no room by itself, so it is not small
          leave_for_later(event, offsets(event + 1) - base);
        event = Kokkos::max(fit, event + 1);
        team.team_barrier();  // before the scratch memory is filled anew
      }
    }
  }

  /// The first event from `event` whose leptons have no room any more.
  KOKKOS_FUNCTION std::int64_t with_room(const Member& team, std::int64_t event, std::int64_t end,
                                         std::int64_t base) const {
    std::int64_t fit = end;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, event, end),
        [&](std::int64_t i, std::int64_t& first) {
          if (offsets(i + 1) - base > capacity) first = Kokkos::min(first, i);
        },
        Kokkos::Min<std::int64_t>(fit));
    return Kokkos::min(fit, end);
  }

  /// Where the leptons of a thread's events begin and end: a GPU asks for that before it knows
  /// where the team's leptons are, and waits once for both.
  struct Bounds {
    static constexpr bool early = Tune::threads > 1;
    static constexpr int each = Tune::events / Tune::threads;
    Offsets offsets;
    typename Offsets::non_const_value_type asked[early ? 2 * each : 1];
    KOKKOS_FUNCTION Bounds(const Offsets& all, const Member& team, std::int64_t event,
                           std::int64_t end)
        : offsets(all) {
      if constexpr (early)
        for (int u = 0; u < each; ++u) {
          const std::int64_t i = event + team.team_rank() + u * team.team_size();
          asked[2 * u] = i < end ? offsets(i) : 0;
          asked[2 * u + 1] = i < end ? offsets(i + 1) : 0;
        }
    }
    /// Of a thread's event u, which is event i.
    KOKKOS_FUNCTION std::int64_t from(int u, std::int64_t i) const {
      return early ? asked[early ? 2 * u : 0] : offsets(i);
    }
    KOKKOS_FUNCTION std::int64_t to(int u, std::int64_t i) const {
      return early ? asked[early ? 2 * u + 1 : 0] : offsets(i + 1);
    }
  };

  /// The masses of `count` events from `event`, whose `total` leptons start at `base` and fit in
  /// scratch memory. Many events have no pair: the others are listed, so that no thread waits
  /// for its neighbours' events.
  KOKKOS_FUNCTION void heaviest(const Member& team, std::int64_t event, int count,
                                std::int64_t base, int total, const Staged& lepton, List& list,
                                const Bounds& bounds) const {
    const int me = team.team_rank(), size = team.team_size();
    list.clear(team);
    for (int u = 0; u < Bounds::each; ++u) {
      const int i = me + u * size;
      if (i >= count) break;
      const std::int64_t from = bounds.from(u, event + i);
      const int length = static_cast<int>(bounds.to(u, event + i) - from);
      masses(event + i) = 0;
      if (length > Tune::small) leave_for_later(event + i, length);
      list.add(i, static_cast<int>(from - base), length);
    }
    stage(team, lepton, base, total);
    for (int k = me; k < Tune::held - 1; k += size) lepton.set(total + k, {0, 0, 0});
    team.team_barrier();
    list.close();
    constexpr int lanes = Tune::lanes, warp = 32;
    const int padded = (list.many + warp - 1) / warp * warp;  // a warp has events of one kind
    for (int k = me * lanes; k < padded + list.twos; k += size * lanes) {
      if (k < padded)
        listed<Tune::held>(lepton, list, k, 1, list.many - k, event);
      else
        listed<2>(lepton, list, List::last - (k - padded), -1, list.twos - (k - padded), event);
    }
  }

  /// The masses of events of the list: item(at), item(at + step), ..., at most `count` of them. A
  /// first few leptons, all that most events have, are held in registers: no loop, no branch, and
  /// one that belongs to the next event counts as w = 0, which makes no pair.
  template <int held>
  KOKKOS_FUNCTION void listed(const Staged& lepton, const List& list, int at, int step, int count,
                              std::int64_t event) const {
    constexpr int lanes = Tune::lanes, room = Staged::room;
    const T* const number = lepton.number.data();  // plain, so that compilers see the gather
    int from[lanes], length[lanes], index[lanes];
    for (int l = 0; l < lanes; ++l) {
      const int packed = l < count ? list.item(at + step * l) : 0;
      from[l] = List::from(packed);
      length[l] = List::length(packed);
      index[l] = List::event(packed);
    }
    T w[held][lanes], x[held][lanes], y[held][lanes], most[lanes];
    for (int k = 0; k < held; ++k)
      for (int l = 0; l < lanes; ++l) {
        const T here = number[from[l] + k];
        w[k][l] = k < 2 || k < length[l] ? here : T(0);
        x[k][l] = number[room + from[l] + k];
        y[k][l] = number[2 * room + from[l] + k];
      }
    for (int l = 0; l < lanes; ++l) most[l] = 0;
    for (int b = 1; b < held; ++b)
      for (int a = 0; a < b; ++a)
        for (int l = 0; l < lanes; ++l) {
          const Lepton<T> mine(w[b][l], x[b][l], y[b][l]), other(w[a][l], x[a][l], y[a][l]);
          most[l] = Kokkos::max(most[l], m2(mine, other));
        }
    if constexpr (held == Tune::held) {  // few events have more
      for (int l = 0; l < lanes; ++l) {
        const int begin = from[l] + held, end = from[l] + length[l];
        for (int b = begin; b < end; ++b) {
          const Lepton<T> mine = lepton(b);
          for (int k = 0; k < held; ++k)
            most[l] = Kokkos::max(most[l], m2(mine, {w[k][l], x[k][l], y[k][l]}));
          for (int a = begin; a < b; ++a) most[l] = Kokkos::max(most[l], m2(mine, lepton(a)));
        }
      }
    }
    for (int l = 0; l < lanes; ++l) most[l] = Kokkos::sqrt(most[l]);
    for (int l = 0; l < lanes && l < count; ++l) masses(event + index[l]) = most[l];
  }

  KOKKOS_FUNCTION void operator()(Rest, const Member& team) const {
    const int mediums = work.list.medium_count(), larges = work.list.large_count();
    if (mediums + larges == 0) return;
    const Staged lepton(team);
    const int me = team.league_rank(), teams = team.league_size();
    for (int k = me; k < mediums; k += teams) {
      const std::int64_t event = work.list.medium(k);
      const T mass = team_event(team, lepton, offsets(event), offsets(event + 1));
      Kokkos::single(Kokkos::PerTeam(team), [&] { masses(event) = mass; });
    }
    if constexpr (pair == Pair::first) {  // one search: nothing to share out
      for (int k = me; k < larges; k += teams) {
        const std::int64_t event = work.list.large(k);
        const T mass = team_event(team, lepton, offsets(event), offsets(event + 1));
        Kokkos::single(Kokkos::PerTeam(team), [&] { masses(event) = mass; });
      }
    } else {
      int turn = 0;  // of the team that takes the event's first block
      for (int k = 0; k < larges; ++k) {
        const std::int64_t from = offsets(work.list.large(k)), to = offsets(work.list.large(k) + 1);
        const int rows = static_cast<int>((to - from + Tune::block_rows - 1) / Tune::block_rows);
        const int columns = static_cast<int>((to - from + capacity - 1) / capacity);
        for (int t = (me - turn + teams) % teams; t < rows * columns; t += teams) {
          const std::int64_t row = from + std::int64_t{t / columns} * Tune::block_rows;
          const std::int64_t column = from + std::int64_t{t % columns} * capacity;
          const std::int64_t row_end = Kokkos::min<std::int64_t>(row + Tune::block_rows, to);
          if (column >= row_end) continue;  // pairs are of a lepton with an earlier one
          const T most = block(team, lepton, row, row_end, column,
                               Kokkos::min<std::int64_t>(column + capacity, to));
          Kokkos::single(Kokkos::PerTeam(team), [&] {
            Kokkos::atomic_max(&work.most(k),
                               static_cast<unsigned long long>(Kokkos::bit_cast<Bits>(most)));
          });
        }
        turn = (turn + rows * columns) % teams;
      }
    }
    if (!work.list.leave(team)) return;
    if constexpr (pair != Pair::first) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, larges), [&](int k) {
        const auto bits = static_cast<Bits>(work.most(k));
        masses(work.list.large(k)) = Kokkos::sqrt(Kokkos::bit_cast<T>(bits));
        work.most(k) = 0;
      });
    }
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { work.list.clear(); });
  }

  /// An event's mass by one team.
  KOKKOS_FUNCTION T team_event(const Member& team, const Staged& lepton, std::int64_t from,
                               std::int64_t to) const {
    if constexpr (pair == Pair::first)
      return team_mass<pair>(team, leptons, from, to);
    else
      return Kokkos::sqrt(block(team, lepton, from, to, from, to));
  }

  /// The largest squared mass of leptons row0..row1 with the earlier ones of
  /// column0..column1, at most `capacity` of them.
  KOKKOS_FUNCTION T block(const Member& team, const Staged& lepton, std::int64_t row0,
                          std::int64_t row1, std::int64_t column0, std::int64_t column1) const {
    team.team_barrier();  // the scratch memory may still be read
    stage(team, lepton, column0, static_cast<int>(column1 - column0));
    team.team_barrier();
    T most = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(row1 - row0)),
        [&](int r, T& best) {
          const std::int64_t i = row0 + r;
          const Lepton<T> mine(leptons.pt(i), leptons.eta(i), leptons.phi(i),
                               sign(leptons.charge(i)));
          const int columns = static_cast<int>(Kokkos::min(i, column1) - column0);
          constexpr int lanes = Tune::columns;  // separate maxima: none waits for another
          T lane[lanes] = {};
          int k = 0;
          for (; k + lanes <= columns; k += lanes)
            for (int l = 0; l < lanes; ++l) lane[l] = Kokkos::max(lane[l], m2(mine, lepton(k + l)));
          for (; k < columns; ++k) lane[0] = Kokkos::max(lane[0], m2(mine, lepton(k)));
          for (int l = 0; l < lanes; ++l) best = Kokkos::max(best, lane[l]);
        },
        Kokkos::Max<T>(most));
    return most;  // of one row at least, which begins at 0
  }
};

namespace detail {
template <Pair pair, class Space, class Offsets, class T, class Masses, class Tune>
void balanced(const Space& space, const Offsets& offsets, const Leptons<Space, T>& leptons,
              const Masses& masses, const Workspace<Space, Tune>& work) {
  using Kernel = Balanced<Space, Offsets, T, Masses, Tune, pair>;
  using Small = typename Kernel::template Policy<typename Kernel::Small>;
  using Rest = typename Kernel::template Policy<typename Kernel::Rest>;
  const std::int64_t events = masses.extent(0);
  const Kernel kernel{offsets, leptons, masses, work, events};
  const auto bytes =
      static_cast<int>(pair != Pair::first ? Kernel::Staged::bytes() + Kernel::List::bytes() : 0);
  const int teams = static_cast<int>((events + Tune::events - 1) / Tune::events);
  const int rest = std::max(1, space.concurrency() / (2 * Tune::threads));
  Kokkos::parallel_for(
      "parallax::dilepton_mass::balanced::small",
      Small(space, teams, Tune::threads).set_scratch_size(0, Kokkos::PerTeam(bytes)), kernel);
  Kokkos::parallel_for("parallax::dilepton_mass::balanced::rest",
                       Rest(space, rest, Tune::threads).set_scratch_size(0, Kokkos::PerTeam(bytes)),
                       kernel);
}
}  // namespace detail

template <class Space, class Offsets, class T, class Masses, class Tune>
void balanced(const Space& space, const Offsets& offsets, const Leptons<Space, T>& leptons,
              Pair pair, const Masses& masses, const Workspace<Space, Tune>& work) {
  if (masses.extent(0) == 0) return;
  with_constant(pair, [&](auto constant) {
    detail::balanced<decltype(constant)::value>(space, offsets, leptons, masses, work);
  });
}

}  // namespace parallax::kernels::dilepton_mass
