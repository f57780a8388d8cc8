// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 6
#include <algorithm>
#include <memory>

#include "exercise/api.hpp"
#include "matmul/lesson.hpp"
#include "matmul/library.hpp"
#include "matmul/ranks.hpp"
#include "matmul/reference.hpp"
#include "matmul/tuned.hpp"
#include "matmul/tuned_register_tiled.hpp"

namespace parallax::matmul {
namespace {

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
  data::input(x);
}

struct Matmul {
  template <class Space, class T>
  static void refuse(const Parameters& parameters) {
    const auto tile = static_cast<int>(parameters.integer("tile"));
    const auto limit = static_cast<std::size_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(0));
    const std::size_t needed = kernels::matmul::swizzled_scratch_bytes<T>(tile);
    if (needed + 16 > limit)
      throw UsageError("matmul: tile=" + std::to_string(tile) + " needs " + std::to_string(needed) +
                       " bytes of scratch memory, and a team in space " + space_name<Space>() +
                       " has " + std::to_string(limit));
  }

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    using Default = typename Space::array_layout;
    constexpr bool left = std::is_same_v<Default, Kokkos::LayoutLeft>;
    using Other = std::conditional_t<left, Kokkos::LayoutRight, Kokkos::LayoutLeft>;
    const bool other = parameters.text("layout") == (left ? "right" : "left");
    return other ? rows_of<T, Other>(space, parameters) : rows_of<T, Default>(space, parameters);
  }

  template <class T, class Layout, class Space>
  static Plan rows_of(const Space& space, const Parameters& parameters) {
    using Matrix = Kokkos::View<T**, Layout, typename Space::memory_space>;
    const auto k = parameters.integer("k");
    const Blocks blocks(parameters);
    const auto matrix = [&](const char* label, const Block& block) {
      return data::allocate_matrix<Matrix>(space, label, block.rows.count, block.columns.count);
    };
    const Matrix a = matrix("a", blocks.a), b = matrix("b", blocks.b), c = matrix("c", blocks.c);
    const std::string input = parameters.text("input");
    const Input<T> a_at(input, parameters.seed(), T(3)),
        b_at(input, data::next_seed(parameters.seed()), T(4));
    fill(space, a, blocks.a, a_at);
    fill(space, b, blocks.b, b_at);

    // A lost update is a typical product of two elements: each element of C has k.
    Rows rows(space,
              {.bytes = sizeof(T) * (blocks.a.size() + blocks.b.size() + blocks.c.size()),
               .flops = 2 * blocks.c.size() * parameters.number("k"),
               .items = blocks.c.size()},
              written("c", c, 0.25), Reference<T>(a_at, b_at, blocks.c, k));
    std::shared_ptr<const Distributed<Matrix>> across;
    Matrix product;
    if constexpr (ranks::possible) {
      if (parameters.division().ranks > 1) {
        across = distributed(space, Grid(parameters), k, a, b, c);
        product = matrix("product", blocks.c);
        rows.work.messages = across->messages();
      }
    }
    // Of this rank's matrices on one rank, else of panels: all but the first are added to C.
    const auto run_of = [=](const auto& multiply) {
      return [=] {
        if constexpr (ranks::possible) {
          if (across) return (*across)(multiply);
        }
        multiply(a, b, c, false);
      };
    };
    // The same for kernels that cannot add.
    const auto run_and_add = [=](const auto& kernel) {
      return run_of([=](const Matrix& x, const Matrix& y, const Matrix& z, bool add) {
        kernel(x, y, add ? product : z);
        if (add) add_matrix(space, product, z);
      });
    };
    using namespace kernels::matmul;
    const int team = team_size<Space>(parameters, tile * tile);
    const auto width = static_cast<int>(parameters.integer("tile"));
    rows.add("naive", run_and_add([=](const auto&... abc) { naive(space, abc...); }));
    rows.add("tiled", with_teams(team),
             run_and_add([=](const auto&... abc) { tiled(space, team, abc...); }));
    rows.add("team_scratch", with_teams(team),
             run_and_add([=](const auto&... abc) { team_scratch(space, team, abc...); }));
    rows.add("tiled_swizzled", with_teams(swizzled_team<Space>(width)),
             run_and_add([=](const auto&... abc) { tiled_swizzled(space, abc..., width); }));
    rows.add("register_tiled",
             with_teams(RegisterTile<kernels::is_host_space<Space>, T>::team_size),
             run_of([=](const Matrix& x, const Matrix& y, const Matrix& z, bool add) {
               add ? register_tiled<true>(space, x, y, z) : register_tiled(space, x, y, z);
             }));
    rows.add("kokkos_kernels",
             run_of([=](const auto&... abc_add) { kokkos_kernels(space, abc_add...); }))
        .unavailable = no_kokkos_kernels;
    rows.end_to_end(a, b).plain("tiled").staged("register_tiled");
    if constexpr (ranks::possible) {
      if (across)
        for (auto& row : rows.all()) across->add_outputs(row.judge.outputs);
    }
    return rows;
  }
};

constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;  // what BLAS libraries can count
const Registration<Matmul, float, double> registration{
    {.name = "matmul",
     .summary = "C = A B, A of m x k and B of k x n",
     .teaches = "reuse: tiles in scratch, tiles in registers, and what a library adds",
     .answer = "the product's elements add up to {sum}; the first is {first}, the last {last}",
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
     .variants = {lesson("naive", "an element of C for each index, all from memory or caches"),
                  lesson_with_teams("tiled",
                                    "tiles of A and B in scratch, a thread for each element"),
                  lesson_with_teams("team_scratch", "the same tiles, shared by a team of any size"),
                  tuned("tiled_swizzled", "tiles arranged so that loads from scratch are shared",
                        {{"tile", {8, 16, 32}}}),
                  tuned("register_tiled", "tiles in scratch, smaller ones in registers"),
                  library("kokkos_kernels",
                          "gemm: cuBLAS, rocBLAS or a BLAS where built with one")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double m = p.number("m"), n = p.number("n"), k = p.number("k");
           const Blocks blocks(p);
           const double matrices =
               scalar_bytes * (blocks.a.size() + blocks.b.size() + blocks.c.size());
           // Two parts of A, or two panels of each factor; and a product that is added.
           const bool several = p.division().ranks > 1;
           const double panels = !several ? 0
                                 : Grid(p).rows == 1
                                     ? 2 * (blocks.a.size() + m)
                                     : 2 * (m + n) * std::min<double>(k, widest_panel);
           // The check's vectors x, B x and A (B x), which are the host's.
           const double vectors = is_small(m, n, k) ? 0 : 8 * (m + n + k);
           return Memory{
               .space = matrices + scalar_bytes * (panels + (several ? m * n : 0)) + vectors,
               .host = matrices + scalar_bytes * m * n + vectors,
               .staging = kernels::staging_bytes};
         },
     .divide =
         [](Parameters& p) {
           const auto& division = p.division();
           const Grid grid(division, division.of(p.integer("n")).total);
           p.take("m", Division{grid.row, grid.rows, division.weak}.of(p.integer("m")));
           p.take("n", Division{grid.column, grid.columns, division.weak}.of(p.integer("n")));
         }}};

}  // namespace
}  // namespace parallax::matmul
