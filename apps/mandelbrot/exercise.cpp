// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "mandelbrot/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "data/png.hpp"
#include "exercise/api.hpp"
#include "mandelbrot/colour.hpp"
#include "mandelbrot/distribution.hpp"

namespace parallax {
namespace {

using HostPixels = std::vector<std::int32_t>;  ///< row by row

/// The reference: one pixel after the other, tested after every iteration, with the roundings that
/// the exercise prescribes. Of the rows that were asked for: all, or those that a rank computes.
template <class T>
class Reference {
 public:
  Reference(const kernels::Window<T>& window, int rows, int columns, int max_iterations)
      : window_(window),
        columns_(columns),
        max_iterations_(max_iterations),
        rows_(static_cast<std::size_t>(rows)) {}

  /// Makes the `rows` that are not there yet (-1: none). Rows are shared out over the host's
  /// cores, because a large picture takes minutes on one.
  void make(const std::vector<int>& rows) {
    const time_spent::Timer referring(time_spent::Part::references);
    std::vector<int> missing;
    for (const int row : rows) {
      if (row < 0 || !rows_[static_cast<std::size_t>(row)].empty()) continue;
      rows_[static_cast<std::size_t>(row)].resize(static_cast<std::size_t>(columns_));
      missing.push_back(row);
    }
    const auto step = [](T low, T high, int points) {
      return points > 1 ? (high - low) / static_cast<T>(points - 1) : T(0);
    };
    const T real_step = step(window_.real_low, window_.real_high, columns_);
    const T imag_step = step(window_.imag_low, window_.imag_high, static_cast<int>(rows_.size()));
    using Host = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for(
        "parallax::mandelbrot::reference",
        Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(0, missing.size()),
        [&](std::size_t i) {
          auto& pixels = rows_[static_cast<std::size_t>(missing[i])];
          const T cy = std::fma(static_cast<T>(missing[i]), imag_step, window_.imag_low);
          for (int column = 0; column < columns_; ++column) {
            const T cx = std::fma(static_cast<T>(column), real_step, window_.real_low);
            T x = cx, y = cy;
            int k = 0;
            for (; k < max_iterations_; ++k) {
              const T next = std::fma(x, x, std::fma(-y, y, cx));
              y = std::fma(x, y, std::fma(x, y, cy));
              x = next;
              if (!(std::fma(x, x, y * y) <= T(4))) break;
            }
            pixels[static_cast<std::size_t>(column)] = k;
          }
        });
    Kokkos::fence("parallax::mandelbrot::reference");
  }
  [[nodiscard]] const HostPixels& row(int row) const {
    return rows_[static_cast<std::size_t>(row)];
  }

 private:
  kernels::Window<T> window_;
  int columns_, max_iterations_;
  std::vector<HostPixels> rows_;
};

/// The sum over the pixels of all ranks, how many reached the cap, and how often each count occurs
/// where there are few counts. What a rank has not computed is -1.
Values summary(const HostPixels& pixels, int max_iterations) {
  std::int64_t sum = 0, at_cap = 0;
  // A cap of 1e9 would take 8 GB of counts.
  std::vector<std::int64_t> histogram(
      max_iterations <= 100 ? static_cast<std::size_t>(max_iterations) + 1 : 0);
  for (const auto count : pixels) {
    if (count < 0) continue;
    sum += count;
    at_cap += count == max_iterations ? 1 : 0;
    if (static_cast<std::size_t>(count) < histogram.size())
      ++histogram[static_cast<std::size_t>(count)];
  }
  ranks::sum(&sum, 1);
  ranks::sum(&at_cap, 1);
  ranks::sum(histogram.data(), histogram.size());
  Values values{{"sum", sum}, {"at_cap", at_cap}};
  if (!histogram.empty()) values.emplace_back("histogram", histogram);
  return values;
}

/// Pixels of any layout, row by row on the host.
template <class Pixels>
HostPixels row_by_row(const Pixels& pixels) {
  const auto h = data::on_host(pixels);
  HostPixels copy(h.size());
  const auto columns = static_cast<std::int64_t>(h.extent(1));
  check::on_all_cores(static_cast<std::int64_t>(h.extent(0)), [&](std::int64_t i) {
    for (std::int64_t j = 0; j < columns; ++j)
      copy[static_cast<std::size_t>(i * columns + j)] = h(i, j);
  });
  return copy;
}

/// Points of the set are black; the others take their colour from the logarithm of their count,
/// which gives the crowded shore the same number of shades as the open sea. The imaginary axis
/// points up.
data::Image picture(const HostPixels& pixels, int rows, int columns, int max_iterations) {
  data::Image image{rows, columns, {}};
  image.rgb.reserve(3 * pixels.size());
  for (int row = rows - 1; row >= 0; --row)
    for (int column = 0; column < columns; ++column) {
      const int count = pixels[static_cast<std::size_t>(row) * columns + column];
      const double t = std::log1p(count) / std::log1p(max_iterations);
      const data::Rgb colour = count >= max_iterations ? data::Rgb{4, 4, 12} : data::gradient(t);
      image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
    }
  return image;
}

struct Mandelbrot {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("rows");
    const int rows = static_cast<int>(share.count);
    const int columns = static_cast<int>(parameters.integer("columns"));
    const int cap = static_cast<int>(parameters.integer("max_iterations"));
    const auto [real_low, real_high] = parameters.interval("real");
    const auto [imag_low, imag_high] = parameters.interval("imag");
    const kernels::Window<T> window{static_cast<T>(real_low), static_cast<T>(real_high),
                                    static_cast<T>(imag_low), static_cast<T>(imag_high)};
    const distribution::Rows neighbours{static_cast<int>(share.total),
                                        static_cast<int>(share.begin)};
    const auto pixels =
        data::allocate_matrix<data::Matrix<Space, std::int32_t>>(space, "pixels", rows, columns);
    const auto expected =
        std::make_shared<Reference<T>>(window, neighbours.picture_rows, columns, cap);
    const auto computed_rows = [](const distribution::Rows& those, int count) {
      return std::make_shared<distribution::Computed>(distribution::computed_rows(those, count));
    };
    const auto own = computed_rows(neighbours, rows);
    expected->make(own->here);

