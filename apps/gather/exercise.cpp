// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "gather/lesson.hpp"

#include <algorithm>

#include "exercise/api.hpp"
#include "gather/reference.hpp"

namespace parallax::gather {
namespace {

struct Gather {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Input input = input_of(parameters.text("input"));
    const auto indices = input == Input::in_range ? n / 2 : n;
    const Indices index_at{input, n, parameters.seed()};
    const auto array = inputs::array<T>(space, "array", n, Value{});
    const auto index = inputs::array<std::int64_t>(space, "index", indices, index_at);
    const auto out = outputs::array<T>(space, "out", indices);

    const double count = static_cast<double>(indices);
    Work work{.bytes = 24 * count, .items = count, .traffic = Traffic::triad};
    // `course` and `in_range` read the array in order.
    if (input != Input::course && input != Input::in_range)
      work.accesses = {{Access::random, count, sizeof(T) * static_cast<double>(n)}};
    Rows rows(space, work, out, [=](const auto& found) {
      // In range, counted from the end or wrapped: Python's modulo is the answer of all three.
      const auto expected = [=](std::int64_t i) {
        const std::int64_t at = index_at(i);
        return Value{}(at - n * (at >= 0 ? at / n : -((n - 1 - at) / n)));
      };
      const auto term = [&](std::int64_t i) { return static_cast<double>(found(i)); };
      auto verdict = check::each("every element with a serial gather", found, expected)
                         .with({{"sum", check::sum(indices, term)}});
      for (std::int64_t i = 0; i < std::min<std::int64_t>(indices, 6); ++i)
        verdict.result.emplace_back("out_" + std::to_string(i), found(i));
      return verdict;
    });
    const int team = team_size<Space>(parameters);
    rows.add("checked", [=] { kernels::gather::checked(space, array, index, out); });
    rows.add("wrap", [=] { kernels::gather::wrap(space, array, index, out); });
    rows.add("unchecked", [=] { kernels::gather::unchecked(space, array, index, out); });
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::gather::team_scratch(space, team, array, index, out); });

    // Whether `checked` refuses is known before it runs; that it names the first wrong index, and
    // writes nothing, is judged here, since a refused row is not run.
    auto& checked = rows.of("checked");
    std::string said;
    Kokkos::deep_copy(space, out, -1.0);
    try {
      checked.run();
    } catch (const std::out_of_range& refusal) {
      const auto h = data::on_host(out);
      said = refusal.what();
      if (std::any_of(h.data(), h.data() + indices, [](T x) { return x != T(-1); }))
        said += " (after it has written)";
    }
    if (const auto right = refusal_of(index_at, indices); said == right)
      checked.unavailable = said;
    else
      checked.judge.check = [=] {
        return Verdict{false, "it says '" + said + "', not '" + right + "'", 0, 0, {}};
      };
    if (input != Input::random && input != Input::in_range && n > 0)
      rows.of("unchecked").unavailable = "it would read outside of the array; see --input random";
    return rows;
  }
};

Parameter input() {
  auto p = choice("input",
                  "random: all in range; negative: half of them from the end; course: half of them "
                  "beyond the end; in_range: the other half of those alone; far: up to three "
                  "lengths outside",
                  {"random", "negative", "course", "in_range", "far"});
  p.course = "course";
  return p;
}

const Registration<Gather, double> registration{
    {.name = "gather",
     .summary = "out[i] = array[index[i]], with indices out of range",
     .teaches = "bounds checks; what a device does with an error; random access",
     .answer = "the values fetched add up to {sum}; the first are {out_0}, {out_1}, {out_2}, "
               "{out_3}, {out_4} and {out_5}",
     .parameters = {count("n", "values, and indices",
                          {.tiny = 1009, .course = 6, .large = 100'000'000}),
                    input()},
     .variants = {lesson("checked", "refuses before the launch, as NumPy"),
                  lesson("wrap", "takes every index modulo the extent, as CuPy"),
                  lesson("unchecked", "trusts its indices"),
                  lesson_with_teams("team_scratch", "wrap, its indices staged in scratch memory")},
     .memory = arrays_of("n", {.space = 3, .host = 1})}};

}  // namespace
}  // namespace parallax::gather
