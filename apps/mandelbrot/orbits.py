# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The reference of mandelbrot: which counts rounding allows a pixel to have.

Each orbit is followed in double, with a bound on how far an orbit of the same point can be from it
when every operation is rounded to another precision, in whatever order and with multiply-adds
fused or not. Where |z| is closer to 2 than that bound, escaping and staying are both allowed.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

_STRIP = 1_000_000  # pixels: few calls from many threads, and what is left of them soon fits the cache
_LOST = 0.1  # a bound beyond which an orbit may end anywhere


def never_escapes(x, y):
    """Inside the main cardioid or the disc left of it, clear of their edges."""
    q = (x - 0.25) ** 2 + y * y
    return (q * (q + x - 0.25) < 0.2499 * y * y) | ((x + 1) ** 2 + y * y < 0.0624)


def bounds(x, y, cap, eps):
    """Least and greatest counts of the points (x, y), arrays of double; eps of the precision that is judged."""
    u = eps  # two roundings: of |z|^2; adding c to z^2 makes four at most
    least, most = np.full(x.size, cap, np.int32), np.full(x.size, cap, np.int32)
    place = np.flatnonzero(~never_escapes(x, y))
    cx, cy = x[place], y[place]
    zx, zy = cx, cy
    square = cx * cx + cy * cy
    rounding = 2 * u * np.sqrt(square)  # of adding c, in each iteration
    error = 2 * u * square + rounding
    for k in range(cap):
        zx, zy = zx * zx - zy * zy + cx, 2 * zx * zy + cy
        square = zx * zx + zy * zy
        spread = (2 * np.sqrt(square) + error) * error  # of |z|^2, and of the next z^2
        may = square + (spread + u * square) > 4
        error = spread + (2 * u * square + rounding)
        lost = error > _LOST
        if may.any() or lost.any():
            least[place[may]] = np.minimum(least[place[may]], k)
            least[place[lost]] = np.minimum(least[place[lost]], min(k + 1, cap))
            must = square - (spread + u * square) > 4
            most[place[must]] = k
            stay = np.flatnonzero(~(must | lost))
            place, cx, cy, zx, zy, rounding, error = (a[stay] for a in (place, cx, cy, zx, zy, rounding, error))
        if place.size == 0:
            break
    return least, most


def counts(xs, ys, cap, eps):
    """Least and greatest counts of every pixel (y, x), in strips of rows shared out over the cores."""
    height = max(1, _STRIP // xs.size)

    def strip(row):
        y = ys[row : row + height]
        found = bounds(np.tile(xs, y.size), np.repeat(y, xs.size), cap, eps)
        return [part.reshape(y.size, xs.size) for part in found]

    with ThreadPoolExecutor() as pool:  # NumPy lets other threads run while it computes
        least, most = zip(*pool.map(strip, range(0, ys.size, height)))
    return np.concatenate(least), np.concatenate(most)
