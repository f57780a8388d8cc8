// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "kernels/dilepton_mass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "data/events.hpp"
#include "data/spectrum.hpp"
#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/error.hpp"
#include "harness/registration.hpp"

namespace parallax {
namespace {

using kernels::dilepton_mass::Pair;

/// Expected masses, and how far off a kernel may be.
struct Reference {
  std::vector<double> mass, tolerance;
};

/// The formula as physicists write it, in double precision (long double for double), over all
/// pairs.
template <class T, class Offsets, class Columns>
Reference reference(const Offsets& offsets, const Columns& h, Pair pair) {
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
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for(
      "parallax::dilepton_mass::reference",
      Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>(
          0, n),
      event);
  Kokkos::fence("parallax::dilepton_mass::reference");
  return r;
}

template <class H>
struct HostColumns {
  H pt, eta, phi;
  Kokkos::View<std::int8_t*, Kokkos::HostSpace> charge;
};

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

struct DileptonMass {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    using namespace kernels::dilepton_mass;
    const auto n = parameters.integer("n");
    const Pair pair = parameters.text("pair") == "heaviest" ? Pair::heaviest : Pair::first;
    const std::int64_t giant = parameters.integer("giant_event");
    const data::ListLengths lengths{parameters.seed(), parameters.real("mean"),
                                    giant > 0 && n > 0 ? 1 : 0, giant};
    const auto e = data::make_events<T>(space, 0, n, std::max<std::int64_t>(n, 1), lengths);
    const Leptons<Space, T> leptons{e.pt, e.eta, e.phi, e.charge};
    const auto offsets = e.offsets;
    const auto count = static_cast<std::int64_t>(e.pt.extent(0));
    const auto masses = data::allocate<T>(space, "masses", n);
    const Workspace<Space> workspace(space, count);

    using H = Kokkos::View<T*, Kokkos::HostSpace>;
    const HostColumns<H> host{data::on_host(e.pt), data::on_host(e.eta), data::on_host(e.phi),
                              data::on_host(e.charge)};
    const auto expected =
        std::make_shared<const Reference>(reference<T>(data::on_host(offsets), host, pair));

    const Judge judge{{data::output(space, "masses", masses)}, [=] {
                        const auto h = data::on_host(masses);
                        const auto at = [](const auto& x, std::int64_t i) {
                          return x[static_cast<std::size_t>(i)];
                        };
                        auto verdict = check::elements(
                            "every mass with the cosh - cos formula in a wider type", n,
                            [&](std::int64_t i) { return h(i); },
                            [&](std::int64_t i) { return at(expected->mass, i); },
                            [&](std::int64_t i) { return at(expected->tolerance, i); });
                        verdict.result = summary(h);
                        return verdict;
                      }};
    const double events = static_cast<double>(n), rows = static_cast<double>(count);
    const Work work{.bytes = 4 * (events + 1) + (3 * sizeof(T) + 1) * rows + sizeof(T) * events,
                    .items = events,
                    .traffic = Traffic::copy};
    Plan plan;
    plan.rows = {{"event_per_thread", "kernel", work, judge,
                  [=] { event_per_thread(space, offsets, leptons, pair, masses); }},
                 {"event_per_team", "kernel", work, judge,
                  [=] { event_per_team(space, offsets, leptons, pair, masses); }},
                 {"balanced", "kernel", work, judge,
                  [=] { balanced(space, offsets, leptons, pair, masses, workspace); }}};
    plan.draw = [=] { return data::draw_spectrum(spectrum(data::on_host(masses))); };
    return plan;
  }
};

const Registration<DileptonMass, float, double> registration{
    {.name = "dilepton_mass",
     .summary = "the invariant mass of an opposite-charge pair of leptons in each event",
     .teaches = "ragged data; divergence; work that grows with the square of an event's size",
     .parameters = {count("n", "events",
                          {.tiny = 10'007,
                           .course = 10'000'000,
                           .large = 100'000'000,
                           .course_host = 1'000'000},
                          1, 1'000'000'000),
                    real("mean", "mean number of leptons of an event (Poisson)", 1.5, 0, 1000),
                    integer("giant_event", "leptons of one large event in the middle; 0: none", 0,
                            0, 1'000'000),
                    choice("pair", "largest mass (0: no pair), or that of the first pair (-1)",
                           {"heaviest", "first"})},
     .variants = {{"event_per_thread", "one thread per event"},
                  {"event_per_team", "one team per event"},
                  {"balanced", "events sorted by size: thread, team or all teams"}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double events = static_cast<double>(p.integer("n"));
           const double leptons =
               events * p.real("mean") + static_cast<double>(p.integer("giant_event"));
           const double bytes = (4 + scalar_bytes) * events + (1.3 + 3 * scalar_bytes) * leptons;
           return Memory{.space = bytes, .host = bytes + 16 * events};
         },
     .validate =
         [](const Parameters& p) {
           if (static_cast<double>(p.integer("n")) * p.real("mean") > 2.1e9)
             throw UsageError("n=" + p.text("n") + " with mean=" + p.text("mean") +
                              " makes more than 2100000000 leptons");
         },
     .draws = true}};

}  // namespace
}  // namespace parallax
