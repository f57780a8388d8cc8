// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The few numbers that differ between a CPU and a GPU. A kernel takes a number from here (how many
// lanes a thread carries, how large a team is), never another algorithm.
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace parallax::kernels {

/// True where `Space` runs on the host's cores (Serial, OpenMP, Threads), false where it runs on a
/// device. Kernels use it to choose a number (lanes per thread, elements per team), never to choose
/// another algorithm.
template <class Space>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible&&
        std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

/// Elements of T that one host thread works on side by side, in local arrays whose loops the
/// compiler turns into vector instructions: 256 bytes, which is 4 registers of AVX-512, 8 of AVX2
/// or 16 of SSE and NEON. Several independent registers hide the latency of a chain of
/// multiply-adds. A GPU thread is one lane of a warp already.
template <class Space, class T>
inline constexpr int vector_lanes = is_host_space<Space> ? 256 / static_cast<int>(sizeof(T)) : 1;

}  // namespace parallax::kernels
