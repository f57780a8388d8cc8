// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "group_sum/tuned.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "data/events.hpp"
#include "exercise/api.hpp"
#include "group_sum/cuts.hpp"

namespace parallax {
namespace {

/// Keys start above what 32 bits hold, so that a kernel which cuts them is found out.
constexpr std::int64_t first_key = (std::int64_t{1} << 32) + 7;

/// Column c of row i: N(0, 10) for the first three, N(20, 10) for the last, rounded to `step`s.
struct Value {
  std::uint64_t seed;
  std::int64_t begin;
  int column;
  double step;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    const auto block = random::philox_block(seed, static_cast<std::uint64_t>(begin + i),
                                            301 + static_cast<std::uint64_t>(column));
    const double x = 10 * random::normal_pair_f64(block.bits64(0), block.bits64(1)).first;
    return Kokkos::round((column == 3 ? x + 20 : x) / step) * step;
  }
};

/// A step so coarse that the sums of `rows` rows are exact in T, in any order: the magnitudes of a
/// group's values sum to less than 32 a row, and for few rows to less than 2^14.
template <class T>
double step_for(std::int64_t rows) {
  const double sum = std::max(0x1p14, 32 * static_cast<double>(rows));
  return std::max(0x1p-10, std::exp2(std::ceil(std::log2(sum)) - std::numeric_limits<T>::digits));
}

/// Where row i of a table in random order comes from: a permutation of 0 .. n - 1 by four rounds
/// of a Feistel network over the next even power of two, walked until it falls inside.
struct Shuffled {
  std::uint64_t seed;
  std::int64_t n;
  int half;  ///< bits of each half
  static Shuffled make(std::uint64_t seed, std::int64_t n) {
    int half = 1;
    while ((std::int64_t{1} << (2 * half)) < n) ++half;
    return {seed, n, half};
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    auto x = static_cast<std::uint64_t>(i);
    do {
      std::uint64_t left = x >> half, right = x & mask;
      for (std::uint64_t round = 0; round < 4; ++round) {
        const std::uint64_t mixed =
            left ^ (random::philox_block(seed, right, 311 + round).bits64(0) & mask);
        left = right;
        right = mixed;
      }
      x = (left << half) | right;
    } while (x >= static_cast<std::uint64_t>(n));
    return static_cast<std::int64_t>(x);
  }
};

template <class Space, class Keys>
void permute_keys(const Space& space, const Keys& from, const Keys& to, const Shuffled& source) {
  Kokkos::parallel_for(
      "parallax::group_sum::shuffle",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(to.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { to(i) = from(source(i)); });
}

/// Turns the lengths' offsets 0, k1, k2, ... into keys: key i is `first` + the sum of steps 0..i.
template <class Space, class Keys, class Offsets>
void make_keys(const Space& space, const Keys& keys, const Offsets& offsets, std::int64_t first) {
  Kokkos::parallel_for(
      "parallax::group_sum::keys",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(keys.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { keys(i) = first + offsets(i + 1); });
}

/// Adds value(i) to total(group of row i, from key `first` on) for all rows, by all cores of the
/// host. Sums are exact, so that their order does not matter. A run of equal keys is added at once.
template <class Keys, class Value, class Total>
void add_up(const Keys& key, std::int64_t first, std::int64_t rows, const Value& value,
            const Total& total) {
  constexpr std::int64_t stretch = 1 << 16;
  check::on_all_cores((rows + stretch - 1) / stretch, [&](std::int64_t s) {
    const std::int64_t end = std::min(rows, (s + 1) * stretch);
    for (std::int64_t i = s * stretch; i < end;) {
      const auto group = key(i);
      auto sum = value(i);
      for (++i; i < end && key(i) == group; ++i) sum += value(i);
      Kokkos::atomic_add(&total(static_cast<std::size_t>(group - first)), sum);
    }
  });
}

template <class Keys>
std::vector<std::int64_t> rows_of_groups(const Keys& keys, std::int64_t first,
                                         std::int64_t groups) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(groups));
  const auto key = data::on_host(keys);
  const time_spent::Timer referring(time_spent::Part::references);
  add_up(
      key, first, static_cast<std::int64_t>(key.extent(0)),
      [](std::int64_t) { return std::int64_t{1}; },
      [&](std::size_t group) -> auto& { return rows[group]; });
  return rows;
}

template <class Table>
std::vector<std::array<double, 4>> reference(const Table& table, std::int64_t first,
                                             std::int64_t groups) {
  std::vector<std::array<double, 4>> sum(static_cast<std::size_t>(groups));
  const auto key = data::on_host(table.key);
  for (std::size_t c = 0; c < 4; ++c) {
    const auto x = data::on_host(table.value[c]);
    const time_spent::Timer referring(time_spent::Part::references);
    add_up(
        key, first, static_cast<std::int64_t>(key.extent(0)),
        [&](std::int64_t i) { return static_cast<double>(x(i)); },
        [&](std::size_t group) -> auto& { return sum[group][c]; });
  }
  return sum;
}

/// `run`, if this rank has rows, and then groups at the cuts are joined, by way of the host.
template <class Space, class T>
std::function<void()> joined(const Space& space, const kernels::group_sum::Sums<Space, T>& sums,
                             bool any, const Cuts& cuts, const std::function<void()>& run) {
  const auto end = [&](std::size_t group) { return Kokkos::subview(sums, group, Kokkos::ALL); };
  const auto first = end(0), last = end(sums.extent(0) - 1);
  const Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> own("parallax::group_sum::ends", 8);
  const auto own_first = Kokkos::subview(own, std::pair(0, 4)),
             own_last = Kokkos::subview(own, std::pair(4, 8));
  return [=] {
    if (any)
      run();
    else
      Kokkos::deep_copy(space, sums, T(0));
    Kokkos::deep_copy(space, own_first, first);
    Kokkos::deep_copy(space, own_last, last);
    space.fence("parallax::group_sum: before the groups at the cuts");
    cuts.join<T>(own_first.data(), own_last.data(), 4, Cuts::by_reduction<T>);
    Kokkos::deep_copy(space, first, own_first);
    Kokkos::deep_copy(space, last, own_last);
  };
}

struct GroupSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    using namespace kernels::group_sum;
    const Share share = parameters.share("n");
    const auto n = share.count;
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const bool sorted = parameters.text("order") == "sorted";
    Table<Space, T> table;
    table.key = data::allocate<std::int64_t>(space, "keys", n);
    std::int64_t groups = 0, first = first_key;  // the key of group 0: the last of the rank before
    {
      const auto offsets =
          data::list_offsets(space, share.begin, n, std::max<std::int64_t>(share.total, 1),
                             {parameters.seed(), parameters.real("mean"), 0, 0});
      std::int32_t steps = 0;
      Kokkos::deep_copy(steps, Kokkos::subview(offsets, n));
      groups = share.total > 0 ? std::int64_t{steps} + 1 : 0;
      first += data::before_this_rank(steps);
      make_keys(space, table.key, offsets, first);
    }
    const Cuts cuts(first, first + groups - 1);
    if (!sorted && n > 0) {
      const auto shuffled = data::allocate<std::int64_t>(space, "shuffled keys", n);
      permute_keys(space, table.key, shuffled, Shuffled::make(seed, n));
      table.key = shuffled;
    }
    data::input(table.key);
    auto rows = rows_of_groups(table.key, first, groups);
    if (groups > 0)
      cuts.join<std::int64_t>(&rows.front(), &rows.back(), 1, Cuts::by_gathering<std::int64_t>);
    const auto most =
        groups > 0 ? static_cast<double>(*std::max_element(rows.begin(), rows.end())) : 0;
    const double step = step_for<T>(static_cast<std::int64_t>(ranks::largest(most)));
    // A group at a cut is counted by the first rank that has a part of it.
    const std::int64_t own = ranks::rank() > 0 ? 1 : 0;
    const auto with_rows = std::count_if(rows.begin() + (groups > 0 ? own : 0), rows.end(),
                                         [](std::int64_t count) { return count > 0; });
    const auto groups_with_rows =
        static_cast<std::int64_t>(ranks::total(static_cast<double>(with_rows)));
    for (int c = 0; c < columns; ++c) {
      table.value[c] = data::allocate<T>(space, "column", n);
      data::fill(space, table.value[c], Value{seed, share.begin, c, step});
    }
    const auto sums = data::allocate_matrix<Sums<Space, T>>(space, "sums", groups, columns);
    const Workspace<Space, T> workspace(space);
    const auto expected =
        std::make_shared<std::vector<std::array<double, 4>>>(reference(table, first, groups));
    if (groups > 0)
      cuts.join<double>(expected->front().data(), expected->back().data(), 4,
                        Cuts::by_gathering<double>);

