// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The Kokkos snippets of docs/dictionary.md, between "begin" and "end".
// Each is in a function that says whether the snippet did what the page
// says; main runs them all.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

}  // namespace

// begin: first
void twice(std::vector<float>& x) {
  const int n = static_cast<int>(x.size());
  // host wraps the elements of x; a is on the device, and starts as zeros
  Kokkos::View<float*, Kokkos::HostSpace> host(x.data(), n);
  Kokkos::View<float*> a("a", n);
  Kokkos::deep_copy(a, host);
  Kokkos::parallel_for(
      "twice", n, KOKKOS_LAMBDA(int i) { a(i) *= 2; });
  Kokkos::deep_copy(host, a);  // waits for the kernel
}  // a is freed
// end: first

bool first() {
  std::vector<float> x{1, 2, 3, 4, 5};
  twice(x);
  return x == std::vector<float>{2, 4, 6, 8, 10};
}

// begin: grid_stride
using Team = Kokkos::TeamPolicy<>::member_type;
// end: grid_stride

bool grid_stride() {
  const int n = 1000;
  Kokkos::View<int*> a("a", n);
  // begin: grid_stride
  Kokkos::parallel_for(
      "squares", Kokkos::TeamPolicy<>(4, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team& team) {
        const int first =
            team.league_rank() * team.team_size() + team.team_rank();
        const int stride = team.league_size() * team.team_size();
        for (int i = first; i < n; i += stride) a(i) = i * i;
      });
  // end: grid_stride
  const auto h = on_host(a);
  for (int i = 0; i < n; ++i)
    if (h(i) != i * i) return false;
  return true;
}

bool two_dimensions() {
  const int rows = 7, columns = 5;
  Kokkos::View<int**> a("a", rows, columns);
  Kokkos::parallel_for(
      "table", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {rows, columns}),
      KOKKOS_LAMBDA(int row, int column) { a(row, column) = row * column; });
  const auto h = on_host(a);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      if (h(row, column) != row * column) return false;
  return true;
}

bool shared() {
  const int n = 640;
  Kokkos::View<int*> a("a", n);
  Kokkos::parallel_for(
      "count", n, KOKKOS_LAMBDA(int i) { a(i) = i; });
  // begin: shared
  using Scratch =
      Kokkos::View<int*, Kokkos::DefaultExecutionSpace::scratch_memory_space,
                   Kokkos::MemoryUnmanaged>;
  Kokkos::parallel_for(
      "reverse",
      Kokkos::TeamPolicy<>(n / 64, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(64))),
      KOKKOS_LAMBDA(const Team& team) {
        const Scratch tile(team.team_scratch(0), 64);
        const int begin = 64 * team.league_rank();
        const auto each = Kokkos::TeamThreadRange(team, 64);
        Kokkos::parallel_for(each, [&](int t) { tile(t) = a(begin + t); });
        team.team_barrier();
        Kokkos::parallel_for(each, [&](int t) { a(begin + t) = tile(63 - t); });
      });
  // end: shared
  const auto h = on_host(a);
  for (int i = 0; i < n; ++i)
    if (h(i) != 64 * (i / 64) + 63 - i % 64) return false;
  return true;
}

// begin: atomics
KOKKOS_INLINE_FUNCTION int digit(int i) { return i % 10; }
// end: atomics

bool atomics() {
  const int n = 1000;
  Kokkos::View<int*> bins("bins", 10);
  // begin: atomics
  Kokkos::parallel_for(
      "count", n,
      KOKKOS_LAMBDA(int i) { Kokkos::atomic_add(&bins(digit(i)), 1); });
  // end: atomics
  const auto h = on_host(bins);
  for (int i = 0; i < 10; ++i)
    if (h(i) != 100) return false;
  return true;
}

bool old_value() {
  const int n = 1000;
  Kokkos::View<int> next("next");
  Kokkos::View<int*> place("place", n);
  Kokkos::parallel_for(
      "places", n, KOKKOS_LAMBDA(int i) {
        place(Kokkos::atomic_fetch_add(&next(), 1)) = i + 1;
      });
  const auto h = on_host(place);
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += h(i);
  return sum == 500500 && on_host(next)() == n;
}

bool reduction() {
  const int n = 1000;
  Kokkos::View<double*> a("a", n);
  Kokkos::deep_copy(a, 0.5);
  // begin: reduction
  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", n, KOKKOS_LAMBDA(int i, double& part) { part += a(i); }, sum);
  // end: reduction
  return sum == 500;
}

