// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 3
#include <algorithm>
#include <memory>
#include <string>

#include "data/colours.hpp"
#include "data/png.hpp"
#include "exercise/api.hpp"
#include "heat/lesson.hpp"
#include "heat/ranks.hpp"
#include "heat/reference.hpp"
#include "heat/tuned.hpp"
#include "heat/tuned_register_rows.hpp"

namespace parallax::heat {
namespace {

template <class Space, class T>
kernels::heat::Field<Space, T> field(const Space& space, const char* label, const Share& rows,
                                     std::int64_t columns) {
  return data::allocate_matrix<kernels::heat::Field<Space, T>>(space, label, rows.count + 2,
                                                               columns + 2);
}

/// From cold to hot, by a picture of the field on the host.
template <class Found>
data::Image picture(const Found& found) {
  data::Image image{found.extent_int(0), found.extent_int(1), {}};
  image.rgb.reserve(3 * found.size());
  for (int i = 0; i < image.rows; ++i)
    for (int j = 0; j < image.columns; ++j) {
      const data::Rgb colour = data::gradient(static_cast<double>(found(i, j)));
      image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
    }
  return image;
}

struct Heat {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    namespace k = kernels::heat;
    const Share rows = parameters.share("rows");
    const std::int64_t columns = parameters.integer("columns");
    const auto steps = static_cast<int>(parameters.integer("steps"));
    const Plate plate(rows.total, columns, parameters.seed(),
                      parameters.text("start") == "eigenmode");
    const k::Fields<k::Field<Space, T>> f{field<Space, T>(space, "start", rows, columns),
                                          field<Space, T>(space, "spare", rows, columns),
                                          field<Space, T>(space, "end", rows, columns), steps};
    using All = Kokkos::View<T*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
    data::fill(space, All(f.start.data(), f.start.size()), Start{plate, rows.begin});

    const double points = static_cast<double>(rows.count) * static_cast<double>(columns);
    const Work work{.bytes = 2 * sizeof(T) * points * steps,
                    .flops = 7 * points * steps,
                    .items = points * steps,
                    .traffic = Traffic::copy};
    const auto judge = std::make_shared<Reference<T>>(plate, rows, steps);
    Rows table(space, work, written("end", f.end),
               [=](const auto& found) { return (*judge)(found); });
    // The field between is poisoned with the end, so that no row finds another one's frame in it.
    auto& poison = table.judge.outputs.front().poison;
    poison = [end = poison, spare = data::output(space, "spare", f.spare).poison] {
      end();
      spare();
    };
    if (ranks::several()) table.work.messages = halos(steps, sizeof(T) * (columns + 2.0));
    const int team = team_size<Space>(parameters);
    table.add("mdrange", [=] {
      run_with_halo(space, f,
                    [&](const auto& from, const auto& to) { k::mdrange(space, from, to); });
    });
    table.add("team_scratch", with_teams(team), [=] {
      run_with_halo(space, f, [&](const auto& from, const auto& to) {
        k::team_scratch(space, team, from, to);
      });
    });
    if (ranks::several()) {
      table.add("overlapped", [=] { overlapped(space, f); });
      for (const auto* variant : {"graph", "temporal", "register_rows"})
        table.unavailable(variant, "it wants one rank; mdrange runs on several");
      return table;
    }
    table.unavailable("overlapped", "one rank has no neighbour to exchange a halo with");
    if constexpr (compiled("graph")) {  // recorded once, before any clock runs
      const auto graph = k::graph(space, f);
      table.add("graph", [=] { graph.submit(space); });
    }
    table.end_to_end(f.start).plain("mdrange");
    const double trip = 2 * sizeof(T) * points;
    table.work.bytes = trip * k::passes(steps, k::Block<Space>::steps);
    table.add("temporal", [=] { k::temporal(space, f); });
    table.work.bytes = trip * k::passes_by_rows(steps, k::steps_at_once(space, f.start));
    table.add("register_rows", with_teams(k::Strip<Space, T, 8>::threads),
              [=] { k::register_rows(space, f); });
    return {.rows = table.all(), .draw = [=](const std::string& path) {
              data::write_png(path, picture(data::on_host(f.end)));
            }};
  }
};

constexpr std::int64_t most_points_a_side = 1'000'000;

const Registration<Heat, float, double> registration{
    {.name = "heat",
     .summary = "heat spreads over a plate: a five-point stencil in time steps",
     .teaches = "stencils; a tile with its halo in scratch memory; steps as a graph; halo exchange",
     .answer = "the points add up to {sum} in the end; the eigenmode is {decay} times what it was",
     .parameters = {count("rows", "inner points of the plate down",
                          {.tiny = 37, .course = 8192, .large = 16384, .course_host = 1024}, 1,
                          most_points_a_side),
                    count("columns", "inner points of the plate across",
                          {.tiny = 71, .course = 8192, .large = 16384, .course_host = 1024}, 1,
                          most_points_a_side),
                    count("steps", "time steps", {.tiny = 9, .course = 100, .large = 100}, 1,
                          1'000'000),
                    choice("start", "the heat before the first step: hot discs, or sin(x) sin(y)",
                           {"discs", "eigenmode"})},
     .variants = {lesson("mdrange", "one pair of indices for each point"),
                  lesson_with_teams("team_scratch", "a tile and its halo in scratch memory"),
                  lesson("graph", "mdrange, all steps recorded once"),
                  tuned("temporal", "several steps for each tile in scratch memory"),
                  tuned("register_rows",
                        "a window of rows in registers moves down a strip, several steps at once"),
                  tuned("overlapped", "several ranks: mdrange, while the halo is under way")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double row = scalar_bytes * (p.number("columns") + 2);
           const double field = row * (p.number("rows") + 2);
           // The reference has a row more on each side for each step.
           const double reference = row * std::min(p.number("rows") + 2 * p.number("steps") + 2,
                                                   static_cast<double>(p.share("rows").total) + 2);
           return Memory{.space = 3 * field + 3 * reference, .host = 3 * field + 3 * reference};
         },
     .divide =
         [](Parameters& p) {
           const auto& division = p.division();
           if (!division.weak && p.integer("rows") < division.ranks)
             throw UsageError("heat: " + p.text("rows") + " rows are fewer than the " +
                              std::to_string(division.ranks) + " ranks");
           elements_of("rows")(p);
         },
     .draws = true}};

}  // namespace
}  // namespace parallax::heat
