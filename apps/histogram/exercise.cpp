// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "histogram/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "data/events.hpp"
#include "data/png.hpp"
#include "data/spectrum.hpp"
#include "exercise/api.hpp"

namespace parallax {
namespace {

enum class Distribution { mass, normal, one_bin, edges };

/// Value i of the input, in GeV, on a grid of 1/16384 so that every processor has the same. `edges`
/// has what kernels get wrong: edges and middles of bins, from a bin below the first to three above
/// the last, infinities and NaN; and half of all values on the lower edge, so that threads collide.
struct Masses {
  std::uint64_t seed;
  Distribution distribution;
  double low, high;
  int bins;
  std::int64_t begin;  ///< of this rank
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    const auto index = static_cast<std::uint64_t>(begin + i);
    if (distribution == Distribution::one_bin) return low + 0.4 * (high - low);
    const random::Block a = random::philox_block(seed, index, 201);
    if (distribution == Distribution::edges) {
      constexpr double infinity = Kokkos::Experimental::infinity_v<double>,
                       nan = Kokkos::Experimental::quiet_NaN_v<double>;
      if (a.bits64(1) % 2 == 0) return low;
      const auto k = static_cast<int>(a.bits64(0) % static_cast<std::uint64_t>(2 * bins + 12));
      if (k < 3) return k == 0 ? -infinity : k == 1 ? infinity : nan;
      return low + 0.5 * (k - 5) * (high - low) / bins;
    }
    const random::Block b = random::philox_block(seed, index, 202);
    const double x =
        distribution == Distribution::mass
            ? data::detail::Generator::mass(a, b)
            : 0.5 * (low + high) +
                  0.25 * (high - low) * random::normal_pair_f64(a.bits64(0), a.bits64(1)).first;
    return Kokkos::round(x * 16384) / 16384;
  }
};

Distribution distribution_of(const std::string& name) {
  if (name == "one_bin") return Distribution::one_bin;
  if (name == "edges") return Distribution::edges;
  return name == "mass" ? Distribution::mass : Distribution::normal;
}

/// One value after the other, from `begin` to before `end`.
template <class T, class H>
std::vector<std::int64_t> counts_of(const H& x, std::int64_t begin, std::int64_t end, int bins,
                                    double low, double high, bool clamp) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins) + 2);
  const T from = static_cast<T>(low), to = static_cast<T>(high);
  const T scale = static_cast<T>(bins / (high - low));
  for (std::int64_t i = begin; i < end; ++i) {
    const T value = x(i);
    int slot = bins;
    if (std::isnan(value))
      slot = bins + 1;
    else if (value >= from && value < to)
      slot = std::min(static_cast<int>((value - from) * scale), bins - 1);
    else if (clamp)
      slot = value < from ? 0 : bins - 1;
    ++counts[static_cast<std::size_t>(slot)];
  }
  return counts;
}

/// All values, in parts that the host's cores share.
template <class T, class H>
std::vector<std::int64_t> reference(const H& x, int bins, double low, double high, bool clamp) {
  const time_spent::Timer referring(time_spent::Part::references);
  constexpr std::int64_t most_parts = 64, least = 1 << 16;
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const std::int64_t size = std::max(least, (n + most_parts - 1) / most_parts);
  std::vector<std::vector<std::int64_t>> parts(static_cast<std::size_t>((n + size - 1) / size));
  check::on_all_cores(static_cast<std::int64_t>(parts.size()), [&](std::int64_t p) {
    parts[static_cast<std::size_t>(p)] =
        counts_of<T>(x, p * size, std::min(n, (p + 1) * size), bins, low, high, clamp);
  });
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins) + 2);
  for (const auto& part : parts)
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += part[k];
  return counts;
}

