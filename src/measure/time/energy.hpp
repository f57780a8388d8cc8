// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/statistics.hpp"
#include "platform/device/sensors.hpp"
#include "platform/host/rapl.hpp"

namespace parallax {

/// What one part of the machine used for one run of a row.
struct EnergyPart {
  std::string name;    ///< gpu, package or dram
  std::string source;  ///< what counted it
  double joules = 0;
  std::optional<Interval> interval;  ///< 95 %, of `joules`
  std::size_t readings = 0;          ///< changes of the counter, from the first to the last
  std::optional<double> idle_watts;
  std::optional<double> above_idle;  ///< joules beyond what it uses in that time when idle
};

/// The energy of a row, by repetition of its runs.
struct RowEnergy {
  std::string missing;  ///< why it is not known; then the rest is empty
  double seconds = 0;
  std::int64_t runs = 0;
  std::vector<EnergyPart> parts;  ///< first, the row's own processor

  /// Of all parts.
  [[nodiscard]] EnergyPart total() const;
};

/// A number of joules for each unit of x, from the first change of the counter to the last: a
/// counter that is brought up to date now and then says nothing of the time before and after.
struct EnergyRate {
  double value = 0;
  std::optional<Interval> interval;
  std::size_t readings = 0;
};
/// Nothing where the counter was not read throughout, or hardly moved.
std::optional<EnergyRate> energy_rate(const std::vector<double>& x,
                                      const std::vector<double>& joules);

/// Reads the counters of energy that belong to one space: of a device its own, and of the host's
/// processors; docs/measuring.md.
class EnergyMeter {
 public:
  /// `device`: the sensors of the space's device; not used on the host. `now`: seconds.
  EnergyMeter(bool on_host, FoundSensors device, const std::string& root = "",
              std::function<double()> now = {});

  /// Why the energy of the space's own processor is not known; "" where it is.
  [[nodiscard]] const std::string& missing() const { return missing_; }

  /// Measures the power of all parts for some seconds, in which `rest` is called again and again.
  void measure_idle(double seconds, const std::function<void()>& rest);

  /// Calls `launch`, each time for `runs` runs, for `seconds` and twice at least. The first
  /// time only warms up. The counters are read after each, while a device still works, and before
  /// `wait`.
  RowEnergy measure(double seconds, std::int64_t runs, const std::function<void()>& launch,
                    const std::function<void()>& wait);

 private:
  struct Part {
    std::string name, source;
    std::function<std::optional<double>()> joules;
    std::size_t least = 2;  ///< readings, below which they say nothing
    std::optional<double> idle_watts;
    std::vector<double> readings;  ///< NaN: it could not be read
  };
  void add(const std::string& name, const std::string& source,
           std::function<std::optional<double>()> joules);
  void add_device(FoundSensors device);
  void repeat(double seconds, const std::function<void()>& step, const std::function<void()>& wait);

  std::string missing_;
  std::function<double()> now_;
  std::vector<Part> parts_;
  std::vector<double> times_;  ///< of the readings
};

}  // namespace parallax
