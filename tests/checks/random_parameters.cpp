// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Random parameters over every exercise, space and precision: a row is verified, refused (with one
// clear line) or not available, never wrong. The values come from what each parameter declares, so
// that a new exercise is covered by being registered.
//
// PARALLAX_RANDOM_RUNS=2000 draws more than the tests do by default.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "measure/verify/trial.hpp"
#include "platform/base/error.hpp"
#include "platform/device/space_info.hpp"
#include "support/rows.hpp"

namespace {

using namespace parallax;

/// The most that is drawn of parameters that cost time rather than memory, or more than their
/// memory says.
std::int64_t most_drawn(const std::string& exercise, const std::string& parameter) {
  static const std::map<std::string, std::int64_t> most{{"dilepton_mass/giant_event", 1000},
                                                        {"dilepton_mass/mean", 40},
                                                        {"dilepton_mass/n", 2000},
                                                        {"heat/columns", 400},
                                                        {"heat/rows", 400},
                                                        {"heat/steps", 60},
                                                        {"integration2d/n", 1500},
                                                        {"launch/kernels", 50},
                                                        {"launch/n", 20'000},
                                                        {"mandelbrot/columns", 400},
                                                        {"mandelbrot/max_iterations", 500},
                                                        {"mandelbrot/rows", 400},
                                                        {"mandelbrot_area/max_iterations", 1000},
                                                        {"mandelbrot_area/trials", 20'000},
                                                        {"matmul/k", 400},
                                                        {"matmul/m", 400},
                                                        {"matmul/n", 400},
                                                        {"ragged_sum/giant", 20'000},
                                                        {"ragged_sum/giants", 100},
                                                        {"ragged_sum/mean", 100}};
  const auto found = most.find(exercise + "/" + parameter);
  return found != most.end() ? found->second : 200'000;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}

  // Not the standard's distributions: they give other numbers in every library.
  std::uint64_t below(std::uint64_t n) { return bits_() % n; }
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

  std::string value(const std::string& exercise, const Parameter& p) {
    switch (p.kind) {
      case Parameter::Kind::integer: return std::to_string(whole(exercise, p));
      case Parameter::Kind::real:
        return text(std::clamp(
            real(), p.least,
            std::min(p.most,
                     p.least < -1 ? p.most : static_cast<double>(most_drawn(exercise, p.name)))));
      case Parameter::Kind::interval: {
        const double a = real(), b = below(8) == 0 ? a : real();
        return text(std::min(a, b)) + "," + text(std::max(a, b));
      }
      case Parameter::Kind::choice: return p.choices[below(p.choices.size())];
      case Parameter::Kind::path: break;
    }
    return "";
  }

 private:
  /// Edges of the range, small numbers, neighbours of powers of two, primes, or anything, small
  /// ones as likely as large ones.
  std::int64_t whole(const std::string& exercise, const Parameter& p) {
    const auto least = static_cast<std::int64_t>(p.least);
    const std::int64_t most =
        std::min(static_cast<std::int64_t>(p.most), most_drawn(exercise, p.name));
    static constexpr std::int64_t primes[]{2,   3,   5,   7,    13,   31,   61,
                                           127, 251, 509, 1021, 4093, 65521};
    std::int64_t x = 0;
    switch (below(6)) {
      case 0: x = below(2) == 0 ? least : most; break;
      case 1: x = static_cast<std::int64_t>(below(4)); break;
      case 2: x = (std::int64_t{1} << below(18)) + static_cast<std::int64_t>(below(3)) - 1; break;
      case 3: x = primes[below(std::size(primes))]; break;
      default:
        x = static_cast<std::int64_t>(std::exp(std::log(static_cast<double>(most)) * unit()));
    }
    if (least < 0 && below(2) == 0) x = -x;
    return std::clamp(x, least, most);
  }
  double real() {
    const double sign = below(2) == 0 ? 1 : -1;
    switch (below(8)) {
      case 0: return 0;
      case 1: return sign;
      case 2: return sign * 1e30;
      case 3: return sign * 1e-30;
      case 4: return sign * std::exp(140 * (unit() - 0.5));
      case 5: return sign * 5e-324;
      default: return sign * 10 * unit();
    }
  }
  static std::string text(double x) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return digits;
  }

  std::mt19937_64 bits_;
};

/// Runs one drawn case; the number of rows that were verified.
int run(const Exercise& exercise, const Specialization& instance, Draw& draw) {
  static constexpr std::int64_t seeds[]{0, 1, 12345, -1, std::int64_t{1} << 40};
  Parameters parameters(exercise.parameters, Size::tiny, runs_on_host(instance.space),
                        seeds[draw.below(std::size(seeds))]);
  const auto memory = [&] {
    return exercise.memory(parameters, static_cast<double>(instance.scalar_bytes)).space;
  };
  const double most = memory() + 32e6;
  std::string set;
  for (const auto& p : exercise.parameters) {
    if (p.role != Parameter::Role::own || p.kind == Parameter::Kind::path ||
        p.name == "input_slice" || draw.below(3) == 0)
      continue;
    const auto value = draw.value(exercise.name, p);
    set += (set.empty() ? " --set " : ",") + p.name + "=" + value;
    parameters.set(p.name, value);  // drawn within its range: never refused
  }
  INFO("parallax run " << exercise.name << " --verify-only --size tiny --space " << instance.space
                       << " --precision " << instance.precision << " --seed " << parameters.seed()
                       << set);
  int verified = 0;
  try {
    if (exercise.validate) exercise.validate(parameters);
    if (instance.refuse) instance.refuse(parameters);
    if (memory() > most) return 0;
    for (const auto& row : instance.plan(parameters).rows) {
      if (!row.unavailable.empty()) continue;
      const auto verdict = verify(row);
      INFO(row.variant << " " << row.phase << ": " << verdict.compared << ", error "
                       << verdict.error << ", tolerance " << verdict.tolerance);
      CHECK((verdict.passed || row.expected_to_fail));
      ++verified;
    }
  } catch (const UsageError& refusal) {
    CHECK(std::string(refusal.what()).find('\n') == std::string::npos);
  } catch (const std::exception& error) {
    FAIL_CHECK("neither verified nor refused: " << error.what());
  }
  return verified;
}

}  // namespace

TEST_CASE("random parameters are verified or refused, never wrong") {
  const char* const asked = std::getenv("PARALLAX_RANDOM_RUNS");
  const long runs = asked != nullptr ? std::atol(asked) : 400;
  REQUIRE(runs > 0);
  Draw draw(20'240'607);
  std::map<std::string, int> verified;
  for (long k = 0; k < runs; ++k) {
    const auto& exercise = exercises()[static_cast<std::size_t>(k) % exercises().size()];
    const auto& instance = exercise.specializations[draw.below(exercise.specializations.size())];
    verified[exercise.name] += run(exercise, instance, draw);
  }
  for (const auto& [exercise, rows] : verified) {
    INFO(exercise);
    CHECK((rows > 0 || runs < 200));
  }
}
