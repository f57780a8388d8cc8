// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/machine_state.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <numeric>
#include <utility>

#include "measure/time/calibration.hpp"
#include "measure/time/disturbance.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/base/statistics.hpp"
#include "platform/device/amd_smi.hpp"
#include "platform/device/device_clock.hpp"
#include "platform/device/nvml.hpp"
#include "platform/device/rocm_smi.hpp"
#include "platform/device/runtime.hpp"
#include "platform/device/space_info.hpp"
#include "platform/host/cpu_sensors.hpp"
#include "platform/host/scheduler.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {

FoundSensors open_sensors(const std::string& space) {
  if (space == "cuda") return open_nvml(bindings::device_bus_address());
  if (space == "hip") {
    // AMD retires ROCm SMI, which says more, for AMD SMI.
    auto found = open_rocm_smi(bindings::device_bus_address());
    if (found.sensors) return found;
    auto newer = open_amd_smi(bindings::device_bus_address());
    if (!newer.sensors) newer.unavailable = found.unavailable + "; " + newer.unavailable;
    return newer;
  }
  return {nullptr, "no library is known that reads the sensors of this device"};
}

namespace {

RowPower power_of(const SensorReading& reading) {
  RowPower power{reading.watts, reading.celsius, std::nullopt};
  if (reading.missing.count("throttled") == 0) power.throttled = reading.throttled;
  return power;
}

bool known(const RowPower& power) { return power.watts || power.celsius || power.throttled; }

}  // namespace

struct MachineState::Watch {
  std::string space, root;
  bool on_host;
  int concurrency = 1, threads = 1, asked_threads = 0;
  StateSources sources;
  CpuSensors cpu;
  FoundSensors device;
  bindings::DeviceClock device_clock;
  SchedulerReading before;
  SensorReading cpu_before;
  Calibration calibrated;

  Watch(std::string name, bool host, const std::string& files)
      : space(std::move(name)), root(files), on_host(host), cpu(host ? files : "/nowhere") {
    if (on_host) {
      sources.max_mhz = cpu.max_mhz;
      sources.governor = cpu.governor;
      concurrency = describe_space(space).concurrency;
      return;
    }
    device = open_sensors(space);
    if (device.sensors) sources.max_mhz = device.sensors->max_mhz;
  }

  /// Reads a CPU's sensors: the clock comes from the calibrations on both sides of the samples.
  void end_on_host(RowState& state, Observation& seen) {
    const double wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - before.at).count();
    auto reading = cpu.read();
    if (reading.joules && cpu_before.joules)
      reading.watts = (*reading.joules - *cpu_before.joules) / wall_s;
    else if (const auto why = reading.missing.find("joules"); why != reading.missing.end())
      reading.missing["watts"] = why->second;
    const auto after = calibrate(space, asked_threads);
    seen.stretch_before = calibrated.stretch;
    seen.stretch_after = after.stretch;
    if (calibrated.mhz > 0 && after.mhz > 0) {
      sources.clock = "timed additions";
      state.clock = RowClock{(calibrated.mhz + after.mhz) / 2, sources.clock, reading.mhz};
    }
    sources.time_stamp_mhz = after.time_stamp_mhz;
    keep(state, reading, "files of the system");
  }

  /// Reads a device while it works: its clock and its power fall as soon as it rests.
  void end_on_device(RowState& state, const std::function<void()>& launch) {
    if (launch) launch();
    device_clock.launch();
    SensorReading reading;
    std::string library;
    if (device.sensors) {
      reading = device.sensors->read();
      library = device.sensors->library;
    } else {
      for (const auto* quantity : {"mhz", "watts", "celsius", "throttled"})
        reading.missing[quantity] = device.unavailable;
    }
    runtime::fence("parallax::machine_state");
    if (const auto mhz = device_clock.mhz()) {
      sources.clock = "cycles over nanoseconds in a kernel";
      state.clock = RowClock{*mhz, sources.clock, reading.mhz};
    } else if (reading.mhz) {
      sources.clock = library;
      state.clock = RowClock{*reading.mhz, library, reading.mhz};
    }
    keep(state, reading, library);
  }

  void keep(RowState& state, const SensorReading& reading, const std::string& from) {
    const auto power = power_of(reading);
    if (known(power)) {
      state.power = power;
      sources.power = from;
    }
    sources.missing = reading.missing;
    sources.missing.erase("joules");
    // The clock itself is measured.
    if (auto entry = sources.missing.extract("mhz"); !entry.empty()) {
      entry.key() = state.clock ? "reported_mhz" : "mhz";
      sources.missing.insert(std::move(entry));
    }
  }
};

