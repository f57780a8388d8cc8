// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "exercise/outputs.hpp"
#include "platform/device/spaces.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"

namespace parallax::data {

/// `run`, and then `x`, a contiguous View of numbers, becomes the sum of all ranks' `x`. On one
/// rank it is only `run`.
template <class Space, class X>
std::function<void()> then_sum(const Space& space, const X& x, std::function<void()> run) {
  if (!ranks::several() || !run) return run;
  auto& way = transport::of(space_name<Space>());
  return [=, &way, run = std::move(run)] {
    run();
    space.fence("parallax::ranks: before a sum");
    way.sum(x.data(), x.size(), bindings::number_of<typename X::non_const_value_type>());
  };
}

/// Halo exchange: `first`, the beginning of this rank's part, goes to
/// the rank before it, and what the next rank sends comes into `halo`, which is as long;
/// the last rank's is not touched. What is called does so, and calls `meanwhile` when the messages
/// may leave: what it launches runs while they are under way.
template <class Space, class First, class Halo>
std::function<void(const std::function<void()>& meanwhile)> to_rank_before(const Space& space,
                                                                           const First& first,
                                                                           const Halo& halo) {
  auto& way = transport::of(space_name<Space>());
  const std::size_t bytes = first.size() * sizeof(typename First::value_type);
  const int before = ranks::rank() - 1,
            after = ranks::rank() + 1 < ranks::size() ? ranks::rank() + 1 : -1;
  return [=, &way](const std::function<void()>& meanwhile) {
    space.fence("parallax::ranks: before an exchange");
    way.exchange(first.data(), before, halo.data(), after, bytes, meanwhile);
  };
}

/// What sum_and_ends reports, of all ranks' arrays as of one: each holds its share.
template <class H>
Values sum_and_ends_over_ranks(const H& h, const std::string& sum_name = "sum") {
  Values values = sum_and_ends(h, sum_name);
  if (!ranks::several()) return values;
  const auto n = h.extent(0);
  const double ends[] = {static_cast<double>(n), n > 0 ? static_cast<double>(h(0)) : 0,
                         n > 0 ? static_cast<double>(h(n - 1)) : 0};
  const auto all = ranks::gathered({ends[0], ends[1], ends[2]});
  const auto holds = [](const std::vector<double>& rank) { return rank[0] > 0; };
  const auto first = std::find_if(all.begin(), all.end(), holds);
  values = {{sum_name, ranks::total(std::get<double>(values.front().second))}};
  if (first == all.end()) return values;
  values.emplace_back("first", (*first)[1]);
  values.emplace_back("last", (*std::find_if(all.rbegin(), all.rend(), holds))[2]);
  return values;
}

/// How much of something that is divided comes before this rank's part of length `own`.
inline std::int64_t before_this_rank(std::int64_t own) {
  std::int64_t before = 0;
  const auto all = ranks::gathered({static_cast<double>(own)});
  for (int k = 0; k < ranks::rank(); ++k)
    before += static_cast<std::int64_t>(all[static_cast<std::size_t>(k)][0]);
  return before;
}

/// What every rank sends for that; nothing where there is one.
template <class X>
std::vector<Message> sum_of(const X& x) {
  if (!ranks::several()) return {};
  return {{static_cast<double>(x.size() * sizeof(typename X::value_type))}};
}

}  // namespace parallax::data
