// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 2
#include <algorithm>
#include <cmath>
#include <memory>

#include "exercise/api.hpp"
#include "normalize/lesson.hpp"
#include "normalize/library.hpp"
#include "normalize/reference.hpp"
#include "normalize/tuned.hpp"

namespace parallax::normalize {
namespace {

/// Why the library is not tried; empty: it is.
template <class Space, class T>
std::string no_library(std::int64_t n, bool in_range) {
  if (ranks::several()) return "the library knows of one rank alone";
  if (kernels::is_host_space<Space> && sizeof(T) == 4 && n > 1 << 20)
    return "nrm2 may add up a million squares in f32, and be wrong";
  const std::string missing = kernels::normalize::no_kokkos_kernels;
  if (!missing.empty() || in_range) return missing;
  return "the library promises nothing for squares out of range";
}

struct Normalize {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const auto n = share.count;
    const std::string input = parameters.text("input");
    const Input<T> v_at{parameters.seed(), share.begin, scale_of<T>(input)};
    const auto v = data::allocate<T>(space, "v", n);
    const auto out = outputs::array<T>(space, "out", n);
    const auto norm = outputs::scalar<T>(space, "norm");
    const auto norm_f64 = outputs::scalar<double>(space, "norm_f64");  // of the lessons
    const auto squares = data::allocate_scalar<kernels::normalize::Squares>(space, "squares");
    const auto factors = data::allocate_scalar<kernels::normalize::Factors>(space, "factors");
    data::fill(space, v, v_at);

    // Two halves each. Between them the ranks add up their sums of squares, all three as numbers.
    const Kokkos::View<double*, typename Space::memory_space, Kokkos::MemoryUnmanaged> three(
        reinterpret_cast<double*>(squares.data()), sizeof(kernels::normalize::Squares) / 8);
    const auto halves = [=](const auto& sums, const std::function<void()>& first,
                            const std::function<void()>& second) -> std::function<void()> {
      return [=, first = data::then_sum(space, sums, first)] {
        first();
        second();
      };
    };
    const auto divide = [=] { kernels::normalize::divide(space, v, out, norm_f64); };
    const auto scale = [=] { kernels::normalize::scale(space, v, out, squares, factors, norm); };

    const auto reference = std::make_shared<Reference<T>>(n, v_at);
    const auto judge_of = [=](const auto& where, const auto& vector, const auto& found,
                              double of_sum) -> Judge {
      return {{data::output(where, "out", vector), data::output(where, "norm", found)},
              [=] { return reference->check(vector, found, of_sum); }};
    };
    const auto judge = [&](const auto& found, double of_sum) {
      return judge_of(space, out, found, of_sum);
    };
    // All but the library add squares in f64. Each of m additions rounds the running sum by 2^-53
    // of it at most, its root by half of that, and many roundings have different signs. Not
    // randomly: the squares of odd numbers are 1 modulo 8, so that errors of f32 numbers, whose
    // last digits are cut off, add up to some 2^-48 sqrt(m). Twice that is allowed. The chain of
    // `sum_then_scale` is the array where one thread adds it up (Serial). With teams it is a
    // thread's elements, the levels of its team and the teams, which have 1024 elements each, or in
    // the tuned variants 4096 and more. Some libraries add the squares up in T, one after the
    // other.
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const double count = parameters.number("n");
    const auto chain = [](double length) {
      return 0x1p-51 + std::min(0x1p-54 * length, 0x1p-47 * std::sqrt(length));
    };
    const double one_chain = chain(count), of_packs = chain(512 + count / 4096);
    const auto judge_wide = [&]() -> Judge {
      auto wide = judge(norm, of_packs);
      // In f32 the norm cannot tell whether small elements were left out; the sum can.
      if constexpr (sizeof(T) == 4) {
        const auto sum = Kokkos::subview(three, std::pair(0, 1));
        wide.outputs.push_back(data::output(space, "squares", sum));
        wide.check = [=, by_norm = wide.check] {
          return check::both(by_norm(), reference->check_squares(data::on_host(sum)(0), of_packs));
        };
      }
      return wide;
    };