MachineState::MachineState(std::string space, bool on_host, const std::string& root)
    : watch_(std::make_unique<Watch>(std::move(space), on_host, root)) {}
MachineState::~MachineState() = default;

const StateSources& MachineState::sources() const { return watch_->sources; }

void MachineState::begin(int threads) {
  auto& w = *watch_;
  w.asked_threads = threads;
  // Of a device, only the thread that launches can be disturbed.
  w.threads = !w.on_host ? 1 : threads > 0 ? threads : w.concurrency;
  if (w.on_host) {
    w.cpu_before = w.cpu.read();
    w.calibrated = calibrate(w.space, threads);
  }
  w.before = read_scheduler(w.root);
}

RowState MachineState::end(const Samples& samples, const std::function<void()>& launch) {
  auto& w = *watch_;
  RowState state;
  auto seen = between(w.before, read_scheduler(w.root), w.threads);
  seen.switches = samples.switches;
  for (const double ns : samples.real_ns)
    seen.sample_ns.push_back(ns * static_cast<double>(samples.iterations));
  if (w.on_host)
    w.end_on_host(state, seen);
  else
    w.end_on_device(state, launch);
  state.disturbed = disturbance(seen);
  state.hit_samples = hit_samples(seen);
  return state;
}

bool is_better(const WatchedSamples& second, const WatchedSamples& first) {
  if (second.state.disturbed.empty() != first.state.disturbed.empty())
    return second.state.disturbed.empty();
  return median(second.samples.real_ns) < median(first.samples.real_ns);
}

WatchedSamples measure_watched(MachineState& machine, int threads, const std::function<void()>& run,
                               const std::function<void()>& prepare, const TimingOptions& options) {
  const auto once = [&](const TimingOptions& timing) {
    WatchedSamples taken;
    machine.begin(threads);
    taken.samples = measure(run, prepare, timing);
    if (taken.samples.interrupted) return taken;
    // Half a sample keeps a device busy for as long as its sensors are read. A long run left it as
    // warm as it was.
    std::function<void()> launch;
    if (!prepare && median(taken.samples.real_ns) < slow_ns)
      launch = [&, runs = (taken.samples.iterations + 1) / 2] {
        for (std::int64_t i = 0; i < runs; ++i) run();
      };
    taken.state = machine.end(taken.samples, launch);
    return taken;
  };
  auto first = once(options);
  if (ranks::several()) {  // one that takes them once more would wait for the others
    first.state.disturbed = ranks::first_said(first.state.disturbed);
    return first;
  }
  const auto& ns = first.samples.real_ns;
  const double seconds = std::accumulate(ns.begin(), ns.end(), 0.0) *
                         static_cast<double>(first.samples.iterations) * 1e-9;
  if (first.state.disturbed.empty() || seconds > 2 * options.max_time || interrupted())
    return first;
  auto same = options;
  same.device = false;  // other work on the host does not disturb the device's clock
  auto second = once(same);
  second.samples.seen_ns = first.samples.seen_ns;
  second.samples.event_ns = first.samples.event_ns;
  // A signal came: the first samples are whole.
  if (second.samples.interrupted) return first;
  first.state.sampled_twice = second.state.sampled_twice = true;
  return is_better(second, first) ? second : first;
}

}  // namespace parallax
