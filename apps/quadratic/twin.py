# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""quadratic: (-b + sqrt(b*b - 4*a*c)) / (2*a), the twin of apps/quadratic/lesson.hpp: fusion.

An expression over arrays is nine loops and eight temporaries, 22 array passes through memory. A
compiled loop, a fused kernel or a tracing compiler does it in 4.
"""

import math

import numpy as np

from parallax.errors import Refusal
from parallax.twins import Exercise, Problem, Work, check, uniform

quadratic = Exercise("quadratic", precisions=("f64", "f32"), memory=lambda p: 4 * p.n * p.dtype.itemsize)


def root(a, b, c, sqrt):
    """The course's formula, for numbers or arrays alike."""
    return (-b + sqrt(b**2 - 4 * a * c)) / (2 * a)


def between(seed, n, low, width, dtype):
    """low + u * width rounded once, as the C++ program's fused multiply-add does."""
    exact = uniform(seed, n, dtype).astype(np.longdouble) * dtype.type(width) + dtype.type(low)
    return exact.astype(dtype)


@quadratic.problem
def problem(p):
    if p.input == "edges":
        raise Refusal("input=edges: not every library divides by 0 without an error")
    a = between(p.seed, p.n, 5, 5, p.dtype)
    b = between(p.seed + 1, p.n, 10, 10, p.dtype)
    c = between(p.seed + 2, p.n, -0.1, 0.2, p.dtype)
    expected, tolerance = np.empty(p.n), np.empty(p.n)
    for begin in range(0, p.n, 1 << 20):
        part = slice(begin, begin + (1 << 20))
        u, v, w = (x[part].astype(np.longdouble) for x in (a, b, c))
        expected[part] = -2 * w / (v + np.sqrt(v * v - 4 * u * w))  # nothing cancels here
        tolerance[part] = 4 * np.finfo(p.dtype).eps * v / (2 * u)  # what cancels there is of the size of b

    def judge(x):
        numbers = {"sum": x.sum(dtype=np.float64), "first": x[0], "last": x[-1]}
        compared = "every root with the formula that does not cancel, within 4 eps b/(2a)"
        return check.elements(compared, x, expected, tolerance, **numbers)

    work = Work(bytes=4 * a.nbytes, flops=8 * p.n, items=p.n)
    return Problem(inputs={"a": a, "b": b, "c": c}, outputs={"x": np.empty_like(a)}, work=work, check=judge)


@quadratic.twin("numpy", "nine_pass")
def numpy(p):
    return lambda: root(p.a, p.b, p.c, np.sqrt)


def too_long(p):
    """The course quotes 1.02 s for 1e6 elements."""
    minutes = p.n * 1.02e-6 / 60
    return f"about {minutes:.0f} minutes a run in plain Python" if minutes > 0.5 else ""


@quadratic.twin("python", "fused", unavailable=too_long)
def python_loop(p):
    def roots():
        for i in range(p.n):
            p.x[i] = (-p.b[i] + math.sqrt(p.b[i] ** 2 - 4 * p.a[i] * p.c[i])) / (2 * p.a[i])

    return roots


@quadratic.twin("numba_serial", "fused")
@quadratic.twin("numba", "fused")
def numba_loop(p):
    import numba

    @numba.njit(parallel=p.space == "numba")
    def roots(a, b, c, x):
        for i in numba.prange(x.size):
            x[i] = (-b[i] + math.sqrt(b[i] ** 2 - 4 * a[i] * c[i])) / (2 * a[i])

    return lambda: roots(p.a, p.b, p.c, p.x)


@quadratic.twin("numba_cuda", "fused")
def numba_cuda(p):
    from numba import cuda

    @cuda.jit
    def roots(a, b, c, x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = (-b[i] + math.sqrt(b[i] ** 2 - 4 * a[i] * c[i])) / (2 * a[i])

    threads = 256
    blocks = (p.n + threads - 1) // threads
    return lambda: roots[blocks, threads](p.a, p.b, p.c, p.x)


@quadratic.twin("cupy", "nine_pass_pool")
def cupy_arrays(p):
    import cupy as cp  # whose memory pool keeps what the temporaries leave

    return lambda: root(p.a, p.b, p.c, cp.sqrt)


@quadratic.twin("cupy", "fused_wide")
def cupy_fused(p):
    import cupy as cp

    @cp.fuse()
    def roots(a, b, c):  # with b**2, as in root, it takes a third longer to launch
        return (-b + cp.sqrt(b * b - 4 * a * c)) / (2 * a)

    return lambda: roots(p.a, p.b, p.c)


@quadratic.twin("cupy", "fused_by_hand")
def cupy_fused_by_hand(p):
    import cupy as cp

    # cupy.fuse decides at each call what to launch; this is decided here.
    roots = cp.ElementwiseKernel(
        "T a, T b, T c", "T x", "x = (-b + sqrt(b * b - 4 * a * c)) / (2 * a)", "quadratic"
    )
    return lambda: roots(p.a, p.b, p.c, p.x)


@quadratic.twin("cupy", "fused")
def cupy_raw_kernel(p):
    import cupy as cp

    # A whole CUDA kernel: its index, its bounds check and its launch are written by hand.
    real = "float" if p.precision == "f32" else "double"
    code = f"""
    extern "C" __global__ void quadratic(const {real}* a, const {real}* b, const {real}* c, {real}* x, long long n) {{
        long long i = (long long)blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n) x[i] = (-b[i] + sqrt(b[i] * b[i] - 4 * a[i] * c[i])) / (2 * a[i]);
    }}"""
    roots = cp.RawKernel(code, "quadratic")
    threads = 256
    blocks = (p.n + threads - 1) // threads
    n = cp.int64(p.n)  # as wide as the kernel's argument
    return lambda: roots((blocks,), (threads,), (p.a, p.b, p.c, p.x, n))


@quadratic.twin("jax", "fused_wide")
def jax(p):
    import jax
    import jax.numpy as jnp

    roots = jax.jit(lambda a, b, c: root(a, b, c, jnp.sqrt))
    return lambda: roots(p.a, p.b, p.c)


@quadratic.twin("torch", "nine_pass_pool")
def torch(p):
    import torch

    return lambda: root(p.a, p.b, p.c, torch.sqrt)
