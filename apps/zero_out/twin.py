# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""zero_out: data[i] = 0, the twin of apps/zero_out/lesson.hpp: memory is only written.

Behind the n elements is a guard that no kernel may touch: a kernel without its bounds check would.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

GUARD = 1024  # elements

zero_out = Exercise("zero_out", precisions=("f64", "f32"), memory=lambda p: (p.n + GUARD) * p.dtype.itemsize)


@zero_out.problem
def problem(p):
    start = np.ones(p.n + GUARD, p.dtype)
    for begin in range(0, p.n, 1 << 22):  # normals (Box and Muller), a few at a time
        part = slice(begin, min(p.n, begin + (1 << 22)))
        size = part.stop - part.start
        u, v = 1 - uniform(p.seed + begin, size), uniform(p.seed + begin + 1, size)
        start[part] = np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v)
    expected = np.ones_like(start)
    expected[: p.n] = 0

    def judge(data):
        numbers = {"not_zero": np.count_nonzero(data[: p.n]), "touched_beyond": np.count_nonzero(data[p.n :] != 1)}
        compared = "every element with 0, and those behind the end with what they were"
        return check.elements(compared, data, expected, **numbers)

    return Problem(updated={"data": start}, work=Work(bytes=p.n * p.dtype.itemsize, items=p.n), check=judge)


@zero_out.twin("numpy", "deep_copy")
def numpy(p):
    return lambda: p.data[: p.n].fill(0)


@zero_out.twin("numba", "range")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def zero(data, n):
        for i in numba.prange(n):
            data[i] = 0

    return lambda: zero(p.data, p.n)


@zero_out.twin("numba_cuda", "range")
def numba_cuda(p):
    from numba import cuda

    # begin: numba_cuda
    @cuda.jit
    def zero(data, n):
        i = cuda.grid(1)
        if i < n:  # without this the last block would write beyond the end
            data[i] = 0
    # end: numba_cuda

    threads = 256
    blocks = (p.n + threads - 1) // threads
    return lambda: zero[blocks, threads](p.data, p.n)


@zero_out.twin("cupy", "deep_copy")
def cupy(p):
    part = p.data[: p.n]
    return lambda: part.fill(0)  # an in-place call that returns nothing: the result is all of p.data


@zero_out.twin("torch", "deep_copy")
def torch(p):
    part = p.data[: p.n]

    def zero():
        part.zero_()  # and returns nothing: the result is all of p.data

    return zero
