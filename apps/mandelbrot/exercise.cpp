// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "mandelbrot/tuned.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include "data/colour.hpp"
#include "data/png.hpp"
#include "data/round_trip.hpp"
#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/error.hpp"
#include "harness/registration.hpp"
#include "harness/team_size.hpp"

namespace parallax {
namespace {

using HostPixels = std::vector<std::int32_t>;  ///< row by row

/// The reference: one pixel after the other, tested after every iteration, with the roundings that
/// the exercise prescribes. Rows are shared out over the host's cores, because a large picture
/// takes minutes on one.
template <class T>
HostPixels reference(const kernels::Window<T>& w, int rows, int columns, int max_iterations) {
  const seconds::Spent referring(seconds::Part::references);
  HostPixels pixels(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  const auto step = [](T low, T high, int points) {
    return points > 1 ? (high - low) / static_cast<T>(points - 1) : T(0);
  };
  const T real_step = step(w.real_low, w.real_high, columns);
  const T imag_step = step(w.imag_low, w.imag_high, rows);
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for("parallax::mandelbrot::reference",
                       Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(0, rows),
                       [&](int row) {
                         const T cy = std::fma(static_cast<T>(row), imag_step, w.imag_low);
                         for (int column = 0; column < columns; ++column) {
                           const T cx = std::fma(static_cast<T>(column), real_step, w.real_low);
                           T x = cx, y = cy;
                           int k = 0;
                           for (; k < max_iterations; ++k) {
                             const T next = std::fma(x, x, std::fma(-y, y, cx));
                             y = std::fma(x, y, std::fma(x, y, cy));
                             x = next;
                             if (!(std::fma(x, x, y * y) <= T(4))) break;
                           }
                           pixels[static_cast<std::size_t>(row) * columns + column] = k;
                         }
                       });
  Kokkos::fence("parallax::mandelbrot::reference");
  return pixels;
}

/// The sum over pixels, how many reached the cap, and how often each count occurs where there are
/// few counts.
Values summary(const HostPixels& pixels, int max_iterations) {
  std::int64_t sum = 0, at_cap = 0;
  // A cap of 1e9 would take 8 GB of counts.
  std::vector<std::int64_t> histogram(
      max_iterations <= 100 ? static_cast<std::size_t>(max_iterations) + 1 : 0);
  for (const auto count : pixels) {
    sum += count;
    at_cap += count == max_iterations ? 1 : 0;
    if (count >= 0 && static_cast<std::size_t>(count) < histogram.size())
      ++histogram[static_cast<std::size_t>(count)];
  }
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
/// which gives the crowded shore as many shades as the open sea. The imaginary axis points up.
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
    const int rows = static_cast<int>(parameters.integer("rows"));
    const int columns = static_cast<int>(parameters.integer("columns"));
    const int cap = static_cast<int>(parameters.integer("max_iterations"));
    const auto [real_low, real_high] = parameters.interval("real");
    const auto [imag_low, imag_high] = parameters.interval("imag");
    const kernels::Window<T> window{static_cast<T>(real_low), static_cast<T>(real_high),
                                    static_cast<T>(imag_low), static_cast<T>(imag_high)};
    const auto pixels =
        data::allocate_matrix<data::Matrix<Space, std::int32_t>>(space, "pixels", rows, columns);
    const auto expected = std::make_shared<const HostPixels>(reference(window, rows, columns, cap));

    const auto judge_of = [&](const auto& where, const auto& image) -> Judge {
      return {{data::output(where, "pixels", image)}, [=] {
                const auto found = row_by_row(image);
                auto verdict = check::elements(
                    "every pixel with a serial loop", static_cast<std::int64_t>(found.size()),
                    [&](std::int64_t i) { return found[static_cast<std::size_t>(i)]; },
                    [&](std::int64_t i) { return (*expected)[static_cast<std::size_t>(i)]; }, 0.0);
                verdict.result = summary(found, cap);
                return verdict;
              }};
    };
    const Judge judge = judge_of(space, pixels);
    // Each pixel needs one iteration more than its count, but for those at the cap: 4 multiply-adds
    // each.
    double iterations = 0;
    for (const auto count : *expected) iterations += count < cap ? count + 1 : cap;
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
         [=] { kernels::mandelbrot_simd(space, window, cap, pixels); }}};
    const data::RoundTrip<Space> trip(space);
    const auto image = trip.out(pixels);
    add_end_to_end(
        plan, {0, work.bytes}, work,
        alike(judge, judge_of(Kokkos::DefaultHostExecutionSpace(), image)),
        {{"range", trip.plain([=] { kernels::mandelbrot_range(space, window, cap, pixels); })},
         {"range_unrolled",
          trip.staged([=] { kernels::mandelbrot_range_unrolled(space, window, cap, pixels); })}});
    plan.draw = [=](const std::string& path) {
      data::write_png(path, picture(row_by_row(pixels), rows, columns, cap));
    };
    return plan;
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
                  {"simd", "strips of pixels, SIMD lanes across them", Tier::tuned}},
     .memory =
         [](const Parameters& p, double) {
           const double pixels =
               static_cast<double>(p.integer("rows")) * static_cast<double>(p.integer("columns"));
           return Memory{
               .space = 12 * pixels, .host = 20 * pixels, .staging = kernels::staging_bytes};
         },
     .draws = true}};

}  // namespace
}  // namespace parallax
