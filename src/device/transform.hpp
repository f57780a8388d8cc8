// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// out[i] = f(in[i]...) at the memory's full rate, shared by add_one, zero_out, integer_power,
// quadratic and transfer.
//
// Such a kernel is bound by memory. What keeps a memory busy is how many bytes are on their way at
// once: a GPU thread that moves 16 bytes by one instruction has twice as many there as one that
// moves a double. A CPU core reads ahead by itself; it wants a long, plain loop over neighbouring
// elements, which its compiler turns into vector instructions. (Given packs of a cache line
// instead, GCC vectorised across packs, with shuffles: measured, three quarters of the speed.)
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "device/pack.hpp"
#include "device/stream_store.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels {

/// Elements of T in the pack that one index of `Space` moves: 16 bytes on a device, the widest
/// load of a thread; a cache line on a host, where Kokkos aligns every allocation to one.
template <class Space, class T>
inline constexpr int transform_lanes = static_cast<int>((is_host_space<Space> ? 64 : 16) /
                                                        sizeof(T));

/// Calls a function of elements for each lane of a pack. Packs go in, a pack comes out.
template <class F>
struct LaneByLane {
  F f;
  template <class T, int L, class... More>
  KOKKOS_FUNCTION Pack<T, L> operator()(const Pack<T, L>& x, const More&... more) const {
    Pack<T, L> y;
    for (int l = 0; l < L; ++l) y.value[l] = f(x.value[l], more.value[l]...);
    return y;
  }
};

/// The kernel: part p is a whole pack, or behind the packs one element of the tail, so that one
/// launch does it all. An index computes `at_once` parts, with `neighbours` other threads' between
/// them: each instruction of a warp moves neighbouring packs.
template <class F, class T, int L, int at_once, class... In>
struct TransformPacks {
  static constexpr std::int64_t neighbours = 32;
  F f;
  T* out;
  std::int64_t packs, parts;
  Kokkos::Array<const T*, sizeof...(In)> in;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    constexpr auto inputs = std::make_index_sequence<sizeof...(In)>{};
    if constexpr (at_once == 1) {
      call(i, inputs);
    } else {
      const std::int64_t first = i / neighbours * neighbours * at_once + i % neighbours;
      for (std::int64_t p = first; p < first + neighbours * at_once; p += neighbours)
        if (p < parts) call(p, inputs);
    }
  }

  template <class P>
  KOKKOS_FUNCTION static P load(const T* from, std::int64_t i) {
    return reinterpret_cast<const P*>(from)[i];
  }

  template <std::size_t... K>
  KOKKOS_FUNCTION void call(std::int64_t i, std::index_sequence<K...>) const {
    using P = Pack<T, L>;
    if (i < packs) {
      // All packs are loaded whole before the first is used. Passed by reference, their lanes would
      // be loaded one by one where the function has branches, as a square root has.
      reinterpret_cast<P*>(out)[i] = f(load<P>(in[K], i)...);
    } else {
      using One = Pack<T, 1>;
      const std::int64_t e = i + packs * (L - 1);
      out[e] = f(One{{in[K][e]}}...).value[0];
    }
  }
};

/// out[i] = f(in[i]...) for packs: `f` takes a pack of each input and returns one, of
/// any length. All views are rank 1, contiguous, of one element type and one extent; `out` may be
/// one of the inputs. Asynchronous.
template <int at_once = 1, class Space, class F, class Out, class... In>
void transform_packs(const std::string& label, const Space& space, const Out& out, const F& f,
                     const In&... in) {
  using T = typename Out::non_const_value_type;
  static_assert(Out::rank() == 1 && ((In::rank() == 1) && ...), "transform takes rank-1 views");
  static_assert((std::is_same_v<typename In::non_const_value_type, T> && ...),
                "transform takes views of one element type");
  static_assert(!std::is_same_v<typename Out::array_layout, Kokkos::LayoutStride> &&
                    (!std::is_same_v<typename In::array_layout, Kokkos::LayoutStride> && ...),
                "transform takes contiguous views");
  constexpr int lanes = transform_lanes<Space, T>;
  // A GPU's wide load faults on an address that is not a multiple of it: a subview from an odd
  // element is all tail.
  const auto fits = [](const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % alignof(Pack<T, lanes>) == 0;
  };
  const auto n = static_cast<std::int64_t>(out.extent(0));
  const bool wide = fits(out.data()) && (fits(in.data()) && ...);
  const std::int64_t packs = wide ? n / lanes : 0, parts = packs + (n - packs * lanes);
  using Kernel = TransformPacks<F, T, lanes, at_once, In...>;
  constexpr std::int64_t run = Kernel::neighbours;
  const std::int64_t indices =
      at_once == 1 ? parts : (parts + run * at_once - 1) / (run * at_once) * run;
  // Blocks of 256 threads on a device: with 512, quadratic takes a fifth longer.
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>, Kokkos::LaunchBounds<256, 1>>(
          space, 0, indices),
      Kernel{f, out.data(), packs, parts, {{in.data()...}}});
}

