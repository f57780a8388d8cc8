// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: events made by hand, only for the check. A maximum over pairs hides that some
// were left out, unless the heaviest is one of them. So in each of these events two leptons
// outweigh all others, at the beginning or end of a loop, a block or an event.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "data/event_file.hpp"

namespace parallax::dilepton_mass {

/// An event of `leptons` leptons, where `a` and `b` are the heavy ones.
struct MadeEvent {
  int leptons, a, b;
};

/// All pairs of events of up to six leptons; then pairs at the edges of blocks of 4, 32, 128, 512
/// and 1024 in events of sizes at which kernels change what they do.
inline std::vector<MadeEvent> made_list() {
  std::vector<MadeEvent> list{{0, 0, 0}, {1, 0, 0}};
  for (int m = 2; m <= 6; ++m)
    for (int b = 1; b < m; ++b)
      for (int a = 0; a < b; ++a) list.push_back({m, a, b});
  for (const int m : {31, 32, 33, 34, 64, 128, 129, 256, 257, 511, 512, 513, 1025, 1060})
    for (const int edge : {1, 4, 32, 128, 512, 1024, 1025, m - 1}) {
      if (edge >= m) continue;
      list.push_back({m, edge - 1, edge});
      list.push_back({m, 0, edge});
      list.push_back({m, edge, m == edge + 1 ? 1 : m - 1});
    }
  // The first event of the second team of 128, one lepton too long for the team's scratch memory.
  list.insert(list.begin() + 128, {513, 0, 512});
  return list;
}

/// Their mean number of leptons.
inline constexpr double made_mean = 353;

/// Adds lepton k of event i. One lepton without a charge would win if charges were ignored: its
/// momentum is the largest, or NaN. The two heavy leptons have opposite charges in two events of
/// three, and are the first pair as well in one of these two. Few of a large event's other leptons
/// have a charge, since the reference would take seconds otherwise.
template <class T>
void add_made_lepton(data::EventSlice<T>& to, std::int64_t i, const MadeEvent& event, int k) {
  const auto [m, a, b] = event;
  const auto first = a < b ? a : b, second = a < b ? b : a;
  const int sign = i % 2 == 0 ? 1 : -1;
  const bool heavy = k == a || k == b, ghost = !heavy && k == (second + 1) % m;
  const bool in_order = i % 3 == 0, charged = heavy || (!ghost && (m <= 40 || k % 8 == 0));
  int charge = k % 3 - 1;
  if (heavy) charge = k == second && i % 3 != 2 ? -sign : sign;
  if (in_order && k < first) charge = 0;
  if (in_order && first < k && k < second) charge = sign;
  to.charge.push_back(static_cast<std::int8_t>(charged ? charge : 0));
  const T momentum = i % 4 < 2 ? T(1000) : std::numeric_limits<T>::quiet_NaN();
  to.pt.push_back(ghost ? momentum : heavy ? T(64 + i % 64) : 1 + T(k % 5) / 4);
  to.eta.push_back(k == a ? T(0.5) : k == b ? T(-0.25) : T(7 * k % 11 - 5) / 16);
  to.phi.push_back(k == a ? T(0.25) : k == b ? T(3) : T(13 * k % 29 - 14) / 16);
}

/// `n` of these events; the list begins again where it ends.
template <class T>
data::EventSlice<T> made_events(std::int64_t n) {
  const auto list = made_list();
  data::EventSlice<T> all;
  all.offsets = {0};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto& event = list[static_cast<std::size_t>(i) % list.size()];
    for (int k = 0; k < event.leptons; ++k) add_made_lepton(all, i, event, k);
    all.offsets.push_back(static_cast<std::int32_t>(all.pt.size()));
  }
  return all;
}

}  // namespace parallax::dilepton_mass
