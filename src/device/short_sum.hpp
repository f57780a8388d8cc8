// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a few numbers each. A CPU guesses wrong where a short list ends, and a wrong guess takes
// as long as ten additions. So eight numbers are read at a time, and what is beyond the end is
// masked: no branch depends on the length of a list of up to eight. Compilers make branches of a
// condition for each number, so here is a binding to the processor's instructions: x86 has them,
// and elsewhere it is a plain loop.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace parallax::bindings {

/// How many numbers behind the last `short_sum` may read.
inline constexpr int read_beyond = 8;

#if defined(__SSE2__)
/// The sum of `count` numbers from `from` on.
inline float short_sum(const float* from, int count) {
  const __m128i first = _mm_setr_epi32(0, 1, 2, 3), second = _mm_setr_epi32(4, 5, 6, 7);
  __m128 sum = _mm_setzero_ps(), other = sum;
  int k = 0;
  do {
    const __m128i left = _mm_set1_epi32(count - k);
    const __m128 in_first = _mm_castsi128_ps(_mm_cmpgt_epi32(left, first)),
                 in_second = _mm_castsi128_ps(_mm_cmpgt_epi32(left, second));
    sum = _mm_add_ps(sum, _mm_and_ps(in_first, _mm_loadu_ps(from + k)));
    other = _mm_add_ps(other, _mm_and_ps(in_second, _mm_loadu_ps(from + k + 4)));
    k += 8;
  } while (k < count);
  sum = _mm_add_ps(sum, other);
  sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
  return _mm_cvtss_f32(_mm_add_ss(sum, _mm_shuffle_ps(sum, sum, 1)));
}
inline double short_sum(const double* from, int count) {
  __m128d sum[4] = {};
  int k = 0;
  do {
    const __m128i left = _mm_set1_epi32(count - k);
    for (int u = 0; u < 4; ++u) {
      const __m128i places = _mm_setr_epi32(2 * u, 2 * u, 2 * u + 1, 2 * u + 1);
      const __m128d in_list = _mm_castsi128_pd(_mm_cmpgt_epi32(left, places));
      sum[u] = _mm_add_pd(sum[u], _mm_and_pd(in_list, _mm_loadu_pd(from + k + 2 * u)));
    }
    k += 8;
  } while (k < count);
  sum[0] = _mm_add_pd(_mm_add_pd(sum[0], sum[1]), _mm_add_pd(sum[2], sum[3]));
  return _mm_cvtsd_f64(_mm_add_sd(sum[0], _mm_unpackhi_pd(sum[0], sum[0])));
}
#else
template <class T>
T short_sum(const T* from, int count) {
  T sum = 0;
  for (int k = 0; k < count; ++k) sum += from[k];
  return sum;
}
#endif

}  // namespace parallax::bindings
