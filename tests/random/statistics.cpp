// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Statistics of the generators, with fixed seeds: these tests give the same answer on each run.
// Limits are such that a right generator with another seed would fail one test in some thousands.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "random/distributions.hpp"
#include "random/xoroshiro.hpp"

using namespace parallax;

namespace {

constexpr int draws = 200'000;

/// A source of numbers that should be uniform on [0, 1).
struct Source {
  std::string name;
  std::function<double(std::uint64_t)> draw;
};

std::vector<Source> sources() {
  auto stream = std::make_shared<random::Xoroshiro>();
  return {
      {"philox f64",
       [](std::uint64_t i) {
         return random::unit_f64(random::philox_block(1, i / 2).bits64(i % 2));
       }},
      {"philox f32",
       [](std::uint64_t i) {
         return random::unit_f32(random::philox_block(2, i / 4).word[i % 4]);
       }},
      {"philox, one number from each stream",
       [](std::uint64_t i) { return random::unit_f64(random::philox_block(3, 0, i).bits64(0)); }},
      {"philox, neighbouring seeds",
       [](std::uint64_t i) { return random::unit_f64(random::philox_block(i, 0).bits64(0)); }},
      {"xoroshiro",
       [stream](std::uint64_t i) {
         if (i == 0) *stream = {split_mix64(12345), split_mix64(12345)};
         return static_cast<double>(random::xoroshiro_f32(stream->next()));
       }},
      {"xoroshiro, one number from each stream", [stream](std::uint64_t i) {
         if (i == 0) *stream = {split_mix64(12345), split_mix64(12345)};
         // States of neighbouring threads, 2^64 steps apart: 2000 are enough, each drawn 100 times.
         if (i % 100 == 0) stream->jump();
         return static_cast<double>(random::xoroshiro_f32(stream->next()));
       }}};
}

std::vector<double> sample(const Source& source) {
  std::vector<double> x(draws);
  for (int i = 0; i < draws; ++i)
    x[static_cast<std::size_t>(i)] = source.draw(static_cast<std::uint64_t>(i));
  return x;
}

/// How many standard deviations the chi-square of counts lies above its mean.
double chi_square_excess(const std::vector<int>& counts, double total) {
  const double expected = total / static_cast<double>(counts.size());
  double chi2 = 0;
  for (const int c : counts) chi2 += (c - expected) * (c - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (chi2 - freedom) / std::sqrt(2 * freedom);
}

/// Kolmogorov's statistic sqrt(n) * sup |F_n - F|: over 2.2 once in 8000 samples.
double kolmogorov(std::vector<double> x, const std::function<double(double)>& cumulative) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cumulative(x[i]), k = static_cast<double>(i);
    most = std::max({most, f - k / n, (k + 1) / n - f});
  }
  return std::sqrt(n) * most;
}

double serial_correlation(const std::vector<double>& x, std::size_t lag, double mean,
                          double variance) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < x.size(); ++i) sum += (x[i] - mean) * (x[i + lag] - mean);
  return sum / variance /
         std::sqrt(static_cast<double>(x.size() - lag));  // standard normal, if independent
}

template <class Real>
std::vector<double> normals() {
  std::vector<double> x(draws);
  for (int i = 0; i < draws; ++i) {
    x[static_cast<std::size_t>(i)] = random::normal_at<Real>(78, static_cast<std::uint64_t>(i));
  }
  return x;
}

}  // namespace

TEST_CASE("uniform draws fill 1000 bins evenly (chi-square)") {
  for (const auto& source : sources()) {
    INFO(source.name);
    std::vector<int> counts(1000);
    for (const double u : sample(source))
      ++counts.at(static_cast<std::size_t>(std::min(999.0, u * 1000)));
    CHECK(std::abs(chi_square_excess(counts, draws)) < 4);
  }
}

TEST_CASE("pairs of uniform draws fill a square evenly (chi-square)") {
  for (const auto& source : sources()) {
    INFO(source.name);
    const auto x = sample(source);
    std::vector<int> counts(32 * 32);
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
      const auto a = static_cast<std::size_t>(std::min(31.0, x[i] * 32));
      const auto b = static_cast<std::size_t>(std::min(31.0, x[i + 1] * 32));
      ++counts.at(32 * a + b);
    }
    CHECK(std::abs(chi_square_excess(counts, draws / 2)) < 4);
  }
}

