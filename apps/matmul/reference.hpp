// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul: the inputs, and the judge of a product.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "exercise/api.hpp"
#include "matmul/ranks.hpp"

namespace parallax::matmul {

/// Element i, counted along the rows, of an input: uniform on [-1, 1), whole numbers from -4 to 4,
/// or one number everywhere.
template <class T>
struct Input {
  enum class Kind { uniform, integer, constant } kind;
  std::int64_t seed;
  T everywhere;

  Input(const std::string& name, std::int64_t s, T constant)
      : kind(name == "uniform"    ? Kind::uniform
             : name == "integers" ? Kind::integer
                                  : Kind::constant),
        seed(s),
        everywhere(constant) {}
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    if (kind == Kind::constant) return everywhere;
    const T u = data::uniform_at<T>(seed, i);
    return kind == Kind::uniform ? 2 * u - 1 : static_cast<T>(static_cast<int>(9 * u) - 4);
  }
};

/// Whether a product is computed again for its check, element by element.
inline bool is_small(double m, double n, double k) { return m * n * k <= 2e7; }

/// The check of C = A B. Small products are computed again, element by element. For large ones
/// that would take minutes: there Freivalds' check compares C x with A (B x) for random x, which
/// sees any wrong element of C, and a thousand elements are computed again.
///
/// How far off a right C may be, u being half of T's eps:
///  - Whole numbers up to 4 (and threes times fours): no sum of k products exceeds 16 k. Where T
///    holds all whole numbers up to there (in float: k up to a million), every order of summation
///    is exact, and so is the check. Freivalds' sums would lose digits in any real type; they are
///    taken modulo 2^64, where products and sums are exact whatever their size.
///  - Beyond that every addition rounds by at most u 16 k: u 16 k^2 an element.
///  - Uniform numbers: partial sums of j products grow as sqrt(j) / 3, and their roundings, with
///    random signs, add up to 0.14 u k (root mean square). 2 u k is allowed.
/// Freivalds' sums of uniform numbers: C's own errors add up to 0.1 u k sqrt(n), and 2 u k
/// sqrt(n) is allowed. The check's roundings in double (u' = half of double's eps) come on top:
/// the n terms of a row of B x have 0.18 u' n, which are added up k times with random
/// signs, and C x has as large ones, 0.1 u' n sqrt(k) each; the k terms of A (B x) have 0.1 u' k
/// sqrt(n). For n much larger than k they outweigh C's own. 2 u' (n sqrt(k) + k sqrt(n)) is allowed
/// for them.
template <class T>
class Reference {
 public:
  using Found = Kokkos::View<const T**, Kokkos::LayoutStride, Kokkos::HostSpace>;

  Reference(const Input<T>& a, const Input<T>& b, const Block& c, std::int64_t k)
      : a_(a), b_(b), c_(c), m_(c.rows.count), n_(c.columns.count), k_(k) {}

  /// Judges this rank's block of C, in host memory and in any layout: compiled once for all.
  Verdict operator()(const Found& h) const {
    const bool small =
        is_small(static_cast<double>(m_), static_cast<double>(n_), static_cast<double>(k_));
    auto verdict = small ? every_element(h) : check::both(freivalds(h), some_elements(h));
    const double sum =
        check::sum(m_ * n_, [&](std::int64_t e) { return static_cast<double>(h(e / n_, e % n_)); });
    const auto at = [&](std::int64_t i, std::int64_t j) {  // of all of C
      i -= c_.rows.begin;
      j -= c_.columns.begin;
      const bool here = i >= 0 && i < m_ && j >= 0 && j < n_;
      return ranks::total(here ? static_cast<double>(h(i, j)) : 0);
    };
    verdict.result = {{"sum", ranks::total(sum)}};
    if (c_.rows.total == 0 || c_.columns.total == 0) return verdict;
    return std::move(verdict).with(
        {{"first", at(0, 0)}, {"last", at(c_.rows.total - 1, c_.columns.total - 1)}});
  }

