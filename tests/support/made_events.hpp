// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/event_file.hpp"
#include "data/synthetic_file.hpp"

namespace parallax::test {

/// The events that a run without a file makes, for float and double. In a separate file: nvcc
/// does not finish tests that include both Kokkos and HDF5.
template <class T>
data::EventSlice<T> made_events(const data::SyntheticEvents& events);

}  // namespace parallax::test
