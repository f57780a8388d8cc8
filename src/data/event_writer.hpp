// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/event_layout.hpp"

namespace parallax::data {

/// How a file is written.
struct EventFormat {
  std::string name;  ///< what messages call the file; empty: its path
  EventLayout layout;
  bool with_offsets = false;    ///< offsets, and not counts
  bool f64 = false;             ///< columns of doubles
  std::int64_t chunk = 65'536;  ///< values in each chunk
  int compression = 4;          ///< of deflate, 0 (none) to 9
};

/// Writes events to a file of the given name, replacing what is there; give it a temporary name.
/// Throws MachineError where that fails, a full disk included.
class EventWriter {
 public:
  EventWriter(const std::string& path, EventFormat format);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;
  /// Adds the slice's events after those that are there. T is float or double.
  template <class T>
  void append(const EventSlice<T>& slice);
  /// Writes what is left; the file is whole only after this.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parallax::data