TEST_CASE("uniform draws follow their distribution (Kolmogorov-Smirnov)") {
  for (const auto& source : sources()) {
    INFO(source.name);
    CHECK(kolmogorov(sample(source), [](double u) { return u; }) < 2.2);
  }
}

TEST_CASE("uniform draws are not correlated with those before") {
  for (const auto& source : sources()) {
    INFO(source.name);
    const auto x = sample(source);
    for (const std::size_t lag : {1, 2, 3, 4, 16, 100, 1024}) {
      INFO("lag " << lag);
      CHECK(std::abs(serial_correlation(x, lag, 0.5, 1.0 / 12)) < 4);
    }
  }
}

TEST_CASE("normal draws follow their distribution and are not correlated") {
  const auto cumulative = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  for (const auto& x : {normals<double>(), normals<float>()}) {
    CHECK(kolmogorov(x, cumulative) < 2.2);
    for (const std::size_t lag : {1, 2, 3, 4, 64})
      CHECK(std::abs(serial_correlation(x, lag, 0, 1)) < 4);
    double fourth = 0;
    for (const double z : x) fourth += z * z * z * z;
    CHECK(std::abs(fourth / draws - 3) < 4 * std::sqrt(96.0 / draws));  // the variance of z^4 is 96
  }
}

TEST_CASE("the statistics see bad generators") {
  const Source counter{
      "a counter", [](std::uint64_t i) { return static_cast<double>(i % 1000) / 1000 + 0.0005; }};
  CHECK(std::abs(chi_square_excess(std::vector<int>(1000, draws / 1000), draws)) > 4);  // too even
  CHECK(std::abs(serial_correlation(sample(counter), 1, 0.5, 1.0 / 12)) > 4);
  const Source squared{"squares", [](std::uint64_t i) {
                         const double u = random::unit_f64(random::philox_block(1, i).bits64(0));
                         return u * u;
                       }};
  CHECK(kolmogorov(sample(squared), [](double u) { return u; }) > 2.2);
}

TEST_CASE("ranges are as documented: 0 and 1, low and high") {
  CHECK(random::unit_f64(0) == 0);
  CHECK(random::unit_f64(~0ull) == 1 - 0x1p-53);
  CHECK(random::unit_f32(0) == 0);
  CHECK(random::unit_f32(~0u) == 1 - 0x1p-24f);
  CHECK(random::unit_positive_f64(0) == 0x1p-53);
  CHECK(random::unit_positive_f64(~0ull) == 1);
  CHECK(random::unit_positive_f32(0) == 0x1p-24f);
  CHECK(random::unit_positive_f32(~0u) == 1);
  CHECK(random::xoroshiro_f32(0) == 0);
  CHECK(random::xoroshiro_f32(~0ull) == 1);  // rounded up, as documented
  const random::Uniform<double> f64(5, 10);
  CHECK(f64(0) == 5);
  CHECK(f64(~0ull) < 10);
  const random::Uniform<float> f32(5, 10);
  CHECK(f32(0) == 5);
  CHECK(f32(~0u) < 10);
}

TEST_CASE("normals are finite at the ends of the generator's range") {
  for (const std::uint64_t radius : {std::uint64_t{0}, ~std::uint64_t{0}})
    for (const std::uint64_t angle :
         {std::uint64_t{0}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
      const auto p = random::normal_pair_f64(radius, angle);
      CHECK(std::isfinite(p.first));
      CHECK(std::isfinite(p.second));
      CHECK(std::hypot(p.first, p.second) < 8.58);
      const auto q = random::normal_pair_f32(static_cast<std::uint32_t>(radius),
                                             static_cast<std::uint32_t>(angle >> 32));
      CHECK(std::isfinite(q.first));
      CHECK(std::isfinite(q.second));
      CHECK(std::hypot(q.first, q.second) < 5.78f);
    }
}
