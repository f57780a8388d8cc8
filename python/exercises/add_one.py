# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""add_one: a[i] += 1 for many reals, the twin of src/kernels/add_one.hpp: read, add, write back.

One pass through memory in each direction, so every library that works in place is bound by the
same bandwidth; JAX writes a new array, which costs it the same.
"""

import numpy as np

from parallax_twins import Exercise, Problem, Work, check, uniform

add_one = Exercise("add_one", precisions=("f64", "f32"), memory=lambda p: p.n * p.dtype.itemsize)


@add_one.problem
def problem(p):
    before = uniform(p.seed, p.n, p.dtype)

    def judge(a):
        sums = {"sum_before": before.sum(dtype=np.float64), "sum_after": a.sum(dtype=np.float64)}
        expected = (before.astype(np.longdouble) + 1).astype(p.dtype)  # one rounding
        return check.elements("every element with its input plus 1", a, expected, **sums)

    work = Work(bytes=2 * before.nbytes, flops=p.n, items=p.n)
    return Problem(updated={"a": before}, work=work, check=judge)


@add_one.twin("numpy", "range")
def numpy(p):
    return lambda: np.add(p.a, 1, out=p.a)


@add_one.twin("numba", "range")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def add(a):
        for i in numba.prange(a.size):
            a[i] += 1

    return lambda: add(p.a)


@add_one.twin("numba_cuda", "range")
def numba_cuda(p):
    from numba import cuda

    @cuda.jit
    def add(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += 1

    threads = 256
    blocks = (p.n + threads - 1) // threads
    return lambda: add[blocks, threads](p.a)


@add_one.twin("cupy", "range")
def cupy(p):
    import cupy as cp

    return lambda: cp.add(p.a, 1, out=p.a)


@add_one.twin("jax", "range")
def jax(p):
    import jax

    add = jax.jit(lambda a: a + 1)
    return lambda: add(p.a)


@add_one.twin("torch", "range")
def torch(p):
    return lambda: p.a.add_(1)