 private:
  double a(std::int64_t i, std::int64_t l) const {
    return static_cast<double>(a_((c_.rows.begin + i) * k_ + l));
  }
  double b(std::int64_t l, std::int64_t j) const {
    return static_cast<double>(b_(l * c_.columns.total + c_.columns.begin + j));
  }
  double c(std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t l = 0; l < k_; ++l) sum += a(i, l) * b(l, j);
    return sum;
  }
  bool whole() const { return a_.kind != Input<T>::Kind::uniform; }
  double most() const { return 16 * std::max<double>(1, static_cast<double>(k_)); }
  bool exact() const { return whole() && most() * eps_ <= 2; }
  double tolerance() const {
    const double k = std::max<double>(1, static_cast<double>(k_));
    if (exact()) return 0;
    return eps_ * k * (whole() ? most() : 1);
  }

  Verdict every_element(const Found& h) const {
    return check::each(
        "every element with a serial product", h, [&](std::int64_t e) { return c(e / n_, e % n_); },
        tolerance());
  }
  Verdict some_elements(const Found& h) const {
    const std::int64_t count = std::min<std::int64_t>(1009, m_ * n_), step = m_ * n_ / count;
    return check::elements(
        "a thousand elements with serial products", count,
        [&](std::int64_t e) { return h(e * step / n_, e * step % n_); },
        [&](std::int64_t e) { return c(e * step / n_, e * step % n_); }, tolerance());
  }
  Verdict freivalds(const Found& h) const {
    if (exact()) return freivalds_modulo(h);
    const double n = static_cast<double>(n_), k = static_cast<double>(k_);
    // Errors of whole numbers are bounded one by one, and may all have one sign.
    const double allowed =
        whole() ? tolerance() * n
                : tolerance() * std::sqrt(n) + std::numeric_limits<double>::epsilon() *
                                                   (n * std::sqrt(k) + k * std::sqrt(n));
    return freivalds<double>(
        [](double u) { return u < 0.5 ? u - 1 : u; },  // 0.5 at least, of either sign
        [&](std::int64_t i, std::int64_t j) { return static_cast<double>(h(i, j)); }, allowed);
  }
  /// C x and A (B x) modulo 2^64. x is odd, so that no single wrong element can vanish.
  Verdict freivalds_modulo(const Found& h) const {
    auto bounded = check::each("whole numbers within the bound of a sum", h, [&](std::int64_t e) {
      const double value = static_cast<double>(h(e / n_, e % n_));
      return std::abs(value) <= most() ? std::trunc(value) : std::nan("");
    });
    if (!bounded.passed) return bounded;
    return freivalds<std::uint64_t>(
        [](double u) { return static_cast<std::uint64_t>(u * 0x1p53) | 1; },
        [&](std::int64_t i, std::int64_t j) { return modulo(static_cast<double>(h(i, j))); }, 0);
  }
  static std::uint64_t modulo(double whole) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  }
  /// An input's element as a number of the sums' type.
  template <class Sum>
  static Sum as(double x) {
    if constexpr (std::is_same_v<Sum, double>)
      return x;
    else
      return modulo(x);
  }

  template <class Sum, class X, class C>
  Verdict freivalds(const X& x_of, const C& c_at, double allowed) const {
    Verdict all{true, "", 0, 0, {}};
    std::vector<Sum> x(static_cast<std::size_t>(n_)), bx(static_cast<std::size_t>(k_)),
        off(static_cast<std::size_t>(m_));
    for (int round = 0; round < 2; ++round) {
      for (std::int64_t j = 0; j < n_; ++j)
        x[static_cast<std::size_t>(j)] = x_of(data::uniform_at<double>(-1 - round, j));
      check::on_all_cores(k_, [&](std::int64_t l) {
        Sum sum = 0;
        for (std::int64_t j = 0; j < n_; ++j)
          sum += as<Sum>(b(l, j)) * x[static_cast<std::size_t>(j)];
        bx[static_cast<std::size_t>(l)] = sum;
      });
      check::on_all_cores(m_, [&](std::int64_t i) {
        Sum abx = 0, cx = 0;
        for (std::int64_t l = 0; l < k_; ++l)
          abx += as<Sum>(a(i, l)) * bx[static_cast<std::size_t>(l)];
        for (std::int64_t j = 0; j < n_; ++j) cx += c_at(i, j) * x[static_cast<std::size_t>(j)];
        off[static_cast<std::size_t>(i)] = cx - abx;
      });
      auto verdict = check::elements(
          "C x with A (B x) for random x", m_,
          [&](std::int64_t i) { return off[static_cast<std::size_t>(i)]; },
          [](std::int64_t) { return 0.0; }, allowed);
      all = round == 0 ? verdict : check::both(all, verdict);
    }
    return all;
  }

  Input<T> a_, b_;
  Block c_;
  std::int64_t m_, n_, k_;
  static constexpr double eps_ = std::numeric_limits<T>::epsilon();
};

}  // namespace parallax::matmul
