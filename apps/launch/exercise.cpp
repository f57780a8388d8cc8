// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "exercise/api.hpp"
#include "launch/lesson.hpp"
#include "launch/reference.hpp"
#include "launch/tuned.hpp"

namespace parallax::launch {
namespace {

constexpr int most_instances = 4;

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
      const auto all = outputs::array<T>(space, task.name, task.elements());
      Rows rows(
          space,
          {.bytes = 2.0 * sizeof(T) * static_cast<double>(task.elements()),
           .items = static_cast<double>(task.kernels),
           .traffic = Traffic::update},
          in_place(task.name, all, Start()),
          [=](const auto& found) {
            return check::each("every element with its steps x = 3 x + k, each once and in order",
                               found, [=](std::int64_t i) { return expected(task, i); })
                .with({{"kernels", std::int64_t{task.kernels}}})
                .with(data::ends(found));
          },
          task.name);
      add_kokkos_rows(rows, space, team, task, all);
      add_native_rows(rows, space, task, all);
      plan.rows.insert(plan.rows.end(), rows.all().begin(), rows.all().end());
    }
    return plan;
  }

  template <class Space, class X>
  static void add_kokkos_rows(RowList& rows, const Space& space, int team, const Task& task,
                              const X& all) {
    const auto parts = parts_of(task, all);
    rows.add("range", [=] { kernels::launch::range(space, parts); });
    rows.add("team", with_teams(team), [=] { kernels::launch::team(space, team, parts); });
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::launch::team_scratch(space, team, parts); });
    // Made once, before any clock runs; the phase `build` has the making.
    const auto graph = kernels::launch::graph(space, parts, task.chain);
    rows.add("graph", [=] { graph.submit(space); });
    if (task.name == "chain") {
      rows.add("graph", [=] { kernels::launch::graph(space, parts, true).submit(space); }).phase =
          "build";
      rows.add("fused", [=] { kernels::launch::fused(space, all, task.kernels); });
    }
    if (!task.chain) {
      rows.add("fused", [=] { kernels::launch::fused_parts(space, all, task.n, task.kernels); });
      const std::vector<int> weights(std::min(most_instances, space.concurrency()), 1);
      const std::vector<Space> instances = Kokkos::Experimental::partition_space(space, weights);
      rows.add("instances", [=] { kernels::launch::instances(instances, parts); });
    }
  }

  template <class Space, class X>
  static void add_native_rows(RowList& rows, const Space& space, const Task& task, const X& all) {
    using Native = bindings::NativeLaunch<Space>;
    const auto steps = kernels::launch::native_steps(parts_of(task, all));
    if constexpr (Native::has_launch)
      rows.add("native", [=] { kernels::launch::native(space, task.n, steps); });
    else
      rows.unavailable("native", "no binding to this space's own kernels");
    if constexpr (Native::has_graph) {
      const auto graph = std::make_shared<const typename Native::Graph>(task.n, steps, task.chain);
      rows.add("native_graph", [=] { graph->submit(space); });
      if (task.name == "chain")
        rows.add("native_graph",
                 [=] {
                   const typename Native::Graph made(task.n, steps, true);
                   made.submit(space);
                 })
            .phase = "build";
    } else {
      rows.unavailable("native_graph", "only CUDA and HIP have graphs of their own");
    }
  }
};

const Registration<Launch, std::int32_t> registration{
    {.name = "launch",
     .summary = "x = 3 x + k by many small kernels, in a chain or independent",
     .teaches = "when launches decide: graphs, instances, fusion, and what Kokkos adds to a launch",
     .answer = "each time {kernels} kernels ran",
     .parameters = {count("n", "elements of a kernel",
                          {.tiny = 257, .course = 1024, .large = 1'000'000}, 1, 100'000'000),
                    count("kernels", "kernels that are launched",
                          {.tiny = 5, .course = 20, .large = 20}, 1, 1000)},
     .variants = {lesson("range", "a launch for each kernel"),
                  lesson_with_teams("team", "a launch for each kernel, of teams"),
                  lesson_with_teams("team_scratch",
                                    "a launch for each kernel, of teams that stage in scratch"),
                  lesson("graph", "all kernels in a graph, launched together"),
                  lesson("instances", "independent kernels on several instances"),
                  lesson("fused", "one kernel for all steps"),
                  library("native", "a launch for each kernel, in the space's own language"),
                  library("native_graph", "a graph of the space's own")},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = scalar_bytes * p.number("n") * (p.number("kernels") + 1);
       return Memory{.space = bytes, .host = bytes};
     }}};

}  // namespace
}  // namespace parallax::launch