    const auto judge_of = [&](const auto& where, const auto& image,
                              const std::shared_ptr<distribution::Computed>& computed) -> Judge {
      return {{data::output(where, "pixels", image)}, [=] {
                const auto& here = computed->here;
                expected->make(here);
                const auto found = row_by_row(image);
                auto verdict = check::elements(
                    "every pixel with a serial loop", static_cast<std::int64_t>(found.size()),
                    [&](std::int64_t i) { return found[static_cast<std::size_t>(i)]; },
                    [&](std::int64_t i) {
                      const int row = here[static_cast<std::size_t>(i / columns)];
                      return row < 0 ? -1
                                     : expected->row(row)[static_cast<std::size_t>(i % columns)];
                    },
                    0.0);
                verdict.result = summary(found, cap);
                return ranks::several() ? check::both(verdict, once(computed->times)) : verdict;
              }};
    };
    const Judge judge = judge_of(space, pixels, own);
    // Each pixel needs one iteration more than its count, but for those at the cap: 4 multiply-adds
    // each.
    double iterations = 0;
    for (const int row : own->here)
      for (const auto count : expected->row(row)) iterations += count < cap ? count + 1 : cap;
    const double size = static_cast<double>(rows) * static_cast<double>(columns);
    const Work work{.bytes = sizeof(std::int32_t) * size,
                    .flops = 8 * iterations,
                    .items = size,
                    .traffic = Traffic::write};
    const int team = team_size<Space>(parameters, 256);
    Plan plan;
    plan.rows = {
        {"range", "kernel", work, judge,
         [=] { kernels::mandelbrot_range(space, window, cap, pixels); }},
        {"mdrange", "kernel", work, judge,
         [=] { kernels::mandelbrot_mdrange(space, window, cap, pixels); }},
        with_teams(team,
                   {"team_scratch", "kernel", work, judge,
                    [=] { kernels::mandelbrot_team_scratch(space, team, window, cap, pixels); }}),
        {"range_unrolled", "kernel", work, judge,
         [=] { kernels::mandelbrot_range_unrolled(space, window, cap, pixels); }},
        {"mdrange_unrolled", "kernel", work, judge,
         [=] { kernels::mandelbrot_mdrange_unrolled(space, window, cap, pixels); }},
        with_teams(team, {"team", "kernel", work, judge,
                          [=] { kernels::mandelbrot_team(space, team, window, cap, pixels); }}),
        {"simd", "kernel", work, judge,
         [=] { kernels::mandelbrot_simd(space, window, cap, pixels); }},
        {"interleaved_rows", "kernel", work, judge},
        {"dynamic_blocks", "kernel", work, judge}};
    auto &interleaved = plan.rows.end()[-2], &dynamic = plan.rows.back();
    if (ranks::several()) {
      for (auto& row : plan.rows) row.unavailable = "it wants one rank; mdrange runs on several";
      auto& together = plan.rows[1];
      together.unavailable = interleaved.unavailable = dynamic.unavailable = "";
      const auto run_of = [=](const distribution::Rows& those) {
        return [=] { distribution::mandelbrot_rows(space, window, those, cap, pixels); };
      };
      together.run = run_of(neighbours);
      const distribution::Rows dealt{neighbours.picture_rows, ranks::rank(), ranks::size()};
      interleaved.judge = judge_of(space, pixels, computed_rows(dealt, rows));
      interleaved.run = run_of(dealt);
      // Any rank may get any row.
      const auto all = data::allocate_matrix<data::Matrix<Space, std::int32_t>>(
          space, "pixels of all ranks", neighbours.picture_rows, columns);
      const auto taken = computed_rows(neighbours, 0);
      taken->here.resize(static_cast<std::size_t>(neighbours.picture_rows));
      dynamic.judge = judge_of(space, all, taken);
      dynamic.prepare = ranks::restart_counter;
      dynamic.run = [=] { distribution::dynamic_blocks(space, window, cap, all, *taken); };
      // The costs are shared as well as they can be.
      interleaved.work.flops = dynamic.work.flops = ranks::total(work.flops) / ranks::size();
      return plan;
    }
    interleaved.unavailable = dynamic.unavailable = "one rank has nobody to divide rows with";
    const data::RoundTrip<Space> trip(space);
    const auto image = trip.out(pixels);
    add_end_to_end(
        plan, {0, work.bytes}, work,
        alike(judge, judge_of(Kokkos::DefaultHostExecutionSpace(), image, own)),
        {{"range", trip.plain([=] { kernels::mandelbrot_range(space, window, cap, pixels); })},
         {"range_unrolled",
          trip.staged([=] { kernels::mandelbrot_range_unrolled(space, window, cap, pixels); })}});
    plan.draw = [=](const std::string& path) {
      data::write_png(path, picture(row_by_row(pixels), rows, columns, cap));
    };
    return plan;
  }

