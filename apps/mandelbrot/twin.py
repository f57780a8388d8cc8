# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""mandelbrot: z = z^2 + c from z = c; a pixel counts the iterations until |z| > 2.

The twin of apps/mandelbrot/lesson.hpp. Written with whole arrays, every pixel iterates to the cap
and every iteration passes through memory; written as a kernel, a pixel stops when it escapes and
its z never leaves the registers. Libraries round z^2 + c in different ways, so counts may differ
by library where a pixel hangs on the last bit: the check knows which pixels those are.
"""

import math

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from .orbits import counts

mandelbrot = Exercise("mandelbrot", precisions=("f64", "f32"), memory=lambda p: 16 * p.rows * p.columns)


def axes(p):
    """Real and imaginary coordinates of columns and rows, both ends included."""

    def axis(ends, points):
        low, high = (p.dtype.type(end) for end in ends)
        step = (high - low) / p.dtype.type(max(points - 1, 1))
        return low + np.arange(points).astype(p.dtype) * step

    return axis(p.real, p.columns), axis(p.imag, p.rows)


@mandelbrot.problem
def problem(p):
    real, imag = axes(p)
    eps = float(np.finfo(p.dtype).eps)
    least, most = counts(real.astype(np.float64), imag.astype(np.float64), p.max_iterations, eps)

    def judge(pixels):
        numbers = {"sum": int(pixels.sum(dtype=np.int64)), "at_cap": int((pixels == p.max_iterations).sum())}
        if p.max_iterations <= 100:
            numbers["histogram"] = np.bincount(
                np.clip(pixels, 0, p.max_iterations).ravel(), minlength=p.max_iterations + 1
            )
        nearest = np.clip(pixels, least, most) if pixels.shape == least.shape else least
        free = int((least != most).sum())
        compared = f"every pixel with an orbit in double ({free} hang on rounding: within their bounds)"
        return check.elements(compared, pixels, nearest, **numbers)

    iterations = np.where(least < p.max_iterations, least + 1, p.max_iterations).sum(dtype=np.float64)
    work = Work(bytes=4 * least.size, flops=8 * float(iterations), items=least.size)
    return Problem(
        inputs={"x": real, "y": imag}, outputs={"pixels": np.empty(least.shape, np.int32)}, work=work, check=judge
    )


def too_long(p):
    """On one core: about 1e8 pixel iterations a second with arrays, 3e6 in plain Python."""
    rate, how = (3e6, "in plain Python") if p.space == "python" else (1e8, "with whole arrays on one core")
    minutes = p.rows * p.columns * p.max_iterations / rate / 60
    return f"about {minutes:.0f} minutes a run {how}" if minutes > 0.5 else ""


def whole_arrays(p, xp):
    """All pixels at once with the arrays of `xp`, NumPy's or CuPy's: every step passes over whole arrays."""

    def count():
        c = p.x + 1j * p.y[:, None].astype(np.result_type(p.dtype, np.complex64))
        z, pixels = c.copy(), xp.full(c.shape, p.max_iterations, xp.int32)
        with np.errstate(over="ignore", invalid="ignore"):  # escaped orbits run on, to infinity
            for k in range(p.max_iterations):
                z = z * z + c
                escaped = (z.real * z.real + z.imag * z.imag > 4) & (pixels == p.max_iterations)
                pixels[escaped] = k
        return pixels

    return count


@mandelbrot.twin("numpy", "arrays", unavailable=too_long)
def numpy_arrays(p):
    return whole_arrays(p, np)


@mandelbrot.twin("python", "range", part={"rows": 200, "columns": 300}, unavailable=too_long)
def python_loop(p):
    def count():
        for row in range(p.rows):
            for column in range(p.columns):
                z = c = complex(p.x[column], p.y[row])
                for k in range(p.max_iterations):
                    z = z * z + c
                    if z.real * z.real + z.imag * z.imag > 4:
                        break
                else:
                    k = p.max_iterations
                p.pixels[row, column] = k

    return count


@mandelbrot.twin("numba_serial", "range")
@mandelbrot.twin("numba", "range")
def numba_loops(p):
    import numba

    @numba.njit
    def escape_time(cx, cy, cap):
        x, y = cx, cy
        for k in range(cap):
            x, y = x * x - y * y + cx, 2 * x * y + cy
            if x * x + y * y > 4:
                return k
        return cap

    @numba.njit(parallel=p.space == "numba")
    def count(xs, ys, cap, pixels):
        for row in numba.prange(ys.size):
            for column in range(xs.size):
                pixels[row, column] = escape_time(xs[column], ys[row], cap)

    return lambda: count(p.x, p.y, p.max_iterations, p.pixels)


@mandelbrot.twin("numba_cuda", "mdrange")
def numba_cuda(p):
    from numba import cuda

    # begin: numba_cuda
    @cuda.jit
    def count(xs, ys, cap, pixels):
        column, row = cuda.grid(2)  # neighbouring threads on neighbouring columns
        if row < ys.size and column < xs.size:
            cx, cy = xs[column], ys[row]
            x, y = cx, cy
            k = 0
            while k < cap:
                x, y = x * x - y * y + cx, 2 * x * y + cy
                if x * x + y * y > 4:
                    break
                k += 1
            pixels[row, column] = k
    # end: numba_cuda

    threads = (32, 8)
    blocks = (math.ceil(p.columns / 32), math.ceil(p.rows / 8))
    return lambda: count[blocks, threads](p.x, p.y, p.max_iterations, p.pixels)


@mandelbrot.twin("cupy", "range")
def cupy_kernel(p):
    import cupy as cp

    # The body of a CUDA kernel; CuPy adds the loop over i and the bounds check.
    count = cp.ElementwiseKernel(
        "T cx, T cy, int32 cap",
        "int32 k",
        """
        T x = cx, y = cy;
        for (k = 0; k < cap; ++k) {
          T next = x * x - y * y + cx;
          y = 2 * x * y + cy;
          x = next;
          if (x * x + y * y > 4) break;
        }
        """,
        "mandelbrot",
    )
    cap = cp.int32(p.max_iterations)
    return lambda: count(p.x[None, :], p.y[:, None], cap, p.pixels)


@mandelbrot.twin("cupy", "arrays")
def cupy_arrays(p):
    import cupy as cp

    return whole_arrays(p, cp)


@mandelbrot.twin("jax", "arrays")
def jax_arrays(p):
    import jax
    import jax.numpy as jnp

    cap = p.max_iterations

    @jax.jit
    def count(xs, ys):
        cx, cy = jnp.meshgrid(xs, ys)

        def step(k, state):
            x, y, pixels = state
            x, y = x * x - y * y + cx, 2 * x * y + cy
            # NaN is not > 4: an orbit that overflowed long ago keeps its count.
            escaped = (x * x + y * y > 4) & (pixels == cap)
            return x, y, jnp.where(escaped, k.astype(jnp.int32), pixels)

        start = (cx, cy, jnp.full(cx.shape, cap, jnp.int32))
        # Unrolled iterations fuse into one kernel: only every 20th passes through memory.
        return jax.lax.fori_loop(0, cap, step, start, unroll=min(cap, 20))[2]

    return lambda: count(p.x, p.y)


@mandelbrot.twin("torch", "arrays")
def torch_arrays(p):
    cap = p.max_iterations

    def count():
        x, y = cx, cy = p.x[None, :], p.y[:, None]
        p.pixels.fill_(cap)
        for k in range(cap):
            x, y = x * x - y * y + cx, 2 * x * y + cy
            p.pixels.masked_fill_((x * x + y * y > 4) & (p.pixels == cap), k)

    return count
