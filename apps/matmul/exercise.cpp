// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "matmul/lesson.hpp"

#include <algorithm>
#include <memory>

#include "exercise/api.hpp"
#include "matmul/summa.hpp"
#include "matmul/tuned.hpp"
#include "matmul/tuned_register_tiled.hpp"
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
#include "matmul/library.hpp"
#endif

namespace parallax {
namespace {

/// Element i, counted along the rows, of an input: uniform on [-1, 1), whole numbers from -4 to 4,
/// or one number everywhere.
template <class T>
struct Input {
  enum class Kind { uniform, integer, constant } kind;
  std::int64_t seed;
  T everywhere;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    if (kind == Kind::constant) return everywhere;
    const T u = data::uniform_at<T>(seed, i);
    return kind == Kind::uniform ? 2 * u - 1 : static_cast<T>(static_cast<int>(9 * u) - 4);
  }
};

/// Which block of a matrix a rank has; one rank has all of it.
struct Block {
  Share rows, columns;
  /// Of the block's element (i, j), counted along the rows of the whole matrix.
  KOKKOS_FUNCTION std::int64_t index(std::int64_t i, std::int64_t j) const {
    return (rows.begin + i) * columns.total + columns.begin + j;
  }
  [[nodiscard]] double size() const {
    return static_cast<double>(rows.count) * static_cast<double>(columns.count);
  }
};

/// The blocks of one rank.
struct Blocks {
  Block a, b, c;
  explicit Blocks(const Parameters& p) {
    const Grid grid(p.division());
    const auto k = p.integer("k");
    c = {p.share("m"), p.share("n")};
    a = {c.rows, Division{grid.column, grid.columns}.of(k)};
    b = {Division{grid.row, grid.rows}.of(k), c.columns};
  }
};

/// Sets every element of a matrix of any layout.
template <class Space, class Matrix, class T>
void fill(const Space& space, const Matrix& x, const Block& block, const Input<T>& input) {
  const auto columns = static_cast<std::int64_t>(x.extent(1));
  Kokkos::parallel_for(
      "parallax::matmul::fill",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(x.size())),
      KOKKOS_LAMBDA(std::int64_t i) {
        x(i / columns, i % columns) = input(block.index(i / columns, i % columns));
      });
}

/// Judges a block of C = A B. Small products are computed again, element by element. For large ones
/// that would take minutes: there Freivalds' check compares C x with A (B x) for random x, which
/// sees any wrong element of C, and a thousand elements are computed again.
///
/// How far off a right C may be, u being half of T's eps:
///  - Whole numbers up to 4 (and threes times fours): no sum of k products exceeds 16 k. Where T
///    holds all whole numbers up to there (in float: k up to a million), every order of summation
///    is exact, and so is the check. Freivalds' sums would lose digits in any real type; they are
///    taken modulo 2^64, where products and sums are exact whatever their size.
///  - Beyond that every addition rounds by at most u 16 k: u 16 k^2 an element.
///  - Uniform numbers: partial sums of j products grow as sqrt(j) / 3, and their roundings, of
///  random
///    sign, add up to 0.14 u k (root mean square). 2 u k is allowed.
/// Freivalds' sums of uniform numbers: C's own errors add up to 0.1 u k sqrt(n), and 2 u k
/// sqrt(n) is allowed. The check's roundings in double (u' = half of double's eps) come on top:
/// the n terms of a row of B x have 0.18 u' n, which are added up k times with random
/// signs, and C x has as large ones, 0.1 u' n sqrt(k) each; the k terms of A (B x) have 0.1 u' k
/// sqrt(n). For n much larger than k they outweigh C's own. 2 u' (n sqrt(k) + k sqrt(n)) is allowed
/// for them.
template <class T>
class Reference {
 public:
  Reference(const Input<T>& a, const Input<T>& b, const Block& c, std::int64_t k, double eps)
      : a_(a), b_(b), c_(c), m_(c.rows.count), n_(c.columns.count), k_(k), eps_(eps) {}

  template <class C>
  Verdict check(const C& c) const {
    const auto h = data::on_host(c);
    const bool small =
        static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_) <= 2e7;
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
    if (c_.rows.total > 0 && c_.columns.total > 0) {
      verdict.result.emplace_back("first", at(0, 0));
      verdict.result.emplace_back("last", at(c_.rows.total - 1, c_.columns.total - 1));
    }
    return verdict;
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

