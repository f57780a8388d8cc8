// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/check.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace parallax::check {
namespace {

const Settings* newest = nullptr;

}  // namespace

Settings::Settings(bool sampled, std::vector<Comparison>* recorder)
    : sampled_(sampled), recorder_(recorder), outer_(std::exchange(newest, this)) {}
Settings::~Settings() { newest = outer_; }
bool Settings::sampled() { return newest != nullptr && newest->sampled_; }
std::vector<Comparison>* Settings::recorder() {
  return newest == nullptr ? nullptr : newest->recorder_;
}

Compared* record(std::int64_t n) {
  auto* const recorder = Settings::recorder();
  return recorder == nullptr ? nullptr : recorder->emplace_back(static_cast<std::size_t>(n)).data();
}

void on_all_cores(std::int64_t n, const std::function<void(std::int64_t)>& f) {
  if (n == 1) return f(0);
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for(
      "parallax::check",
      Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>(
          0, n),
      [&f](std::int64_t i) { f(i); });
  Host().fence("parallax::check");
}

void touch_pages(void* begin, std::size_t bytes) {
  constexpr std::size_t page = 4096, stretch = 512 * page;
  auto* const memory = static_cast<unsigned char*>(begin);
  on_all_cores(static_cast<std::int64_t>((bytes + stretch - 1) / stretch), [=](std::int64_t s) {
    const std::size_t from = static_cast<std::size_t>(s) * stretch;
    for (std::size_t k = from; k < std::min(bytes, from + stretch); k += page) memory[k] = 0;
  });
}

Verdict elements_by(std::string compared, std::int64_t n, const Comparer& comparer) {
  struct Block {
    std::int64_t compared = 0, wrong = 0, first_wrong = -1;
    double worst = 0;
    void add(double error) {  // nothing is worse than NaN
      if (!(error <= worst) && !std::isnan(worst)) worst = error;
    }
  };
  constexpr std::int64_t size = 1 << 16;
  std::vector<Block> blocks(static_cast<std::size_t>((n + size - 1) / size));
  Compared* const recorded = record(n);
  const bool some = Settings::sampled() && recorded == nullptr && n > all_up_to;
  // Odd, so that a sample meets all threads of a team and all lanes of a vector.
  const std::int64_t distance = ((n + all_up_to - 1) / all_up_to) | 1;
  on_all_cores(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t b) {
    Block block;
    const auto compare = [&](std::int64_t from, std::int64_t to, std::int64_t step) {
      std::array<Compared, 256> part;
      const std::int64_t stretch = static_cast<std::int64_t>(part.size()) * step;
      for (std::int64_t begin = from; begin < to; begin += stretch) {
        const std::int64_t end = std::min(to, begin + stretch);
        comparer(begin, end, step, part.data());
        for (std::int64_t i = begin, k = 0; i < end; i += step, ++k) {
          const Compared& one = part[static_cast<std::size_t>(k)];
          ++block.compared;
          block.add(difference(one.actual, one.expected));
          if (one.wrong() && block.wrong++ == 0) block.first_wrong = i;
          if (recorded != nullptr) recorded[i] = one;
        }
      }
    };
    const std::int64_t begin = b * size, end = std::min(n, begin + size);
    if (some) {
      constexpr std::int64_t edge = 64;
      const std::int64_t inner = std::min(begin + edge, end), last = std::max(inner, end - edge);
      compare(begin, inner, 1);
      compare((inner + distance - 1) / distance * distance, last, distance);
      compare(last, end, 1);
    } else {
      compare(begin, end, 1);
    }
    blocks[static_cast<std::size_t>(b)] = block;
  });
  Verdict verdict{true, std::move(compared), 0, 0, {}};
  if (n > 0) {
    Compared first;
    comparer(0, 1, 1, &first);
    verdict.tolerance = first.allowed;
  }
  Block all;
  for (const auto& block : blocks) {
    all.add(block.worst);
    if (all.wrong == 0) all.first_wrong = block.first_wrong;
    all.wrong += block.wrong;
    all.compared += block.compared;
  }
  verdict.error = all.worst;
  if (some)
    verdict.compared +=
        " (sampled: " + std::to_string(all.compared) + " of " + std::to_string(n) + ")";
  if (all.wrong > 0) {
    verdict.passed = false;
    verdict.compared += ": " + std::to_string(all.wrong) + " of " + std::to_string(all.compared) +
                        " wrong, the first at index " + std::to_string(all.first_wrong);
  }
  return verdict;
}

Verdict both(Verdict first, Verdict second) {
  for (auto& value : second.result) first.result.push_back(std::move(value));
  if (first.passed && !second.passed) {
    second.result = std::move(first.result);
    return second;
  }
  if (first.passed) first.compared += "; " + second.compared;
  return first;
}

}  // namespace parallax::check
