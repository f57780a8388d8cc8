// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "normalize/lesson.hpp"

#include <numeric>

#include "exercise/api.hpp"
#include "normalize/tuned.hpp"
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
#include "normalize/library.hpp"
#endif

namespace parallax {
namespace {

/// Element i of v: uniform on [-1, 1), times `scale`.
template <class T>
struct Input {
  std::int64_t seed, begin;
  T scale;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return (2 * data::uniform_at<T>(seed, begin + i) - 1) * scale;
  }
};

/// The largest |element| of the input: near 1, near the largest number, or a subnormal one.
template <class T>
T scale_of(const std::string& input) {
  if (input == "huge") return std::numeric_limits<T>::max();
  if (input == "subnormal") return std::numeric_limits<T>::min() / 2;
  return input == "zero" ? T(0) : T(1);
}

/// Judges v / norm: this rank has `n` elements of it. What all variants share is computed once,
/// when it is first asked for.
template <class T>
class Reference {
 public:
  Reference(std::int64_t n, const Input<T>& v) : n_(n), v_(v) {}

  /// Every element against v / norm in extended precision, and the norm against it, rounded to its
  /// own type.
  template <class Out, class Norm>
  Verdict check(const Out& out, const Norm& norm_out, double relative) {
    const auto h = data::on_host(out);
    const auto found_norm = data::on_host(norm_out)();
    const long double norm = this->norm(), one_over = 1 / norm;
    auto verdict = check::elements(
        "every element with v / norm in extended precision", n_,
        [&](std::int64_t i) { return h(i); },
        [&](std::int64_t i) {
          return static_cast<double>(static_cast<long double>(v_(i)) * one_over);
        },
        [&](std::int64_t, double expected) {
          return relative * std::abs(expected) +
                 static_cast<double>(std::numeric_limits<T>::denorm_min());
        });
    const long double squares =
        sum_of_squares([&](std::int64_t i) { return static_cast<long double>(h(i)); });
    const double length = std::sqrt(ranks::total(static_cast<double>(squares)));
    if (ranks::total(static_cast<double>(n_)) > 0) {
      verdict =
          check::both(verdict, check::number("the norm afterwards with 1", length, 1, relative));
    }
    using Limits = std::numeric_limits<std::remove_const_t<decltype(found_norm)>>;
    const bool fits = norm <= Limits::max();
    const double expected = static_cast<double>(fits ? norm : Limits::infinity());
    const double allowed =
        fits ? relative * expected + static_cast<double>(Limits::denorm_min()) : 0;
    verdict = check::both(verdict, check::number("the norm with one in extended precision",
                                                 found_norm, expected, allowed));
    verdict.result = {{"norm", static_cast<double>(found_norm)}, {"norm_after", length}};
    return verdict;
  }

 private:
  /// By blocks, whose sums have errors of a block's length times 2^-64.
  template <class X>
  long double sum_of_squares(const X& x) const {
    constexpr std::int64_t block = 1 << 14;
    std::vector<long double> sums(static_cast<std::size_t>((n_ + block - 1) / block));
    check::on_all_cores(static_cast<std::int64_t>(sums.size()), [&](std::int64_t b) {
      long double sum = 0;
      for (std::int64_t i = b * block; i < std::min(n_, (b + 1) * block); ++i) sum += x(i) * x(i);
      sums[static_cast<std::size_t>(b)] = sum;
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0L);
  }

  /// From the squares of v over its largest element, so that neither leaves the range.
  long double norm() {
    if (norm_ >= 0) return norm_;
    const time_spent::Timer referring(time_spent::Part::references);
    const auto scale = static_cast<long double>(v_.scale == 0 ? T(1) : v_.scale);
    const auto scaled = [&](std::int64_t i) { return static_cast<long double>(v_(i)) / scale; };
    const auto own = static_cast<double>(sum_of_squares(scaled));
    return norm_ = std::sqrt(static_cast<long double>(ranks::total(own))) * scale;
  }

  std::int64_t n_;
  Input<T> v_;
  long double norm_ = -1;
};

struct Normalize {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const auto n = share.count;
    const std::string& input = parameters.text("input");
    const Input<T> v_at{parameters.seed(), share.begin, scale_of<T>(input)};
    const auto v = data::allocate<T>(space, "v", n);
    const auto out = data::allocate<T>(space, "out", n);
    const auto norm = data::allocate_scalar<T>(space, "norm");
    const auto norm_f64 = data::allocate_scalar<double>(space, "norm_f64");  // of the lessons
    const auto squares = data::allocate_scalar<kernels::NormalizeSquares>(space, "squares");
    const auto factors = data::allocate_scalar<kernels::NormalizeFactors>(space, "factors");
    data::fill(space, v, v_at);

    const auto reference = std::make_shared<Reference<T>>(n, v_at);

    // Two halves each. Between them the ranks add up their sums of squares, all three as numbers.
    const Kokkos::View<double*, typename Space::memory_space, Kokkos::MemoryUnmanaged> three(
        reinterpret_cast<double*>(squares.data()), sizeof(kernels::NormalizeSquares) / 8);
    const auto halves = [=](const auto& sums, const std::function<void()>& first,
                            const std::function<void()>& second) -> std::function<void()> {
      return [=, first = data::then_sum(space, sums, first)] {
        first();
        second();
      };
    };
    const auto divide = [=] { kernels::normalize_divide(space, v, out, norm_f64); };
    const auto scale = [=] { kernels::normalize_scale(space, v, out, squares, factors, norm); };
    const int team = team_size<Space>(parameters);
    const auto sum_then_scale = halves(
        norm_f64, [=] { kernels::normalize_sum(space, v, norm_f64); }, divide);
    const auto reduce_then_scale = halves(
        three, [=] { kernels::normalize_reduce(space, v, squares); }, scale);