  template <class H>
  Verdict every_element(const H& h) const {
    return check::elements(
        "every element with a serial product", m_ * n_,
        [&](std::int64_t e) { return h(e / n_, e % n_); },
        [&](std::int64_t e) { return c(e / n_, e % n_); }, tolerance());
  }
  template <class H>
  Verdict some_elements(const H& h) const {
    const std::int64_t count = std::min<std::int64_t>(1009, m_ * n_), step = m_ * n_ / count;
    return check::elements(
        "a thousand elements with serial products", count,
        [&](std::int64_t e) { return h(e * step / n_, e * step % n_); },
        [&](std::int64_t e) { return c(e * step / n_, e * step % n_); }, tolerance());
  }
  template <class H>
  Verdict freivalds(const H& h) const {
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
  template <class H>
  Verdict freivalds_modulo(const H& h) const {
    auto bounded = check::elements(
        "whole numbers within the bound of a sum", m_ * n_,
        [&](std::int64_t e) { return h(e / n_, e % n_); },
        [&](std::int64_t e) {
          const double value = static_cast<double>(h(e / n_, e % n_));
          return std::abs(value) <= most() ? std::trunc(value) : std::nan("");
        },
        0.0);
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
  double eps_;
};

struct Matmul {
  template <class Space, class T>
  static void refuse(const Parameters& parameters) {
    const auto tile = static_cast<int>(parameters.integer("tile"));
    const auto limit = static_cast<std::size_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(0));
    const std::size_t needed = kernels::matmul_swizzled_scratch_bytes<T>(tile, true);
    if (needed + 16 > limit)
      throw UsageError("matmul: tile=" + std::to_string(tile) + " needs " + std::to_string(needed) +
                       " bytes of scratch memory, and a team in space " + space_name<Space>() +
                       " has " + std::to_string(limit));
  }

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    using Default = typename Space::array_layout;
    using Other = std::conditional_t<std::is_same_v<Default, Kokkos::LayoutLeft>,
                                     Kokkos::LayoutRight, Kokkos::LayoutLeft>;
    const std::string& layout = parameters.text("layout");
    constexpr bool left = std::is_same_v<Default, Kokkos::LayoutLeft>;
    const bool other = layout == (left ? "right" : "left");
    return other ? rows<T, Other>(space, parameters) : rows<T, Default>(space, parameters);
  }

  template <class T, class Layout, class Space>
  static Plan rows(const Space& space, const Parameters& parameters) {
    using Matrix = Kokkos::View<T**, Layout, typename Space::memory_space>;
    const auto k = parameters.integer("k");
    const Blocks blocks(parameters);
    const auto matrix = [&](const char* label, const Block& block) {
      return data::allocate_matrix<Matrix>(space, label, block.rows.count, block.columns.count);
    };
    const Matrix a = matrix("a", blocks.a), b = matrix("b", blocks.b), c = matrix("c", blocks.c);
    using Kind = typename Input<T>::Kind;
    const std::string& input = parameters.text("input");
    const Kind kind = input == "uniform"    ? Kind::uniform
                      : input == "integers" ? Kind::integer
                                            : Kind::constant;
    const Input<T> a_at{kind, parameters.seed(), T(3)},
        b_at{kind, data::next_seed(parameters.seed()), T(4)};
    fill(space, a, blocks.a, a_at);
    fill(space, b, blocks.b, b_at);
    data::input(a);
    data::input(b);

    const Reference<T> reference(a_at, b_at, blocks.c, k,
                                 static_cast<double>(std::numeric_limits<T>::epsilon()));
    Work work{.bytes = sizeof(T) * (blocks.a.size() + blocks.b.size() + blocks.c.size()),
              .flops = 2 * blocks.c.size() * static_cast<double>(k),
              .items = blocks.c.size()};
    // A typical product of two elements: each element of C has k.
    const auto judge_of = [&](const auto& where, const auto& found) -> Judge {
      return {{data::output(where, "c", found, 0.25)}, [=] { return reference.check(found); }};
    };
    Judge judge = judge_of(space, c);
    std::shared_ptr<const Summa<Space, Matrix>> summa;
    Matrix product;
    if (const auto& division = parameters.division(); division.ranks > 1) {
      summa = std::make_shared<Summa<Space, Matrix>>(space, Grid(division), k, a, b, c);
      product = matrix("product", blocks.c);
      work.messages = summa->messages();
      summa->add_outputs(judge.outputs);
    }
    // Of this rank's matrices on one rank, else of panels: all but the first are added to C.
    const auto run_of = [=](const auto& multiply) -> std::function<void()> {
      if (!summa) return [=] { multiply(a, b, c, false); };
      return [=] { (*summa)(multiply); };
    };
    // The same for kernels that cannot add.
    const auto run_and_add = [=](const auto& kernel) {
      return run_of([=](const Matrix& x, const Matrix& y, const Matrix& z, bool add) {
        kernel(x, y, add ? product : z);
        if (add) add_matrix(space, product, z);
      });
    };
    const int team = team_size<Space>(parameters, kernels::matmul::tile * kernels::matmul::tile);
    const auto tile = static_cast<int>(parameters.integer("tile"));
    using RegisterTile = kernels::matmul::RegisterTile<kernels::is_host_space<Space>, T>;
    const auto tiled = run_and_add([=](const Matrix& x, const Matrix& y, const Matrix& z) {
      kernels::matmul_tiled(space, team, x, y, z);
    });
    const auto register_tiled =
        run_of([=](const Matrix& x, const Matrix& y, const Matrix& z, bool add) {
          if (add)
            kernels::matmul_register_tiled<void, true>(space, x, y, z);
          else
            kernels::matmul_register_tiled(space, x, y, z);
        });
    Plan plan;
    plan.rows = {
        {"naive", "kernel", work, judge,
         run_and_add([=](const Matrix& x, const Matrix& y, const Matrix& z) {
           kernels::matmul_naive(space, x, y, z);
         })},
        with_teams(team, {"tiled", "kernel", work, judge, tiled}),
        with_teams(team, {"team_scratch", "kernel", work, judge,
                          run_and_add([=](const Matrix& x, const Matrix& y, const Matrix& z) {
                            kernels::matmul_team_scratch(space, team, x, y, z);
                          })}),
        with_teams(kernels::matmul_swizzled_team<Space>(tile),
                   {"tiled_swizzled", "kernel", work, judge,
                    run_and_add([=](const Matrix& x, const Matrix& y, const Matrix& z) {
                      kernels::matmul_tiled_swizzled(space, x, y, z, tile);
                    })}),
        with_teams(RegisterTile::team_size,
                   {"register_tiled", "kernel", work, judge, register_tiled}),
        {"kokkos_kernels", "kernel", work, judge},
    };
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
    plan.rows.back().run = run_of([=](const Matrix& x, const Matrix& y, const Matrix& z, bool add) {
      kernels::matmul_library(space, x, y, z, add);
    });
#else
    plan.rows.back().unavailable = "built without Kokkos Kernels";
#endif
    const data::RoundTrip<Space> trip(space);
    for (const auto& factor : {a, b}) trip.in(factor);
    const auto host_c = trip.out(c);
    const double size_of_c = sizeof(T) * blocks.c.size();
    Judge of_copy = judge_of(Kokkos::DefaultHostExecutionSpace(), host_c);
    if (summa) summa->add_outputs(of_copy.outputs);
    add_end_to_end(plan, {work.bytes - size_of_c, size_of_c}, work, alike(judge, of_copy),
                   {{"tiled", trip.plain(tiled)}, {"register_tiled", trip.staged(register_tiled)}});
    return plan;
  }
};

constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;  // what BLAS libraries can count
const Registration<Matmul, float, double> registration{
    {.name = "matmul",
     .summary = "C = A B, A of m x k and B of k x n",
     .teaches = "reuse: tiles in scratch, tiles in registers, and what a library adds",
     .parameters =
         {count("m", "rows of A and C",
                {.tiny = 67, .course = 4096, .large = 8192, .course_host = 512}, 1, most),
          count("n", "columns of B and C",
                {.tiny = 45, .course = 4096, .large = 8192, .course_host = 512}, 1, most),
          count("k", "columns of A, rows of B",
                {.tiny = 129, .course = 4096, .large = 8192, .course_host = 512}, 1, most),
          integer("tile", "width of the tiles of variant tiled_swizzled", 16, 1, 1024),
          choice("layout",
                 "default: the space's own; left: columns contiguous; right: rows contiguous",
                 {"default", "left", "right"}),
          choice("input",
                 "uniform: on [-1,1); integers: -4..4, exact; constants: threes times fours",
                 {"uniform", "integers", "constants"})},
     .variants = {{"naive", "an element of C for each index, all from memory or caches"},
                  {"tiled", "tiles of A and B in scratch, a thread for each element", Tier::lesson,
                   true},
                  {"team_scratch", "the same tiles, shared by a team of any size", Tier::lesson,
                   true},
                  Variant{.name = "tiled_swizzled",
                          .summary = "tiles arranged so that loads from scratch are shared",
                          .tier = Tier::tuned,
                          .tunes = {{"tile", {8, 16, 32}}}},
                  {"register_tiled", "tiles in scratch, smaller ones in registers", Tier::tuned},
                  {"kokkos_kernels", "gemm: cuBLAS, rocBLAS or a BLAS where built with one",
                   Tier::library}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double m = static_cast<double>(p.integer("m")),
                        n = static_cast<double>(p.integer("n"));
           const double k = static_cast<double>(p.integer("k"));
           const Blocks blocks(p);
           const double matrices =
               scalar_bytes * (blocks.a.size() + blocks.b.size() + blocks.c.size());
           // Two panels of each factor, and a product that is added.
           const bool several = p.division().ranks > 1;
           const double panels =
               several ? 2 * scalar_bytes * (m + n) * std::min<double>(k, panel_width) : 0;
           return Memory{.space = matrices + panels + (several ? scalar_bytes * m * n : 0),
                         .host = matrices + scalar_bytes * m * n + 8 * (m * 2 + k),
                         .staging = kernels::staging_bytes};
         },
     .divide =
         [](Parameters& p) {
           const auto& division = p.division();
           const Grid grid(division);
           p.take("m", Division{grid.row, grid.rows, division.weak}.of(p.integer("m")));
           p.take("n", Division{grid.column, grid.columns, division.weak}.of(p.integer("n")));
         }}};

}  // namespace
}  // namespace parallax