    // Read twice and written once: two thirds of it reads, as in a triad.
    RowList rows({.bytes = 3 * sizeof(T) * count,
                  .flops = 3 * count,
                  .items = count,
                  .messages = data::sum_of(norm_f64)},
                 judge(norm_f64, one_chain));
    // One sum of squares of f64 holds neither the largest nor the smallest.
    const bool in_range = input == "uniform", wrong = sizeof(T) == 8 && !in_range;
    const int team = team_size<Space>(parameters);
    constexpr int wide = kernels::Streaming<Space, T>::team_size;
    rows.add("sum_then_scale",
             halves(
                 norm_f64, [=] { kernels::normalize::sum(space, v, norm_f64); }, divide))
        .expected_to_fail = wrong;
    rows.judge = judge(norm_f64, chain(1034 + count / 1024));
    rows.add("team_scratch", with_teams(team),
             halves(
                 norm_f64, [=] { kernels::normalize::team_sum(space, team, v, norm_f64); }, divide))
        .expected_to_fail = wrong;
    rows.judge = judge_wide();
    rows.work.messages = data::sum_of(three);
    rows.add("reduce_then_scale", with_teams(wide),
             halves(
                 three, [=] { kernels::normalize::reduce(space, v, squares); }, scale));
    rows.add("team_scratch_wide", with_teams(wide),
             halves(
                 three, [=] { kernels::normalize::team_sum_wide(space, v, squares); }, scale))
        .expected_to_fail = wrong;
    rows.judge = judge(norm, std::min(1e-3, eps * (8 + std::sqrt(count))));
    rows.add("kokkos_kernels", [=] { kernels::normalize::kokkos_kernels(space, v, out, norm); })
        .unavailable = no_library<Space, T>(n, in_range);
    // A trip for each, which brings the vector and that row's norm back.
    const auto add_trip = [&](const std::string& variant, const auto& found, double relative,
                              auto way) {
      const data::RoundTrip<Space> trip(space);
      trip.in(v);
      const auto host_out = trip.out(out);
      const auto host_norm = trip.out(found);
      const Row& kernel = rows.of(variant);
      rows.all().push_back(end_to_end_row(
          kernel, {sizeof(T) * count, sizeof(T) * count},
          judge_of(Kokkos::DefaultHostExecutionSpace(), host_out, host_norm, relative),
          (trip.*way)(kernel.run)));
    };
    using Trip = data::RoundTrip<Space>;
    add_trip("sum_then_scale", norm_f64, one_chain, &Trip::plain);
    add_trip("reduce_then_scale", norm, of_packs, &Trip::staged);
    return rows;
  }
};

const Registration<Normalize, float, double> registration{
    {.name = "normalize",
     .summary = "v / norm2(v)",
     .teaches = "a reduction that a map must wait for; overflow and underflow; reuse of a cache",
     .answer = "the vector's length was {norm}, and is {norm_after} now",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003,
                           .course = 100'000'000,
                           .large = 1'000'000'000,
                           .course_host = 20'000'000}),
                    choice("input",
                           "uniform: on [-1,1); huge: up to the largest number; subnormal: below "
                           "the smallest normal one; zero: refused",
                           {"uniform", "huge", "subnormal", "zero"})},
     .variants = {lesson("sum_then_scale", "a sum of squares, its root, a division"),
                  lesson_with_teams("team_scratch",
                                    "partial squares reduced in scratch, one sum of them"),
                  tuned("reduce_then_scale", "sums at three scales: right for every vector but 0"),
                  tuned("team_scratch_wide", "team_scratch with packs"),
                  library("kokkos_kernels", "nrm2, its result waited for, then scal")},
     .memory = arrays_of("n", {.space = 2, .host = 5, .staging = true}),
     .validate =
         [](const Parameters& p) {
           if (p.text("input") == "zero")
             throw UsageError("normalize: a zero vector has no direction (input=zero)");
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax::normalize