/// The kernel on a host: index b computes one run of neighbouring elements.
template <class F, class T, class... In>
struct TransformRun {
  static constexpr std::int64_t block = 512;  ///< elements that go past the cache at a time
  F f;
  T* out;
  std::int64_t n;
  std::int64_t run;  ///< elements of an index
  bool past_cache;   ///< stores that read nothing first (stream_store.hpp)
  Kokkos::Array<const T*, sizeof...(In)> in;

  void operator()(std::int64_t b) const {
    const std::int64_t begin = b * run;
    call(begin, begin + run < n ? run : n - begin, std::make_index_sequence<sizeof...(In)>{});
  }

 private:
  template <std::size_t... K>
  void call(std::int64_t begin, std::int64_t count, std::index_sequence<K...>) const {
    T* y = out + begin;
    std::int64_t done = 0;
    if (sizeof...(K) <= 1 && past_cache) {
      for (; done + block <= count; done += block) {
        alignas(64) T computed[block];
        loop(computed, block, (in[K] + begin + done)...);
        bindings::stream_store(y + done, computed, sizeof(computed));
      }
      bindings::stream_fence();
    }
    if (sizeof...(K) == 1 && ((in[K] == out) || ...)) {
      // In place. Said with one pointer, or the compiler would have to expect that a store changes
      // what a later element reads.
      for (std::int64_t e = 0; e < count; ++e) y[e] = f((static_cast<void>(K), y[e])...);
    } else {
      loop(y + done, count - done, (in[K] + begin + done)...);
    }
  }

  template <class... Pointer>
  void loop(T* y, std::int64_t count, Pointer... x) const {
    for (std::int64_t e = 0; e < count; ++e) y[e] = f(x[e]...);
  }
};

/// The same for a function of elements: packs on a device, `at_once` of them for each index, and
/// runs on a host. On a host there may be no inputs at all.
template <int at_once = 1, class Space, class F, class Out, class... In>
void transform(const std::string& label, const Space& space, const Out& out, const F& f,
               const In&... in) {
  using T = typename Out::non_const_value_type;
  if constexpr (is_host_space<Space>) {
    using Run = TransformRun<F, T, In...>;
    static_assert((std::is_same_v<typename In::non_const_value_type, T> && ...),
                  "transform takes views of one element type");
    static_assert(!std::is_same_v<typename Out::array_layout, Kokkos::LayoutStride> &&
                      (!std::is_same_v<typename In::array_layout, Kokkos::LayoutStride> && ...),
                  "transform takes contiguous views");
    const auto n = static_cast<std::int64_t>(out.extent(0));
    // Where the result is of no cache's size, is no input as well, and begins with a cache line.
    // With three inputs the detour through a buffer was measured to cost more than it saves.
    constexpr std::int64_t no_cache = std::int64_t{64} << 20;
    const bool past_cache = sizeof...(In) <= 1 &&
                            n * static_cast<std::int64_t>(sizeof(T)) >= no_cache &&
                            ((in.data() != out.data()) && ...) &&
                            reinterpret_cast<std::uintptr_t>(out.data()) % 64 == 0;
    // 32 KiB of doubles, far more than a loop costs; of an array in the caches each thread takes
    // its share, or some would have a run more than others.
    const std::int64_t threads = space.concurrency();
    const std::int64_t share = ((n + threads - 1) / threads + 63) / 64 * 64;
    const std::int64_t run = share < 16 * 4096 ? std::max<std::int64_t>(share, 64) : 4096;
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, (n + run - 1) / run),
        Run{f, out.data(), n, run, past_cache, {in.data()...}});
  } else {
    transform_packs<at_once>(label, space, out, LaneByLane<F>{f}, in...);
  }
}

}  // namespace parallax::kernels