  /// Each row of the picture was computed by one rank, and by that one once.
  static Verdict once(std::vector<std::int64_t> times) {
    ranks::sum(times.data(), times.size());
    return check::elements(
        "how often each row was computed with 1", static_cast<std::int64_t>(times.size()),
        [&](std::int64_t row) { return times[static_cast<std::size_t>(row)]; },
        [](std::int64_t) { return 1; }, 0.0);
  }
};

constexpr std::int64_t most_pixels_a_side = 1'000'000;

const Registration<Mandelbrot, double, float> registration{
    {.name = "mandelbrot",
     .summary = "z = z^2 + c from z = c; a pixel counts the iterations until |z| > 2",
     .teaches = "divergence; load balance; two-dimensional indices; SIMD across pixels",
     .parameters = {count("rows", "pixels along the imaginary axis",
                          {.tiny = 101, .course = 2000, .large = 6000}, 1, most_pixels_a_side),
                    count("columns", "pixels along the real axis",
                          {.tiny = 151, .course = 3000, .large = 8000}, 1, most_pixels_a_side),
                    integer("max_iterations", "the cap", 20, 1, 1'000'000'000),
                    interval("real", "real axis, both ends included", -1.5, 0),
                    interval("imag", "imaginary axis, both ends included", -1, 0)},
     .variants = {{"range", "one index per pixel"},
                  {"mdrange", "one pair of indices per pixel, in tiles"},
                  {"team_scratch", "a team per tile, staged in scratch", Tier::lesson, true},
                  {"range_unrolled", "range, with a test every few iterations", Tier::tuned},
                  {"mdrange_unrolled", "mdrange, with a test every few iterations", Tier::tuned},
                  {"team", "a team per row, rows handed out dynamically", Tier::tuned, true},
                  {"simd", "strips of pixels, SIMD lanes across them", Tier::tuned},
                  {"interleaved_rows", "several ranks: mdrange, rank r of R has every Rth row",
                   Tier::tuned},
                  {"dynamic_blocks", "several ranks: mdrange, whoever is free takes rows",
                   Tier::tuned}},
     .memory =
         [](const Parameters& p, double) {
           // Each row of the reference is a separate vector.
           const double columns = static_cast<double>(p.integer("columns")) + 6;
           double pixels = columns * static_cast<double>(p.integer("rows"));
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
}  // namespace parallax