// begin: constant
struct Weights {
  float w[3];
};
// end: constant

bool constant() {
  const int n = 100;
  Kokkos::View<float*> a("a", n + 2), out("out", n);
  Kokkos::parallel_for(
      "ramp", n + 2, KOKKOS_LAMBDA(int i) { a(i) = static_cast<float>(i); });
  // begin: constant
  const Weights weights{{0.25f, 0.5f, 0.25f}};
  Kokkos::parallel_for(
      "smooth", n, KOKKOS_LAMBDA(int i) {
        float mine[3];
        for (int k = 0; k < 3; ++k) mine[k] = weights.w[k] * a(i + k);
        out(i) = mine[0] + mine[1] + mine[2];
      });
  // end: constant
  const auto h = on_host(out);
  for (int i = 0; i < n; ++i)
    if (h(i) != static_cast<float>(i + 1)) return false;
  return true;
}

bool streams() {
  const int n = 1000;
  Kokkos::View<int*> a("a", n), b("b", n);
  const auto host_b = Kokkos::create_mirror(Kokkos::SharedHostPinnedSpace(), b);
  Kokkos::fence();
  // begin: streams
  const auto stream = Kokkos::Experimental::partition_space(
      Kokkos::DefaultExecutionSpace(), 1, 1);
  Kokkos::parallel_for(
      "a", Kokkos::RangePolicy(stream[0], 0, n),
      KOKKOS_LAMBDA(int i) { a(i) = i; });
  Kokkos::parallel_for(
      "b", Kokkos::RangePolicy(stream[1], 0, n),
      KOKKOS_LAMBDA(int i) { b(i) = 2 * i; });
  Kokkos::deep_copy(stream[1], host_b, b);  // after kernel b
  stream[1].fence();                        // waits for both
  stream[0].fence();
  // end: streams
  const auto host_a = on_host(a);
  for (int i = 0; i < n; ++i)
    if (host_a(i) != i || host_b(i) != 2 * i) return false;
  return true;
}

bool timing() {
  const int n = 1000;
  Kokkos::View<float*> a("a", n);
  // begin: timing
  Kokkos::fence();
  Kokkos::Timer timer;
  Kokkos::parallel_for(
      "add", n, KOKKOS_LAMBDA(int i) { a(i) += 1; });
  Kokkos::fence();  // without it, only the launch is timed
  const double milliseconds = 1e3 * timer.seconds();
  // end: timing
  return milliseconds >= 0 && on_host(a)(n - 1) == 1;
}

bool fused() {
  const int n = 100;
  Kokkos::View<double*> a("a", n), b("b", n), c("c", n), x("x", n);
  Kokkos::deep_copy(a, 5.0);
  Kokkos::deep_copy(b, 10.0);
  Kokkos::deep_copy(c, -0.1);
  // begin: fused
  Kokkos::parallel_for(
      "root", n, KOKKOS_LAMBDA(int i) {
        x(i) =
            (-b(i) + Kokkos::sqrt(b(i) * b(i) - 4 * a(i) * c(i))) / (2 * a(i));
      });
  // end: fused
  const auto h = on_host(x);
  for (int i = 0; i < n; ++i)
    if (std::abs(h(i) - 0.009950493836207741) > 1e-14) return false;
  return true;
}

bool errors() {
  const int n = 10;
  Kokkos::View<int*> index("index", n);
  Kokkos::View<double*> from("from", n), to("to", n);
  // begin: errors
  std::string why;
  try {
    const Kokkos::View<char*> huge("huge", std::size_t{1} << 60);
  } catch (const std::exception& error) {
    why = error.what();
  }
  Kokkos::parallel_for(
      "gather", n, KOKKOS_LAMBDA(int i) {
        if (index(i) < 0 || index(i) >= n)
          Kokkos::abort("gather: an index is out of range");
        to(i) = from(index(i));
      });
  Kokkos::fence();
  // end: errors
  return !why.empty();
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const struct {
    const char* name;
    bool (*run)();
  } all[] = {{"first", first},
             {"grid_stride", grid_stride},
             {"two_dimensions", two_dimensions},
             {"shared", shared},
             {"atomics", atomics},
             {"old_value", old_value},
             {"reduction", reduction},
             {"constant", constant},
             {"streams", streams},
             {"timing", timing},
             {"fused", fused},
             {"errors", errors}};
  int failed = 0;
  for (const auto& snippet : all)
    if (!snippet.run()) {
      std::printf("wrong: %s\n", snippet.name);
      ++failed;
    }
  return failed;
}
