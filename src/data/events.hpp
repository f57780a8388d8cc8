// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Synthetic collision events: ragged lists of leptons, whose opposite-charge pairs show the J/psi,
// the psi', the Upsilons and the Z on a falling continuum.
//
// Event i depends only on (seed, i), so that every space makes the same events, in any order
// and in any slice. Momenta and angles are computed in double precision and rounded to a grid
// (1/1024 GeV, 1/16384): differences between mathematical libraries in the last digits vanish, and
// float and double columns hold the same numbers.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "exercise/arrays.hpp"
#include "random/distributions.hpp"

namespace parallax::data {

/// Lists of a ragged array: how long each is. Poisson with the given mean, but `giants` of them,
/// spread evenly, have `giant` elements.
struct ListLengths {
  std::int64_t seed = 12345;
  double mean = 1.5;
  std::int64_t giants = 0, giant = 0;
};

/// The columns of `offsets.extent(0) - 1` events: event i has leptons offsets(i) .. offsets(i + 1)
/// - 1. pt in GeV, eta without unit, phi in (-pi, pi], charge -1 or 1 (0: a lepton that must not be
/// used).
template <class Space, class T>
struct Events {
  using Memory = typename Space::memory_space;
  Kokkos::View<std::int32_t*, Memory> offsets;
  Kokkos::View<T*, Memory> pt, eta, phi;
  Kokkos::View<std::int8_t*, Memory> charge;
};

namespace detail {

/// Streams of the seed: independent random numbers for each purpose.
enum Stream : std::uint64_t { lengths = 101, kinematics = 102, extra = 103 };

/// The distribution function of Poisson(mean), in units of 2^-53, so that all spaces compare the
/// same integers.
std::vector<std::uint64_t> poisson_table(double mean);

struct Lepton {
  double pt, eta, phi;
  int charge;
};

/// Makes one event's leptons. The first two are a pair from one parent, of opposite charge; others
/// are soft, without a partner.
class Generator {
 public:
  explicit Generator(std::int64_t seed) : seed_(static_cast<std::uint64_t>(seed)) {}

  /// Calls put(k, lepton) for the event's leptons k = from .. to - 1.
  template <class Put>
  KOKKOS_FUNCTION void operator()(std::int64_t event, std::int64_t leptons, std::int64_t from,
                                  std::int64_t to, const Put& put) const {
    if (leptons >= 2 && from < 2) {
      Lepton pair[2];
      dimuon(event, pair);
      for (std::int64_t k = from; k < to && k < 2; ++k) put(k, pair[k]);
      from = 2;
    }
    for (std::int64_t k = from; k < to; ++k) put(k, single(event, k));
  }

  /// The mass of the event's pair: a resonance or the continuum.
  KOKKOS_FUNCTION static double mass(const random::Block& a, const random::Block& b) {
    const double which = random::unit_f64(a.bits64(0)), u = random::unit_positive_f64(a.bits64(1));
    const double smear = random::normal_pair_f64(b.bits64(0), b.bits64(1)).first;
    const auto narrow = [smear](double m) {
      return m * (1 + 0.012 * smear);
    };                                        // the detector's resolution
    if (which < 0.170) return narrow(3.097);  // J/psi
    if (which < 0.195) return narrow(3.686);  // psi'
    if (which < 0.245) return narrow(9.460);  // Upsilon(1S), (2S), (3S)
    if (which < 0.260) return narrow(10.023);
    if (which < 0.270) return narrow(10.355);
    if (which < 0.320) {  // Z: Breit-Wigner, 60 to 120 GeV
      constexpr double m = 91.19, half_width = 2.495 / 2;
      const double low = Kokkos::atan((60 - m) / half_width),
                   high = Kokkos::atan((120 - m) / half_width);
      return (m + half_width * Kokkos::tan(low + u * (high - low))) * (1 + 0.01 * smear);
    }
    // dN/dm ~ m^-2 from 1.5 to 150 GeV
    constexpr double inverse_low = 1 / 1.5, inverse_high = 1 / 150.0;
    return 1 / (inverse_low - (1 - u) * (inverse_low - inverse_high));
  }