    const Judge judge{
        {data::output(space, "sums", sums, step)}, [=] {
          const auto h = data::on_host(sums);
          auto verdict = check::elements(
              "every sum with a serial sum, exactly", 4 * groups,
              [&](std::int64_t i) { return h(i / 4, i % 4); },
              [&](std::int64_t i) {
                return (
                    *expected)[static_cast<std::size_t>(i / 4)][static_cast<std::size_t>(i % 4)];
              },
              0.0);
          std::vector<double> totals(4), ends[2];
          for (std::int64_t c = 0; c < 4; ++c)
            totals[static_cast<std::size_t>(c)] = ranks::total(
                check::sum(std::max<std::int64_t>(groups - own, 0),
                           [&](std::int64_t g) { return static_cast<double>(h(g + own, c)); }));
          for (int c = 0; c < 4 && groups > 0; ++c) {
            ends[0].push_back(static_cast<double>(h(0, c)));
            ends[1].push_back(static_cast<double>(h(groups - 1, c)));
          }
          verdict.result = {{"groups", groups_with_rows},
                            {"totals", totals},
                            {"first", ranks::gathered(ends[0]).front()},
                            {"last", ranks::gathered(ends[1]).back()}};
          return verdict;
        }};
    const double count = static_cast<double>(n);
    const Work work{.bytes = 8 * count + 4 * sizeof(T) * (count + static_cast<double>(groups)),
                    .flops = 4 * count,
                    .items = count,
                    .traffic = Traffic::copy,
                    .messages = cuts.messages<T>(4)};
    // Rows in any order jump to another group with the first of their four additions.
    const double area = 4 * sizeof(T) * static_cast<double>(groups);
    Work added = with_atomics(work, {Access::atomic_in_order, 4 * count, area});
    if (!sorted) added = with_atomics(added, {Access::atomic, count, area});
    Plan plan;
    // A coarser step would leave nothing of columns that deviate by 10.
    const std::string too_many =
        step <= 8 ? "" : "a group has too many rows for exact sums in this precision";
    const std::string in_order = sorted ? too_many : "keys must be sorted: order=sorted";
    const int team = team_size<Space>(parameters, 256), warp = team_size<Space>(parameters, 32);
    const auto buffers = std::make_shared<SortBuffers<Space, T>>(space, n);
    const auto row = [&](const char* variant, std::string unavailable, std::function<void()> run) {
      return Row{.variant = variant,
                 .work = work,
                 .judge = judge,
                 .run = std::move(run),
                 .unavailable = std::move(unavailable)};
    };
    plan.rows = {
        row("atomic", too_many, [=] { atomic(space, table, first, sums); }),
        row("group_per_thread", in_order, [=] { group_per_thread(space, table, first, sums); }),
        with_teams(warp, row("group_per_team", in_order,
                             [=] { group_per_team(space, warp, table, first, sums); })),
        with_teams(team, row("team_scratch", too_many,
                             [=] { team_scratch(space, team, table, first, sums); })),
        with_teams(SortedSegments<Space, T, Tuning<Space>>::threads,
                   row("sorted_segments", in_order,
                       [=] { sorted_segments(space, table, first, sums, workspace); })),
        row("sort_then_reduce", too_many,
            [=] { sort_then_reduce(space, table, first, sums, *buffers, workspace); }),
    };
    if (ranks::several() && groups > 0)
      for (auto& r : plan.rows) r.run = joined(space, sums, n > 0, cuts, r.run);
    plan.rows.front().work = added;
    return plan;
  }
};

