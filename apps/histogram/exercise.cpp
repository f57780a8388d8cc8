// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "histogram/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "data/events.hpp"
#include "data/png.hpp"
#include "data/spectrum.hpp"
#include "exercise/api.hpp"
#include "histogram/reference.hpp"

namespace parallax::histogram {
namespace {

/// Refuses edges that T does not hold apart, where a separate bin could not be told from the
/// next: with bins of four units in the last place of the larger edge, the edges' roundings and the
/// position's move no value by a whole bin.
template <class T>
void require_distinct(const Parameters& p) {
  using Limits = std::numeric_limits<T>;
  const double low = p.real("low"), high = p.real("high");
  const double width = (high - low) / p.number("bins");
  const double unit =
      static_cast<double>(Limits::epsilon()) * std::max(std::abs(low), std::abs(high));
  if (width >= 4 * unit && 1 / width <= static_cast<double>(Limits::max())) return;
  throw UsageError("histogram: " + p.text("bins") + " bins from low=" + p.text("low") +
                   " to high=" + p.text("high") + " are too narrow to be told apart in " +
                   precision_name<T>() + " (expected fewer bins or a wider range)");
}

struct Histogram {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const int bins = static_cast<int>(parameters.integer("bins"));
    const double low = parameters.real("low"), high = parameters.real("high");
    const bool clamp = parameters.text("overflow") == "clamp";
    require_distinct<T>(parameters);
    const auto distribution = distribution_of(parameters.text("distribution"));
    const auto x =
        inputs::array<T>(space, "x", parameters.integer("n"),
                         Masses{static_cast<std::uint64_t>(parameters.seed()), distribution, low,
                                high, bins, parameters.share("n").begin});
    const kernels::histogram::Binning<T> binning(low, high, bins, clamp);
    const auto counts = outputs::array<std::int64_t>(space, "counts", bins + 2);
    const int team = team_size<Space>(parameters);
    const auto private_rows = data::allocate_matrix<kernels::histogram::Rows<Space>>(
        space, "rows",
        kernels::histogram::private_row_count(space, bins + 2, team, parameters.integer("n")),
        bins + 2);
    const auto expected = std::make_shared<const std::vector<std::int64_t>>(
        histogram::counts_of_all_ranks<T>(data::on_host(x), bins, low, high, clamp));
    const double count = parameters.number("n");

    Rows rows(space, {.bytes = sizeof(T) * count, .items = count, .traffic = Traffic::read},
              written("counts", counts, 1), [=](const auto& found) {
                const std::vector<std::int64_t> in_bins(found.data(), found.data() + bins);
                const auto peak = std::max_element(in_bins.begin(), in_bins.end());
                auto verdict =
                    check::each("every count with a serial loop", found, *expected)
                        .with({{"in_range",
                                std::accumulate(in_bins.begin(), in_bins.end(), std::int64_t{0})},
                               {"outside", found(bins)},
                               {"nan", found(bins + 1)},
                               {"peak_bin", std::int64_t{peak - in_bins.begin()}}});
                if (bins <= 1200) verdict.result.emplace_back("counts", in_bins);
                return verdict;
              });
    rows.sum_over_ranks(space, counts);
    const double wanted = distribution == Distribution::one_bin ? 1 : bins + 2.0;
    rows.add("global_atomic", [=] { kernels::histogram::global_atomic(space, x, binning, counts); })
        .work = with_atomics(rows.work, {Access::atomic, count, sizeof(std::int64_t) * wanted});
    rows.add("private_rows", with_teams(team), [=] {
      kernels::histogram::private_rows(space, team, x, binning, private_rows, counts);
    });
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::histogram::team_scratch(space, team, x, binning, counts); });
    rows.add("scratch_copies", with_teams(kernels::histogram::Tuning<Space>::team_size),
             [=] { kernels::histogram::scratch_copies(space, x, binning, counts); });
    rows.add("scatter_view", [=] { kernels::histogram::scatter_view(space, x, binning, counts); });

    Plan plan = rows;
    plan.draw = [=](const std::string& path) {
      const auto found = data::on_host(counts);
      data::write_png(path, data::draw_spectrum({found.data(), found.data() + bins}));
    };
    return plan;
  }
};

Parameter distribution() {
  auto p = choice("distribution", "dimuon spectrum; normal; all equal; edges of bins and NaN",
                  {"mass", "normal", "one_bin", "edges"});
  p.tiny = "edges";
  return p;
}

const Registration<Histogram, float, double> registration{
    {.name = "histogram",
     .summary = "bin masses into equal bins; outside and NaN are counted apart",
     .teaches = "races, atomics, contention, private copies",
     .answer = "{in_range} values are in the bins, {outside} outside, and {nan} are NaN; most are "
               "in bin {peak_bin}",
     .parameters = {count("n", "values",
                          {.tiny = 100'003, .course = 10'000'000, .large = 100'000'000}),
                    integer("bins", "bins", 120, 1, 4096),
                    real("low", "lower edge, GeV", 0, -1e30, 1e30),
                    real("high", "upper edge, GeV", 120, -1e30, 1e30),
                    choice("overflow", "values outside: left out, or counted in the end bins",
                           {"drop", "clamp"}),
                    distribution()},
     .variants = {lesson("global_atomic", "one histogram, atomic increments"),
                  lesson_with_teams("private_rows", "a histogram per thread, then summed"),
                  lesson_with_teams("team_scratch",
                                    "a histogram per team in scratch memory, then added"),
                  tuned("scratch_copies", "several copies per team in scratch memory"),
                  library("scatter_view", "Kokkos chooses: copies on hosts, atomics on devices")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double values = scalar_bytes * p.number("n");
           return Memory{.space = values + 4.0 * (1 << 26), .host = values};
         },
     .validate =
         [](const Parameters& p) {
           if (!(p.real("low") < p.real("high")))
             throw UsageError("low=" + p.text("low") + " must be below high=" + p.text("high"));
         },
     .divide = elements_of("n"),
     .draws = true}};

}  // namespace
}  // namespace parallax::histogram
