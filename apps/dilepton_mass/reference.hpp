// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: what masses are compared with, and the numbers reported of them. Apart from
// exercise.cpp for its length.
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
#include "harness/check.hpp"
#include "harness/data.hpp"

namespace parallax::dilepton {

using kernels::dilepton_mass::Pair;

/// Expected masses, and how far off a kernel may be.
struct Reference {
  std::vector<double> mass, tolerance;
};

/// The formula as physicists write it, in double precision (long double for double), over all
/// pairs. The events' columns lie in the host's memory.
template <class T, class Host>
Reference reference(const Host& h, Pair pair) {
  const auto& offsets = h.offsets;
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  const auto n = static_cast<std::int64_t>(offsets.extent(0)) - 1;
  Reference r{std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n))};
  const auto event = [&](std::int64_t i) {
    Wide mass = pair == Pair::heaviest ? 0 : -1;
    Wide scale = 0;
    for (auto a = offsets(i); a < offsets(i + 1); ++a)
      for (auto b = a + 1; b < offsets(i + 1); ++b) {
        if (h.charge(a) * h.charge(b) >= 0) continue;
        const Wide product = Wide(h.pt(a)) * h.pt(b), deta = Wide(h.eta(a)) - h.eta(b);
        const Wide dphi = Wide(h.phi(a)) - h.phi(b);
        const Wide m =
            std::sqrt(std::max(Wide(0), 2 * product * (std::cosh(deta) - std::cos(dphi))));
        // Differences of products of sqrt(pt) cosh(eta/2): an error of a few eps of these, however
        // light the pair.
        scale = std::max(scale, std::sqrt(product) * std::cosh(Wide(h.eta(a)) / 2) *
                                    std::cosh(Wide(h.eta(b)) / 2));
        if (pair == Pair::first && mass >= 0) continue;
        mass = std::max(mass, m);
      }
    const auto k = static_cast<std::size_t>(i);
    r.mass[k] = static_cast<double>(mass);
    r.tolerance[k] = static_cast<double>(16 * std::numeric_limits<T>::epsilon() *
                                         (scale + std::max(mass, Wide(0))));
    // The reference's own difference of cosh and cos, where it is exact to eps of its terms.
    if constexpr (std::is_same_v<T, float>)
      r.tolerance[k] += 1e-7 * static_cast<double>(scale);
    else
      r.tolerance[k] += 1e-9 * static_cast<double>(scale);
  };
  using Space = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for("parallax::dilepton_mass::reference",
                       Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>,
                                           Kokkos::IndexType<std::int64_t>>(0, n),
                       event);
  Kokkos::fence("parallax::dilepton_mass::reference");
  return r;
}

/// Masses `first` .. against what is expected of their events.
template <class H>
Verdict judge(const Reference& expected, const H& masses, std::int64_t first) {
  const auto at = [](const auto& x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  return check::elements(
      "every mass with the cosh - cos formula in a wider type",
      static_cast<std::int64_t>(expected.mass.size()),
      [&](std::int64_t i) { return masses(first + i); },
      [&](std::int64_t i) { return at(expected.mass, i); },
      [&](std::int64_t i) { return at(expected.tolerance, i); });
}

/// Counts in 1-GeV bins from 0 to 120.
template <class H>
std::vector<std::int64_t> spectrum(const H& masses) {
  std::vector<std::int64_t> counts(120);
  for (std::size_t i = 0; i < masses.extent(0); ++i)
    if (masses(i) > 0 && masses(i) < 120) ++counts[static_cast<std::size_t>(masses(i))];
  return counts;
}

template <class H>
Values summary(const H& masses) {
  std::int64_t pairs = 0;
  double sum = 0;
  std::vector<double> first;
  for (std::size_t i = 0; i < masses.extent(0); ++i) {
    const double m = static_cast<double>(masses(i));
    if (m > 0) {
      ++pairs;
      sum += m;
    }
    if (i < 10) first.push_back(m);
  }
  const auto counts = spectrum(masses);
  const auto peak = std::max_element(counts.begin(), counts.end());
  return {{"events_with_pair", pairs},
          {"sum", sum},
          {"first_ten", first},
          {"peak_bin", static_cast<std::int64_t>(peak - counts.begin())}};
}

}  // namespace parallax::dilepton
