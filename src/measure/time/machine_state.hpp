// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/time/timing.hpp"
#include "platform/device/sensors.hpp"

namespace parallax {

/// The clock that a row's samples were taken at.
struct RowClock {
  double mhz = 0;
  std::string source;                  ///< how it was measured
  std::optional<double> reported_mhz;  ///< what cpufreq or the device's library said
};

struct RowPower {
  std::optional<double> watts, celsius;
  /// Why the clock was held down; empty: it was not; nullopt: unknown.
  std::optional<std::vector<std::string>> throttled;
};

/// The state of the machine while the samples of a row were taken.
struct RowState {
  std::optional<RowClock> clock;
  std::optional<RowPower> power;
  std::string disturbed;                 ///< by what; "": by nothing that was seen
  std::vector<std::size_t> hit_samples;  ///< in which a thread lost its processor
  bool sampled_twice = false;            ///< the first samples were disturbed
};

/// What can be known of a space, and why the rest cannot.
struct StateSources {
  std::string clock, power;  ///< where they come from
  std::map<std::string, std::string> missing;
  std::optional<double> max_mhz, time_stamp_mhz;
  std::string governor;
};

/// Of the device that a space computes on.
FoundSensors open_sensors(const std::string& space);

/// Watches the processor of one space while samples are taken. Kokkos must be initialised.
class MachineState {
 public:
  /// Paths of the system's files begin with `root`.
  MachineState(std::string space, bool on_host, const std::string& root = "");
  ~MachineState();
  MachineState(const MachineState&) = delete;
  MachineState& operator=(const MachineState&) = delete;

  /// `threads` of the space, 0: all of them.
  void begin(int threads);
  /// `launch` gives a device some work of the same kind, during which it is asked for its state;
  /// may be empty.
  RowState end(const Samples& samples, const std::function<void()>& launch);
  [[nodiscard]] const StateSources& sources() const;

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

struct WatchedSamples {
  Samples samples;
  RowState state;
};

/// `measure`, watched. Samples that were disturbed are taken once more where they took at most
/// twice `max_time`; the better ones are kept.
WatchedSamples measure_watched(MachineState& machine, int threads, const std::function<void()>& run,
                               const std::function<void()>& prepare, const TimingOptions& options);
/// Whether the second samples are to be kept.
bool is_better(const WatchedSamples& second, const WatchedSamples& first);

}  // namespace parallax
