// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/ranks/communicator.hpp"

namespace parallax::bindings {

/// Messages between the memories of the ranks' devices, one device each. Written for NCCL and RCCL
/// (nccl.cpp), a separate library that is loaded where it is wanted. Functions are called by all
/// ranks in the same order (`exchange` by those concerned, `broadcast` by a group) and put their
/// messages on the device's stream, those with a `meanwhile` beside what that puts there. They
/// throw std::runtime_error. A thread watches that no message takes for ever.
class DeviceCommunicator {
 public:
  DeviceCommunicator() = default;
  virtual ~DeviceCommunicator() = default;
  DeviceCommunicator(const DeviceCommunicator&) = delete;
  DeviceCommunicator& operator=(const DeviceCommunicator&) = delete;

  /// "NCCL 2.28.9"
  [[nodiscard]] virtual std::string library() const = 0;
  using Meanwhile = std::function<void()>;                                       ///< may be empty
  virtual void all_reduce(void* numbers, std::size_t count, Number number) = 0;  ///< a sum
  virtual void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                        const Meanwhile& meanwhile) = 0;
  virtual void join(const Group& group) = 0;
  virtual void broadcast(void* data, std::size_t bytes, int root, const Group& group,
                         const Meanwhile& meanwhile) = 0;
  virtual void all_to_all_parts(const void* from, const Parts& send, void* to, const Parts& receive,
                                std::size_t bytes, const Meanwhile& meanwhile) = 0;
};

/// What the library exports, by this name. Called by all ranks together, once; `device` is this
/// rank's, and `stream` a stream on it.
using OpenDeviceCommunicator = DeviceCommunicator*(Communicator& ranks, int device, void* stream);
inline constexpr const char* open_device_communicator = "parallax_open_device_communicator";

}  // namespace parallax::bindings
