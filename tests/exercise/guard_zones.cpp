// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/guard_zones.hpp"

#include <malloc.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exercise/heap_zones.hpp"
#include "exercise/outputs.hpp"
#include "exercise/raw_elements.hpp"
#include "measure/verify/trial.hpp"
#include "platform/device/spaces.hpp"

using namespace parallax;

namespace {

/// Writes one element at a distance from where it should.
template <class X>
struct Write {
  X x;
  std::int64_t at;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    x.data()[at] = typename X::non_const_value_type(7);
  }
};

struct Index {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return i; }
};

template <class Space, class X>
void write(const Space& space, const X& x, std::int64_t at) {
  Kokkos::parallel_for("parallax::test::write", Kokkos::RangePolicy<Space>(space, 0, 1),
                       Write<X>{x, at});
}

/// A row that writes nothing but x(at) = 7, x being its output where that is said.
template <class T, class Space>
Verdict verdict_of(const Space& space, std::int64_t n, std::int64_t at, bool is_output) {
  guard_zones::Recording recording;
  const auto before = data::allocate<T>(space, "before", n);
  const auto x = data::allocate<T>(space, "x", n);
  const auto behind = data::allocate<T>(space, "behind", n);
  data::fill(space, x, Index{});
  Row row;
  row.variant = "range";
  if (is_output) row.judge.outputs = {data::output(space, "x", x)};
  row.judge.check = [] { return Verdict{true, "nothing", 0, 0, {}}; };
  row.run = [=] { write(space, x, at); };
  row.arrays = recording.arrays();
  CHECK(row.arrays->size() == 3);
  return verify(row);
}

struct Writes {
  template <class Space>
  void operator()() const {
    of<float>(Space());
    of<double>(Space());
    of<std::int32_t>(Space());
  }

  template <class T, class Space>
  static void of(const Space& space) {
    constexpr std::int64_t zone = guard_zones::zone / sizeof(T);
    for (const std::int64_t n : {1, 63, 64, 1009}) {
      INFO(Space::name() << ", n = " << n);
      CHECK(verdict_of<T>(space, n, 0, true).passed);
      CHECK(verdict_of<T>(space, n, n - 1, true).passed);
      for (const auto at :
           {std::int64_t{-1}, std::int64_t{-100}, -zone, n, n + 100, n + zone - 1}) {
        const auto verdict = verdict_of<T>(space, n, at, true);
        INFO("at " << at << ": " << verdict.compared);
        CHECK_FALSE(verdict.passed);
        CHECK(verdict.compared.find(at < 0 ? "before the beginning of 'x'"
                                           : "after the end of 'x'") != std::string::npos);
      }
      // The same write is right where x is the output, and wrong where it is an input.
      const auto verdict = verdict_of<T>(space, n, n - 1, false);
      CHECK_FALSE(verdict.passed);
      CHECK(verdict.compared == "it changed its input 'x'");
    }
  }
};

