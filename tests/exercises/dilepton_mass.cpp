// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "dilepton_mass/tuned.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "data/events.hpp"
#include "dilepton_mass/reference.hpp"
#include "dilepton_mass/tuned_balanced.hpp"
#include "dilepton_mass/upload.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("dilepton_mass is right for odd sizes, and events of every size, in every space") {
  test::verify_everywhere("dilepton_mass",
                          {{{"n", "0"}},
                           {{"n", "1"}},
                           {{"n", "1"}, {"giant_event", "1500"}},
                           {{"n", "257"}, {"mean", "0"}},
                           {{"n", "1009"}, {"giant_event", "513"}},
                           {{"n", "1009"}, {"mean", "20"}, {"giant_event", "33"}},
                           {{"n", "101"}, {"mean", "200"}, {"pair", "first"}},
                           {{"n", "0"}, {"pair", "any"}},
                           {{"n", "1009"}, {"giant_event", "1025"}, {"pair", "any"}},
                           {{"n", "257"}, {"mean", "40"}, {"pair", "any"}},
                           {{"n", "4099"}, {"giant_event", "1025"}, {"pair", "first"}},
                           {{"n", "20011"}, {"mean", "3"}},
                           {{"n", "260"}, {"events", "made"}},
                           {{"n", "260"}, {"events", "made"}, {"pair", "first"}},
                           {{"n", "260"}, {"events", "made"}, {"pair", "any"}}});
}

TEST_CASE("dilepton_mass knows pairs that can be worked out by hand") {
  using namespace kernels::dilepton_mass;
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    using Memory = typename Space::memory_space;
    const Space space;
    // Event 0: back to back, 45 GeV each: 90 GeV. 1: equal charges. 2: charge 0 is no charge, even
    // where the rest is not a number.
    // 3: the first pair is light, the second heavy. 4: nothing.
    constexpr int leptons = 9;
    const double pt[leptons] = {45, 45, 30, 30, NAN, 20, 10, 10, 40};
    const double phi[leptons] = {0, M_PI, 0, 3, NAN, 3, 0, 0.1, M_PI};
    const std::int8_t charge[leptons] = {1, -1, 1, 1, 0, -1, 1, -1, -1};
    const std::int32_t at[6] = {0, 2, 4, 6, 9, 9};
    const Kokkos::View<double*, Memory> p("pt", leptons), eta("eta", leptons), f("phi", leptons);
    const Kokkos::View<std::int8_t*, Memory> q("charge", leptons);
    const Kokkos::View<std::int32_t*, Memory> offsets("offsets", 6);
    const Kokkos::View<double*, Memory> masses("masses", 5);
    Kokkos::deep_copy(p, Kokkos::View<const double*, Kokkos::HostSpace>(pt, leptons));
    Kokkos::deep_copy(f, Kokkos::View<const double*, Kokkos::HostSpace>(phi, leptons));
    Kokkos::deep_copy(q, Kokkos::View<const std::int8_t*, Kokkos::HostSpace>(charge, leptons));
    Kokkos::deep_copy(offsets, Kokkos::View<const std::int32_t*, Kokkos::HostSpace>(at, 6));
    const Leptons<Space, double> columns{p, eta, f, q};
    const Workspace<Space> workspace(space, leptons);
    struct Case {
      Pair pair;
      double none, second, fourth;
    };
    for (const auto& [pair, none, second, fourth] :
         {Case{Pair::heaviest, 0, 0, 40}, Case{Pair::first, -1, -1, 20 * std::sin(0.05)},
          Case{Pair::any, 0, 60 * std::sin(1.5), 40}}) {
      const auto check = [&] {
        const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, masses);
        CHECK(h(0) == Catch::Approx(90));
        CHECK(h(1) == Catch::Approx(second));
        CHECK(h(2) == none);
        CHECK(h(3) == Catch::Approx(fourth));
        CHECK(h(4) == none);
        Kokkos::deep_copy(masses, -7);
      };
      event_per_thread(space, offsets, columns, pair, masses);
      check();
      team_scratch(space, 1, offsets, columns, pair, masses);
      check();
      event_per_thread_stable(space, offsets, columns, pair, masses);
      check();
      event_per_team(space, 1, offsets, columns, pair, masses);
      check();
      balanced(space, offsets, columns, pair, masses, workspace);
      check();
    }
  });
}

TEST_CASE("the heaviest pair of any charges is not lighter than that of opposite ones") {
  const auto sum = [](const std::string& pair) {
    return test::number(
        test::result_of("dilepton_mass", "event_per_thread", {{"n", "2003"}, {"pair", pair}}),
        "sum");
  };
  CHECK(sum("any") > 1.1 * sum("heaviest"));
}

