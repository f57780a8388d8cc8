// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 6
#include <memory>
#include <optional>
#include <string>

#include "exercise/api.hpp"
#include "uniform_sort/lesson.hpp"
#include "uniform_sort/library.hpp"
#include "uniform_sort/reference.hpp"
#include "uniform_sort/splitters.hpp"
#include "uniform_sort/tuned.hpp"

namespace parallax::uniform_sort {
namespace {

struct UniformSort {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    namespace k = kernels::uniform_sort;
    using Keys = data::Array<Space, T>;
    const Share share = parameters.share("n");
    const auto n = share.count, first = share.begin;
    const double low = parameters.real("low"), high = parameters.real("high");
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const Expected<T> expected{seed, first, low, high};
    const auto keys = outputs::array<T>(space, "keys", n);
    const auto generate = [=] { k::philox(space, keys, low, high, seed, first); };
    const double count = parameters.number("n"), bytes = sizeof(T) * count;

    Rows rows(
        space, {.bytes = bytes, .items = count, .traffic = Traffic::write}, keys,
        [=](const auto& found) {
          // Compared as bits: 64 of them do not fit a double.
          return check::elements(
              "every key with a serial generator", n,
              [&](std::int64_t i) { return bits_of(T(found(i))) == bits_of(expected(i)) ? 0 : 1; },
              [](std::int64_t) { return 0; }, 0.0);
        },
        "generate");
    rows.add("philox_range", [=] { k::philox_range(space, keys, low, high, seed, first); });
    rows.add("philox", generate);

    // Where the result is: some sorts move the keys to and fro.
    const auto sorted = std::make_shared<Keys>(keys);
    const auto now = [=] { return data::output(space, "keys", *sorted); };
    Output output = now();
    output.poison = [=] {  // sorted in place: a sort that does nothing leaves the input
      *sorted = keys;
      generate();
    };
    output.shift = {};
    output.read = [=] { return now().read(); };
    output.hash = [=] { return now().hash(); };
    output.write = [=](const auto& values) { now().write(values); };
    const auto input = std::make_shared<std::optional<std::uint64_t>>();
    rows.judge = {{output}, [=] {
                    if (!*input) {
                      const time_spent::Timer referring(time_spent::Part::references);
                      *input = multiset(n, expected);
                    }
                    return judge_order(data::on_host(*sorted), share, **input);
                  }};
    // The least: read once, write once. A radix sort takes a pass for every 8 bits that differ.
    rows.work = Work{.bytes = 2 * bytes, .items = count, .traffic = Traffic::copy};
    rows.phase = "sort";
    std::optional<BySplitters<Space, T>> of_ranks;
    if (ranks::several()) {
      of_ranks.emplace(share, parts_of<Space, T>(n));
      rows.work.messages = of_ranks->messages();
    }
    const std::int64_t most_keys = of_ranks ? of_ranks->capacity() : n;
    const kernels::RadixWorkspace<Space, T> radix(space, most_keys);
    const Keys buffer = radix.keys;  // one second array for all sorts
    // It is poisoned, too: what an earlier sort left there would be right.
    auto& poison = rows.judge.outputs.front().poison;
    poison = [first = poison, second = data::output(space, "second", buffer).poison] {
      first();
      second();
    };
    using Input = Unsorted<Space, T>;
    const auto sort = [&](const std::string& variant, const Sorter<Space, T>& sorter) -> Row& {
      const std::function<Keys()> all =
          of_ranks ? of_ranks->sorts(space, keys, buffer, sorter) : [=] {
            return sorter({keys, buffer});
          };
      auto& row = rows.add(variant, [=] { *sorted = all(); });
      row.prepare = generate;
      return row;
    };

    const int most = k::merge_stretch<Space>, team = team_size<Space>(parameters);
    sort("merge", [=](const Input& x) { return k::merge(space, most, x.keys, x.second); });
    sort("team_scratch", [=](const Input& x) {
      return k::team_scratch(space, team, most, x.keys, x.second);
    }).team_size = team;
    sort("kokkos", [=](const Input& x) {
      k::kokkos(space, x.keys);
      return x.keys;
    });
    using Library = bindings::LibrarySort<Space, T>;
    if (const auto why = Library::refusal(most_keys); why.empty())
      sort("library", [=, library = Library(space, most_keys)](const Input& x) {
        return library(space, x.keys, x.second, x.third, x.range);
      });
    else
      rows.unavailable("library", why);
    // What the workspace held before must not matter: the states of a later pass do most harm.
    sort("radix", [=](const Input& x) {
      auto work = radix;
      work.keys = x.second;
      return kernels::radix_sort(space, x.keys, work, x.third, x.range);
    }).prepare = [=] {
      generate();
      Kokkos::deep_copy(space, radix.published, ~std::uint64_t{0});
    };
    if constexpr (kernels::is_host_space<Space>)
      sort("sample", [=, work = k::SampleWorkspace<Space, T>(space, most_keys)](const Input& x) {
        k::sample(space, x.keys, work);
        return x.keys;
      });
    else
      rows.unavailable("sample", "it sorts on hosts only");
    return rows;
  }
};

const Registration<UniformSort, double, float, std::uint32_t, std::uint64_t> registration{
    {.name = "uniform_sort",
     .summary = "fill with uniform(5,10) random numbers, sort ascending",
     .teaches = "what a library call costs; radix sort in team scratch; look-back between teams",
     .answer =
         "{n} keys are in order; the first is {first}, the middle one {median}, the last {last}",
     .parameters = {count("n", "keys; every sort takes as much memory again",
                          {.tiny = 10'007,
                           .course = 100'000'000,
                           .large = 400'000'000,
                           .course_host = 2'000'000},
                          1, std::int64_t{1} << 40),
                    real("low", "least key (floats; integers have all bits random)", 5, -1e30,
                         1e30),
                    real("high", "keys are less than this", 10, -1e30, 1e30)},
     .variants = {lesson("philox_range", "generation on the device, a key at a time"),
                  tuned("philox", "all numbers of a block at a time, wide stores"),
                  lesson("merge", "runs merged two and two, by stretches of the result"),
                  lesson_with_teams("team_scratch", "blocks sorted in scratch memory, then merged"),
                  library("kokkos", "Kokkos::sort"),
                  library("library",
                          "the vendor's radix sort; on CPUs the C++ library's parallel sort"),
                  tuned("radix", "our radix sort, one source for every backend"),
                  tuned("sample", "our sample sort for hosts, on all cores")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double bytes = scalar_bytes * p.number("n");
           return Memory{.space = (ranks::several() ? 7 : 4.3) * bytes + 1e6, .host = bytes};
         },
     .validate =
         [](const Parameters& p) {
           if (!(p.real("low") < p.real("high")))
             throw UsageError("low (" + p.text("low") + ") must be less than high (" +
                              p.text("high") + ")");
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax::uniform_sort
