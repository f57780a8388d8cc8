# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Inputs that equal the C++ program's, bit by bit."""

from __future__ import annotations

import numpy as np

_CHUNK = 1 << 20  # elements at a time: temporaries stay in the cache


def uniform_at(seed: int, index, dtype=np.float64) -> np.ndarray:
    """Uniform reals in [0, 1), one for each element of `index`, any shape.

    SplitMix64's output function over a counter (Steele, Lea and Flood, 2014), as uniform_at in
    src/exercise/outputs.hpp: 24 random bits for float32, 53 for float64.
    """
    z = np.atleast_1d(np.asarray(index)).astype(np.uint64)  # a copy; scalars would warn on overflow
    z += np.uint64(1)
    z *= np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(seed * 0xD1342543DE82EF95 % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    bits = 24 if np.dtype(dtype) == np.float32 else 53
    x = (z >> np.uint64(64 - bits)).astype(dtype) * np.dtype(dtype).type(0.5**bits)
    return x.reshape(np.shape(index))


def uniform(seed: int, n: int, dtype=np.float64) -> np.ndarray:
    """`uniform_at` for the indices 0..n-1."""
    x = np.empty(n, dtype)
    for begin in range(0, n, _CHUNK):
        end = min(begin + _CHUNK, n)
        x[begin:end] = uniform_at(seed, np.arange(begin, end, dtype=np.uint64), dtype)
    return x
