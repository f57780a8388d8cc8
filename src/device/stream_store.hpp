// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Stores past the cache. A CPU that writes part of a cache line reads the line first, although an
// array that is written from end to end needs nothing of what was there: a third of a copy's
// traffic. Stores that bypass the cache leave that out. C++ has no word for them, and compilers
// make none of plain loops, so here is a binding to the processor's instructions: x86 has them, and
// elsewhere it is a plain copy.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace parallax::bindings {

/// Copies `bytes` bytes, a multiple of 64, from the cache to memory that is not read soon. Both
/// addresses are multiples of 64.
inline void stream_store(void* to, const void* from, std::size_t bytes) {
#if defined(__AVX512F__)
  for (std::size_t k = 0; k < bytes; k += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(static_cast<std::byte*>(to) + k),
                        _mm512_load_si512(static_cast<const std::byte*>(from) + k));
#elif defined(__SSE2__)
  for (std::size_t k = 0; k < bytes; k += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i*>(static_cast<std::byte*>(to) + k),
        _mm_load_si128(reinterpret_cast<const __m128i*>(static_cast<const std::byte*>(from) + k)));
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Such stores are not ordered with others: call this before another thread is told of them.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace parallax::bindings
