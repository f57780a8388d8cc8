// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "support/made_events.hpp"

#include "data/events.hpp"

namespace parallax::test {

template <class T>
data::EventSlice<T> made_events(const data::SyntheticEvents& events) {
  const auto e = data::make_events<T>(
      Kokkos::DefaultHostExecutionSpace(), 0, events.events, events.events,
      {events.seed, events.mean, events.giant_event > 0 ? 1 : 0, events.giant_event});
  const auto values = [](const auto& view) {
    return std::vector(view.data(), view.data() + view.extent(0));
  };
  return {0, values(e.offsets), values(e.pt), values(e.eta), values(e.phi), values(e.charge)};
}

template data::EventSlice<float> made_events(const data::SyntheticEvents&);
template data::EventSlice<double> made_events(const data::SyntheticEvents&);

}  // namespace parallax::test