 private:
  KOKKOS_FUNCTION random::Block block(std::int64_t event, std::uint64_t k) const {
    return random::philox_block(seed_, static_cast<std::uint64_t>(event),
                                Stream::kinematics + (k << 32));
  }
  KOKKOS_FUNCTION static double grid(double x, double steps) {
    return Kokkos::round(x * steps) / steps;
  }
  /// To the grid, and into the ranges that a detector and a float hold.
  KOKKOS_FUNCTION static Lepton rounded(double pt, double eta, double phi, int charge) {
    constexpr double pi = 3.14159265358979323846;
    phi -= 2 * pi * Kokkos::round(phi / (2 * pi));
    pt = Kokkos::min(Kokkos::max(pt, 1.0 / 1024), 4096.0);
    eta = Kokkos::min(Kokkos::max(eta, -8.0), 8.0);
    return {grid(pt, 1024), grid(eta, 16384), grid(phi, 16384), charge};
  }

  /// Two massless leptons, back to back in the frame of their parent, which moves across
  /// (transverse momentum falling exponentially) and along the beam.
  KOKKOS_FUNCTION void dimuon(std::int64_t event, Lepton (&pair)[2]) const {
    const random::Block shape = block(event, 0), smear = block(event, 1), motion = block(event, 2),
                        decay = block(event, 3);
    constexpr double two_pi = 6.283185307179586;
    const double m = mass(shape, smear);
    const double q = -(8 + 0.1 * m) * Kokkos::log(random::unit_positive_f64(motion.bits64(0)));
    const double y = 3.2 * random::unit_f64(motion.bits64(1)) - 1.6;
    const double cos_theta = 2 * random::unit_f64(decay.bits64(0)) - 1;
    const double sin_theta = Kokkos::sqrt(Kokkos::max(0.0, 1 - cos_theta * cos_theta));
    const double angle = two_pi * random::unit_f64(decay.bits64(1));
    const double around = two_pi * random::unit_f64(smear.bits64(1) ^ shape.bits64(1));
    const double transverse = Kokkos::sqrt(m * m + q * q);
    for (int k = 0; k < 2; ++k) {
      const double sign = k == 0 ? 0.5 * m : -0.5 * m;
      const double x0 = sign * sin_theta * Kokkos::cos(angle), z0 = sign * cos_theta;
      const double px = (x0 * transverse + 0.5 * m * q) / m,
                   py = sign * sin_theta * Kokkos::sin(angle);
      const double energy = (0.5 * m * transverse + x0 * q) / m;
      const double pz = z0 * Kokkos::cosh(y) + energy * Kokkos::sinh(y);
      const double pt = Kokkos::sqrt(px * px + py * py);
      pair[k] =
          rounded(pt, Kokkos::asinh(pz / Kokkos::max(pt, 1e-6)), Kokkos::atan2(py, px) + around,
                  (shape.word[0] & 1U) == static_cast<unsigned>(k) ? 1 : -1);
    }
  }

  KOKKOS_FUNCTION Lepton single(std::int64_t event, std::int64_t k) const {
    const random::Block a = block(event, 2 * static_cast<std::uint64_t>(k) + 4);
    const random::Block b = block(event, 2 * static_cast<std::uint64_t>(k) + 5);
    return rounded(1 - 4 * Kokkos::log(random::unit_positive_f64(a.bits64(0))),
                   4.8 * random::unit_f64(a.bits64(1)) - 2.4,
                   6.283185307179586 * random::unit_f64(b.bits64(0)),
                   (b.word[2] & 1U) != 0 ? 1 : -1);
  }

  std::uint64_t seed_;
};

/// The body of list_offsets: list k's length is added up. (A type: see random/fill.hpp.)
template <class Space>
struct ListOffsets {
  Kokkos::View<std::uint64_t*, typename Space::memory_space> cdf;
  Kokkos::View<std::int32_t*, typename Space::memory_space> offsets;
  std::uint64_t seed;
  std::int64_t first, of, giants, giant, last;

  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& sum, bool final) const {
    const std::int64_t i = first + k;
    // Giant j is list (2 j + 1) of / (2 giants): they are the middles of equal parts.
    const std::int64_t j = giants > 0 ? i * giants / of : 0;
    std::int64_t length = 0;
    if (giants > 0 && i == (2 * j + 1) * of / (2 * giants)) {
      length = giant;
    } else {
      const std::uint64_t u =
          random::philox_block(seed, static_cast<std::uint64_t>(i), Stream::lengths).bits64(0) >>
          11;
      std::int64_t low = 0,
                   high = last;  // the first length whose probability to be reached exceeds u
      while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (u < cdf(middle))
          high = middle;
        else
          low = middle + 1;
      }
      length = low;
    }
    sum += length;
    if (final) offsets(k + 1) = static_cast<std::int32_t>(sum);
  }
};
}  // namespace detail

