// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/staging.hpp"
#include "device/tuning.hpp"
#include "exercise/arrays.hpp"
#include "exercise/raw_elements.hpp"
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
    if constexpr (away)
      raw::read(X::memory_space::name(), x.data(), host.data(),
                x.span() * sizeof(typename X::value_type));
    input(host);
    enter(trip_->in, x, host);
    return host;
  }
  /// A host array to which `x` is copied after the kernel.
  template <class X>
  HostTwin<X> out(const X& x) const {
    const auto host = twin(x);
    enter(trip_->out, x, host);
    return host;
  }
  /// Both, for a kernel that works in place. Whoever runs it fills the array.
  template <class X>
  HostTwin<X> in_and_out(const X& x) const {
    const auto host = twin(x);
    enter(trip_->in, x, host);
    enter(trip_->out, x, host);
    return host;
  }

  /// One after the other, as one writes it first: Kokkos::deep_copy, kernel, Kokkos::deep_copy.
  std::function<void()> plain(const std::function<void()>& kernel) const {
    return run(kernel, false);
  }
  /// The copies staged in pinned memory (device/staging.hpp).
  std::function<void()> staged(const std::function<void()>& kernel) const {
    if constexpr (away)
      trip_->staging = std::make_unique<kernels::Staging<Space>>(trip_->space, host_copy());
    return run(kernel, true);
  }

 private:
  template <class Memory>
  using Bytes = Kokkos::View<std::byte*, Memory, Kokkos::MemoryUnmanaged>;
  /// The bytes of a View and of its twin, which have one layout, and what owns them.
  struct Pair {
    Bytes<typename Space::memory_space> device;
    Bytes<Kokkos::HostSpace> host;
    std::shared_ptr<const void> owner;
  };
  struct Trip {
    Space space;
    std::unique_ptr<kernels::Staging<Space>> staging{};
    std::vector<Pair> in{}, out{};
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
  static void enter(std::vector<Pair>& pairs, const X& x, const HostTwin<X>& host) {
    if constexpr (away) {
      const std::size_t bytes = x.span() * sizeof(typename X::value_type);
      const auto at = [](void* data) { return static_cast<std::byte*>(data); };
      pairs.push_back({Bytes<typename Space::memory_space>(at(x.data()), bytes),
                       Bytes<Kokkos::HostSpace>(at(host.data()), bytes),
                       std::make_shared<std::pair<X, HostTwin<X>>>(x, host)});
    }
  }

  std::function<void()> run(const std::function<void()>& kernel, bool through_pinned) const {
    if constexpr (!away)
      return {};
    else
      return [trip = trip_, kernel, through_pinned] {
        for (const auto& [device, host, owner] : trip->in)
          if (through_pinned)
            kernels::copy_to_device_staged(trip->space, *trip->staging, device, host);
          else
            Kokkos::deep_copy(trip->space, device, host);
        kernel();
        for (const auto& [device, host, owner] : trip->out)
          if (through_pinned)
            kernels::copy_from_device_staged(trip->space, *trip->staging, host, device);
          else
            Kokkos::deep_copy(trip->space, host, device);
      };
  }

  std::shared_ptr<Trip> trip_;
};

}  // namespace parallax::data
