// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Holds the memory formula of every exercise against what it really allocates, in every space:
// Views by Kokkos Tools' callbacks, the vectors of references and checks by this program's operator
// new. A formula that is too small lets a run die half way; one that is too large refuses runs that
// fit.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <map>
#include <new>
#include <string>

#include "measure/verify/trial.hpp"
#include "platform/device/space_info.hpp"
#include "support/rows.hpp"

namespace {

/// Bytes allocated and not yet freed, and the most that there were.
class Ledger {
 public:
  void add(std::int64_t bytes) {
    const std::int64_t now = live_ += bytes;
    for (std::int64_t most = peak_; now > most && !peak_.compare_exchange_weak(most, now);) {
    }
  }
  void clear() { live_ = peak_ = 0; }
  [[nodiscard]] double peak() const { return static_cast<double>(peak_); }

 private:
  std::atomic<std::int64_t> live_{0}, peak_{0};
};

std::atomic<bool> listening{false};
Ledger of_host, of_device;

void count(void* block, int sign) {
  if (listening) of_host.add(sign * static_cast<std::int64_t>(malloc_usable_size(block)));
}

}  // namespace

// Kokkos's own memory is aligned, and comes by other operators: nothing is counted twice. Inlined,
// new and free would look mismatched to the compiler.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const block = std::malloc(bytes > 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  count(block, 1);
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  count(block, -1);
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace {

using namespace parallax;

/// Sizes at which arrays outweigh what does not grow with them.
std::vector<test::Assignments> sizes(const Exercise& exercise) {
  static const std::map<std::string, std::vector<test::Assignments>> of{
      {"circle_area", {{{"trials", "200000"}, {"threads", "100000"}}, {{"threads", "5000011"}}}},
      {"dilepton_mass",
       {{{"n", "300007"}},
        {{"n", "300007"}, {"mean", "0"}},
        {{"n", "30011"}, {"mean", "30"}},
        {{"n", "1000"}, {"giant_event", "2000"}}}},
      {"group_sum", {{{"n", "300007"}}, {{"n", "300007"}, {"mean", "5"}, {"order", "shuffled"}}}},
      {"heat", {{{"rows", "700"}, {"columns", "900"}}}},
      {"integration2d", {{{"n", "500"}}}},
      {"mandelbrot", {{{"rows", "700"}, {"columns", "900"}}}},
      {"mandelbrot_area",
       {{{"trials", "200000"}, {"threads", "100000"}, {"max_iterations", "100"}}}},
      {"matmul",
       {{{"m", "300"}, {"n", "900"}, {"k", "700"}},
        {{"m", "2"}, {"n", "3"}, {"k", "300007"}},
        {{"m", "1"}, {"n", "21"}, {"k", "1000003"}}}},
      {"ragged_sum",
       {{{"n", "300007"}},
        {{"n", "300007"}, {"mean", "0"}, {"giants", "0"}},
        {{"n", "30011"}, {"mean", "100"}},
        {{"n", "1000"}, {"giants", "3"}, {"giant", "1000000"}}}},
      {"row_sum",
       {{{"rows", "3000"}, {"columns", "300"}},
        {{"rows", "300007"}, {"columns", "3"}},
        {{"rows", "3"}, {"columns", "300007"}}}},
      {"transpose", {{{"rows", "700"}, {"columns", "900"}}}}};
  const auto found = of.find(exercise.name);
  std::vector<test::Assignments> all{{}};
  if (found != of.end())
    all.insert(all.end(), found->second.begin(), found->second.end());
  else
    all.push_back({{"n", "1000003"}});
  return all;
}

struct Peaks {
  double host, device;
};

/// The most memory that was held while the plan was made and all its rows were verified.
Peaks peaks_of(const Exercise& exercise, const Specialization& instance,
               const test::Assignments& set) {
  of_host.clear();
  of_device.clear();
  listening = true;
  test::with_allocations(
      [](bool on_host, std::int64_t bytes) { (on_host ? of_host : of_device).add(bytes); },
      [&] {
        const auto plan = test::plan_of(exercise, instance, set);
        for (const auto& row : plan.rows)
          if (row.unavailable.empty()) verify(row);
      });
  listening = false;
  return {of_host.peak(), of_device.peak()};
}

/// What does not grow with the size: tables, Kokkos's own headers, a team's scratch. Some exercises
/// have copies or generators for each thread of the space; their formulas hold room for
/// the largest device's.
double fixed_of(const Exercise& exercise) {
  if (exercise.name == "histogram") return 4.0 * (1 << 26);
  if (exercise.name == "circle_area") return 64e6;
  return exercise.name == "integration2d" ? 16e6 : 1e6;
}

void hold_enough(const Exercise& exercise, const char* memory, double estimate, double peak) {
  // The scratch of a team of matmul's is half a megabyte, for each of the test's threads.
  const double scratch = exercise.name == "matmul" ? 4e6 : 1e6;
  INFO(memory << ": " << static_cast<long>(peak) << " bytes were allocated, "
              << static_cast<long>(estimate) << " estimated");
  CHECK(peak <= estimate + scratch);
}

}  // namespace

TEST_CASE("every exercise allocates what its memory formula says") {
  for (const auto& exercise : exercises()) {
    DYNAMIC_SECTION(exercise.name) {
      test::for_each_instance(exercise.name, [](const Exercise& e, const Specialization& instance) {
        for (const auto& set : sizes(e)) {
          std::string text;
          Parameters parameters(e.parameters, Size::tiny, runs_on_host(instance.space), 12345);
          for (const auto& [name, value] : set) {
            text += name + "=" + value + " ";
            parameters.replace(name, read(parameters.specification(name), value));
          }
          INFO((text.empty() ? "size tiny" : text));
          const auto estimate = e.memory(parameters, static_cast<double>(instance.scalar_bytes));
          const auto peaks = peaks_of(e, instance, set);
          if (runs_on_host(instance.space)) {
            hold_enough(e, "memory", estimate.space, peaks.host);
            INFO(static_cast<long>(peaks.host)
                 << " bytes were allocated, " << static_cast<long>(estimate.space) << " estimated");
            CHECK(estimate.space <= 1.5 * peaks.host + fixed_of(e));
          } else {  // `space` holds room for references, which are the host's here
            hold_enough(e, "the device's memory", estimate.space + estimate.staging, peaks.device);
            hold_enough(e, "the host's memory", estimate.host + estimate.staging, peaks.host);
          }
        }
      });
    }
  }
}
