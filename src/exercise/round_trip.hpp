// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/staging.hpp"
#include "device/tuning.hpp"
#include "exercise/arrays.hpp"
#include "platform/host/copiers.hpp"

namespace parallax::data {

/// A View of the same shape and layout in ordinary host memory.
template <class X>
using HostTwin =
    Kokkos::View<typename X::non_const_data_type, typename X::array_layout, Kokkos::HostSpace>;

/// A kernel from host memory to host memory: arrays go to the device, the kernel runs, results come
/// back. Enter the arrays, then ask for the run. Where the host reaches the memory of `Space`
/// anyway, twins are empty, and so are the runs.
template <class Space>
class RoundTrip {
 public:
  /// Whether the host cannot reach the data.
  static constexpr bool away = !kernels::is_host_space<Space>;

  explicit RoundTrip(const Space& space) : trip_(std::make_shared<Trip>(space)) {}

  /// A host array with what `x` holds now, copied to `x` before the kernel.
  template <class X>
  HostTwin<X> in(const X& x) const {
    const auto host = twin(x);
    if constexpr (away) Kokkos::deep_copy(host, x);
    input(host);
    copy_in(x, host);
    return host;
  }
  /// A host array to which `x` is copied after the kernel.
  template <class X>
  HostTwin<X> out(const X& x) const {
    const auto host = twin(x);
    copy_back(x, host);
    return host;
  }
  /// Both, for a kernel that works in place. Whoever runs it fills the array.
  template <class X>
  HostTwin<X> in_and_out(const X& x) const {
    const auto host = twin(x);
    copy_in(x, host);
    copy_back(x, host);
    return host;
  }

  /// One after the other, as one writes it first: Kokkos::deep_copy, kernel, Kokkos::deep_copy.
  std::function<void()> plain(const std::function<void()>& kernel) const {
    return run(kernel, &Copy::plain);
  }
  /// The copies staged in pinned memory (device/staging.hpp).
  std::function<void()> staged(const std::function<void()>& kernel) const {
    if constexpr (away)
      trip_->staging = std::make_unique<kernels::Staging<Space>>(trip_->space, host_copy());
    return run(kernel, &Copy::staged);
  }

 private:
  struct Copy {
    std::function<void()> plain, staged;
  };
  struct Trip {
    Space space;
    std::unique_ptr<kernels::Staging<Space>> staging{};
    std::vector<Copy> in{}, out{};
    explicit Trip(const Space& s) : space(s) {}
  };

  template <class X>
  HostTwin<X> twin(const X& x) const {
    using T = typename X::non_const_value_type;
    const Kokkos::DefaultHostExecutionSpace host;
    const std::string label = "host's " + x.label();
    const auto extent = [&](int k) { return static_cast<std::int64_t>(x.extent(k)); };
    if constexpr (!away)
      return {};
    else if constexpr (X::rank() == 0)
      return allocate_scalar<T>(host, label);
    else if constexpr (X::rank() == 1)
      return allocate<T>(host, label, extent(0));
    else
      return allocate_matrix<HostTwin<X>>(host, label, extent(0), extent(1));
  }

  template <class X>
  void copy_in(const X& x, const HostTwin<X>& host) const {
    if constexpr (away)
      trip_->in.push_back({[=, trip = trip_.get()] { Kokkos::deep_copy(trip->space, x, host); },
                           [=, trip = trip_.get()] {
                             kernels::copy_to_device_staged(trip->space, *trip->staging, x, host);
                           }});
  }

  template <class X>
  void copy_back(const X& x, const HostTwin<X>& host) const {
    if constexpr (away)
      trip_->out.push_back({[=, trip = trip_.get()] { Kokkos::deep_copy(trip->space, host, x); },
                            [=, trip = trip_.get()] {
                              kernels::copy_from_device_staged(trip->space, *trip->staging, host,
                                                               x);
                            }});
  }

  std::function<void()> run(const std::function<void()>& kernel,
                            std::function<void()> Copy::*way) const {
    if (!away) return {};
    return [trip = trip_, kernel, way] {
      for (const auto& copy : trip->in) (copy.*way)();
      kernel();
      for (const auto& copy : trip->out) (copy.*way)();
    };
  }

  std::shared_ptr<Trip> trip_;
};

}  // namespace parallax::data
