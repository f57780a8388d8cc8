// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Events in HDF5 files (apps/dilepton_mass/events.md): a group with `counts` (leptons of each
// event) or `offsets` (one more than events, from 0), and flat columns `pt`, `eta`, `phi`,
// `charge`. Files are read and written in slices, so that they may be larger than memory.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "data/event_layout.hpp"

namespace parallax::data {

/// How much is read: `events` of the file from number `first` on, in slices of at most
/// `slice_events` events and `slice_leptons` leptons (one event is read whatever its size).
struct EventLimits {
  std::int64_t first = 0;
  std::int64_t events = std::numeric_limits<std::int64_t>::max();
  std::int64_t slice_events = 20'000'000;
  std::int64_t slice_leptons = std::int64_t{1} << 27;
};

/// Leptons that cannot be used, each counted once, under the first that holds. They keep their
/// place with charge, pt, eta and phi 0: no pair takes them, and they add nothing to a sum.
struct UnusableLeptons {
  std::int64_t not_finite = 0;   ///< NaN or infinity in pt, eta or phi
  std::int64_t negative_pt = 0;  ///< pt < 0
  std::int64_t charge = 0;       ///< other than -1 and 1
  /// pt other than 0 and outside of 1e-9 to 1e9, |eta| > 20 or |phi| > 7: no detector measures
  /// these, and their masses leave the range of f32. Fillers such as -999 are among them.
  std::int64_t out_of_range = 0;
  [[nodiscard]] std::int64_t total() const {
    return not_finite + negative_pt + charge + out_of_range;
  }
};

/// What the constructor of EventFile finds.
struct EventExtent {
  std::int64_t events = 0, leptons = 0;  ///< to be read: within the limits
  std::int64_t leptons_before = 0;       ///< in events before those
  std::int64_t events_in_file = 0;
  std::int64_t most_leptons = 0;  ///< of one event
  std::int64_t slices = 0;
  std::int64_t most_slice_leptons = 0, most_slice_events = 0;  ///< of one slice
};

/// True where the program was built with HDF5.
bool have_hdf5();

/// A file of events open for reading. The constructor reads the whole of `counts` or `offsets`, in
/// blocks, and refuses in one line that names file and dataset, what was found and what was
/// expected.
///
/// MachineError, where the file cannot be opened or read, is truncated or damaged, is compressed by
/// a filter that is not here, or where the program was built without HDF5.
///
/// UsageError, where the file is sound but not of this layout: no HDF5 file, a group or dataset
/// missing, not one-dimensional, or of the wrong kind (integers for counts, offsets and charge;
/// floating-point numbers for the others); columns of unequal length; a negative count; offsets
/// that do not start at 0 or decrease; columns longer or shorter than counts or offsets say; an
/// event of more than 2^31 - 1 leptons.
///
/// Leptons with values that cannot be are counted (`unusable`), not refused.
class EventFile {
 public:
  explicit EventFile(const std::string& path, EventLayout layout = {}, EventLimits limits = {});
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  [[nodiscard]] const EventExtent& extent() const;

  /// Back to the first event.
  void rewind();
  /// Reads the next slice; false at the end. T is float or double: the file's numbers are rounded
  /// to it.
  template <class T>
  bool next(EventSlice<T>& slice);
  /// What was unusable in the slices read since the start or rewind().
  [[nodiscard]] UnusableLeptons unusable() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parallax::data
