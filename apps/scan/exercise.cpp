// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 4
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "exercise/api.hpp"
#include "scan/lesson.hpp"
#include "scan/library.hpp"
#include "scan/reference.hpp"
#include "scan/tuned.hpp"

namespace parallax::scan {
namespace {

struct Scan {
  template <class Space, class T>
  static void refuse(const Parameters& p) {
    if (p.number("n") * longest > static_cast<double>(std::numeric_limits<T>::max()))
      throw UsageError("n=" + p.text("n") + ": the sums of this many lengths do not fit " +
                       std::string(precision_name<T>()));
  }

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    namespace k = kernels::scan;
    const auto n = parameters.integer("n"), blocks = n / k::block + 1;
    const Number<T> number{parameters.seed()};
    const auto a = inputs::array<T>(space, "a", n, number);
    const auto offsets = outputs::array<T>(space, "offsets", n + 1);
    const auto sums = data::allocate<T>(space, "sums", blocks);
    const auto starts = data::allocate<T>(space, "starts", blocks + 1);
    const auto right = std::make_shared<const Reference>(n, number);
    const double count = parameters.number("n"), bytes = sizeof(T) * count;

    // Integers are exact. A sum of i reals of either sign grows as sqrt(i), a rounding with it, and
    // the roundings of a chain of `length` additions add up as randomly (apps/tree_sum).
    const auto judge = [&](double length) -> Judge {
      const auto allowed = [=](std::int64_t i) {
        constexpr double eps = std::is_integral_v<T> ? 0 : std::numeric_limits<T>::epsilon();
        const auto terms = static_cast<double>(i);
        return 2 * eps * std::sqrt(terms * std::min(terms, length));
      };
      return {{data::output(space, "offsets", offsets)}, [=] {
                using Exact = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
                const auto found = data::on_host(offsets);
                Values ends{{"total", static_cast<Exact>(found(n))}};
                if (n > 0) ends.emplace(ends.begin(), "last", static_cast<Exact>(found(n - 1)));
                return check::each("every prefix sum with a compensated one", found, right->offsets,
                                   allowed)
                    .with(ends);
              }};
    };
    const double by_blocks = static_cast<double>(k::block + blocks);
    const int team = team_size<Space>(parameters);
    RowList rows({.bytes = 2 * bytes, .flops = count, .items = count, .traffic = Traffic::copy},
                 judge(count));
    rows.add("kokkos_scan", [=] { k::kokkos_scan(space, a, offsets); });
    if constexpr (compiled("kokkos"))
      rows.add("kokkos", [=] { bindings::kokkos_inclusive_scan(space, a, offsets); });
    rows.add("library", bindings::library_scan(space, a, offsets)).unavailable =
        vendor::refusal<Space>(n);
    rows.judge = judge(by_blocks);
    // The temporaries are poisoned with the output: what the other row left there would be right.
    auto& poison = rows.judge.outputs.front().poison;
    for (const auto& x : {sums, starts})
      poison = [first = poison, second = data::output(space, x.label(), x).poison] {
        first();
        second();
      };
    rows.add("three_kernels", [=] { k::three_kernels(space, a, sums, starts, offsets); });
    rows.add("team_scratch", with_teams(team),
             [=] { k::team_scratch(space, team, a, sums, starts, offsets); });
    rows.judge = judge(by_blocks);
    const Kokkos::View<std::uint64_t*, typename Space::memory_space> words(
        Kokkos::view_alloc(space, "parallax::scan::words"), k::ScanTile<Space, T>::words(n));
    rows.add("look_back", with_teams(k::ScanTile<Space, T>::team_size),
             [=] { k::look_back(space, a, offsets, words); });

    if constexpr (std::is_integral_v<T> && compiled("kokkos_scan")) {
      const auto kept =
          outputs::array<T>(space, "kept", static_cast<std::int64_t>(right->kept.size()));
      const double places = sizeof(T) * static_cast<double>(kept.size());
      Rows compact(
          space, {.bytes = bytes + places, .items = count, .traffic = Traffic::copy}, kept,
          [=](const auto& found) {
            return check::each("every event with a pair", found, right->kept)
                .with({{"kept", static_cast<std::int64_t>(found.size())}});
          },
          "compact");
      compact.add("kokkos_scan", [=] { k::compact(space, a, kept); });
      rows.all().push_back(compact.all().front());
    }
    return rows;
  }
};

const Registration<Scan, std::int32_t, std::int64_t, float, double> registration{
    {.name = "scan",
     .summary = "exclusive prefix sums of n numbers",
     .teaches =
         "parallel_scan; offsets and compaction; a tree up and down; look-back between teams",
     .answer =
         "all numbers add up to {total}, all but the last to {last}; {kept} numbers were kept",
     .parameters = {count(
         "n", "numbers",
         {.tiny = 10'007, .course = 100'000'000, .large = 400'000'000, .course_host = 10'000'000},
         1, std::int64_t{1} << 40)},
     .variants = {lesson("kokkos_scan", "parallel_scan"),
                  lesson("three_kernels", "the sums of blocks, their scan, the blocks again"),
                  lesson_with_teams("team_scratch",
                                    "the same, with a tree up and down in scratch for each block"),
                  tuned("look_back", "one pass: teams publish their sums, and look back"),
                  library("kokkos", "Kokkos::Experimental::inclusive_scan"),
                  library("library", "the vendor's scan, its scratch memory made once")},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double n = p.number("n");
       // The reference has a double for each number, and of integers the numbers of the kept ones.
       return Memory{.space = (2.6 * scalar_bytes + 13.4) * n + 5e5,
                     .host = (2 * scalar_bytes + 16) * n + 1e6};
     }}};

}  // namespace
}  // namespace parallax::scan
