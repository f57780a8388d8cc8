# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The normal(0, 1) numbers of src/random/distributions.hpp, to rounding: Box and Muller's transform of Philox."""

import numpy as np

from .events import each_chunk, philox, unit, unit_positive


def normals(seed, n, dtype):
    """Elements 0 .. n - 1 of stream 0: a block of 128 bits gives two numbers of f64, or four of f32."""
    dtype = np.dtype(dtype)
    out = np.empty(n, dtype)
    width = 16 // dtype.itemsize

    def fill(first, end):
        bits = philox(seed, np.arange(first, end, dtype=np.uint64), 0)
        made = np.empty((end - first, width))
        for k in range(width // 2):
            if width == 2:
                radius, angle = unit_positive(bits[0]), unit(bits[1])
            else:  # the upper 24 of 32 bits, lower word first
                radius = ((bits[k] & np.uint64(0xFFFFFFFF)) >> np.uint64(8)).astype(np.float64) * 2.0**-24 + 2.0**-24
                angle = (bits[k] >> np.uint64(40)).astype(np.float64) * 2.0**-24
            radius = np.sqrt(-2 * np.log(radius))
            made[:, 2 * k] = radius * np.cos(2 * np.pi * angle)
            made[:, 2 * k + 1] = radius * np.sin(2 * np.pi * angle)
        last = min(n, end * width)
        out[first * width : last] = made.reshape(-1)[: last - first * width]

    each_chunk(-(-n // width), fill)
    return out
