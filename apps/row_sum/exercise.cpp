// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "row_sum/lesson.hpp"
#include "row_sum/tuned.hpp"

#include <limits>
#include <numbers>

#include "exercise/api.hpp"
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
#include "row_sum/library.hpp"
#endif

namespace parallax {
namespace {

/// The matrix is row-major on every space, as the course's arrays are.
template <class Space, class T>
using Numbers = Kokkos::View<T**, Kokkos::LayoutRight, typename Space::memory_space>;

/// Element i of the matrix by Box and Muller's formula with the C library's functions, from a
/// generator written apart from the kernel's.
template <class T>
double normal(std::uint64_t seed, std::uint64_t i) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr int digits = std::numeric_limits<T>::digits;
  const auto integer = [seed](std::uint64_t k) {
    return static_cast<double>(reference::philox_bits<Bits>(seed, k) >> (8 * sizeof(T) - digits));
  };
  const double radius = std::sqrt(-2 * std::log(std::ldexp(integer(i / 2 * 2) + 1, -digits)));
  const double angle = 2 * std::numbers::pi * std::ldexp(integer(i / 2 * 2 + 1), -digits);
  return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

/// The sum of a row with an error of one rounding (Neumaier's compensated summation).
template <class A>
double compensated(const A& a, std::size_t row) {
  double sum = 0, lost = 0;
  for (std::size_t c = 0; c < a.extent(1); ++c) {
    const double x = static_cast<double>(a(row, c)), next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  return sum + lost;
}

struct RowSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto rows = parameters.integer("rows"), columns = parameters.integer("columns");
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const std::int64_t first = parameters.share("rows").begin * columns;
    const auto a = data::allocate_matrix<Numbers<Space, T>>(space, "a", rows, columns);
    const auto sums = data::allocate<T>(space, "sums", rows);
    kernels::row_sum_generate(space, a, seed, first);
    data::input(a);
    const auto reference = std::make_shared<std::vector<double>>();
    const auto h = data::on_host(a);
    {
      const time_spent::Timer referring(time_spent::Part::references);
      constexpr std::int64_t stretch = 64;  // rows that a core takes at a time
      reference->resize(h.extent(0));
      check::on_all_cores((rows + stretch - 1) / stretch, [&](std::int64_t s) {
        for (auto r = s * stretch; r < std::min(rows, (s + 1) * stretch); ++r)
          (*reference)[static_cast<std::size_t>(r)] = compensated(h, static_cast<std::size_t>(r));
      });
    }

    constexpr double eps = std::numeric_limits<T>::epsilon();
    const double elements = static_cast<double>(rows) * static_cast<double>(columns);
    const Work writes{.bytes = sizeof(T) * elements, .items = elements, .traffic = Traffic::write};
    const Judge numbers{{data::output(space, "a", a)},
                        [=] { return check_numbers<T>(a, seed, first); }};

    const Work work{.bytes = sizeof(T) * (elements + static_cast<double>(rows)),
                    .flops = elements,
                    .items = elements,
                    .traffic = Traffic::read};
    // For the longest chain, which is a whole row: the roundings of a running sum of normals add up
    // randomly (see apps/tree_sum/exercise.cpp).
    const double tolerance = 4 * eps * std::max<double>(1, static_cast<double>(columns));
    const Judge judge{
        {data::output(space, "sums", sums, 1)}, [=] {
          const auto s = data::on_host(sums);
          auto verdict = check::elements(
              "every row with its compensated serial sum", rows,
              [&](std::int64_t i) { return s(i); },
              [&](std::int64_t i) { return (*reference)[static_cast<std::size_t>(i)]; }, tolerance);
          verdict.result = data::sum_and_ends(s, "total");
          return verdict;
        }};
    const int team = team_size<Space>(parameters);
    Plan plan;
    plan.rows = {
        {"team", "generate", writes, numbers,
         [=] { kernels::row_sum_generate(space, a, seed, first); }},
        {"range", "kernel", work, judge, [=] { kernels::row_sum_range(space, a, sums); }},
        with_teams(team, {"team", "kernel", work, judge,
                          [=] { kernels::row_sum_team(space, team, a, sums); }}),
        with_teams(team, {"team_scratch", "kernel", work, judge,
                          [=] { kernels::row_sum_team_scratch(space, team, a, sums); }}),
        {"range_wide", "kernel", work, judge, [=] { kernels::row_sum_range_wide(space, a, sums); }},
        with_teams(kernels::row_sum_threads<Space>,
                   {"team_wide", "kernel", work, judge,
                    [=] { kernels::row_sum_team_wide(space, a, sums); }}),
        {"kokkos_kernels", "kernel", work, judge}};
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
    const auto ones = data::allocate<T>(space, "ones", columns);
    Kokkos::deep_copy(space, ones, T(1));
    data::input(ones);
    plan.rows.back().run = [=] { kernels::row_sum_library(space, a, ones, sums); };
#else
    plan.rows.back().unavailable = "built without Kokkos Kernels";
#endif
    return plan;
  }

  /// The device's logarithms and cosines differ from the C library's by some of the last bits, and
  /// the logarithm's error counts for more where the logarithm is nearly 0.
  template <class T, class A>
  static Verdict check_numbers(const A& a, std::uint64_t seed, std::int64_t first) {
    const auto h = data::on_host(a);
    const auto size = static_cast<std::int64_t>(h.size()),
               columns = static_cast<std::int64_t>(h.extent(1));
    const auto found = [&](std::int64_t i) {
      return static_cast<double>(h(i / columns, i % columns));
    };
    const double sum = ranks::total(check::sum(size, found));
    const double squares =
        ranks::total(check::sum(size, [&](std::int64_t i) { return found(i) * found(i); }));
    auto verdict = check::elements(
        "every number with Box and Muller's formula by the C library", size, found,
        [&](std::int64_t i) { return normal<T>(seed, static_cast<std::uint64_t>(first + i)); },
        64 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    const double n = std::max(1.0, ranks::total(static_cast<double>(size)));
    verdict.result = {{"mean", sum / n}, {"variance", squares / n}};
    return verdict;
  }
};

const Registration<RowSum, float, double> registration{
    {.name = "row_sum",
     .summary = "sums over the rows of a matrix of normal(0,1) numbers, made on the device",
     .teaches = "which loop to make parallel; teams and vector lanes; data made where it is used",
     // A league counts its teams, one a row, by an int.
     .parameters = {count("rows", "rows", {.tiny = 61, .course = 5, .large = 100'000}, 1,
                          std::numeric_limits<int>::max()),
                    count("columns", "columns", {.tiny = 257, .course = 1024, .large = 1024}, 1,
                          std::int64_t{1} << 31)},
     .variants = {{"range", "a row for each thread"},
                  {"team", "a row for each team", Tier::lesson, true},
                  {"team_scratch", "a row for each team, its threads' sums added in scratch",
                   Tier::lesson, true},
                  {"range_wide", "a row for each thread, many sums side by side", Tier::tuned},
                  {"team_wide", "a row for the lanes of a vector, packs side by side", Tier::tuned},
                  {"kokkos_kernels", "gemv with a vector of ones", Tier::library}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double rows = static_cast<double>(p.integer("rows"));
           const double columns = static_cast<double>(p.integer("columns"));
           const double bytes = scalar_bytes * (rows * columns + rows + columns);
           return Memory{.space = bytes + 8 * rows, .host = bytes + 8 * rows};
         },
     .divide = elements_of("rows")}};

}  // namespace
}  // namespace parallax
