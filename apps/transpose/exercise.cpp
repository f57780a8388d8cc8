// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "exercise/api.hpp"
#include "transpose/lesson.hpp"
#include "transpose/library.hpp"
#include "transpose/tuned.hpp"

namespace parallax::transpose {
namespace {

/// Row-major on every space: with a device's own layout, `naive` would be the other way round.
template <class Space, class T>
using Numbers = Kokkos::View<T**, Kokkos::LayoutRight, typename Space::memory_space>;

/// Element k of the input, row by row.
template <class T>
struct Number {
  std::int64_t seed;
  KOKKOS_FUNCTION T operator()(std::int64_t k) const { return data::uniform_at<T>(seed, k); }
};

struct Transpose {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    namespace k = kernels::transpose;
    const auto rows_in = parameters.integer("rows"), columns = parameters.integer("columns");
    const Number<T> number{parameters.seed()};
    const auto in = data::allocate_matrix<Numbers<Space, T>>(space, "in", rows_in, columns);
    const auto out = data::allocate_matrix<Numbers<Space, T>>(space, "out", columns, rows_in);
    const Kokkos::View<T*, typename Space::memory_space, Kokkos::MemoryUnmanaged> elements(
        in.data(), in.size());
    data::fill(space, elements, number);
    data::input(in);
    const double count = parameters.number("rows") * parameters.number("columns");

    Rows rows(space, {.bytes = 2 * sizeof(T) * count, .items = count, .traffic = Traffic::copy},
              written("out", out), [=](const auto& found) {
                // Element e of `out` is in row e / rows of it, which is a column of `in`.
                const auto verdict = check::each(
                    "every element with the input's", found,
                    [=](std::int64_t e) { return number(e % rows_in * columns + e / rows_in); });
                if (found.size() == 0) return verdict;
                return Verdict(verdict).with(
                    {{"first", static_cast<double>(found(0, 0))},
                     {"last", static_cast<double>(found(columns - 1, rows_in - 1))}});
              });
    const int team = team_size<Space>(parameters);
    rows.add("naive", [=] { k::naive(space, in, out); });
    rows.add("team_scratch", with_teams(team), [=] { k::team_scratch(space, team, in, out); });
    rows.add("team_scratch_conflicts", with_teams(team),
             [=] { k::team_scratch_conflicts(space, team, in, out); });
    rows.add("wide", with_teams(k::WideTile<Space, T>::team_size),
             [=] { k::wide(space, in, out); });
    rows.add("deep_copy", [=] { k::deep_copy(space, in, out); });
    return rows;
  }
};

/// A league counts its teams, one a tile, by an int.
constexpr std::int64_t most = 1 << 20;

const Registration<Transpose, float, double> registration{
    {.name = "transpose",
     .summary = "the transpose of a matrix",
     .teaches = "strided accesses; turning a tile round in scratch memory; bank conflicts",
     .answer = "the first element is {first}, the last {last}",
     .parameters = {count("rows", "rows of the input",
                          {.tiny = 61, .course = 16384, .large = 32768, .course_host = 4096}, 1,
                          most),
                    count("columns", "columns of the input",
                          {.tiny = 257, .course = 16384, .large = 32768, .course_host = 4096}, 1,
                          most)},
     .variants = {lesson("naive", "out(j, i) = in(i, j) for each element"),
                  lesson_with_teams("team_scratch",
                                    "a tile for each team, turned round in scratch"),
                  lesson_with_teams("team_scratch_conflicts",
                                    "the same with all numbers of a column in one bank"),
                  tuned("wide", "tiles of packs, all loads of a thread in flight"),
                  library("deep_copy", "Kokkos::deep_copy from one layout to the other")},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = scalar_bytes * p.number("rows") * p.number("columns");
       return Memory{.space = 2 * bytes, .host = bytes};
     }}};

}  // namespace
}  // namespace parallax::transpose
