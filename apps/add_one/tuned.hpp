// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// add_one at the memory's full rate: the addition of lesson.hpp on packs of elements.
#pragma once

#include <Kokkos_Core.hpp>

#include "add_one/lesson.hpp"
#include "device/elementwise.hpp"
#include "device/transform.hpp"

namespace parallax::kernels::add_one {

/// The same body on packs (transform.hpp): 16 bytes a GPU thread, plain runs on a CPU.
/// For doubles a GPU has half as many threads with twice as much to do; for floats it is a quarter,
/// and there it shows.
template <class Space, class Array>
void wide(const Space& space, const Array& a) {
  transform("parallax::add_one::wide", space, a, elementwise::Plus<1>{}, a);
}

}  // namespace parallax::kernels::add_one
