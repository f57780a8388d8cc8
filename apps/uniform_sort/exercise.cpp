// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 6
#include "uniform_sort/lesson.hpp"

#include <bit>
#include <memory>
#include <optional>

#include "device/split_mix64.hpp"
#include "exercise/api.hpp"
#include "uniform_sort/library.hpp"
#include "uniform_sort/merge_parts.hpp"
#include "uniform_sort/redistribution.hpp"
#include "uniform_sort/tuned.hpp"

namespace parallax {
namespace {

/// The bits of a key, as an integer of its size.
template <class T>
auto bits_of(T key) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<Bits>(key);
}

/// A key's share of a number that depends on which keys there are and how often, not on where: the
/// sum of each one's hash.
template <class T>
std::uint64_t hash_of(T key) {
  return split_mix64(bits_of(key));
}

/// Whether the ranks' numbers add up to 0 modulo 2^64. They ask each other, half by half, which
/// doubles can hold.
inline bool total_is_zero(std::uint64_t own) {
  std::uint64_t total = 0;
  for (const auto& of_rank :
       ranks::gathered({static_cast<double>(own >> 32), static_cast<double>(own & 0xffffffffu)}))
    total +=
        (static_cast<std::uint64_t>(of_rank[0]) << 32) + static_cast<std::uint64_t>(of_rank[1]);
  return total == 0;
}

/// A key as two doubles of the same order, which hold all of it.
template <class T>
std::pair<double, double> halves(T key) {
  if constexpr (sizeof(T) == 8 && !std::is_floating_point_v<T>)
    return {static_cast<double>(key >> 32), static_cast<double>(key & 0xffffffffu)};
  else
    return {static_cast<double>(key), 0};
}

/// Each rank's first key with the last of those before it, which all ranks tell each other.
template <class T>
Verdict ends_in_order(bool any, T first, T last) {
  std::pair<double, double> before;
  std::int64_t out_of_order = 0;
  bool none = true;
  for (const auto& rank :
       ranks::gathered({any ? 1.0 : 0.0, halves(first).first, halves(first).second,
                        halves(last).first, halves(last).second})) {
    if (rank[0] == 0) continue;
    if (!none && std::pair(rank[1], rank[2]) < before) ++out_of_order;
    before = {rank[3], rank[4]};
    none = false;
  }
  return check::number("each rank's first key with the last of the rank before it",
                       static_cast<double>(out_of_order), 0, 0);
}

struct UniformSort {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const auto n = share.count, first = share.begin;
    const double low = parameters.real("low"), high = parameters.real("high");
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const auto keys = data::allocate<T>(space, "keys", n);
    const auto generate = [=] {
      kernels::uniform_sort_generate(space, keys, low, high, seed, first);
    };
    const auto expected = [=](std::int64_t i) -> T {
      const auto k = static_cast<std::uint64_t>(first + i);
      if constexpr (std::is_floating_point_v<T>) {
        return reference::uniform<T>(seed, k, static_cast<T>(low), static_cast<T>(high));
      } else {
        return reference::philox_bits<T>(seed, k);
      }
    };
    const double count = static_cast<double>(n), bytes = sizeof(T) * count;

    Plan plan;
    const Work made{.bytes = bytes, .items = count, .traffic = Traffic::write};
    const Judge by_bits{
        {data::output(space, "keys", keys)}, [=] {
          const auto h = data::on_host(keys);
          // Compared as bits: 64 of them do not fit a double.
          return check::elements(
              "every key with a serial generator", n,
              [&](std::int64_t i) { return bits_of(T(h(i))) == bits_of(expected(i)) ? 0 : 1; },
              [](std::int64_t) { return 0; }, 0.0);
        }};
    plan.rows = {{"philox_range", "generate", made, by_bits,
                  [=] { kernels::uniform_sort_philox_range(space, keys, low, high, seed, first); }},
                 {"philox", "generate", made, by_bits, generate}};

