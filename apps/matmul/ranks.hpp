// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul on several ranks: SUMMA (van de Geijn and Watts, 1997). The ranks are a grid of P rows and
// Q columns, and each has a block of A, of B and of C. The inner dimension is cut into panels. For
// each, those ranks that have its columns of A send them along their row of the grid, those that
// have its rows of B send them along their column, and all add the product of the two to their C.
//
// What is sent: of an n x n matrix a rank receives n^2 / P elements of A and n^2 / Q of B, less
// what it has itself: with R = P Q ranks about 2 n^2 / sqrt(R), for 2 n^3 / R operations.
//
// While a device multiplies one panel the host brings the next. A host space multiplies on the very
// cores that send: there nothing overlaps.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::matmul {

/// The ranks, row by row: as square as their number allows, and never higher than wide.
struct Grid {
  int rows = 1, columns = 1, row = 0, column = 0;

  explicit Grid(const Division& division) {
    for (int p = 1; p * p <= division.ranks; ++p)
      if (division.ranks % p == 0) rows = p;
    columns = division.ranks / rows;
    row = division.rank / columns;
    column = division.rank % columns;
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

/// A stretch of the inner dimension, at most `panel_width` wide, and who has it.
struct Panel {
  std::int64_t begin = 0, width = 0;
  int of_a = 0;  ///< the column of the grid whose ranks have these columns of A
  int of_b = 0;  ///< the row of the grid whose ranks have these rows of B
};

/// Wide enough for a kernel to be fast and for links to carry much at once, and narrow: the first
/// panel is waited for.
inline constexpr std::int64_t panel_width = 512;

inline std::vector<Panel> panels_of(std::int64_t depth, const Grid& grid) {
  // Who of `parts` has element l, and where its part ends.
  const auto holder = [&](int parts, std::int64_t l) {
    int part = 0;
    const auto end = [&] {
      const Share share = Division{part, parts}.of(depth);
      return share.begin + share.count;
    };
    while (end() <= l) ++part;
    return std::pair(part, end());
  };
  std::vector<Panel> panels;
  for (std::int64_t l = 0; l < depth; l += panels.back().width) {
    const auto [of_a, end_a] = holder(grid.columns, l);
    const auto [of_b, end_b] = holder(grid.rows, l);
    panels.push_back({l, std::min({panel_width, end_a - l, end_b - l}), of_a, of_b});
  }
  return panels;
}

/// to += x, of two whole matrices of one layout.
template <class Space, class Matrix>
void add_matrix(const Space& space, const Matrix& x, const Matrix& to) {
  const auto* const from = x.data();
  auto* const sums = to.data();
  Kokkos::parallel_for(
      "parallax::matmul::add",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(to.size())),
      KOKKOS_LAMBDA(std::int64_t i) { sums[i] += from[i]; });
}

/// A or B on this rank: its own block, and room for two panels: one is multiplied while
/// the other is under way.
template <class Space, class Matrix>
class Factor {
 public:
  using T = typename Matrix::non_const_value_type;

  /// `extent` belongs to all panels across the inner dimension, and `own` is this block's part
  /// of it. `peers` share the panels, and this rank is `me` of them.
  Factor(const Space& space, const char* label, const Matrix& block, std::int64_t extent,
         const Share& own, bindings::Group peers, int me)
      : block_(block), extent_(extent), begin_(own.begin), peers_(peers), me_(me) {
    for (auto& room : rooms_)
      room = data::allocate<T>(space, label, extent * std::min(panel_width, own.total));
  }

  /// Panel k with columns of A, or rows of B.
  [[nodiscard]] Matrix columns(std::size_t k, std::int64_t width) const {
    return Matrix(rooms_[k % 2].data(), extent_, width);
  }
  [[nodiscard]] Matrix rows(std::size_t k, std::int64_t width) const {
    return Matrix(rooms_[k % 2].data(), width, extent_);
  }
  /// This rank's stretch of them.
  [[nodiscard]] auto own_columns(const Panel& panel) const {
    return Kokkos::subview(block_, Kokkos::ALL, stretch(panel));
  }
  [[nodiscard]] auto own_rows(const Panel& panel) const {
    return Kokkos::subview(block_, stretch(panel), Kokkos::ALL);
  }