const Registration<GroupSum, double, float> registration{
    {.name = "group_sum",
     .summary = "sums of four columns by key",
     .teaches = "group-by; segmented sums; sorting against atomics",
     .parameters = {count("n", "rows", {.tiny = 5003, .course = 1'000'000, .large = 100'000'000}, 1,
                          2'000'000'000),
                    real("mean", "mean step between keys (Poisson)", 0.1, 0, 10),
                    choice("order", "of the rows", {"sorted", "shuffled"})},
     .variants = {{"atomic", "every row adds to its group"},
                  {"group_per_thread", "the thread of a group's first row adds it up"},
                  {"group_per_team", "a team per group", Tier::lesson, true},
                  {"team_scratch", "a team collects its rows' sums in scratch memory", Tier::lesson,
                   true},
                  {"sorted_segments", "rows cut evenly, groups joined at the cuts", Tier::tuned},
                  {"sort_then_reduce", "rows in any order are sorted by key first", Tier::tuned}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double n = static_cast<double>(p.integer("n"));
           const double groups = n * p.real("mean") + 1;
           // The reference has four doubles and a count for each group.
           const double reference = 40 * groups;
           return Memory{
               .space = n * (56 + 8 * scalar_bytes) + 4 * scalar_bytes * groups + reference,
               .host = n * (8 + 5 * scalar_bytes) + 4 * scalar_bytes * groups + reference};
         },
     .validate =
         [](const Parameters& p) {
           if (static_cast<double>(p.integer("n")) * p.real("mean") > 2e9)
             throw UsageError("n=" + p.text("n") + " with mean=" + p.text("mean") +
                              " makes more than 2000000000 groups");
         },
     .divide =
         [](Parameters& p) {
           if (p.text("order") != "sorted")
             throw UsageError(
                 "group_sum on several ranks wants order=sorted: a shuffled table has "
                 "rows of every group on every rank");
           elements_of("n")(p);
         }}};

}  // namespace
}  // namespace parallax
