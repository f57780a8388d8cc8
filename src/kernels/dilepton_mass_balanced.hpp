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
// Each lepton's functions are evaluated once, not once for each pair: with
//   sinh(a - b) = sinh a cosh b - cosh a sinh b   and   sin(a - b) = sin a cos b - cos a sin b
// a pair costs four products and two squares. Scaled by sqrt(pt), and by the charge's sign, these
// four numbers are all that a pair needs to know of a lepton. The price is rounding: the
// differences of products are off by a few eps cosh(eta1/2) cosh(eta2/2), however close the
// leptons.
#pragma once

#include "kernels/dilepton_mass.hpp"
#include "kernels/sine.hpp"
#include "kernels/worklist.hpp"

namespace parallax::kernels::dilepton_mass {

namespace detail {
// 1/k! for k = 0, 1, ...: e^r for |r| <= ln(2)/2 to 4e-18 (13 terms) and 5e-9 (7 terms).
KOKKOS_INLINE_FUNCTION double exp_terms(double r) {
  return polynomial(r, 1.0, 1.0, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320,
                    1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800);
}
KOKKOS_INLINE_FUNCTION float exp_terms(float r) {
  return polynomial(r, 1.F, 1.F, 1.F / 2, 1.F / 6, 1.F / 24, 1.F / 120, 1.F / 720, 1.F / 5040);
}
template <class T>
struct Exponential;
template <>
struct Exponential<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction = 52;
  static constexpr double most = 708, round = 0x1.8p52, ln2_high = 0x1.62e42fefa38p-1,
                          ln2_low = 0x1.ef35793c7673p-45;
};
template <>
struct Exponential<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction = 23;
  static constexpr float most = 87, round = 0x1.8p23F, ln2_high = 0x1.62e4p-1F,
                         ln2_low = 0x1.7f7d1cp-20F;
};
}  // namespace detail

/// e^x without branches, so that loops over it become SIMD (compare sine.hpp): x = k ln 2 + r, and
/// k goes into the exponent. Arguments are limited to where the result is a normal number.
template <class T>
KOKKOS_INLINE_FUNCTION T exponential(T x) {
  using E = detail::Exponential<T>;
  using Bits = typename E::Bits;
  x = x < -E::most ? -E::most : x > E::most ? E::most : x;
  const T shifted = Kokkos::fma(x, T(1.4426950408889634), E::round), k = shifted - E::round;
  const T r = Kokkos::fma(-k, E::ln2_low, Kokkos::fma(-k, E::ln2_high, x));
  return Kokkos::bit_cast<T>(Kokkos::bit_cast<Bits>(detail::exp_terms(r)) +
                             (Kokkos::bit_cast<Bits>(shifted) << E::fraction));
}

/// What a pair needs to know of a lepton. The sign of `cosh` is the charge's; all are 0 without
/// one.
template <class T>
struct alignas(4 * sizeof(T)) Half {
  T sinh, cosh, sin, cos;

  Half() = default;
  KOKKOS_FUNCTION Half(T pt, T eta, T phi, int charge) {
    const T scale = T((charge > 0) - (charge < 0)) * Kokkos::sqrt(pt);
    const T e = exponential(T(0.5) * eta), inverse = T(1) / e;
    sinh = T(0.5) * scale * (e - inverse);
    cosh = T(0.5) * scale * (e + inverse);
    sin = scale * sine(T(0.5) * phi);
    cos = scale * sine(T(0.5) * phi + T(1.5707963267948966));
  }
  /// A quarter of the pair's squared mass; 0 if the charges are not opposite.
  KOKKOS_FUNCTION T quarter_m2(const Half& other) const {
    const T a = sinh * other.cosh - cosh * other.sinh, b = sin * other.cos - cos * other.sin;
    return cosh * other.cosh < T(0) ? a * a + b * b : T(0);
  }
};

