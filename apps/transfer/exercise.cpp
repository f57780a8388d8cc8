// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "transfer/lesson.hpp"

#include <memory>

#include "exercise/api.hpp"
#include "transfer/tuned.hpp"

namespace parallax {
namespace {

struct Source {
  std::int64_t seed;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return data::uniform_at<double>(seed, i);
  }
};

/// What arrived is what was sent, plus `added`.
template <class X>
Verdict check_copy(const X& x, const Source& source, double added) {
  const auto h = data::on_host(x);
  const auto n = static_cast<std::int64_t>(h.extent(0));
  auto verdict = check::elements(
      "every element with what was sent", n, [&](std::int64_t i) { return h(i); },
      [&](std::int64_t i) { return source(i) + added; }, 0.0);
  verdict.result = {
      {"sum", check::sum(n, [&](std::int64_t i) { return static_cast<double>(h(i)); })}};
  return verdict;
}

constexpr const char* no_bus = "the data is in the host's memory already";

struct Transfer {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Source source{parameters.seed()};
    const auto from = data::allocate<T>(space, "from", n);
    const auto to = data::allocate<T>(space, "to", n);
    data::fill(space, from, source);
    const Judge arrived{{data::output(space, "to", to)}, [=] { return check_copy(to, source, 0); }};
    Plan plan;
    if constexpr (kernels::needs_staging<Space>) {
      add_bus_rows<T>(plan, space, from, to, arrived, source);
    } else {
      for (const char* variant : {"h2d_pageable", "h2d_pinned", "h2d_staged", "d2h_pageable",
                                  "d2h_pinned", "d2h_staged", "sequence", "overlap"})
        plan.rows.push_back({.variant = variant, .phase = "transfer", .unavailable = no_bus});
    }
    const Work both_ways{.bytes = 2 * sizeof(T) * static_cast<double>(n), .traffic = Traffic::copy};
    plan.rows.push_back(
        {"d2d", "transfer", both_ways, arrived, [=] { kernels::transfer_copy(space, to, from); }});
    return plan;
  }

  template <class T, class Space, class Device>
  static void add_bus_rows(Plan& plan, const Space& space, const Device& from, const Device& to,
                           const Judge& arrived, const Source& source) {
    const auto n = static_cast<std::int64_t>(to.extent(0));
    const Kokkos::DefaultHostExecutionSpace host;
    const auto pageable_from = data::allocate<T>(host, "pageable from", n);
    const auto pageable_to = data::allocate<T>(host, "pageable to", n);
    const auto pinned_from = kernels::pinned_array<T>("pinned from", n);
    const auto pinned_to = kernels::pinned_array<T>("pinned to", n);
    data::fill(host, pageable_from, source);
    data::fill(host, pinned_from, source);
    host.fence("parallax::transfer: host arrays are filled");

    const auto back_pageable = alike(arrived, {{data::output(host, "pageable to", pageable_to)},
                                               [=] { return check_copy(pageable_to, source, 0); }});
    const auto pinned_output = data::output(host, "pinned to", pinned_to);
    const Judge back_pinned{{pinned_output}, [=] { return check_copy(pinned_to, source, 0); }};
    const Judge computed{{pinned_output}, [=] { return check_copy(pinned_to, source, 1); }};
    const double bytes = static_cast<double>(n) * sizeof(T);
    const Work in = crossing({bytes, 0}), out = crossing({0, bytes});
    const Work both = crossing({bytes, bytes});  // the two ways at once
    const auto staging = std::make_shared<kernels::Staging<Space>>(space);
    const std::vector<int> weights(4, 1);
    const std::vector<Space> instances = Kokkos::Experimental::partition_space(space, weights);
    plan.rows = {
        {"h2d_pageable", "transfer", in, arrived,
         [=] { kernels::transfer_copy(space, to, pageable_from); }},
        {"h2d_pinned", "transfer", in, arrived,
         [=] { kernels::transfer_copy(space, to, pinned_from); }},
        {"h2d_staged", "transfer", in, arrived,
         [=] { kernels::copy_to_device_staged(space, *staging, to, pageable_from); }},
        {"d2h_pageable", "transfer", out, back_pageable,
         [=] { kernels::transfer_copy(space, pageable_to, from); }},
        {"d2h_pinned", "transfer", out, back_pinned,
         [=] { kernels::transfer_copy(space, pinned_to, from); }},
        {"d2h_staged", "transfer", out, back_pageable,
         [=] { kernels::copy_from_device_staged(space, *staging, pageable_to, from); }},
        {"sequence", "transfer", both, computed,
         [=] { kernels::transfer_sequence(space, pinned_from, to, pinned_to); }},
        {"overlap", "transfer", both, computed,
         [=] {
           space.fence("parallax::transfer: the arrays are free");
           kernels::transfer_overlap(instances, pinned_from, to, pinned_to);
         }},
    };
  }
};

const Registration<Transfer, double> registration{
    {.name = "transfer",
     .summary = "copies between host and device",
     .teaches = "the bus; pageable and pinned memory; latency and bandwidth; overlap",
     .parameters = {count("n", "doubles",
                          {.tiny = 10'007, .course = 100'000'000, .large = 100'000'000})},
     .variants = {{"h2d_pageable", "host to device, ordinary memory"},
                  {"h2d_pinned", "host to device, pinned memory"},
                  {"h2d_staged", "host to device, ordinary memory, staged by all cores",
                   Tier::tuned},
                  {"d2h_pageable", "device to host, ordinary memory"},
                  {"d2h_pinned", "device to host, pinned memory"},
                  {"d2h_staged", "device to host, ordinary memory, staged by all cores",
                   Tier::tuned},
                  {"d2d", "inside the space's own memory"},
                  {"sequence", "in, compute, out, one after the other"},
                  {"overlap", "in, compute, out, in pieces on several instances", Tier::tuned}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double array = scalar_bytes * static_cast<double>(p.integer("n"));
       return Memory{.space = 2 * array, .host = 5 * array, .staging = kernels::staging_bytes};
     }}};

}  // namespace
}  // namespace parallax