/// What the kernel says of the memory of a host's View of that many bytes.
std::string flags_of_view(std::size_t bytes) {
  const Kokkos::View<char*, Kokkos::HostSpace> view("view", bytes);
  const auto middle = reinterpret_cast<std::uintptr_t>(view.data()) + bytes / 2;
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      here = begin <= middle && middle < end;
    if (here && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

}  // namespace

TEST_CASE("a row that writes outside its array, or into its input, has failed") {
  for_each_built_in_space(Writes{});
}

TEST_CASE("each row answers for its own changes of an input, whoever changed it before") {
  const Kokkos::DefaultHostExecutionSpace host;
  guard_zones::Recording recording;
  const auto x = data::allocate<double>(host, "x", 1009);
  data::fill(host, x, Index{});
  Row reads, changes, writes, stops;
  for (auto* row : {&reads, &changes, &writes, &stops})
    row->judge.check = [] { return Verdict{true, "nothing", 0, 0, {}}; };
  reads.run = [] {};
  const auto change = [=] { x(500) = x(500) == 1 ? 2 : 1; };  // NaN where it is an output
  changes.run = writes.run = change;
  stops.run = [=] {
    change();
    throw std::runtime_error("no more");
  };
  writes.judge.outputs = {data::output(host, "x", x)};
  reads.arrays = changes.arrays = writes.arrays = stops.arrays = recording.arrays();
  for (int k = 0; k < 2; ++k) {
    CHECK(verify(reads).passed);
    CHECK(verify(changes).compared == "it changed its input 'x'");
    CHECK(verify(reads).passed);
    CHECK(verify(writes).passed);
    CHECK(verify(reads).passed);
    CHECK(verify(stops).compared == "the run threw: no more");
  }
  CHECK(verify(reads).passed);
  x(3) = -1;  // by an unverified run of the row
  CHECK(verify(reads).compared == "it changed its input 'x'");
}

TEST_CASE("a hash tells any change of any byte, at any alignment") {
  std::vector<std::uint64_t> memory(65);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = i / 2;
  auto* const bytes = reinterpret_cast<unsigned char*>(memory.data());
  for (const std::size_t at : {0, 1, 4, 8}) {
    const auto hash = [&] { return raw::hash(Kokkos::HostSpace::name(), bytes + at, 501 - at); };
    const auto right = hash();
    CHECK(hash() == right);
    for (std::size_t i = at; i < 501; ++i) {
      bytes[i] ^= 1;
      CHECK(hash() != right);
      bytes[i] ^= 1;
    }
    std::swap(memory[10], memory[12]);
    CHECK(hash() != right);
    std::swap(memory[10], memory[12]);
  }
}

TEST_CASE("matrices and scalars have zones on both sides, too") {
  const Kokkos::DefaultHostExecutionSpace host;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  guard_zones::Recording recording;
  const auto a = data::allocate_matrix<Matrix>(host, "a", 3, 5);
  const auto s = data::allocate_scalar<float>(host, "s");
  CHECK(s() == 0);
  Row row;
  row.variant = "range";
  row.judge.check = [] { return Verdict{true, "nothing", 0, 0, {}}; };
  row.arrays = recording.arrays();
  REQUIRE(row.arrays->size() == 2);
  const auto complaint = [&](auto* at) {
    row.run = [=] { *at = 1; };
    const auto verdict = verify(row);
    return verdict.passed ? "" : verdict.compared;
  };
  CHECK(complaint(a.data()).empty());
  CHECK(complaint(s.data()).empty());
  for (auto* const end : {a.data() + 15, a.data() + 15 + 31, a.data() + 15 + 511})
    CHECK(complaint(end).find("after the end of 'a'") != std::string::npos);
  CHECK(complaint(a.data() - 32).find("before the beginning of 'a'") != std::string::npos);
  CHECK(complaint(s.data() + 1).find("after the end of 's'") != std::string::npos);
  CHECK(complaint(s.data() - 64).find("before the beginning of 's'") != std::string::npos);
}

#if !PARALLAX_SANITIZED
TEST_CASE("a kernel's temporaries and a plan's workspaces have zones in the host's memory") {
  const Kokkos::DefaultHostExecutionSpace host;
  guard_zones::Recording recording;
  const auto x = data::allocate<double>(host, "x", 9);
  const Kokkos::View<double*, Kokkos::HostSpace> workspace("workspace", 100);
  Row row;
  row.judge.check = [] { return Verdict{true, "nothing", 0, 0, {}}; };
  row.arrays = recording.arrays();
  // The elements begin after Kokkos's header of 128 bytes, which is not watched.
  for (const std::int64_t at : {0, 99, 100, 200, 100 + 511, -17, -16 - 512}) {
    const auto complaint = [&](bool freed) {
      row.run = [=, kept = Kokkos::View<double*, Kokkos::HostSpace>()]() mutable {
        const Kokkos::View<double*, Kokkos::HostSpace> temporary("temporary", 100);
        write(host, temporary, at);
        if (!freed) kept = temporary;
      };
      const auto verdict = verify(row);
      return verdict.passed ? "" : verdict.compared;
    };
    const std::string right =
        at >= 0 && at < 100 ? ""
                            : "it wrote 8 bytes " + std::string(at < 0 ? "before the beginning of '"
                                                                       : "after the end of '");
    CHECK(complaint(true) == (right.empty() ? "" : right + "temporary'"));
    CHECK(complaint(false) == (right.empty() ? "" : right + "temporary'"));
    row.run = [=] { write(host, workspace, at); };
    const auto verdict = verify(row);
    CHECK((verdict.passed ? "" : verdict.compared) == (right.empty() ? "" : right + "workspace'"));
  }
}

TEST_CASE("what is allocated while no plan is made and no row verified has no zones") {
  constexpr auto align = std::align_val_t(64);
  // Volatile: compilers know how many bytes belong to a block.
  const auto take = [] {
    unsigned char* volatile block =
        static_cast<unsigned char*>(operator new(256, align, std::nothrow));
    return block;
  };
  auto* const plain = take();
  unsigned char* zoned = nullptr;
  {
    const guard_zones::HeapZones zones;
    zoned = take();
    CHECK(reinterpret_cast<std::uintptr_t>(zoned) % 64 == 0);
    CHECK(guard_zones::touched(zoned - guard_zones::zone, "", false).empty());
    CHECK(guard_zones::touched(zoned + 256, "", true).empty());
    operator delete(plain, align);
  }
  CHECK(malloc_usable_size(zoned - guard_zones::zone) >= 256 + 2 * guard_zones::zone);
  operator delete(zoned, align);  // later, as Kokkos's scratch is
  auto* const again = take();
  CHECK(malloc_usable_size(again) < 256 + guard_zones::zone);
  operator delete(again, align, std::nothrow);
}
#endif

TEST_CASE("arrays that only the plan's maker used are let go") {
  const Kokkos::DefaultExecutionSpace space;
  guard_zones::Recording recording;
  const auto kept = data::allocate<float>(space, "kept", 9);
  { const auto left = data::allocate<float>(space, "left", 9); }
  const auto arrays = recording.arrays();
  REQUIRE(arrays->size() == 1);
  CHECK(arrays->front().label == "kept");
}

TEST_CASE("large Views of a host ask for huge pages") {
  if (PARALLAX_SANITIZED) SKIP("a sanitizer allocates");
  const auto flags = flags_of_view(8 << 20);
  if (flags.empty() || !std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good())
    SKIP("this kernel has no huge pages, or says nothing of mappings");
  CHECK(flags.find(" hg ") != std::string::npos);
}