/// Refuses edges that T does not hold apart, where a separate bin could not be told from the
/// next: with bins of four units in the last place of the larger edge, the edges' roundings and the
/// position's move no value by a whole bin.
template <class T>
void require_distinct(const Parameters& p) {
  using Limits = std::numeric_limits<T>;
  const double low = p.real("low"), high = p.real("high");
  const double width = (high - low) / static_cast<double>(p.integer("bins"));
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
    const auto n = parameters.integer("n");
    const int bins = static_cast<int>(parameters.integer("bins"));
    const double low = parameters.real("low"), high = parameters.real("high");
    const bool clamp = parameters.text("overflow") == "clamp";
    require_distinct<T>(parameters);
    const auto x = data::allocate<T>(space, "x", n);
    data::fill(space, x,
               Masses{static_cast<std::uint64_t>(parameters.seed()),
                      distribution_of(parameters.text("distribution")), low, high, bins,
                      parameters.share("n").begin});
    const kernels::histogram::Binning<T> binning(low, high, bins, clamp);
    const auto counts = data::allocate<std::int64_t>(space, "counts", bins + 2);
    const int team = team_size<Space>(parameters, 256);
    const auto rows = data::allocate_matrix<kernels::histogram::Rows<Space>>(
        space, "rows", kernels::histogram::private_row_count(space, bins + 2, team), bins + 2);
    // Of all ranks, which tell each other by another way than the kernels' sums take.
    const auto own = reference<T>(data::on_host(x), bins, low, high, clamp);
    std::vector<std::int64_t> all(own.size());
    for (const auto& counts_of_rank : ranks::gathered({own.begin(), own.end()}))
      for (std::size_t k = 0; k < all.size(); ++k)
        all[k] += static_cast<std::int64_t>(counts_of_rank[k]);
    const auto expected = std::make_shared<const std::vector<std::int64_t>>(std::move(all));

    const auto found = [=] {
      const auto h = data::on_host(counts);
      return std::vector<std::int64_t>(h.data(), h.data() + h.extent(0));
    };
    const Judge judge{
        {data::output(space, "counts", counts, 1)}, [=] {
          const auto c = found();
          auto verdict = check::elements(
              "every count with a serial loop", bins + 2,
              [&](std::int64_t i) { return c[static_cast<std::size_t>(i)]; },
              [&](std::int64_t i) { return (*expected)[static_cast<std::size_t>(i)]; }, 0.0);
          const auto peak = std::max_element(c.begin(), c.end() - 2);
          std::int64_t in_range = 0;
          for (auto k = c.begin(); k != c.end() - 2; ++k) in_range += *k;
          verdict.result = {{"in_range", in_range},
                            {"outside", c[static_cast<std::size_t>(bins)]},
                            {"nan", c[static_cast<std::size_t>(bins) + 1]},
                            {"peak_bin", static_cast<std::int64_t>(peak - c.begin())}};
          if (bins <= 1200)
            verdict.result.emplace_back("counts",
                                        std::vector<std::int64_t>(c.begin(), c.end() - 2));
          return verdict;
        }};
    const double count = static_cast<double>(n);
    const Work work{.bytes = sizeof(T) * count,
                    .items = count,
                    .traffic = Traffic::read,
                    .messages = data::sum_of(counts)};
    const bool one = parameters.text("distribution") == "one_bin";
    const Work added = with_atomics(
        work,
        {Access::atomic, count, one ? sizeof(std::int64_t) : sizeof(std::int64_t) * (bins + 2.0)});
    Plan plan;
    plan.rows = {
        {"global_atomic", "kernel", added, judge,
         [=] { kernels::histogram::global_atomic(space, x, binning, counts); }},
        with_teams(team, {"private_rows", "kernel", work, judge,
                          [=] {
                            kernels::histogram::private_rows(space, team, x, binning, rows, counts);
                          }}),
        with_teams(team,
                   {"team_scratch", "kernel", work, judge,
                    [=] { kernels::histogram::team_scratch(space, team, x, binning, counts); }}),
        with_teams(kernels::histogram::Tuning<Space>::team_size,
                   {"scratch_copies", "kernel", work, judge,
                    [=] { kernels::histogram::scratch_copies(space, x, binning, counts); }}),
        {"scatter_view", "kernel", work, judge,
         [=] { kernels::histogram::scatter_view(space, x, binning, counts); }},
    };
    for (auto& row : plan.rows) row.run = data::then_sum(space, counts, row.run);
    plan.draw = [=](const std::string& path) {
      auto c = found();
      c.resize(static_cast<std::size_t>(bins));
      data::write_png(path, data::draw_spectrum(c));
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
     .parameters = {count("n", "values",
                          {.tiny = 100'003, .course = 10'000'000, .large = 100'000'000}),
                    integer("bins", "bins", 120, 1, 4096),
                    real("low", "lower edge, GeV", 0, -1e30, 1e30),
                    real("high", "upper edge, GeV", 120, -1e30, 1e30),
                    choice("overflow", "values outside: left out, or counted in the end bins",
                           {"drop", "clamp"}),
                    distribution()},
     .variants = {{"global_atomic", "one histogram, atomic increments"},
                  {"private_rows", "a histogram per thread, then summed", Tier::lesson, true},
                  {"team_scratch", "a histogram per team in scratch memory, then added",
                   Tier::lesson, true},
                  {"scratch_copies", "several copies per team in scratch memory", Tier::tuned},
                  {"scatter_view", "Kokkos chooses: copies on hosts, atomics on devices",
                   Tier::library}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double values = scalar_bytes * static_cast<double>(p.integer("n"));
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
}  // namespace parallax