TEST_CASE("dilepton_mass keeps the digits of light pairs, however fast and wherever they go") {
  using namespace kernels::dilepton_mass;
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    using Memory = typename Space::memory_space;
    const Space space;
    // 1 TeV each, a thousandth apart in eta: 1 GeV, at any eta and phi. The last pair is not light.
    constexpr int events = 5, leptons = 2 * events;
    const double at[events] = {0, 5, -8, 30, 0}, apart[events] = {1e-3, 1e-3, 1e-3, 1e-3, 20};
    const Kokkos::View<double*, Memory> pt("pt", leptons), eta("eta", leptons), phi("phi", leptons);
    const Kokkos::View<std::int8_t*, Memory> charge("charge", leptons);
    const Kokkos::View<std::int32_t*, Memory> offsets("offsets", events + 1);
    const Kokkos::View<double*, Memory> masses("masses", events);
    const auto h_eta = Kokkos::create_mirror_view(eta), h_phi = Kokkos::create_mirror_view(phi);
    const auto h_charge = Kokkos::create_mirror_view(charge);
    const auto h_offsets = Kokkos::create_mirror_view(offsets);
    for (int e = 0; e < events; ++e) {
      h_eta(2 * e) = at[e];
      h_eta(2 * e + 1) = at[e] + apart[e];
      h_phi(2 * e) = h_phi(2 * e + 1) = e - 2;
      h_charge(2 * e) = 1;
      h_charge(2 * e + 1) = -1;
      h_offsets(e + 1) = 2 * e + 2;
    }
    Kokkos::deep_copy(pt, 1000);
    Kokkos::deep_copy(eta, h_eta);
    Kokkos::deep_copy(phi, h_phi);
    Kokkos::deep_copy(charge, h_charge);
    Kokkos::deep_copy(offsets, h_offsets);
    const Leptons<Space, double> columns{pt, eta, phi, charge};
    const auto check = [&](double epsilon) {
      const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, masses);
      for (int e = 0; e < events; ++e) {
        const double exact = 2000 * std::sinh((h_eta(2 * e + 1) - h_eta(2 * e)) / 2);
        CHECK(h(e) == Catch::Approx(exact).epsilon(epsilon));
      }
    };
    balanced(space, offsets, columns, Pair::heaviest, masses, Workspace<Space>(space, leptons));
    check(1e-11);
    event_per_thread_stable(space, offsets, columns, Pair::heaviest, masses);
    check(1e-11);
    // cosh(1e-3) - 1 = 5e-7: ten of sixteen digits are left to the lesson's formula, in f32 one.
    event_per_thread(space, offsets, columns, Pair::heaviest, masses);
    check(1e-8);
  });
}

TEST_CASE("leptons that fly the same way are a pair, whatever rounding makes of their mass") {
  using kernels::dilepton_mass::Pair;
  data::EventSlice<float> e;  // opposite charges, equal ones, one lepton
  e.offsets = {0, 2, 4, 5};
  e.pt = {45, 30, 45, 30, 9};
  e.eta.assign(5, 0.7F);
  e.phi.assign(5, 0.3F);
  e.charge = {1, -1, 1, 1, 1};
  const auto pairs_of = [&](Pair pair) {
    return dilepton_mass::reference<float>(data::host_events(e), pair).events_with_pair;
  };
  CHECK(pairs_of(Pair::heaviest) == 1);
  CHECK(pairs_of(Pair::first) == 1);
  CHECK(pairs_of(Pair::any) == 2);
}

TEST_CASE("every resonance of the synthetic events stands above its sidebands") {
  using namespace kernels::dilepton_mass;
  using Space = Kokkos::DefaultHostExecutionSpace;
  const Space space;
  constexpr int n = 200'000;
  const auto e = data::make_events<double>(space, 0, n, n, {2718, 1.5, 0, 0});
  const Kokkos::View<double*, Kokkos::HostSpace> masses("masses", n);
  event_per_thread(space, e.offsets, Leptons<Space, double>{e.pt, e.eta, e.phi, e.charge},
                   Pair::first, masses);
  space.fence();
  const auto between = [&](double low, double high) {
    int count = 0;
    for (int i = 0; i < n; ++i) count += masses(i) >= low && masses(i) < high;
    return count;
  };
  struct Peak {
    const char* name;
    double mass, half, left, right;  ///< the sidebands, as wide together, begin at left and right
    double above;                    ///< the sidebands, at least this many times
  };
  for (const auto& peak :
       {Peak{"J/psi", 3.097, 0.08, 2.80, 3.30, 6.0}, Peak{"psi'", 3.686, 0.09, 3.40, 3.90, 2.0},
        Peak{"Upsilon", 9.460, 0.23, 8.50, 11.00, 4.0},
        Peak{"Z", 91.19, 3.00, 78.00, 102.00, 8.0}}) {
    INFO(peak.name);
    const int inside = between(peak.mass - peak.half, peak.mass + peak.half);
    const int sidebands =
        between(peak.left, peak.left + peak.half) + between(peak.right, peak.right + peak.half);
    CHECK(sidebands > 10);
    CHECK(inside > peak.above * sidebands);
  }
  // The continuum falls as m^-2.
  int last = between(1.6, 2.6);
  for (const double m : {4.2, 6.0, 13.0, 30.0, 55.0}) {
    const int here = between(m, m + 1);
    CHECK(here < last);
    CHECK(here > 0);
    last = here;
  }
}
