// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 2
#include <memory>
#include <string>

#include "exercise/api.hpp"
#include "mandelbrot/picture.hpp"
#include "mandelbrot/ranks.hpp"
#include "mandelbrot/reference.hpp"
#include "mandelbrot/tuned.hpp"

namespace parallax::mandelbrot {
namespace {

struct Mandelbrot {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    namespace k = kernels::mandelbrot;
    const Share share = parameters.share("rows");
    const int rows = static_cast<int>(share.count), all_rows = static_cast<int>(share.total);
    const int columns = static_cast<int>(parameters.integer("columns"));
    const int cap = static_cast<int>(parameters.integer("max_iterations"));
    const auto [real_low, real_high] = parameters.interval("real");
    const auto [imag_low, imag_high] = parameters.interval("imag");
    const k::Window<T> window{static_cast<T>(real_low), static_cast<T>(real_high),
                              static_cast<T>(imag_low), static_cast<T>(imag_high)};
    using Pixels = data::Matrix<Space, std::int32_t>;
    const auto pixels = data::allocate_matrix<Pixels>(space, "pixels", rows, columns);
    const auto expected = std::make_shared<Reference<T>>(window, all_rows, columns, cap);
    const auto check_of = [=](const std::shared_ptr<const Computed>& computed) {
      return [=](const auto& found) {
        expected->make(computed->here);
        auto verdict =
            check::each("every pixel with a serial loop", found, [&](std::int64_t i) {
              const int row = computed->here[static_cast<std::size_t>(i / columns)];
              return row < 0 ? -1 : expected->row(row)[static_cast<std::size_t>(i % columns)];
            }).with(summary(found, cap));
        return ranks::several() ? check::both(verdict, computed->once()) : verdict;
      };
    };
    const Part neighbours{all_rows, static_cast<int>(share.begin)};
    const auto own = std::make_shared<const Computed>(neighbours, rows);
    expected->make(own->here);
    const double size = parameters.number("rows") * parameters.number("columns");
    // 4 multiply-adds for each iteration.
    const Work work{.bytes = sizeof(std::int32_t) * size,
                    .flops = 8 * expected->iterations(own->here),
                    .items = size,
                    .traffic = Traffic::write};
    Rows table(space, work, written("pixels", pixels), check_of(own));
    const int team = team_size<Space>(parameters, 256);
    table.add("range", [=] { k::range(space, window, cap, pixels); });
    table.add("mdrange", [=] { k::mdrange(space, window, cap, pixels); });
    table.add("team_scratch", with_teams(team),
              [=] { k::team_scratch(space, team, window, cap, pixels); });
    table.add("range_unrolled", [=] { k::range_unrolled(space, window, cap, pixels); });
    table.add("mdrange_unrolled", [=] { k::mdrange_unrolled(space, window, cap, pixels); });
    table.add("team", with_teams(team), [=] { k::team(space, team, window, cap, pixels); });
    table.add("simd", [=] { k::simd(space, window, cap, pixels); });
    if (!ranks::several()) {
      for (const auto* variant : {"interleaved_rows", "dynamic_blocks"})
        table.add(variant, {}).unavailable = "one rank has nobody to divide rows with";
      table.end_to_end().plain("range").staged("range_unrolled");
      return {.rows = table.all(), .draw = [=](const std::string& path) {
                data::write_png(path, picture(data::on_host(pixels), cap));
              }};
    }

    for (auto& row : table.all())
      row.unavailable =
          row.variant == "mdrange" ? "" : "it wants one rank; mdrange runs on several";
    const auto run_of = [=](const Part& part) {
      return [=] { mdrange_part(space, window, part, cap, pixels); };
    };
    table.of("mdrange").run = run_of(neighbours);
    // From here on the costs are shared as well as they can be.
    table.work.flops = ranks::total(work.flops) / ranks::size();
    const Part dealt{all_rows, ranks::rank(), ranks::size()};
    table.judge = Rows(space, work, written("pixels", pixels),
                       check_of(std::make_shared<const Computed>(dealt, rows)))
                      .judge;
    table.add("interleaved_rows", run_of(dealt));
    // Any rank may get any row.
    const auto all = data::allocate_matrix<Pixels>(space, "pixels of all ranks", all_rows, columns);
    const auto taken = std::make_shared<Computed>(neighbours, 0);
    taken->here.resize(static_cast<std::size_t>(all_rows));
    table.judge = Rows(space, work, written("pixels", all), check_of(taken)).judge;
    table.add("dynamic_blocks", [=] { dynamic_blocks(space, window, cap, all, *taken); }).prepare =
        ranks::restart_counter;
    return table;
  }
};

constexpr std::int64_t most_pixels_a_side = 1'000'000;

const Registration<Mandelbrot, double, float> registration{
    {.name = "mandelbrot",
     .summary = "z = z^2 + c from z = c: each pixel's iterations until |z| > 2",
     .teaches = "divergence; load balance; two-dimensional indices; SIMD across pixels",
     .answer = "the pixels took {sum} steps together; {at_cap} reached the cap",
     .parameters = {count("rows", "pixels along the imaginary axis",
                          {.tiny = 101, .course = 2000, .large = 6000}, 1, most_pixels_a_side),
                    count("columns", "pixels along the real axis",
                          {.tiny = 151, .course = 3000, .large = 8000}, 1, most_pixels_a_side),
                    integer("max_iterations", "the cap", 20, 1, 1'000'000'000),
                    interval("real", "real axis, both ends included", -1.5, 0),
                    interval("imag", "imaginary axis, both ends included", -1, 0)},
     .variants = {lesson("range", "one index per pixel"),
                  lesson("mdrange", "one pair of indices per pixel, in tiles"),
                  lesson_with_teams("team_scratch", "a team per tile, staged in scratch"),
                  tuned("range_unrolled", "range, with a test every few iterations"),
                  tuned("mdrange_unrolled", "mdrange, with a test every few iterations"),
                  tuned_with_teams("team", "a team per row, rows handed out dynamically"),
                  tuned("simd", "strips of pixels, SIMD lanes across them"),
                  tuned("interleaved_rows",
                        "several ranks: mdrange, rank r of R has every Rth row"),
                  tuned("dynamic_blocks", "several ranks: mdrange, whoever is free takes rows")},
     .memory =
         [](const Parameters& p, double) {
           // Each row of the reference is a separate vector.
           const double columns = p.number("columns") + 6;
           double pixels = columns * p.number("rows");
           // On several ranks dynamic_blocks has room for all rows on each.
           if (p.division().ranks > 1)
             pixels += columns * static_cast<double>(p.share("rows").total);
           return Memory{
               .space = 12 * pixels, .host = 20 * pixels, .staging = kernels::staging_bytes};
         },
     .divide =
         [](Parameters& p) {
           elements_of("rows")(p);
           if (const auto all = p.share("rows").total; all > most_pixels_a_side)
             throw UsageError("mandelbrot: --scaling weak makes " + std::to_string(all) +
                              " rows (expected at most " + std::to_string(most_pixels_a_side) +
                              ")");
         },
     .draws = true}};

}  // namespace
}  // namespace parallax::mandelbrot
