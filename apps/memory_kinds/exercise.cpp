// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "exercise/api.hpp"
#include "memory_kinds/lesson.hpp"
#include "memory_kinds/reference.hpp"
#include "memory_kinds/tuned.hpp"

namespace parallax::memory_kinds {
namespace {

struct MemoryKinds {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    using Array = data::Array<Space, T>;
    const Share share = parameters.share("n");
    const auto taps = static_cast<int>(parameters.integer("taps"));
    // Behind its own elements each rank but the last has the first ones of the next, its halo.
    const std::int64_t halo = share.begin + share.count < share.total ? taps - 1 : 0;
    const std::int64_t n = share.count + halo, size = std::max<std::int64_t>(0, n - taps + 1);
    const Signal signal{parameters.seed(), share.begin, Weight<T>::levels(taps)};
    const Array in = inputs::array<T>(space, "in", n, signal);
    const Array weights = inputs::array<T>(space, "weights", taps, Weight<T>{});
    const Array out = outputs::array<T>(space, "out", size);
    using kernels::memory_kinds::Filter;
    Filter<T> filter{};
    for (int k = 0; k < taps; ++k) filter.weight[k] = static_cast<T>(Weight<T>{}(k));

    const auto reference = std::make_shared<Reference<T>>(signal, n, taps);
    const double count = static_cast<double>(size);
    Rows rows(space,
              {.bytes = 2 * sizeof(T) * count,
               .flops = 2 * taps * count,
               .items = count,
               .traffic = Traffic::copy},
              out, [=](const auto& found) {
                const double sum =
                    check::sum(size, [&](std::int64_t i) { return static_cast<double>(found(i)); });
                return check::each("every element with a serial convolution in integers", found,
                                   reference->values())
                    .with({{"checksum", ranks::total(sum)}});
              });
    const int team = team_size<Space>(parameters);
    namespace k = kernels::memory_kinds;
    rows.add("global", [=] { k::global(space, in, weights, taps, out); });
    rows.add("random_access", [=] { k::random_access(space, in, weights, taps, out); });
    rows.add("team_scratch", with_teams(team),
             [=] { k::team_scratch(space, team, in, weights, taps, out); });
    rows.add("constant", [=] { k::constant(space, in, filter, taps, out); });
    rows.add("local", [=] { k::local(space, in, weights, taps, out); });
    rows.add("global_blocks", [=] { k::global_blocks(space, in, weights, taps, out); });
    rows.add("constant_blocks", [=] { k::constant_blocks(space, in, filter, taps, out); });
    auto& overlapped = rows.add("overlapped", {});
    if (!ranks::several()) {
      overlapped.unavailable = "one rank has no neighbour to exchange a halo with";
      return rows;
    }
    const auto part = [](const Array& x, std::int64_t begin, std::int64_t end) -> Array {
      return Kokkos::subview(x, std::pair(begin, end));
    };
    const auto exchange = data::to_rank_before(space, part(in, 0, taps - 1), part(in, n - halo, n));
    for (auto& row : rows.all()) {
      row.work.messages = {{sizeof(T) * (taps - 1.0), Message::Pattern::to_neighbour}};
      // Before a run that is judged it is poisoned.
      row.judge.outputs.push_back(data::output(space, "halo", part(in, n - halo, n)));
      row.run = [=, kernel = row.run] {
        exchange({});
        kernel();
      };
    }
    const std::int64_t inner = size - halo;  // results that need no halo
    overlapped.run = [=] {
      exchange([=] { k::global(space, in, weights, taps, part(out, 0, inner)); });
      k::global(space, part(in, inner, n), weights, taps, part(out, inner, size));
    };
    return rows;
  }
};

const Registration<MemoryKinds, float, double> registration{
    {.name = "memory_kinds",
     .summary = "a convolution whose weights live in each kind of memory",
     .teaches = "global, read-only, shared, constant and local memory, and what they are on a CPU",
     .answer = "the weighted sums add up to {checksum}",
     .parameters = {count("n", "elements of the array",
                          {.tiny = 10'007,
                           .course = 100'000'000,
                           .large = 100'000'000,
                           .course_host = 10'000'000}),
                    count("taps", "weights of the filter", {.tiny = 7, .course = 33, .large = 33},
                          1, kernels::memory_kinds::most_taps)},
     .variants = {lesson("global", "a View in the space's memory"),
                  lesson("random_access", "a View that no kernel writes, by the read-only path"),
                  lesson_with_teams("team_scratch", "a copy in each team's scratch memory"),
                  lesson("constant", "by value in the functor"),
                  lesson("local", "an array of each thread's own"),
                  tuned("global_blocks", "global, many elements side by side on a CPU"),
                  tuned("constant_blocks", "constant, many elements side by side on a CPU"),
                  tuned("overlapped", "several ranks: global, while a halo is under way")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double n = p.number("n");
           return Memory{.space = 3 * scalar_bytes * n, .host = 2 * scalar_bytes * n};
         },
     .validate =
         [](const Parameters& p) {
           if (p.integer("taps") > p.integer("n"))
             throw UsageError("memory_kinds: a filter of " + std::to_string(p.integer("taps")) +
                              " taps is longer than the array of " +
                              std::to_string(p.integer("n")) + " elements (expected taps <= n)");
         },
     .divide =
         [](Parameters& p) {
           const auto& division = p.division();
           const std::int64_t least =
               division.weak ? p.integer("n") : p.integer("n") / division.ranks;
           if (least < p.integer("taps") - 1)
             throw UsageError("memory_kinds: " + std::to_string(division.ranks) + " ranks have " +
                              std::to_string(least) + " of the " + p.text("n") +
                              " elements each, fewer than the taps - 1 that they exchange");
           elements_of("n")(p);
         }}};

}  // namespace
}  // namespace parallax::memory_kinds