    const auto input = std::make_shared<std::optional<std::uint64_t>>();  // the keys, as a multiset
    // Where the result is: some sorts move the keys to and fro.
    const auto sorted = std::make_shared<data::Array<Space, T>>(keys);
    const Check in_order = [=] {
      if (!*input) {
        const time_spent::Timer referring(time_spent::Part::references);
        *input = check::sum(n, [&](std::int64_t i) { return hash_of(expected(i)); });
      }
      const auto h = data::on_host(*sorted);
      const auto found = check::sum(n, [&](std::int64_t i) { return hash_of(T(h(i))); });
      auto verdict =
          check::both(check::elements(
                          "every key with the one before it", n > 0 ? n - 1 : 0,
                          // No order of the sorts' own: of numbers, and none of them is NaN.
                          [&](std::int64_t i) { return h(i) <= h(i + 1) ? 0 : 1; },
                          [](std::int64_t) { return 0; }, 0.0),
                      check::number("the keys, as a multiset, with the input",
                                    total_is_zero(found - **input) ? 0 : 1, 0, 0));
      const auto at = [&](std::int64_t i) {  // of all ranks' keys
        const bool here = i >= first && i - first < n;
        return ranks::total(here ? static_cast<double>(h(i - first)) : 0);
      };
      verdict.result = {{"n", share.total}};
      if (share.total > 0) {
        verdict.result.emplace_back("first", at(0));
        verdict.result.emplace_back("median", at(share.total / 2));
        verdict.result.emplace_back("last", at(share.total - 1));
      }
      if (ranks::several())
        verdict = check::both(
            verdict, ends_in_order<T>(n > 0, n > 0 ? h(0) : T(0), n > 0 ? h(n - 1) : T(0)));
      return verdict;
    };
    const auto redistribution =
        ranks::several() ? std::make_shared<const Redistribution<Space, T>>(share) : nullptr;
    const kernels::RadixWorkspace<Space, T> radix(space, n);
    const data::Array<Space, T> buffer = radix.keys;  // one second array for all sorts
    const auto sort = [&](const char* variant, auto sorter) {
      Output output = data::output(space, "keys", keys);
      output.poison = [=] {  // sorted in place: a sort that does nothing leaves the input
        *sorted = keys;
        generate();
      };
      output.shift = {};
      output.read = [=] { return data::output(space, "keys", *sorted).read(); };
      output.hash = [=] { return data::output(space, "keys", *sorted).hash(); };
      output.write = [=](const auto& values) {
        data::output(space, "keys", *sorted).write(values);
      };
      // The least: read once, write once. A radix sort takes a pass for every 8 bits that differ.
      Row row{.variant = variant,
              .phase = "sort",
              .work = {.bytes = 2 * bytes, .items = count, .traffic = Traffic::copy}};
      row.prepare = generate;
      row.run = [=] { *sorted = sorter(); };
      if (redistribution) {
        row.work.messages = redistribution->messages();
        // On a device, merging the parts of four ranks is two trips through memory at 3.4 ms, where
        // the library's radix sort takes 5.9 ms (an H200, 1e8 keys in f64): that sorts again.
        const bool by_radix = row.variant != "merge" && row.variant != "team_scratch";
        const bool again = by_radix && !kernels::is_host_space<Space> && ranks::size() > 2;
        row.run = [=] {
          const auto own = sorter();
          const auto parts = own.data() == keys.data() ? buffer : keys;
          if (again) {
            (*redistribution)(space, own, parts);
            if (parts.data() != keys.data()) Kokkos::deep_copy(space, keys, parts);
            *sorted = sorter();
            return;
          }
          *sorted = kernels::uniform_sort_merge_parts(space, parts, own,
                                                      (*redistribution)(space, own, parts));
        };
      }
      row.judge = {{output}, in_order};
      plan.rows.push_back(row);
    };
    const auto unavailable = [&](const char* variant, const std::string& why) {
      plan.rows.push_back({.variant = variant, .phase = "sort", .unavailable = why});
    };

    const int most = kernels::merge_stretch<Space>;
    sort("merge", [=] { return kernels::uniform_sort_merge(space, most, keys, buffer); });
    const int team = team_size<Space>(parameters);
    sort("team_scratch",
         [=] { return kernels::uniform_sort_team_scratch(space, team, most, keys, buffer); });
    plan.rows.back() = with_teams(team, plan.rows.back());
    sort("kokkos", [=] {
      kernels::uniform_sort_kokkos(space, keys);
      return keys;
    });
    using Library = bindings::LibrarySort<Space, T>;
    if (const auto why = Library::refusal(n); why.empty()) {
      const auto library = std::make_shared<Library>(space, n);
      sort("library", [=] { return (*library)(space, keys); });
    } else {
      unavailable("library", why);
    }
    sort("radix", [=] { return kernels::radix_sort(space, keys, radix); });
    // What the workspace held before must not matter: the states of a later pass do most harm.
    plan.rows.back().prepare = [=] {
      generate();
      Kokkos::deep_copy(space, radix.published, ~std::uint64_t{0});
    };
    if constexpr (kernels::is_host_space<Space>) {
      const kernels::SampleSortWorkspace<Space, T> sample(space, n);
      sort("sample", [=] {
        kernels::sample_sort(space, keys, sample);
        return keys;
      });
    } else {
      unavailable("sample", "it sorts on hosts only");
    }
    return plan;
  }
};

const Registration<UniformSort, double, float, std::uint32_t, std::uint64_t> registration{
    {.name = "uniform_sort",
     .summary = "fill with uniform(5,10) random numbers, sort ascending",
     .teaches = "what a library call costs; radix sort in team scratch; look-back between teams",
     .parameters = {count("n", "keys; every sort takes as much memory again",
                          {.tiny = 10'007,
                           .course = 100'000'000,
                           .large = 400'000'000,
                           .course_host = 2'000'000},
                          1, std::int64_t{1} << 40),
                    real("low", "least key (floats; integers have all bits random)", 5, -1e30,
                         1e30),
                    real("high", "keys are less than this", 10, -1e30, 1e30)},
     .variants = {{"philox_range", "generation on the device, a key at a time"},
                  {"philox", "all numbers of a block at a time, wide stores", Tier::tuned},
                  {"merge", "runs merged two and two, by stretches of the result"},
                  {.name = "team_scratch",
                   .summary = "blocks sorted in scratch memory, then merged",
                   .teams = true},
                  {"kokkos", "Kokkos::sort", Tier::library},
                  {"library", "the vendor's radix sort, its buffers made once", Tier::library},
                  {"radix", "our radix sort, one source for every backend", Tier::tuned},
                  {"sample", "our sample sort for hosts, on all cores", Tier::tuned}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double bytes = scalar_bytes * static_cast<double>(p.integer("n"));
           return Memory{.space = 4.3 * bytes + 1e6, .host = bytes};
         },
     .validate =
         [](const Parameters& p) {
           if (!(p.real("low") < p.real("high")))
             throw UsageError("low (" + p.text("low") + ") must be less than high (" +
                              p.text("high") + ")");
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax
