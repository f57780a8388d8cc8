// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// launch without Kokkos: the same kernels in the space's own language (launch/library.hpp).
// Nothing is faster to launch; what Kokkos adds is the difference.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "launch/lesson.hpp"
#include "launch/library.hpp"

namespace parallax::kernels::launch {

/// Step on a pointer: no View is copied.
struct NativeStep {
  std::int32_t* x;
  int k;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x[i] = step(x[i], k); }
};

/// Each kernel's step.
template <class Part>
std::vector<NativeStep> native_steps(const std::vector<Part>& parts) {
  std::vector<NativeStep> steps;
  for (const Part& part : parts) steps.push_back({part.data(), static_cast<int>(steps.size())});
  return steps;
}

/// A launch for each kernel, over `n` elements each.
template <class Space>
void native(const Space& space, std::int64_t n, const std::vector<NativeStep>& steps) {
  for (const auto& step : steps) bindings::NativeLaunch<Space>::launch(space, n, step);
}

}  // namespace parallax::kernels::launch
