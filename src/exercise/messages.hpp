// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "exercise/check.hpp"
#include "platform/device/spaces.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"

namespace parallax::data {

/// `run`, and then `x`, a contiguous View of numbers, becomes the sum of all ranks' `x`. On one
/// rank it is only `run`.
template <class Space, class X>
std::function<void()> then_sum(const Space&, const X& x, std::function<void()> run) {
  if (!ranks::several() || !run) return run;
  auto& way = transport::of(space_name<Space>());
  return [=, &way, run = std::move(run)] {
    run();
    way.sum(x.data(), x.size(), bindings::number_of<typename X::non_const_value_type>());
  };
}

/// Halo exchange: sends `first`, the beginning of this rank's part, to the rank before it, and
/// receives `halo`, which is as long, from the next one; the last rank's is not touched. What is
/// returned does so, and what `meanwhile` launches, if it is not empty, runs at the same time.
template <class Space, class First, class Halo>
std::function<void(const Transport::Meanwhile& meanwhile)> to_rank_before(const Space&,
                                                                          const First& first,
                                                                          const Halo& halo) {
  auto& way = transport::of(space_name<Space>());
  const std::size_t bytes = first.size() * sizeof(typename First::value_type);
  const int before = ranks::rank() - 1,
            after = ranks::rank() + 1 < ranks::size() ? ranks::rank() + 1 : -1;
  return [=, &way](const Transport::Meanwhile& meanwhile) {
    way.exchange(first.data(), before, halo.data(), after, bytes, meanwhile);
  };
}

namespace detail {
/// From each rank: how many elements it has, its first and its last.
Values ends_of_shares(const std::vector<double>& own, bool integers);
}  // namespace detail

/// What a row reports of an array on the host, in which each rank has its share: the first element
/// and the last, if there are any.
template <class H>
Values ends(const H& h) {
  const auto n = h.extent(0);
  const auto at = [&](std::size_t i) { return n > 0 ? static_cast<double>(h(i)) : 0; };
  return detail::ends_of_shares({static_cast<double>(n), at(0), at(n - 1)},
                                std::is_integral_v<typename H::value_type>);
}

/// The same after the sum of all elements, by the name `sum_name`.
template <class H>
Values sum_and_ends(const H& h, const std::string& sum_name = "sum") {
  const double sum = check::sum(static_cast<std::int64_t>(h.extent(0)),
                                [&](std::int64_t i) { return static_cast<double>(h(i)); });
  Values values{{sum_name, ranks::total(sum)}};
  for (auto& end : ends(h)) values.push_back(std::move(end));
  return values;
}

/// How much of something that is divided comes before this rank's part of length `own`.
std::int64_t before_this_rank(std::int64_t own);

/// What every rank sends for that; nothing where there is one.
template <class X>
std::vector<Message> sum_of(const X& x) {
  if (!ranks::several()) return {};
  return {{static_cast<double>(x.size() * sizeof(typename X::value_type))}};
}

}  // namespace parallax::data