  /// Panel k, which `root` has, goes to its peers.
  void bring(std::size_t k, std::int64_t width, int root) const {
    if (peers_.size == 1) return;
    transport::of(space_name<Space>())
        .broadcast(rooms_[k % 2].data(), static_cast<std::size_t>(extent_ * width) * sizeof(T),
                   root, peers_, {});
  }

  /// Bytes that this rank receives of a panel.
  [[nodiscard]] double received(std::int64_t width, int root) const {
    return root == me_ ? 0 : static_cast<double>(extent_ * width) * sizeof(T);
  }
  /// Poisoned before a run that is judged: what is not sent must not be there from the last run.
  void add_outputs(const Space& space, std::vector<Output>& outputs) const {
    for (const auto& room : rooms_) outputs.push_back(data::output(space, "panel", room));
  }

 private:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> stretch(const Panel& panel) const {
    return {panel.begin - begin_, panel.begin - begin_ + panel.width};
  }

  Matrix block_;
  std::int64_t extent_, begin_;
  bindings::Group peers_;
  int me_;
  data::Array<Space, T> rooms_[2];
};

template <class Space, class Matrix>
class Summa {
 public:
  /// a, b and c are this rank's blocks. Called by all ranks, as is what follows.
  Summa(const Space& space, const Grid& grid, std::int64_t depth, const Matrix& a, const Matrix& b,
        const Matrix& c)
      : space_(space),
        grid_(grid),
        panels_(panels_of(depth, grid)),
        a_(space, "panel of a", a, static_cast<std::int64_t>(a.extent(0)),
           Division{grid.column, grid.columns}.of(depth),
           {grid.row * grid.columns, 1, grid.columns}, grid.column),
        b_(space, "panel of b", b, static_cast<std::int64_t>(b.extent(1)),
           Division{grid.row, grid.rows}.of(depth), {grid.column, grid.columns, grid.rows},
           grid.row),
        c_(c) {}

  /// C = A B by `product`(x, y, C, add), which launches C = x y, or C += x y.
  template <class Product>
  void operator()(const Product& product) const {
    take_own(0);
    space_.fence("parallax::matmul: the first panel is packed");
    bring(0);
    for (std::size_t k = 0; k < panels_.size(); ++k) {
      const bool more = k + 1 < panels_.size();
      if (more) take_own(k + 1);
      space_.fence("parallax::matmul: the last panel is multiplied, the next one is packed");
      const auto width = panels_[k].width;
      product(a_.columns(k, width), b_.rows(k, width), c_, k > 0);
      if (more) bring(k + 1);
    }
  }

  /// Of each panel that comes from elsewhere: no broadcast takes less than one message.
  [[nodiscard]] std::vector<Message> messages() const {
    std::vector<Message> all;
    for (const auto& panel : panels_)
      for (const double bytes :
           {a_.received(panel.width, panel.of_a), b_.received(panel.width, panel.of_b)})
        if (bytes > 0) all.push_back({bytes, Message::Pattern::broadcast});
    return all;
  }
  void add_outputs(std::vector<Output>& outputs) const {
    a_.add_outputs(space_, outputs);
    b_.add_outputs(space_, outputs);
  }

 private:
  /// What this rank has of a panel, element by element side by side.
  void take_own(std::size_t k) const {
    const Panel& panel = panels_[k];
    if (panel.of_a == grid_.column)
      Kokkos::deep_copy(space_, a_.columns(k, panel.width), a_.own_columns(panel));
    if (panel.of_b == grid_.row)
      Kokkos::deep_copy(space_, b_.rows(k, panel.width), b_.own_rows(panel));
  }
  void bring(std::size_t k) const {
    a_.bring(k, panels_[k].width, panels_[k].of_a);
    b_.bring(k, panels_[k].width, panels_[k].of_b);
  }

  Space space_;
  Grid grid_;
  std::vector<Panel> panels_;
  Factor<Space, Matrix> a_, b_;
  Matrix c_;
};

}  // namespace parallax::matmul
