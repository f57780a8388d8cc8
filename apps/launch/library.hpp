// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A kernel over n indices, launched as the space's own language does it and not by Kokkos: CUDA and
// HIP with <<<...>>> and with their graphs, hosts with a loop. What a launch costs without Kokkos.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#define PARALLAX_NATIVE(name) cuda##name
#define PARALLAX_NATIVE_SPACE Kokkos::Cuda
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__)
#define PARALLAX_NATIVE(name) hip##name
#define PARALLAX_NATIVE_SPACE Kokkos::HIP
#endif

namespace parallax::bindings {

/// No native launch for this space.
template <class Space>
struct NativeLaunch {
  static constexpr bool has_launch = false;
  static constexpr bool has_graph = false;
};

#if defined(KOKKOS_ENABLE_SERIAL)
template <>
struct NativeLaunch<Kokkos::Serial> {
  static constexpr bool has_launch = true;
  static constexpr bool has_graph = false;
  /// Calls body(i) for 0 <= i < n.
  template <class Body>
  static void launch(const Kokkos::Serial&, std::int64_t n, const Body& body) {
    for (std::int64_t i = 0; i < n; ++i) body(i);
  }
};
#endif

#if defined(KOKKOS_ENABLE_OPENMP)
template <>
struct NativeLaunch<Kokkos::OpenMP> {
  static constexpr bool has_launch = true;
  static constexpr bool has_graph = false;
  template <class Body>
  static void launch(const Kokkos::OpenMP& space, std::int64_t n, const Body& body) {
#pragma omp parallel for schedule(static) num_threads(space.concurrency())
    for (std::int64_t i = 0; i < n; ++i) body(i);
  }
};
#endif

#if defined(PARALLAX_NATIVE)

namespace detail {

inline constexpr int native_block = 256;

template <class Body>
__global__ void native_kernel(std::int64_t n, Body body) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) body(i);
}

inline unsigned native_blocks(std::int64_t n) {
  return static_cast<unsigned>((n + native_block - 1) / native_block);
}

inline void require(PARALLAX_NATIVE(Error_t) status, const char* what) {
  if (status != PARALLAX_NATIVE(Success))
    throw std::runtime_error(std::string(what) + ": " + PARALLAX_NATIVE(GetErrorString)(status));
}

#if defined(KOKKOS_ENABLE_CUDA)
inline auto native_stream(const Kokkos::Cuda& space) { return space.cuda_stream(); }
#else
inline auto native_stream(const Kokkos::HIP& space) { return space.hip_stream(); }
#endif

}  // namespace detail

template <>
struct NativeLaunch<PARALLAX_NATIVE_SPACE> {
  using Space = PARALLAX_NATIVE_SPACE;
  static constexpr bool has_launch = true;
  static constexpr bool has_graph = true;

  template <class Body>
  static void launch(const Space& space, std::int64_t n, const Body& body) {
    if (n == 0) return;  // a grid of no blocks is an error
    detail::native_kernel<<<detail::native_blocks(n), detail::native_block, 0,
                            detail::native_stream(space)>>>(n, body);
    detail::require(PARALLAX_NATIVE(GetLastError)(), "a kernel's launch");
  }

  /// Kernels over n > 0 indices each, in a chain or all at once, recorded to be launched together.
  class Graph {
   public:
    template <class Body>
    Graph(std::int64_t n, const std::vector<Body>& bodies, bool chain) {
      detail::require(PARALLAX_NATIVE(GraphCreate)(&graph_, 0), "a graph");
      PARALLAX_NATIVE(GraphNode_t) last = nullptr;
      for (std::size_t k = 0; n > 0 && k < bodies.size(); ++k) {
        Body body = bodies[k];
        void* arguments[] = {&n, &body};  // copied into the node
        PARALLAX_NATIVE(KernelNodeParams) kernel{};
        kernel.func = reinterpret_cast<void*>(&detail::native_kernel<Body>);
        kernel.gridDim = dim3(detail::native_blocks(n));
        kernel.blockDim = dim3(detail::native_block);
        kernel.kernelParams = arguments;
        PARALLAX_NATIVE(GraphNode_t) node = nullptr;
        const std::size_t before = chain && last != nullptr ? 1 : 0;
        detail::require(PARALLAX_NATIVE(GraphAddKernelNode)(
                            &node, graph_, before > 0 ? &last : nullptr, before, &kernel),
                        "a graph's kernel");
        last = node;
      }
      detail::require(PARALLAX_NATIVE(GraphInstantiateWithFlags)(&ready_, graph_, 0),
                      "a graph that is to be launched");
    }
    /// Waits for the device, on which it may be running.
    ~Graph() {
      static_cast<void>(PARALLAX_NATIVE(DeviceSynchronize)());
      if (ready_ != nullptr) static_cast<void>(PARALLAX_NATIVE(GraphExecDestroy)(ready_));
      if (graph_ != nullptr) static_cast<void>(PARALLAX_NATIVE(GraphDestroy)(graph_));
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void submit(const Space& space) const {
      detail::require(PARALLAX_NATIVE(GraphLaunch)(ready_, detail::native_stream(space)),
                      "a graph's launch");
    }

   private:
    PARALLAX_NATIVE(Graph_t) graph_ = nullptr;
    PARALLAX_NATIVE(GraphExec_t) ready_ = nullptr;
  };
};

#undef PARALLAX_NATIVE
#undef PARALLAX_NATIVE_SPACE
#endif

}  // namespace parallax::bindings
