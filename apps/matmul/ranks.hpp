// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul on several ranks. They are a grid of P rows and Q columns, and each has a block of A, of
// B and of C. Which grid, and so which algorithm, a model decides (Grid).
//
// Gather, for few ranks: the grid is one row. Each rank has columns of C and of B and needs all of
// A: it multiplies what it has of it, its own columns, while another rank's columns arrive, then
// these while the next ones do. Of an n x n matrix a rank receives n^2 (R - 1) / R elements.
//
// SUMMA (van de Geijn and Watts, 1997), for many: the inner dimension is cut into panels. For
// each, those ranks that have its columns of A send them along their row of the grid, those that
// have its rows of B send them along their column, and all add the product of the two to their C.
// A rank receives n^2 / P elements of A and n^2 / Q of B, less what it has itself: about
// 2 n^2 / sqrt(R). The first panel is waited for.
//
// While a device multiplies one panel the next arrives. A host space multiplies on the very cores
// that send: there nothing overlaps.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::matmul {

/// The ranks, row by row. One row where links bring a part of A in less time than a rank
/// multiplies one: a rank with w of R w columns of C does 2 m k w operations, and receives m k
/// (R - 1) / R elements, so from w R > (R - 1) s F / 2 B on, with F operations and B bytes a second
/// and s bytes an element. s F / 2 B is 330 for an H100 with NVLink in f32, 400 for a CPU of 1
/// TFLOP/s with 10 GB/s in f64. Else as square as their number allows, and never higher than wide.
struct Grid {
  static constexpr std::int64_t least_columns = 512;
  int rows = 1, columns = 1, row = 0, column = 0;

  /// `width`: the columns of C in a grid of one row.
  Grid(const Division& division, std::int64_t width) {
    if (width < least_columns * (division.ranks - 1))
      for (int p = 1; p * p <= division.ranks; ++p)
        if (division.ranks % p == 0) rows = p;
    columns = division.ranks / rows;
    row = division.rank / columns;
    column = division.rank % columns;
  }
  /// Of parameters that are divided.
  explicit Grid(const Parameters& p) : Grid(p.division(), p.share("n").total) {}
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
    const Grid grid(p);
    const auto k = p.integer("k");
    c = {p.share("m"), p.share("n")};
    a = {c.rows, Division{grid.column, grid.columns}.of(k)};
    b = {Division{grid.row, grid.rows}.of(k), c.columns};
  }
};

/// A stretch of the inner dimension, and who has it.
struct Panel {
  std::int64_t begin = 0, width = 0;
  int of_a = 0;  ///< the column of the grid whose ranks have these columns of A
  int of_b = 0;  ///< the row of the grid whose ranks have these rows of B
};

/// Wide enough for a kernel to be fast and for links to carry much at once, and narrow: the first
/// panel is waited for.
inline constexpr std::int64_t widest_panel = 1024;
template <class Space>
inline constexpr std::int64_t panel_width = kernels::is_host_space<Space> ? 512 : widest_panel;

