// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "exercise/api.hpp"
#include "transfer/lesson.hpp"
#include "transfer/tuned.hpp"

namespace parallax::transfer {
namespace {

struct Source {
  std::int64_t seed;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return data::uniform_at<double>(seed, i);
  }
};

/// What arrives is what was sent, plus `added`.
template <class Space, class X>
Judge arrived(const Space& space, const std::string& name, const X& x, const Source& source,
              double added = 0) {
  return {{data::output(space, name, x)}, [=] {
            const auto h = data::on_host(x);
            return check::each("every element with what was sent", h,
                               [=](std::int64_t i) { return source(i) + added; })
                .with({{"sum", check::sum(static_cast<std::int64_t>(h.size()), [&](std::int64_t i) {
                          return static_cast<double>(h(i));
                        })}});
          }};
}

struct Transfer {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Source source{parameters.seed()};
    const auto from = inputs::array<T>(space, "from", n, source);
    const auto to = outputs::array<T>(space, "to", n);
    const Work both_ways{.bytes = 2 * sizeof(T) * parameters.number("n"), .traffic = Traffic::copy};
    const Judge judge = arrived(space, "to", to, source);
    RowList rows(both_ways, judge, "transfer");
    if constexpr (kernels::needs_staging<Space>) {
      add_bus_rows<T>(rows, space, from, to, source);
    } else {
      for (const char* variant : {"h2d_pageable", "h2d_pinned", "h2d_staged", "d2h_pageable",
                                  "d2h_pinned", "d2h_staged", "sequence", "overlap"})
        rows.unavailable(variant, "the data is in the host's memory already");
    }
    rows.work = both_ways;
    rows.judge = judge;
    rows.add("d2d", [=] { kernels::transfer::copy(space, to, from); });
    return rows;
  }

  template <class T, class Space, class Device>
  static void add_bus_rows(RowList& rows, const Space& space, const Device& from, const Device& to,
                           const Source& source) {
    const auto n = static_cast<std::int64_t>(to.extent(0));
    const Kokkos::DefaultHostExecutionSpace host;
    const auto pageable_from = inputs::array<T>(host, "pageable from", n, source);
    const auto pageable_to = outputs::array<T>(host, "pageable to", n);
    const auto pinned_from = kernels::transfer::pinned_array<T>("pinned from", n);
    const auto pinned_to = kernels::transfer::pinned_array<T>("pinned to", n);
    data::fill(host, pinned_from, source);
    host.fence("parallax::transfer: host arrays are filled");
    const auto staging = std::make_shared<kernels::Staging<Space>>(
        space, kernels::needs_staging<Space> ? host_copy() : kernels::HostCopy{});
    const std::vector<int> weights(4, 1);
    const std::vector<Space> instances = Kokkos::Experimental::partition_space(space, weights);
    const Judge pageable = alike(rows.judge, arrived(host, "pageable to", pageable_to, source));
    const double bytes = static_cast<double>(n) * sizeof(T);

    rows.work = crossing({bytes, 0});
    rows.add("h2d_pageable", [=] { kernels::transfer::copy(space, to, pageable_from); });
    rows.add("h2d_pinned", [=] { kernels::transfer::copy(space, to, pinned_from); });
    rows.add("h2d_staged",
             [=] { kernels::copy_to_device_staged(space, *staging, to, pageable_from); });
    rows.work = crossing({0, bytes});
    rows.judge = pageable;
    rows.add("d2h_pageable", [=] { kernels::transfer::copy(space, pageable_to, from); });
    rows.judge = arrived(host, "pinned to", pinned_to, source);
    rows.add("d2h_pinned", [=] { kernels::transfer::copy(space, pinned_to, from); });
    rows.judge = pageable;
    rows.add("d2h_staged",
             [=] { kernels::copy_from_device_staged(space, *staging, pageable_to, from); });
    rows.work = crossing({bytes, bytes});  // the two ways at once
    rows.judge = arrived(host, "pinned to", pinned_to, source, 1);
    rows.add("sequence", [=] { kernels::transfer::sequence(space, pinned_from, to, pinned_to); });
    rows.add("overlap", [=] {
      space.fence("parallax::transfer: the arrays are free");
      kernels::transfer::overlap(instances, pinned_from, to, pinned_to);
    });
  }
};

const Registration<Transfer, double> registration{
    {.name = "transfer",
     .summary = "copies between host and device",
     .teaches = "the bus; pageable and pinned memory; latency and bandwidth; overlap",
     .answer = "the elements add up to {sum} after the copies",
     .parameters = {count("n", "doubles",
                          {.tiny = 10'007, .course = 100'000'000, .large = 100'000'000})},
     .variants = {lesson("h2d_pageable", "host to device, ordinary memory"),
                  lesson("h2d_pinned", "host to device, pinned memory"),
                  tuned("h2d_staged", "host to device, ordinary memory, staged by all cores"),
                  lesson("d2h_pageable", "device to host, ordinary memory"),
                  lesson("d2h_pinned", "device to host, pinned memory"),
                  tuned("d2h_staged", "device to host, ordinary memory, staged by all cores"),
                  lesson("d2d", "inside the space's own memory"),
                  lesson("sequence", "in, compute, out, one after the other"),
                  tuned("overlap", "in, compute, out, in pieces on several instances")},
     .memory = arrays_of("n", {.space = 2, .host = 5, .staging = true})}};

}  // namespace
}  // namespace parallax::transfer
