// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/energy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "platform/base/interrupt.hpp"

namespace parallax {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The time between two readings of a device that says only its power, times their mean.
class Integral {
 public:
  std::optional<double> next(double now, std::optional<double> watts) {
    if (!watts) return std::nullopt;
    if (before_) joules_ += (now - before_->first) * (before_->second + *watts) / 2;
    before_ = {now, *watts};
    return joules_;
  }

 private:
  double joules_ = 0;
  std::optional<std::pair<double, double>> before_;
};

}  // namespace

EnergyPart RowEnergy::total() const {
  EnergyPart all;
  if (parts.empty()) return all;
  all = parts.front();
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const auto add = [](std::optional<double>& sum, const std::optional<double>& x) {
      sum = sum && x ? std::optional(*sum + *x) : std::nullopt;
    };
    all.name += " + " + part->name;
    all.joules += part->joules;
    all.readings = std::min(all.readings, part->readings);
    add(all.idle_watts, part->idle_watts);
    add(all.above_idle, part->above_idle);
    // As if the parts' errors were the same: at least as wide as the truth.
    if (all.interval && part->interval)
      all.interval = Interval{all.interval->low + part->interval->low,
                              all.interval->high + part->interval->high};
    else
      all.interval.reset();
  }
  return all;
}

std::optional<EnergyRate> energy_rate(const std::vector<double>& x,
                                      const std::vector<double>& joules) {
  if (x.size() < 2 || std::any_of(joules.begin(), joules.end(), [](double j) { return !(j >= 0); }))
    return std::nullopt;
  std::vector<std::size_t> changes;
  for (std::size_t k = 1; k < x.size(); ++k)
    if (joules[k] != joules[k - 1]) changes.push_back(k);
  // Two readings, one before and one after a long run: there is nothing better.
  if (x.size() == 2 && changes.size() == 1) changes.insert(changes.begin(), 0);
  if (changes.size() < 2) return std::nullopt;
  const auto between = [&](std::size_t a, std::size_t b) {
    return (joules[b] - joules[a]) / (x[b] - x[a]);
  };
  const std::size_t first = changes.front(), last = changes.back();
  EnergyRate rate{between(first, last), {}, changes.size()};
  // Pieces so long that it hardly matters when within one reading a counter moved.
  const double piece = (x[last] - x[first]) / 20.5;
  std::vector<double> pieces;
  std::size_t start = first;
  for (const auto k : changes) {
    if (x[k] - x[start] < piece) continue;
    pieces.push_back(between(start, k));
    start = k;
  }
  if (const auto interval = mean_interval(pieces)) {
    const double half = (interval->high - interval->low) / 2;
    rate.interval = Interval{rate.value - half, rate.value + half};
  }
  return rate;
}

EnergyMeter::EnergyMeter(bool on_host, FoundSensors device, const std::string& root,
                         std::function<double()> now)
    : now_(now ? std::move(now) : steady_seconds) {
  if (!on_host) add_device(std::move(device));
  for (const auto* domain : {"package", "dram"}) {
    const auto rapl = std::make_shared<Rapl>(root, domain);
    if (rapl->joules())
      add(domain, "RAPL", [rapl] { return rapl->joules(); });
    else if (on_host && parts_.empty() && missing_.empty())
      missing_ = rapl->missing();
  }
}

void EnergyMeter::add(const std::string& name, const std::string& source,
                      std::function<std::optional<double>()> joules) {
  parts_.push_back({name, source, std::move(joules), 2, {}, {}});
}

void EnergyMeter::add_device(FoundSensors device) {
  missing_ = device.unavailable;
  if (!device.sensors) return;
  const std::shared_ptr<DeviceSensors> sensors = std::move(device.sensors);
  const auto reading = sensors->read();
  if (reading.joules) {
    add("gpu", sensors->library + ", energy counter", [sensors] { return sensors->read().joules; });
  } else if (reading.watts) {
    add("gpu", sensors->library + ", power over time",
        [now = now_, sensors, integral = std::make_shared<Integral>()] {
          return integral->next(now(), sensors->read().watts);
        });
    parts_.back().least = 10;
  } else {
    missing_ = reading.missing.at("joules") + "; " + reading.missing.at("watts");
  }
}

void EnergyMeter::repeat(double seconds, const std::function<void()>& step,
                         const std::function<void()>& wait) {
  times_.clear();
  for (auto& part : parts_) part.readings.clear();
  while (!interrupted()) {
    step();
    times_.push_back(now_());
    for (auto& part : parts_) part.readings.push_back(part.joules().value_or(std::nan("")));
    wait();
    if (times_.size() >= 2 && times_.back() - times_.front() >= seconds) return;
  }
}

void EnergyMeter::measure_idle(double seconds, const std::function<void()>& rest) {
  repeat(seconds, rest, [] {});
  for (auto& part : parts_)
    if (const auto rate = energy_rate(times_, part.readings)) part.idle_watts = rate->value;
}

RowEnergy EnergyMeter::measure(double seconds, std::int64_t runs,
                               const std::function<void()>& launch,
                               const std::function<void()>& wait) {
  RowEnergy energy;
  energy.missing = missing_;
  if (!missing_.empty()) return energy;
  repeat(seconds, launch, wait);
  if (interrupted()) return {"stopped by a signal", 0, 0, {}};
  std::vector<double> done;
  for (std::size_t k = 0; k < times_.size(); ++k) done.push_back(static_cast<double>(k) * runs);
  energy.seconds = times_.back() - times_.front();
  energy.runs = static_cast<std::int64_t>(done.back());
  const double run_seconds = energy.seconds / done.back();
  for (const auto& part : parts_) {
    const auto rate = energy_rate(done, part.readings);
    if (!rate || rate->readings < part.least) {
      if (&part != &parts_.front()) continue;
      return {part.source + " of '" + part.name + "' changed too seldom, or could not be read",
              0,
              0,
              {}};
    }
    EnergyPart found{part.name,      part.source,     rate->value, rate->interval,
                     rate->readings, part.idle_watts, {}};
    if (part.idle_watts) found.above_idle = rate->value - *part.idle_watts * run_seconds;
    energy.parts.push_back(found);
  }
  return energy;
}

}  // namespace parallax