/// How `balanced` is cut.
template <class Space>
struct Tuning {
  static constexpr int threads = is_host_space<Space> ? 1 : 128;
  static constexpr int events = 256;    ///< that a team takes at a time
  static constexpr int capacity = 512;  ///< leptons in scratch memory
  static constexpr int ahead =
      is_host_space<Space> ? 16 : 1;  ///< leptons of a thread, side by side
  static constexpr int small = 32, medium = 512;
  static constexpr int block_rows = 128;  ///< of a large event's pairs
  static constexpr int teams = 12;        ///< that share a GPU's core: limits the registers of each
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
  using Policy = Kokkos::TeamPolicy<Space, Tag, Kokkos::LaunchBounds<Tune::threads, Tune::teams>>;
  using Member = typename Policy<Small>::member_type;
  template <class X>
  using Scratch = Kokkos::View<X*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Bits = typename detail::Exponential<T>::Bits;
  static constexpr int capacity = Tune::capacity;

  Offsets offsets;
  Leptons<Space, T> leptons;
  Masses masses;
  Workspace<Space, Tune> work;
  std::int64_t events;

  static std::size_t scratch_bytes() {
    return Scratch<Half<T>>::shmem_size(capacity) + Scratch<T>::shmem_size(capacity) +
           Scratch<std::uint8_t>::shmem_size(capacity);
  }
  KOKKOS_FUNCTION Half<T> half(std::int64_t i) const {
    return Half<T>(leptons.pt(i), leptons.eta(i), leptons.phi(i), leptons.charge(i));
  }
  KOKKOS_FUNCTION void leave_for_later(std::int64_t event, std::int64_t length) const {
    if (length <= Tune::medium)
      work.list.add_medium(event);
    else
      work.list.add_large(event);
  }

  /// Brings `count` leptons from `base` into scratch memory, by all threads.
  KOKKOS_FUNCTION void stage(const Member& team, const Scratch<Half<T>>& lepton, std::int64_t base,
                             int count) const {
    constexpr int ahead = Tune::ahead;
    const int me = team.team_rank() * ahead, step = team.team_size() * ahead;
    int k = me;
    for (; k + ahead <= count; k += step)  // a fixed number side by side: SIMD on a CPU
      for (int u = 0; u < ahead; ++u) lepton(k + u) = half(base + k + u);
    for (; k < count; ++k) lepton(k) = half(base + k);
  }

