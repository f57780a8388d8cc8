// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: teams of several threads, and the events that every space makes.
#include "dilepton_mass/tuned_balanced.hpp"

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>

#include "data/events.hpp"
#include "dilepton_mass/edge_cases.hpp"
#include "dilepton_mass/tuned.hpp"
#include "dilepton_mass/upload.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

/// With a host's usual team of one thread, no missing barrier would show.
template <class Space>
struct TwoThreads : kernels::dilepton_mass::Tuning<Space> {
  static constexpr int threads = 2;
};

/// A GPU's numbers, but for the size of its teams.
template <class Space>
struct LikeGpu : TwoThreads<Space> {
  static constexpr int events = 512, capacity = 1024, ahead = 1, lanes = 1, columns = 4;
};

template <class Space, template <class> class Tune>
void balance() {
  using namespace kernels::dilepton_mass;
  INFO(space_name<Space>());
  if (test::largest_team(space_name<Space>()) < Tune<Space>::threads) return;
  const Space space;
  constexpr int events = 520;  // three teams, or two
  auto made = dilepton_mass::made_events<double>(events);
  const auto e = data::upload(space, made);
  const Leptons<Space, double> leptons{e.pt, e.eta, e.phi, e.charge};
  const Kokkos::View<double*, typename Space::memory_space> masses("masses", events),
      right("right", events);
  const Workspace<Space, Tune<Space>> workspace(space,
                                                static_cast<std::int64_t>(made.charge.size()));
  for (const auto pair : {Pair::heaviest, Pair::first, Pair::any}) {
    event_per_thread_stable(space, e.offsets, leptons, pair, right);
    const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, right);
    for (int run = 0; run < 30; ++run) {
      Kokkos::deep_copy(masses, NAN);
      balanced(space, e.offsets, leptons, pair, masses, workspace);
      const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, masses);
      int wrong = 0;
      for (int i = 0; i < events; ++i) wrong += std::abs(h(i) - expected(i)) < 1e-9 ? 0 : 1;
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("balanced is right with teams of several threads, again and again") {
  for_each_built_in_space([]<class Space>() {
    if constexpr (kernels::is_host_space<Space>) {
      balance<Space, TwoThreads>();
      balance<Space, LikeGpu>();
    }
  });
}

TEST_CASE("synthetic events are the same in every space, in every slice and in both precisions") {
  const data::ListLengths lengths{77, 1.5, 2, 300};
  const Kokkos::DefaultHostExecutionSpace host;
  const auto whole = data::make_events<double>(host, 0, 3001, 3001, lengths);
  for_each_built_in_space([&]<class Space>() {
    INFO(space_name<Space>());
    const auto part = data::make_events<float>(Space{}, 1000, 1001, 3001, lengths);
    const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, part.offsets);
    const auto pt = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, part.pt);
    const auto eta = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, part.eta);
    const auto phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, part.phi);
    const auto charge = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, part.charge);
    const auto base = whole.offsets(1000);
    REQUIRE(offsets(1001) == whole.offsets(2001) - base);
    std::int64_t different = 0;
    for (int l = 0; l < offsets(1001); ++l) {
      different += pt(l) != whole.pt(base + l) || eta(l) != whole.eta(base + l);
      different += phi(l) != whole.phi(base + l) || charge(l) != whole.charge(base + l);
    }
    CHECK(different == 0);
  });
}
