// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 3
#include "row_sum/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exercise/api.hpp"
#include "row_sum/library.hpp"
#include "row_sum/reference.hpp"

namespace parallax::row_sum {
namespace {

/// The matrix is row-major on every space, as the course's arrays are.
template <class Space, class T>
using Numbers = Kokkos::View<T**, Kokkos::LayoutRight, typename Space::memory_space>;

constexpr std::int64_t whole_rows = 3;  ///< of whole numbers, for the check

struct RowSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("rows"), columns = parameters.integer("columns");
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const std::int64_t first = parameters.share("rows").begin * columns;
    const auto a = data::allocate_matrix<Numbers<Space, T>>(space, "a", n, columns);
    const auto sums = outputs::array<T>(space, "sums", n);
    const auto generate = [=] { kernels::row_sum::generate(space, a, seed, first); };
    generate();
    data::input(a);
    const double elements = parameters.number("rows") * parameters.number("columns");

    Rows numbers(
        space, {.bytes = sizeof(T) * elements, .items = elements, .traffic = Traffic::write}, a,
        [=](const auto& found) { return row_sum::check_numbers(found, seed, first); }, "generate");
    numbers.add("team", generate);

    RowList rows({.bytes = sizeof(T) * (elements + parameters.number("rows")),
                  .flops = elements,
                  .items = elements,
                  .traffic = Traffic::read},
                 {});
    const auto right = row_sum::compensated_sums(data::on_host(a));
    const double length = parameters.number("columns");
    // `longest`: the longest chain of additions. The roundings of a running sum of normals add up
    // randomly (see apps/tree_sum/exercise.cpp).
    const auto add = [&](const char* variant, double longest, int team, const auto& kernel) {
      const double tolerance = 4 * std::numeric_limits<T>::epsilon() *
                               std::max(1.0, std::sqrt(length * std::min(length, longest)));
      rows.judge = {
          {data::output(space, "sums", sums, 1)}, [=] {
            const auto found = data::on_host(sums);
            const auto verdict =
                check::each("every row with its compensated serial sum", found, *right, tolerance)
                    .with(data::sum_and_ends(found, "total"));
            return check::both(verdict, row_sum::whole_rows_by<Numbers<Space, T>>(
                                            space, std::min(n, whole_rows), columns, kernel));
          }};
      rows.add(variant, with_teams(team), [=] { kernel(a, sums); });
    };
    namespace k = kernels::row_sum;
    const int team = team_size<Space>(parameters);
    const double shared = length / team + team;
    add("range", length, 0, [=](const auto& x, const auto& to) { k::range(space, x, to); });
    add("team", shared, team, [=](const auto& x, const auto& to) { k::team(space, team, x, to); });
    add("team_scratch", shared, team,
        [=](const auto& x, const auto& to) { k::team_scratch(space, team, x, to); });
    // Eight sums side by side on a GPU and 64 on a host. The first takes the rest.
    add("range_wide", length / 8 + 70, 0,
        [=](const auto& x, const auto& to) { k::range_wide(space, x, to); });
    // At most 256 packs to a block, which has 512 elements at least.
    add("team_wide", 270 + length / 512, k::threads_of_team<Space>,
        [=](const auto& x, const auto& to) { k::team_wide(space, x, to); });
    if (kernels::row_sum::no_kokkos_kernels.empty()) {
      const auto ones = data::allocate<T>(space, "ones", columns);
      Kokkos::deep_copy(space, ones, T(1));
      data::input(ones);
      add("kokkos_kernels", length, 0,
          [=](const auto& x, const auto& to) { k::kokkos_kernels(space, x, ones, to); });
    } else {
      rows.add("kokkos_kernels", {}).unavailable = kernels::row_sum::no_kokkos_kernels;
    }
    rows.all().insert(rows.all().begin(), numbers.all().front());
    return rows;
  }
};

const Registration<RowSum, float, double> registration{
    {.name = "row_sum",
     .summary = "sums over the rows of a matrix of normal(0,1) numbers",
     .teaches = "which loop to make parallel; teams and vector lanes; data made where it is used",
     .answer =
         "the rows add up to {total}; the elements' mean is {mean}, their variance {variance}",
     // A league counts its teams, one a row, by an int.
     .parameters = {count("rows", "rows", {.tiny = 61, .course = 5, .large = 100'000}, 1,
                          std::numeric_limits<int>::max()),
                    count("columns", "columns", {.tiny = 257, .course = 1024, .large = 1024}, 1,
                          std::int64_t{1} << 31)},
     .variants = {lesson("range", "a row for each thread"),
                  lesson_with_teams("team", "a row for each team"),
                  lesson_with_teams("team_scratch",
                                    "a row for each team, its threads' sums added in scratch"),
                  tuned("range_wide", "a row for each thread, many sums side by side"),
                  tuned("team_wide", "a row for the lanes of a vector, packs side by side"),
                  library("kokkos_kernels", "gemv with a vector of ones")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double rows = p.number("rows"), columns = p.number("columns");
           const double bytes = scalar_bytes * (rows * columns + rows + columns);
           const double whole = scalar_bytes * std::min<double>(rows, whole_rows) * columns;
           return Memory{.space = bytes + 8 * rows + whole, .host = bytes + 8 * rows};
         },
     .divide = elements_of("rows")}};

}  // namespace
}  // namespace parallax::row_sum
