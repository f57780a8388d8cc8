// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "launch/lesson.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exercise/api.hpp"
#include "launch/tuned.hpp"

namespace parallax {
namespace {

constexpr int most_instances = 4;

/// Kernels to launch: a separate phase for each row.
struct Task {
  std::string name;
  std::int64_t n;  ///< elements of a kernel
  int kernels;
  bool chain;  ///< all on the same elements, one after the other
  [[nodiscard]] std::int64_t elements() const { return chain ? n : n * kernels; }
};

/// Numbers without an order, so that none can be made from its index.
struct Start {
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t i) const {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(i) + 1u) * 2654435761u);
  }
};

/// x after all its steps: 3^steps x + shift, modulo 2^32.
std::int32_t expected(const Task& task, std::int64_t i) {
  std::uint32_t factor = 1, shift = 0;
  const auto first = task.chain ? 0 : static_cast<std::uint32_t>(i / task.n);
  const auto last = task.chain ? static_cast<std::uint32_t>(task.kernels) : first + 1;
  for (auto k = first; k < last; ++k) {
    factor *= 3;
    shift = 3 * shift + k;
  }
  return static_cast<std::int32_t>(factor * static_cast<std::uint32_t>(Start()(i)) + shift);
}

template <class Space, class X>
Judge judge_of(const Space& space, const Task& task, const X& x) {
  auto output = data::output(space, task.name, x, 1);
  // The kernels work in place: what a row writes, it also reads.
  output.poison = [=] {
    data::fill(space, x, Start());
    space.fence("parallax::launch: the input is there for all instances");
  };
  output.shift = {};
  return {{output}, [=] {
            const auto h = data::on_host(x);
            const auto size = task.elements();
            auto verdict = check::elements(
                "every element with its steps x = 3 x + k, each once and in order", size,
                [&](std::int64_t i) { return h(i); },
                [&](std::int64_t i) { return expected(task, i); }, 0.0);
            verdict.result = {{"kernels", std::int64_t{task.kernels}}};
            if (size > 0) {
              verdict.result.emplace_back("first", std::int64_t{h(0)});
              verdict.result.emplace_back("last", std::int64_t{h(size - 1)});
            }
            return verdict;
          }};
}

/// What each kernel of the task works on.
template <class X>
std::vector<X> parts_of(const Task& task, const X& all) {
  std::vector<X> parts;
  for (int k = 0; k < task.kernels; ++k) {
    const std::int64_t begin = task.chain ? 0 : k * task.n;
    parts.push_back(Kokkos::subview(all, std::pair(begin, begin + task.n)));
  }
  return parts;
}

struct Launch {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const auto kernels = static_cast<int>(parameters.integer("kernels"));
    const int team = team_size<Space>(parameters);
    Plan plan;
    for (const Task& task : {Task{"empty", 1, 1, true}, Task{"chain", n, kernels, true},
                             Task{"independent", n, kernels, false}}) {
      const auto all = data::allocate<T>(space, task.name, task.elements());
      const auto judge = judge_of(space, task, all);
      add_kokkos_rows(plan, space, team, task, all, judge);
      add_native_rows(plan, space, task, all, judge);
    }
    return plan;
  }

  static Work work_of(const Task& task) {
    return {.bytes = 2.0 * sizeof(std::int32_t) * static_cast<double>(task.elements()),
            .items = static_cast<double>(task.kernels),
            .traffic = Traffic::copy};
  }

  template <class Space, class X>
  static void add_kokkos_rows(Plan& plan, const Space& space, int team, const Task& task,
                              const X& all, const Judge& judge) {
    const auto parts = parts_of(task, all);
    const auto work = work_of(task);
    const auto add = [&](const char* variant, auto&& run) {
      plan.rows.push_back({variant, task.name, work, judge, run});
    };
    const auto add_teams = [&](const char* variant, auto&& run) {
      plan.rows.push_back(with_teams(team, {variant, task.name, work, judge, run}));
    };
    add("range", [=] { kernels::launch_range(space, parts); });
    add_teams("team", [=] { kernels::launch_teams<false>(space, team, parts); });
    add_teams("team_scratch", [=] { kernels::launch_teams<true>(space, team, parts); });
    // Made once, before any clock runs; the phase `build` has the making.
    const auto graph = kernels::launch_graph(space, parts, task.chain);
    add("graph", [=] { graph.submit(space); });
    if (task.name == "chain")
      plan.rows.push_back({"graph", "build", work, judge,
                           [=] { kernels::launch_graph(space, parts, true).submit(space); }});
    if (task.name == "chain")
      add("fused", [=] { kernels::launch_fused(space, all, task.kernels); });
    if (!task.chain) {
      add("fused", [=] { kernels::launch_fused_parts(space, all, task.n, task.kernels); });
      const std::vector<int> weights(std::min(most_instances, space.concurrency()), 1);
      const std::vector<Space> instances = Kokkos::Experimental::partition_space(space, weights);
      add("instances", [=] { kernels::launch_instances(instances, parts); });
    }
  }

  template <class Space, class X>
  static void add_native_rows(Plan& plan, const Space& space, const Task& task, const X& all,
                              const Judge& judge) {
    using Native = bindings::NativeLaunch<Space>;
    const auto steps = kernels::launch_native_steps(parts_of(task, all));
    const auto work = work_of(task);
    if constexpr (Native::has_launch)
      plan.rows.push_back({"native", task.name, work, judge,
                           [=] { kernels::launch_native(space, task.n, steps); }});
    else
      plan.rows.push_back({.variant = "native",
                           .phase = task.name,
                           .unavailable = "no binding to this space's own kernels"});
    if constexpr (Native::has_graph) {
      const auto graph = std::make_shared<const typename Native::Graph>(task.n, steps, task.chain);
      plan.rows.push_back({"native_graph", task.name, work, judge, [=] { graph->submit(space); }});
      if (task.name == "chain")
        plan.rows.push_back({"native_graph", "build", work, judge, [=] {
                               const typename Native::Graph made(task.n, steps, true);
                               made.submit(space);
                             }});
    } else {
      plan.rows.push_back({.variant = "native_graph",
                           .phase = task.name,
                           .unavailable = "only CUDA and HIP have graphs of their own"});
    }
  }
};

const Registration<Launch, std::int32_t> registration{
    {.name = "launch",
     .summary = "x = 3 x + k by many small kernels: in a chain, and independent of each other",
     .teaches = "when launches decide: graphs, instances, fusion, and what Kokkos adds to a launch",
     .parameters = {count("n", "elements of a kernel",
                          {.tiny = 257, .course = 1024, .large = 1'000'000}, 1, 100'000'000),
                    count("kernels", "kernels that are launched",
                          {.tiny = 5, .course = 20, .large = 20}, 1, 1000)},
     .variants = {{"range", "a launch for each kernel"},
                  {"team", "a launch for each kernel, of teams", Tier::lesson, true},
                  {"team_scratch", "a launch for each kernel, of teams that stage in scratch",
                   Tier::lesson, true},
                  {"graph", "all kernels in a graph, launched together"},
                  {"instances", "independent kernels on several instances"},
                  {"fused", "one kernel for all steps"},
                  {"native", "a launch for each kernel, in the space's own language",
                   Tier::library},
                  {"native_graph", "a graph of the space's own", Tier::library}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = scalar_bytes * static_cast<double>(p.integer("n")) *
                            static_cast<double>(p.integer("kernels") + 1);
       return Memory{.space = bytes, .host = bytes};
     }}};

}  // namespace
}  // namespace parallax