inline std::vector<Panel> panels_of(std::int64_t depth, const Grid& grid, std::int64_t most) {
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
    panels.push_back({l, std::min({most, end_a - l, end_b - l}), of_a, of_b});
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
      room = data::allocate<T>(space, label, extent * std::min(panel_width<Space>, own.total));
    // All ranks come here; one whose panels are empty sends nothing later.
    if (peers_.size > 1) transport::of(space_name<Space>()).join(peers_);
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
  void bring(std::size_t k, std::int64_t width, int root,
             const Transport::Meanwhile& meanwhile) const {
    if (peers_.size > 1)
      transport::of(space_name<Space>())
          .broadcast(rooms_[k % 2].data(), static_cast<std::size_t>(extent_ * width) * sizeof(T),
                     root, peers_, meanwhile);
    else if (meanwhile)
      meanwhile();
  }

  /// Bytes that this rank receives of a panel.
  [[nodiscard]] double received(std::int64_t width, int root) const {
    return root == me_ ? 0 : static_cast<double>(extent_ * width) * sizeof(T);
  }
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

template <class Matrix>
class Distributed {
 public:
  /// Launches z = x y, or z += x y.
  using Product = std::function<void(const Matrix& x, const Matrix& y, const Matrix& z, bool add)>;

  Distributed() = default;
  virtual ~Distributed() = default;
  Distributed(const Distributed&) = delete;
  Distributed& operator=(const Distributed&) = delete;
  /// C = A B. Called by all ranks.
  virtual void operator()(const Product& product) const = 0;
  /// Of each panel that comes from elsewhere: no broadcast takes less than one message.
  [[nodiscard]] virtual std::vector<Message> messages() const = 0;
  /// Poisoned before a run that is judged: what is not sent must not be there from the last run.
  virtual void add_outputs(std::vector<Output>& outputs) const = 0;

 protected:
  static void add_message(std::vector<Message>& to, double bytes) {
    if (bytes > 0) to.push_back({bytes, Message::Pattern::broadcast});
  }
};

template <class Space, class Matrix>
class Gather final : public Distributed<Matrix> {
 public:
  using T = typename Matrix::non_const_value_type;

  /// a, b and c are this rank's blocks.
  Gather(const Space& space, const Grid& grid, std::int64_t depth, const Matrix& a, const Matrix& b,
         const Matrix& c)
      : space_(space), me_(grid.column), ranks_(grid.columns), depth_(depth), a_(a), b_(b), c_(c) {
    const std::int64_t widest = Division{0, ranks_}.of(depth).count;
    for (int r = 0; r < std::min(ranks_ - 1, 2); ++r)
      rooms_.push_back(
          data::allocate<T>(space, "part of a", static_cast<std::int64_t>(a.extent(0)) * widest));
  }

  void operator()(const typename Distributed<Matrix>::Product& product) const override {
    bool add = false;
    const auto multiply = [&](int step) {
      const Share share = part(step);
      if (share.count == 0) return;
      const Matrix rows =
          Kokkos::subview(b_, std::pair(share.begin, share.begin + share.count), Kokkos::ALL);
      product(step == 0 ? a_ : Matrix(room(step).data(), a_.extent(0), share.count), rows, c_, add);
      add = true;
    };
    for (int step = 1; step < ranks_; ++step) bring(step, [&] { multiply(step - 1); });
    multiply(ranks_ - 1);
  }

  [[nodiscard]] std::vector<Message> messages() const override {
    std::vector<Message> all;
    for (int step = 1; step < ranks_; ++step)
      this->add_message(all, static_cast<double>(size(step)) * sizeof(T));
    return all;
  }
  void add_outputs(std::vector<Output>& outputs) const override {
    for (const auto& each : rooms_) outputs.push_back(data::output(space_, "panel", each));
  }

 private:
  /// Which columns of A a step multiplies: first of this rank, then of the ranks after it.
  [[nodiscard]] Share part(int step) const {
    return Division{(me_ + step) % ranks_, ranks_}.of(depth_);
  }
  [[nodiscard]] std::int64_t size(int step) const {
    return static_cast<std::int64_t>(a_.extent(0)) * part(step).count;
  }
  [[nodiscard]] const data::Array<Space, T>& room(int step) const {
    return rooms_[static_cast<std::size_t>(step - 1) % rooms_.size()];
  }
  /// A step's columns come from the rank that has them. Each rank sends to another one.
  void bring(int step, const Transport::Meanwhile& meanwhile) const {
    bindings::Parts sent(static_cast<std::size_t>(ranks_)), received(sent);
    sent[static_cast<std::size_t>((me_ + ranks_ - step) % ranks_)].count = size(0);
    received[static_cast<std::size_t>((me_ + step) % ranks_)].count = size(step);
    transport::of(space_name<Space>())
        .all_to_all(a_.data(), sent, room(step).data(), received, sizeof(T), meanwhile);
  }

  Space space_;
  int me_, ranks_;
  std::int64_t depth_;
  Matrix a_, b_, c_;
  std::vector<data::Array<Space, T>> rooms_;  ///< one is multiplied while the other is filled
};

template <class Space, class Matrix>
class Summa final : public Distributed<Matrix> {
 public:
  /// a, b and c are this rank's blocks.
  Summa(const Space& space, const Grid& grid, std::int64_t depth, const Matrix& a, const Matrix& b,
        const Matrix& c)
      : space_(space),
        grid_(grid),
        panels_(panels_of(depth, grid, panel_width<Space>)),
        a_(space, "panel of a", a, static_cast<std::int64_t>(a.extent(0)),
           Division{grid.column, grid.columns}.of(depth),
           {grid.row * grid.columns, 1, grid.columns}, grid.column),
        b_(space, "panel of b", b, static_cast<std::int64_t>(b.extent(1)),
           Division{grid.row, grid.rows}.of(depth), {grid.column, grid.columns, grid.rows},
           grid.row),
        c_(c) {}

  void operator()(const typename Distributed<Matrix>::Product& product) const override {
    take_own(0);
    bring(0, {});
    for (std::size_t k = 0; k < panels_.size(); ++k) {
      const auto width = panels_[k].width;
      const auto multiply = [&] { product(a_.columns(k, width), b_.rows(k, width), c_, k > 0); };
      if (k + 1 == panels_.size()) return multiply();
      take_own(k + 1);
      bring(k + 1, multiply);
    }
  }

  [[nodiscard]] std::vector<Message> messages() const override {
    std::vector<Message> all;
    for (const auto& panel : panels_) {
      this->add_message(all, a_.received(panel.width, panel.of_a));
      this->add_message(all, b_.received(panel.width, panel.of_b));
    }
    return all;
  }
  void add_outputs(std::vector<Output>& outputs) const override {
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
  void bring(std::size_t k, const Transport::Meanwhile& meanwhile) const {
    const Panel& panel = panels_[k];
    a_.bring(k, panel.width, panel.of_a, [&] { b_.bring(k, panel.width, panel.of_b, meanwhile); });
  }

  Space space_;
  Grid grid_;
  std::vector<Panel> panels_;
  Factor<Space, Matrix> a_, b_;
  Matrix c_;
};

/// The algorithm for this grid. Called by all ranks.
template <class Space, class Matrix>
std::shared_ptr<const Distributed<Matrix>> distributed(const Space& space, const Grid& grid,
                                                       std::int64_t depth, const Matrix& a,
                                                       const Matrix& b, const Matrix& c) {
  if (grid.rows == 1) return std::make_shared<Gather<Space, Matrix>>(space, grid, depth, a, b, c);
  return std::make_shared<Summa<Space, Matrix>>(space, grid, depth, a, b, c);
}

}  // namespace parallax::matmul