/// Offsets of lists `first` .. `first + lists - 1` of the `of` that `lengths` describes, from 0:
/// lists + 1 numbers. Throws std::length_error where their elements overrun 2^31 - 1; then take
/// fewer at a time.
template <class Space>
Kokkos::View<std::int32_t*, typename Space::memory_space> list_offsets(const Space& space,
                                                                       std::int64_t first,
                                                                       std::int64_t lists,
                                                                       std::int64_t of,
                                                                       const ListLengths& lengths) {
  const auto table = detail::poisson_table(lengths.mean);
  Kokkos::View<std::uint64_t*, typename Space::memory_space> cdf(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::data::poisson"),
      table.size());
  Kokkos::deep_copy(
      space, cdf,
      Kokkos::View<const std::uint64_t*, Kokkos::HostSpace,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>(table.data(), table.size()));
  const auto offsets = allocate<std::int32_t>(space, "parallax::data::offsets", lists + 1);
  Kokkos::deep_copy(space, Kokkos::subview(offsets, 0), 0);
  const auto seed = static_cast<std::uint64_t>(lengths.seed);
  std::int64_t total = 0;
  Kokkos::parallel_scan(
      "parallax::data::list_offsets",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, lists),
      detail::ListOffsets<Space>{cdf, offsets, seed, first, of, lengths.giants, lengths.giant,
                                 static_cast<std::int64_t>(table.size()) - 1},
      total);
  if (total > std::int64_t{0x7fffffff}) throw std::length_error("more than 2^31 - 1 elements");
  input(offsets);
  return offsets;
}

/// Events `first` .. `first + events - 1` of the `of` that `lengths` describes.
template <class T, class Space>
Events<Space, T> make_events(const Space& space, std::int64_t first, std::int64_t events,
                             std::int64_t of, const ListLengths& lengths) {
  Events<Space, T> e;
  e.offsets = list_offsets(space, first, events, of, lengths);
  std::int32_t leptons = 0;
  Kokkos::deep_copy(leptons, Kokkos::subview(e.offsets, events));
  e.pt = allocate<T>(space, "parallax::data::pt", leptons);
  e.eta = allocate<T>(space, "parallax::data::eta", leptons);
  e.phi = allocate<T>(space, "parallax::data::phi", leptons);
  e.charge = allocate<std::int8_t>(space, "parallax::data::charge", leptons);
  const detail::Generator generator(lengths.seed);
  Kokkos::parallel_for(
      "parallax::data::make_events",
      Kokkos::TeamPolicy<Space>(space, static_cast<int>((events + 63) / 64), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Space>::member_type& team) {
        // A team makes 64 events, lepton by lepton: a giant event has all its threads.
        const std::int64_t event0 = std::int64_t{64} * team.league_rank(),
                           event1 = Kokkos::min(event0 + 64, events);
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, e.offsets(event0), e.offsets(event1)),
            [&](std::int32_t l) {
              std::int64_t low = event0, high = event1 - 1;  // the event that lepton l belongs to
              while (low < high) {
                const std::int64_t middle = (low + high) / 2;
                if (e.offsets(middle + 1) > l)
                  high = middle;
                else
                  low = middle + 1;
              }
              const std::int32_t start = e.offsets(low);
              generator(first + low, e.offsets(low + 1) - start, l - start, l - start + 1,
                        [&](std::int64_t k, const detail::Lepton& lepton) {
                          e.pt(start + k) = static_cast<T>(lepton.pt);
                          e.eta(start + k) = static_cast<T>(lepton.eta);
                          e.phi(start + k) = static_cast<T>(lepton.phi);
                          e.charge(start + k) = static_cast<std::int8_t>(lepton.charge);
                        });
            });
      });
  space.fence("parallax::data::make_events");
  input(e.pt);
  input(e.eta);
  input(e.phi);
  input(e.charge);
  return e;
}

}  // namespace parallax::data
