// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/event_file.hpp"

#ifdef PARALLAX_HAVE_HDF5
#include <algorithm>
#include <cmath>

#include "data/event_columns.hpp"

namespace parallax::data {
namespace {

/// Counts are read in blocks of this many.
constexpr std::int64_t block = std::int64_t{1} << 20;

/// Whether an event of `count` leptons still belongs to a slice.
bool fits(const EventLimits& limits, std::int64_t events, std::int64_t leptons,
          std::int64_t count) {
  return events == 0 || (events < limits.slice_events && leptons + count <= limits.slice_leptons);
}

/// Sets a lepton that cannot be used to 0, and counts why.
template <class T>
void judge(T& pt, T& eta, T& phi, std::int8_t& charge, UnusableLeptons& unusable) {
  if (!std::isfinite(pt) || !std::isfinite(eta) || !std::isfinite(phi))
    ++unusable.not_finite;
  else if (pt < 0)
    ++unusable.negative_pt;
  else if (charge != 1 && charge != -1)
    ++unusable.charge;
  else if ((pt != 0 && pt < T(1e-9)) || pt > T(1e9) || std::abs(eta) > 20 || std::abs(phi) > 7)
    ++unusable.out_of_range;
  else
    return;
  pt = eta = phi = 0;
  charge = 0;
}

}  // namespace

bool have_hdf5() { return true; }

struct EventFile::Impl {
  Impl(const std::string& path, const EventLayout& layout, const EventLimits& l)
      : limits(l), columns(path, layout) {
    scan();
  }

  /// The counts of `events` events from `first`: as they are, or the differences of offsets.
  void read_counts(std::int64_t first, std::int64_t events) {
    counts.resize(static_cast<std::size_t>(events));
    if (!columns.with_offsets) {
      columns.index.read(first, events, counts);
      return;
    }
    offsets.resize(counts.size() + 1);
    columns.index.read(first, events + 1, offsets);
    if (first == 0 && offsets.front() != 0)
      columns.index.refuse("starts with " + std::to_string(offsets.front()) + ", not with 0");
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (offsets[i + 1] < offsets[i])
        columns.index.refuse("decreases, from " + std::to_string(offsets[i]) + " to " +
                             std::to_string(offsets[i + 1]) + " at index " +
                             std::to_string(first + static_cast<std::int64_t>(i) + 1));
      counts[i] = offsets[i + 1] - offsets[i];
    }
  }

  /// Reads all counts, judges them, and finds what the slices will be.
  void scan() {
    extent.events_in_file = columns.events();
    std::int64_t total = 0, events = 0, leptons = 0;  // of the slice in hand
    for (std::int64_t first = 0; first < extent.events_in_file; first += block) {
      read_counts(first, std::min(block, extent.events_in_file - first));
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::int64_t event = first + static_cast<std::int64_t>(i), count = counts[i];
        require_sound(event, count, total);
        total += count;
        if (event < limits.first) extent.leptons_before += count;
        if (event < limits.first || event - limits.first >= limits.events) continue;
        if (!fits(limits, events, leptons, count)) events = leptons = 0;
        extent.slices += events == 0 ? 1 : 0;
        ++events;
        leptons += count;
        ++extent.events;
        extent.leptons += count;
        extent.most_leptons = std::max(extent.most_leptons, count);
        extent.most_slice_events = std::max(extent.most_slice_events, events);
        extent.most_slice_leptons = std::max(extent.most_slice_leptons, leptons);
      }
    }
    if (extent.events_in_file == 0 && columns.with_offsets) read_counts(0, 0);
    if (total != columns.leptons())
      columns.index.refuse("describes " + std::to_string(total) +
                           " leptons, but the columns have " + std::to_string(columns.leptons()));
    rewind();
  }

  void require_sound(std::int64_t event, std::int64_t count, std::int64_t before) const {
    const auto says = [&](const std::string& what) {
      columns.index.refuse("gives event " + std::to_string(event) + " " + std::to_string(count) +
                           " leptons, " + what);
    };
    if (count < 0) says("fewer than none");
    if (count > columns.leptons() - before)
      says("but the columns have " + std::to_string(columns.leptons() - before) + " left");
    if (count > std::numeric_limits<std::int32_t>::max()) says("more than 2^31 - 1");
  }

  void rewind() {
    event_at = 0;
    lepton_at = extent.leptons_before;
    unusable = {};
  }

  template <class T>
  bool next(EventSlice<T>& slice) {
    slice.first = event_at;
    slice.offsets.assign(1, 0);
    std::int64_t leptons = 0;
    bool full = false;
    while (!full && event_at < extent.events) {
      read_counts(limits.first + event_at,
                  std::min({block, limits.slice_events, extent.events - event_at}));
      for (const auto count : counts) {
        full = !fits(limits, slice.events(), leptons, count);
        if (full) break;
        leptons += count;
        slice.offsets.push_back(static_cast<std::int32_t>(leptons));
        ++event_at;
      }
    }
    if (slice.events() == 0) return false;
    columns.pt.read(lepton_at, leptons, slice.pt);
    columns.eta.read(lepton_at, leptons, slice.eta);
    columns.phi.read(lepton_at, leptons, slice.phi);
    columns.charge.read(lepton_at, leptons, slice.charge);
    lepton_at += leptons;
    for (std::size_t k = 0; k < slice.pt.size(); ++k)
      judge(slice.pt[k], slice.eta[k], slice.phi[k], slice.charge[k], unusable);
    return true;
  }

  EventLimits limits;
  EventColumns columns;
  EventExtent extent;
  std::int64_t event_at = 0, lepton_at = 0;
  UnusableLeptons unusable;
  std::vector<std::int64_t> counts, offsets;
};

EventFile::EventFile(const std::string& path, EventLayout layout, EventLimits limits)
    : impl_(std::make_unique<Impl>(path, layout, limits)) {}
EventFile::~EventFile() = default;

const EventExtent& EventFile::extent() const { return impl_->extent; }

void EventFile::rewind() { impl_->rewind(); }

template <class T>
bool EventFile::next(EventSlice<T>& slice) {
  return impl_->next(slice);
}
template bool EventFile::next(EventSlice<float>&);
template bool EventFile::next(EventSlice<double>&);

UnusableLeptons EventFile::unusable() const { return impl_->unusable; }

}  // namespace parallax::data
#else

namespace parallax::data {

bool have_hdf5() { return false; }

struct EventFile::Impl {
  EventExtent extent;
};
EventFile::EventFile(const std::string& path, EventLayout /*layout*/, EventLimits /*limits*/) {
  refuse_without_hdf5(path);
}
EventFile::~EventFile() = default;
const EventExtent& EventFile::extent() const { return impl_->extent; }
void EventFile::rewind() {}
template <class T>
bool EventFile::next(EventSlice<T>& /*slice*/) {
  return false;
}
template bool EventFile::next(EventSlice<float>&);
template bool EventFile::next(EventSlice<double>&);
UnusableLeptons EventFile::unusable() const { return {}; }

}  // namespace parallax::data
#endif