  /// A team's events, of which all but a few are small.
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
      const Scratch<Half<T>> lepton(team.team_scratch(0), capacity);
      const Scratch<T> most(team.team_scratch(0), capacity);
      const Scratch<std::uint8_t> earlier(team.team_scratch(0), capacity);
      std::int64_t event = first;
      while (event < end) {
        const std::int64_t base = offsets(event);
        std::int64_t fit = end;  // events whose leptons have room; commonly all
        if (offsets(end) - base > capacity) fit = with_room(team, event, end, base);
        if (fit > event)
          heaviest(team, event, static_cast<int>(fit - event), base, lepton, most, earlier);
        else if (team.team_rank() == 0)  // none: this one is not small
          leave_for_later(event, offsets(event + 1) - base);
        event = Kokkos::max(fit, event + 1);
      }
    }
  }

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

  /// The masses of `count` events from `event`, whose leptons start at `base` and fit in scratch
  /// memory. Threads take leptons, not events, so that they have about the same number of pairs:
  /// each looks back at the earlier leptons of its event.
  KOKKOS_FUNCTION void heaviest(const Member& team, std::int64_t event, int count,
                                std::int64_t base, const Scratch<Half<T>>& lepton,
                                const Scratch<T>& most,
                                const Scratch<std::uint8_t>& earlier) const {
    const int me = team.team_rank(), size = team.team_size();
    const int total = static_cast<int>(offsets(event + count) - base);
    for (int i = me; i < count; i += size) {
      const int from = static_cast<int>(offsets(event + i) - base);
      const int length = static_cast<int>(offsets(event + i + 1) - base) - from;
      if (length > Tune::small) leave_for_later(event + i, length);
      for (int k = 0; k < length; ++k)
        earlier(from + k) = static_cast<std::uint8_t>(length > Tune::small ? 0 : k);
    }
    stage(team, lepton, base, total);
    team.team_barrier();
    for (int b = me; b < total; b += size) {
      const Half<T> mine = lepton(b);
      T best = 0;
      for (int a = b - earlier(b); a < b; ++a) best = Kokkos::max(best, mine.quarter_m2(lepton(a)));
      most(b) = best;
    }
    team.team_barrier();
    for (int i = me; i < count; i += size) {
      const int from = static_cast<int>(offsets(event + i) - base);
      const int to = static_cast<int>(offsets(event + i + 1) - base);
      if (to - from > Tune::small) continue;
      T best = 0;
      for (int k = from + 1; k < to; ++k) best = Kokkos::max(best, most(k));
      masses(event + i) = leptons.mass(best);
    }
    team.team_barrier();
  }

  KOKKOS_FUNCTION void operator()(Rest, const Member& team) const {
    const int mediums = work.list.medium_count(), larges = work.list.large_count();
    if (mediums + larges == 0) return;
    const Scratch<Half<T>> lepton(team.team_scratch(0), capacity);
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
    if constexpr (pair == Pair::heaviest) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, larges), [&](int k) {
        const auto bits = static_cast<Bits>(work.most(k));
        masses(work.list.large(k)) = leptons.mass(Kokkos::bit_cast<T>(bits));
        work.most(k) = 0;
      });
    }
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { work.list.clear(); });
  }

  /// An event's mass by one team.
  KOKKOS_FUNCTION T team_event(const Member& team, const Scratch<Half<T>>& lepton,
                               std::int64_t from, std::int64_t to) const {
    if constexpr (pair == Pair::first)
      return team_mass(team, leptons, pair, from, to);
    else
      return leptons.mass(block(team, lepton, from, to, from, to));
  }

  /// A quarter of the largest squared mass of leptons row0..row1 with the earlier ones of
  /// column0..column1, of which there are at most `capacity`.
  KOKKOS_FUNCTION T block(const Member& team, const Scratch<Half<T>>& lepton, std::int64_t row0,
                          std::int64_t row1, std::int64_t column0, std::int64_t column1) const {
    team.team_barrier();  // the scratch memory may still be read
    stage(team, lepton, column0, static_cast<int>(column1 - column0));
    team.team_barrier();
    T most = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(row1 - row0)),
        [&](int r, T& best) {
          const Half<T> mine = half(row0 + r);
          const int columns = static_cast<int>(Kokkos::min(row0 + r, column1) - column0);
          constexpr int lanes = 4;  // maxima of their own: steps that need not wait for each other
          T lane[lanes] = {};
          int k = 0;
          for (; k + lanes <= columns; k += lanes)
            for (int l = 0; l < lanes; ++l)
              lane[l] = Kokkos::max(lane[l], mine.quarter_m2(lepton(k + l)));
          for (; k < columns; ++k) lane[0] = Kokkos::max(lane[0], mine.quarter_m2(lepton(k)));
          for (int l = 0; l < lanes; ++l) best = Kokkos::max(best, lane[l]);
        },
        Kokkos::Max<T>(most));
    return Kokkos::max(most, T(0));  // the maximum over no pairs is the lowest number
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
  const auto bytes = static_cast<int>(pair == Pair::heaviest ? Kernel::scratch_bytes() : 0);
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
  if (pair == Pair::heaviest)
    detail::balanced<Pair::heaviest>(space, offsets, leptons, masses, work);
  else
    detail::balanced<Pair::first>(space, offsets, leptons, masses, work);
}

}  // namespace parallax::kernels::dilepton_mass
