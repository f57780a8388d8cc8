// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "kernels/normalize.hpp"

#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/error.hpp"
#include "harness/registration.hpp"
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
#include "kernels/normalize_library.hpp"
#endif

namespace parallax {
namespace {

/// Element i of v: uniform on [-1, 1), times `scale`.
template <class T>
struct Input {
  std::int64_t seed;
  T scale;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return (2 * data::uniform_at<T>(seed, i) - 1) * scale;
  }
};

/// The largest |element| of the input: near 1, near the largest number, or a subnormal one.
template <class T>
T scale_of(const std::string& input) {
  if (input == "huge") return std::numeric_limits<T>::max();
  if (input == "subnormal") return std::numeric_limits<T>::min() / 2;
  return input == "zero" ? T(0) : T(1);
}

/// Every element against v / norm in extended precision, the norm by a compensated serial sum of
/// the squares of v over its largest element, so that neither leaves the range.
template <class T, class Out>
Verdict check_direction(const Out& out, double found_norm, const Input<T>& v, double relative) {
  const auto h = data::on_host(out);
  const auto n = static_cast<std::int64_t>(h.extent(0));
  const auto scale = static_cast<long double>(v.scale == 0 ? T(1) : v.scale);
  long double sum = 0, lost = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const long double x = static_cast<long double>(v(i)) / scale, term = x * x, next = sum + term;
    lost += (sum - next) + term;  // sum >= term, but for the first few
    sum = next;
  }
  const long double norm = std::sqrt(sum + lost) * scale;
  auto verdict = check::elements(
      "every element with v / norm in extended precision", n, [&](std::int64_t i) { return h(i); },
      [&](std::int64_t i) { return static_cast<double>(static_cast<long double>(v(i)) / norm); },
      [&](std::int64_t i) {
        return relative * static_cast<double>(std::abs(static_cast<long double>(v(i)) / norm)) +
               static_cast<double>(std::numeric_limits<T>::denorm_min());
      });
  long double after = 0;
  for (std::int64_t i = 0; i < n; ++i) after += static_cast<long double>(h(i)) * h(i);
  const double length = static_cast<double>(std::sqrt(after));
  if (n > 0) {
    verdict =
        check::both(verdict, check::number("the norm afterwards with 1", length, 1, relative));
    if (norm <= std::numeric_limits<T>::max())
      verdict = check::both(
          verdict, check::number("the norm with a compensated serial one", found_norm,
                                 static_cast<double>(norm), relative * static_cast<double>(norm)));
  }
  verdict.result = {{"norm", found_norm}, {"norm_after", length}};
  return verdict;
}

struct Normalize {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const std::string& input = parameters.text("input");
    const Input<T> v_at{parameters.seed(), scale_of<T>(input)};
    const auto v = data::allocate<T>(space, "v", n);
    const auto out = data::allocate<T>(space, "out", n);
    const data::Scalar<Space, T> norm("norm");
    const data::Scalar<Space, kernels::NormalizeSquares> squares("squares");
    const data::Scalar<Space, kernels::NormalizeFactors> factors("factors");
    data::fill(space, v, v_at);

    // The sums are f64 and of thousands of parts: what is left are the roundings of the products
    // and of the result.
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const auto row = [&](const char* variant, std::function<void()> run, double relative) {
      Row r{.variant = variant, .work = {}, .judge = {}, .run = std::move(run)};
      // Read twice and written once: two thirds of it reads, as in a triad.
      r.work = {.bytes = 3 * sizeof(T) * static_cast<double>(n),
                .flops = 3 * static_cast<double>(n),
                .items = static_cast<double>(n),
                .traffic = Traffic::triad};
      r.judge = {{data::output(space, "out", out)}, [=] {
                   return check_direction<T>(out, static_cast<double>(data::on_host(norm)()), v_at,
                                             relative);
                 }};
      return r;
    };
    // Some libraries add the squares up in T, one after the other.
    const double library_error = std::min(1e-3, eps * (8 + static_cast<double>(n)));
    Plan plan;
    plan.rows = {
        row(
            "team_scratch",
            [=] { kernels::normalize_team_scratch(space, v, out, squares, factors, norm); },
            8 * eps),
        row(
            "reduce_then_scale",
            [=] { kernels::normalize_reduce_then_scale(space, v, out, squares, factors, norm); },
            8 * eps),
        row("kokkos_kernels", {}, library_error)};
    Row& library = plan.rows.back();
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
    library.run = [=] { kernels::normalize_library(space, v, out, norm); };
#else
    library.unavailable = "built without Kokkos Kernels";
#endif
    if (kernels::is_host_space<Space> && sizeof(T) == 4 && n > 1 << 20)
      library.unavailable = "nrm2 may add up a million squares in f32, and be wrong";
    if (input != "uniform") {
      plan.rows[0].expected_to_fail = sizeof(T) == 8;
      if (library.unavailable.empty())
        library.unavailable = "the library promises nothing for squares out of range";
    }
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
     .variants = {{"team_scratch", "partial squares reduced in scratch, one sum of them"},
                  {"reduce_then_scale", "sums at three scales: right for every vector but 0"},
                  {"kokkos_kernels", "nrm2, its result waited for, then scal"}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double array = scalar_bytes * static_cast<double>(p.integer("n"));
           return Memory{.space = 2 * array, .host = array};
         },
     .validate =
         [](const Parameters& p) {
           if (p.text("input") == "zero")
             throw UsageError("normalize: a zero vector has no direction (input=zero)");
         }}};

}  // namespace
}  // namespace parallax
