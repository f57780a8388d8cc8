// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parallax::kernels {

/// `N` consecutive elements, aligned so that one instruction loads or stores them all: 16 bytes for
/// a GPU thread, a cache line for a CPU core. `N * sizeof(T)` is a power of two.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T value[N];
};

}  // namespace parallax::kernels