    // Read twice and written once: two thirds of it reads, as in a triad.
    const double count = static_cast<double>(n);
    const Work work{.bytes = 3 * sizeof(T) * count,
                    .flops = 3 * count,
                    .items = count,
                    .traffic = Traffic::triad,
                    .messages = data::sum_of(norm_f64)};
    Work of_scales = work;
    of_scales.messages = data::sum_of(three);
    const auto judge_of = [&](const auto& where, const auto& vector, const auto& found,
                              double relative) -> Judge {
      return {{data::output(where, "out", vector), data::output(where, "norm", found)},
              [=] { return reference->check(vector, found, relative); }};
    };
    const auto judge = [&](const auto& found, double relative) {
      return judge_of(space, out, found, relative);
    };
    // All but the library add squares in f64, and a chain of m additions of one sign is wrong by
    // m 2^-53 of itself at most, its root by half of that. The chain of `sum_then_scale` is the
    // array where one thread adds it up (Serial). With teams it is a thread's elements, the
    // levels of its team and the teams, which have 1024 elements each, or in the tuned variants
    // 4096 and more. The rest are roundings of products, quotients and the result. Some libraries
    // add the squares up in T, one after the other.
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const auto chain = [](double length) { return 8 * eps + length * 0x1p-54; };
    const double one_chain = chain(count), of_teams = chain(1034 + count / 1024);
    const double of_packs = chain(512 + count / 4096);
    const double library_error = std::min(1e-3, eps * (8 + count));
    // One sum of squares of f64 holds neither the largest nor the smallest.
    const bool wrong = sizeof(T) == 8 && input != "uniform";
    constexpr int wide = kernels::Streaming<Space, T>::team_size;
    Plan plan;
    plan.rows = {
        Row{.variant = "sum_then_scale",
            .work = work,
            .judge = judge(norm_f64, one_chain),
            .run = sum_then_scale,
            .expected_to_fail = wrong},
        Row{.variant = "team_scratch",
            .work = work,
            .judge = judge(norm_f64, of_teams),
            .run = halves(
                norm_f64, [=] { kernels::normalize_team_sum(space, team, v, norm_f64); }, divide),
            .expected_to_fail = wrong,
            .team_size = team},
        Row{.variant = "reduce_then_scale",
            .work = of_scales,
            .judge = judge(norm, of_packs),
            .run = reduce_then_scale,
            .team_size = wide},
        Row{.variant = "team_scratch_wide",
            .work = of_scales,
            .judge = judge(norm, of_packs),
            .run = halves(
                three, [=] { kernels::normalize_team_sum_wide(space, v, squares); }, scale),
            .expected_to_fail = wrong,
            .team_size = wide},
        Row{.variant = "kokkos_kernels", .work = work, .judge = judge(norm, library_error)}};
    Row& library = plan.rows.back();
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
    library.run = [=] { kernels::normalize_library(space, v, out, norm); };
#else
    library.unavailable = "built without Kokkos Kernels";
#endif
    if (kernels::is_host_space<Space> && sizeof(T) == 4 && n > 1 << 20)
      library.unavailable = "nrm2 may add up a million squares in f32, and be wrong";
    if (ranks::several()) library.unavailable = "the library knows of one rank alone";
    if (input != "uniform" && library.unavailable.empty())
      library.unavailable = "the library promises nothing for squares out of range";
    // A trip for each, which brings the vector and that row's norm back.
    const auto add_trip = [&](const std::string& variant, const auto& found, double relative,
                              auto way, const std::function<void()>& kernel) {
      const data::RoundTrip<Space> trip(space);
      trip.in(v);
      const auto host_out = trip.out(out);
      const auto host_norm = trip.out(found);
      add_end_to_end(plan, {sizeof(T) * count, sizeof(T) * count}, work,
                     judge_of(Kokkos::DefaultHostExecutionSpace(), host_out, host_norm, relative),
                     {{variant, (trip.*way)(kernel)}});
    };
    using Trip = data::RoundTrip<Space>;
    add_trip("sum_then_scale", norm_f64, one_chain, &Trip::plain, sum_then_scale);
    plan.rows.back().expected_to_fail = wrong && Trip::away;
    add_trip("reduce_then_scale", norm, of_packs, &Trip::staged, reduce_then_scale);
    return plan;
  }
};

const Registration<Normalize, float, double> registration{
    {.name = "normalize",
     .summary = "v / norm2(v)",
     .teaches = "a reduction that a map must wait for; overflow and underflow; reuse of a cache",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003,
                           .course = 100'000'000,
                           .large = 1'000'000'000,
                           .course_host = 20'000'000}),
                    choice("input",
                           "uniform: on [-1,1); huge: up to the largest number; subnormal: below "
                           "the smallest normal one; zero: refused",
                           {"uniform", "huge", "subnormal", "zero"})},
     .variants = {{"sum_then_scale", "a sum of squares, its root, a division"},
                  {"team_scratch", "partial squares reduced in scratch, one sum of them",
                   Tier::lesson, true},
                  {"reduce_then_scale", "sums at three scales: right for every vector but 0",
                   Tier::tuned},
                  {"team_scratch_wide", "team_scratch with packs", Tier::tuned},
                  {"kokkos_kernels", "nrm2, its result waited for, then scal", Tier::library}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double array = scalar_bytes * static_cast<double>(p.integer("n"));
           return Memory{.space = 2 * array, .host = 5 * array, .staging = kernels::staging_bytes};
         },
     .validate =
         [](const Parameters& p) {
           if (p.text("input") == "zero")
             throw UsageError("normalize: a zero vector has no direction (input=zero)");
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax
