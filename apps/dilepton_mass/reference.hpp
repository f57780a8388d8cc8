// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: what masses are compared with, and the numbers reported of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "data/events.hpp"
#include "data/spectrum.hpp"
#include "dilepton_mass/tuned.hpp"
#include "exercise/api.hpp"

namespace parallax::dilepton_mass {

using kernels::dilepton_mass::Pair;

/// Expected masses, and what rounding errors are measured by: the largest sqrt(pt1 pt2)
/// cosh(deta/2) of the event's pairs. A mass of 0 does not say whether an event has a pair.
struct Reference {
  std::vector<double> mass, scale;
  std::int64_t events_with_pair = 0;
};

/// Which formula a kernel takes: the difference of cosh and cos, or a sum of squares.
enum class Formula { difference, squares };

/// The formula as physicists write it, in double precision (long double for double), over all
/// pairs. The events' columns are in the host's memory.
template <class T, class Host>
Reference reference(const Host& h, Pair pair) {
  const time_spent::Timer referring(time_spent::Part::references);
  const auto& offsets = h.offsets;
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  const auto n = static_cast<std::int64_t>(offsets.extent(0)) - 1;
  Reference r{std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n))};
  const auto event = [&](std::int64_t i, std::int64_t& with_pair) {
    bool paired = false;
    Wide mass = pair == Pair::first ? -1 : 0, scale = 0;
    for (auto a = offsets(i); a < offsets(i + 1); ++a)
      for (auto b = a + 1; b < offsets(i + 1); ++b) {
        const int charges = h.charge(a) * h.charge(b);
        if (pair == Pair::any ? charges == 0 : charges >= 0) continue;
        if (pair == Pair::first && mass >= 0) continue;
        paired = true;
        const Wide product = Wide(h.pt(a)) * h.pt(b), deta = Wide(h.eta(a)) - h.eta(b);
        const Wide dphi = Wide(h.phi(a)) - h.phi(b), cosh = std::cosh(deta);
        mass = std::max(mass, std::sqrt(std::max(Wide(0), 2 * product * (cosh - std::cos(dphi)))));
        scale = std::max(scale, std::sqrt(product * (cosh + 1) / 2));
      }
    r.mass[static_cast<std::size_t>(i)] = static_cast<double>(mass);
    r.scale[static_cast<std::size_t>(i)] = static_cast<double>(scale);
    with_pair += paired ? 1 : 0;
  };
  using Space = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_reduce("parallax::dilepton_mass::reference",
                          Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>,
                                              Kokkos::IndexType<std::int64_t>>(0, n),
                          event, r.events_with_pair);
  Kokkos::fence("parallax::dilepton_mass::reference");
  return r;
}

/// How far off a kernel's mass may be.
///
/// `squares`: `balanced` subtracts numbers of up to e^(|deta|/2) sqrt(pt1 pt2), less than twice the
/// scale, each off by a few eps; the half angles' form is off by a few eps of the mass.
///
/// `difference`: cosh and cos are off by up to 2 eps of their values, and by what the rounding of
/// their arguments does, |deta| eps / 2 of cosh (for |deta| up to 24: 12 eps) and 3 eps; three
/// products follow. That is at most 16 eps of 2 pt1 pt2 (cosh + 1) = 4 scale^2, in the square. A
/// root that far off is wrong by at most that over the mass, and at most by its own root.
template <class T>
double tolerance(Formula formula, double mass, double scale) {
  constexpr double eps = std::numeric_limits<T>::epsilon();
  const double m = std::max(mass, 0.0);
  const auto of_mass = [m](double square) {
    return square > 0 ? square / std::max(m, std::sqrt(square)) : 0;
  };
  // The reference has the same difference of cosh and cos.
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  constexpr auto its_eps = static_cast<double>(std::numeric_limits<Wide>::epsilon());
  const double square = 64 * scale * scale;
  const double own = of_mass(its_eps * square);
  if (formula == Formula::squares) return 16 * eps * (scale + m) + own;
  return of_mass(eps * square) + 2 * eps * m + own;
}

/// Masses `first` .. against what is expected of their events.
template <class T, class H>
Verdict judge(const Reference& expected, Formula formula, const H& masses, std::int64_t first) {
  const auto at = [](const auto& x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  return check::elements(
      "every mass with the cosh - cos formula in a wider type",
      static_cast<std::int64_t>(expected.mass.size()),
      [&](std::int64_t i) { return masses(first + i); },
      [&](std::int64_t i) { return at(expected.mass, i); },
      [&](std::int64_t i) {
        return tolerance<T>(formula, at(expected.mass, i), at(expected.scale, i));
      });
}

/// Counts in 1-GeV bins from 0 to 120.
template <class H>
std::vector<std::int64_t> spectrum(const H& masses) {
  std::vector<std::int64_t> counts(120);
  for (std::size_t i = 0; i < masses.extent(0); ++i)
    if (masses(i) > 0 && masses(i) < 120) ++counts[static_cast<std::size_t>(masses(i))];
  return counts;
}

/// Of the masses of all ranks, `pairs` of whose events have a pair; each has its share.
template <class H>
Values summary(const H& masses, std::int64_t pairs) {
  constexpr std::size_t shown = 10;
  double sum = 0;
  std::vector<double> own(1 + shown), first;  // how many there are, and the first of them
  for (std::size_t i = 0; i < masses.extent(0); ++i) {
    const double m = static_cast<double>(masses(i));
    if (m > 0) sum += m;
    if (i < shown) own[1 + i] = m;
  }
  own[0] = static_cast<double>(std::min(shown, masses.extent(0)));
  for (const auto& of_rank : ranks::gathered(own))
    for (std::size_t i = 0; i < static_cast<std::size_t>(of_rank[0]) && first.size() < shown; ++i)
      first.push_back(of_rank[1 + i]);
  ranks::sum(&pairs, 1);
  sum = ranks::total(sum);
  auto counts = spectrum(masses);
  ranks::sum(counts.data(), counts.size());
  const auto peak = std::max_element(counts.begin(), counts.end());
  return {{"events_with_pair", pairs},
          {"sum", sum},
          {"first_ten", first},
          {"peak_bin", static_cast<std::int64_t>(peak - counts.begin())}};
}

}  // namespace parallax::dilepton_mass
