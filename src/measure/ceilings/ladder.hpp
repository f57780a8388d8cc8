// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "exercise/exercise.hpp"
#include "platform/device/caches.hpp"
#include "platform/device/space_info.hpp"

namespace parallax {

/// A rate, per second, at one size of the working set.
struct Rung {
  double bytes = 0;  ///< all arrays together
  double rate = 0;
  bool sure = true;  ///< false: its rounds did not agree, the machine was busy
};

/// The rates of a ceiling's rounds: what else runs on the machine can only lower them, so the best
/// counts, and is believed where a second round comes near.
class Rounds {
 public:
  Rounds() = default;
  /// After the rounds of an earlier run, which found `rung`.
  explicit Rounds(const Rung& rung) : best_(rung.rate), second_(rung.sure ? rung.rate : 0) {}
  /// What is not a positive number, such as the rate of a run that was interrupted, is left out.
  void add(double rate);
  [[nodiscard]] double best() const { return best_; }
  /// Whether the two best are within 5 %.
  [[nodiscard]] bool agree() const { return best_ > 0 && second_ >= 0.95 * best_; }

 private:
  double best_ = 0, second_ = 0;
};

/// The bandwidths of one space by the size of the working set, from the first cache to beyond the
/// last, launches included, as rows are timed. They take seconds, so they are measured once on a
/// machine and kept.
struct Ladder {
  std::map<std::string, std::vector<Rung>> kinds;  ///< "triad": bytes a second, by size
  Rung launch;                                     ///< kernels a second that do nothing
  /// By Access's names: accesses a second by the size of what they fall on, from one word to beyond
  /// the last cache; bytes a second by the size of a copy across the bus, where there is one.
  std::map<std::string, std::vector<Rung>> accesses;
  std::string date, host;  ///< where and when it was measured
  bool kept = false;       ///< by an earlier run
  [[nodiscard]] bool empty() const { return kinds.empty(); }
  /// Whether all of it is there and believed.
  [[nodiscard]] bool sure() const;
};
inline constexpr const char* ladder_kinds[] = {"triad", "copy", "read", "write", "update"};

/// The rounds of an earlier run at this size; none where it has no such rung.
Rounds rounds_at(const std::vector<Rung>& rungs, double bytes);

/// The rate at `bytes`, on a straight line between its neighbours' logarithms; the first's or
/// last rung's outside of them. `rungs` are sorted by size, and there is one at least.
Rung rung_at(const std::vector<Rung>& rungs, double bytes);

/// What a ladder holds for, besides what machine_cache.hpp names: the binding of the threads,
/// caches, driver, and this build.
std::string ladder_key(const SpaceInfo& space, const std::vector<Cache>& caches);

/// What a file holds, and the ladder in it: nothing where it is none.
nlohmann::json json_of(const Ladder& ladder);
/// Without it a digit that changed on the disk would be believed.
std::string hash_of_rates(const nlohmann::json& json);
std::optional<Ladder> ladder_of(const nlohmann::json& json);

/// The largest working set that is measured: the last cache of a host, beyond which the ceilings of
/// the run itself begin, and twice a device's; a sixteenth of the free memory at most.
double ladder_top(const SpaceInfo& space, const std::vector<Cache>& caches);

}  // namespace parallax
