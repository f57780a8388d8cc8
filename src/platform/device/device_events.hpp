// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Time by a device's own clock: two events in its queue. CUDA's and HIP's; other builds have none.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>

namespace parallax::bindings {

#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool device_has_events = true;
#define PARALLAX_EVENT(name) cuda##name
#elif defined(KOKKOS_ENABLE_HIP)
inline constexpr bool device_has_events = true;
#define PARALLAX_EVENT(name) hip##name
#else
inline constexpr bool device_has_events = false;
#endif

#if defined(PARALLAX_EVENT)

/// A stretch of the device's queue. Its ends are in the null stream, which waits for the streams of
/// all of Kokkos's instances, and they for it.
class DeviceEvents {
 public:
  DeviceEvents() {
    good_ = PARALLAX_EVENT(EventCreate)(&start_) == success;
    good_ = PARALLAX_EVENT(EventCreate)(&stop_) == success && good_;
  }
  ~DeviceEvents() {
    for (auto event : {start_, stop_})
      if (event != nullptr) static_cast<void>(PARALLAX_EVENT(EventDestroy)(event));
  }
  DeviceEvents(const DeviceEvents&) = delete;
  DeviceEvents& operator=(const DeviceEvents&) = delete;

  void start() { record(start_); }
  void stop() { record(stop_); }
  /// Whether the device has come to the end.
  [[nodiscard]] bool over() const { return PARALLAX_EVENT(EventQuery)(stop_) == success; }
  /// Waits for the end. NaN where the runtime refused something.
  double elapsed_ns() {
    float ms = 0;
    good_ = good_ && PARALLAX_EVENT(EventSynchronize)(stop_) == success &&
            PARALLAX_EVENT(EventElapsedTime)(&ms, start_, stop_) == success;
    return good_ ? 1e6 * static_cast<double>(ms) : std::nan("");
  }

 private:
  static constexpr auto success = PARALLAX_EVENT(Success);
  void record(PARALLAX_EVENT(Event_t) event) {
    good_ = good_ && PARALLAX_EVENT(EventRecord)(event, nullptr) == success;
  }
  PARALLAX_EVENT(Event_t) start_ = nullptr, stop_ = nullptr;
  bool good_ = true;
};

#undef PARALLAX_EVENT

#else

/// Never asked: device_has_events is false.
struct DeviceEvents {
  void start() {}
  void stop() {}
  [[nodiscard]] bool over() const { return true; }
  double elapsed_ns() { return std::nan(""); }
};

#endif

/// Keeps the device busy for some milliseconds, or a share of them, so that what is launched
/// meanwhile queues up behind it: a chain of dependent multiply-adds in one thread, 4 cycles each
/// on today's devices. Has to live until the device has done it: freeing its number waits for that.
class DeviceDelay {
 public:
  void operator()(double share) const {
    const auto kept = kept_;
    const int steps = static_cast<int>(1'500'000 * share);
    Kokkos::parallel_for(
        "parallax::delay", Kokkos::RangePolicy<Space>(Space{}, 0, 1), KOKKOS_LAMBDA(int i) {
          float x = static_cast<float>(i);
          for (int k = 0; k < steps; ++k) x = x * 0.999f + 0.001f;
          kept() = x;
        });
  }

 private:
  using Space = Kokkos::DefaultExecutionSpace;
  Kokkos::View<float, Space::memory_space> kept_{"parallax::delay"};
};

}  // namespace parallax::bindings
