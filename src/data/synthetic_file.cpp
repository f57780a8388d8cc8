// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/synthetic_file.hpp"

#include <algorithm>

#include "data/events.hpp"

namespace parallax::data {
namespace {

template <class T, class X>
std::vector<T> vector_of(const X& view) {
  return {view.data(), view.data() + view.extent(0)};
}

template <class T>
std::int64_t write(const std::string& path, const EventFormat& format, const SyntheticEvents& s,
                   const std::function<void(std::int64_t)>& progress) {
  const Kokkos::DefaultHostExecutionSpace space;
  const ListLengths lengths{s.seed, s.mean, s.giant_event > 0 && s.events > 0 ? 1 : 0,
                            s.giant_event};
  const auto step = std::max<std::int64_t>(1, static_cast<std::int64_t>(4e6 / (s.mean + 1)));
  EventWriter writer(path, format);
  std::int64_t leptons = 0;
  for (std::int64_t first = 0; first < s.events; first += step) {
    progress(first);
    const auto e =
        make_events<T>(space, first, std::min(step, s.events - first), s.events, lengths);
    writer.append(EventSlice<T>{first, vector_of<std::int32_t>(e.offsets), vector_of<T>(e.pt),
                                vector_of<T>(e.eta), vector_of<T>(e.phi),
                                vector_of<std::int8_t>(e.charge)});
    leptons += static_cast<std::int64_t>(e.pt.extent(0));
  }
  writer.close();
  progress(s.events);
  return leptons;
}

}  // namespace

std::int64_t write_synthetic(const std::string& path, const EventFormat& format,
                             const SyntheticEvents& events,
                             const std::function<void(std::int64_t)>& progress) {
  return format.f64 ? write<double>(path, format, events, progress)
                    : write<float>(path, format, events, progress);
}

}  // namespace parallax::data
