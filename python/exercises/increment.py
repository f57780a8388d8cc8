# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""increment: data[i] += 1, the twin of src/kernels/increment.hpp: the smallest kernel there is.

At the course's 1024 elements nothing but the launch is measured.
"""

import numpy as np

from parallax_twins import Exercise, Problem, Work, check

increment = Exercise("increment", precisions=("i32",), memory=lambda p: p.n * p.dtype.itemsize)


@increment.problem
def problem(p):
    start = np.arange(p.n, dtype=p.dtype)

    def judge(data):
        numbers = {"n": p.n, "first": data[0], "last": data[-1]}
        return check.elements("every element with its index + 1", data, np.arange(1, p.n + 1), **numbers)

    return Problem(updated={"data": start}, work=Work(bytes=2 * start.nbytes, items=p.n), check=judge)


@increment.twin("numpy", "range")
def numpy(p):
    return lambda: np.add(p.data, 1, out=p.data)


@increment.twin("numba", "range")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def add_one(data):
        for i in numba.prange(data.size):
            data[i] += 1

    return lambda: add_one(p.data)


@increment.twin("numba_cuda", "range")
def numba_cuda(p):
    from numba import cuda

    @cuda.jit
    def add_one(data):
        i = cuda.grid(1)
        if i < data.size:
            data[i] += 1

    threads = 256
    blocks = (p.n + threads - 1) // threads
    return lambda: add_one[blocks, threads](p.data)


@increment.twin("cupy", "range")
def cupy(p):
    import cupy as cp

    return lambda: cp.add(p.data, 1, out=p.data)


@increment.twin("jax", "range")
def jax(p):
    import jax

    add_one = jax.jit(lambda data: data + 1)
    return lambda: add_one(p.data)


@increment.twin("torch", "range")
def torch(p):
    return lambda: p.data.add_(1)
