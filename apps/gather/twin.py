# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""gather: out[i] = array[index[i]], the twin of apps/gather/lesson.hpp: what an index out of range does.

NumPy looks at every index and raises IndexError; CuPy wraps without a word; your own kernel
reads whatever is in that memory.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

gather = Exercise("gather", precisions=("f64",), memory=lambda p: 24 * p.n)


@gather.problem
def problem(p):
    array, index = 1.1 * np.arange(p.n), indices(p)
    n = index.size
    expected = array[index % p.n]  # Python's modulo: of the same sign as p.n

    def judge(out):
        numbers = {f"out_{i}": x for i, x in enumerate(out[:6])}
        return check.elements("every element with NumPy's", out, expected, sum=out.sum(), **numbers)

    work = Work(bytes=24 * n, items=n)
    return Problem(inputs={"array": array, "index": index}, outputs={"out": np.empty(n)}, work=work, check=judge)


def indices(p):
    """As in apps/gather/exercise.cpp."""
    i = np.arange(p.n, dtype=np.int64)
    if p.input in ("course", "in_range"):  # 2, 3, 5, 6, 7, 8 for 6 values; in range the first half
        course = np.where(i < p.n // 2, (2 + 3 * i // 2) % p.n, p.n + i - p.n // 2)
        return course if p.input == "course" else course[: p.n // 2]
    index = (uniform(p.seed, p.n) * p.n).astype(np.int64)
    if p.input == "negative":
        index = np.where(index % 2 == 1, index - p.n, index)
        index[0] = -p.n
    elif p.input == "far":
        index += p.n * (i % 7 - 3)
        index[0] = -p.n - 1
    return index


def refused(p):
    """Why `checked` does not run: NumPy's own words."""
    try:
        np.empty(p.n)[indices(p)]
    except IndexError as error:
        return str(error)
    return ""


def trusting(p):
    return "" if p.input in ("random", "in_range") else "it would read outside of the array; see --input random"


@gather.twin("numpy", "checked", unavailable=refused)
def numpy_checked(p):
    return lambda: p.array[p.index]


@gather.twin("numpy", "wrap")
def numpy_wrap(p):
    return lambda: np.take(p.array, p.index, mode="wrap", out=p.out)


@gather.twin("numba", "unchecked", unavailable=trusting)
def numba_unchecked(p):
    import numba

    @numba.njit(parallel=True)  # boundscheck=True would raise, as a checked Kokkos stops
    def take(array, index, out):
        for i in numba.prange(out.size):
            out[i] = array[index[i]]

    return lambda: take(p.array, p.index, p.out)


@gather.twin("numba_cuda", "unchecked", unavailable=trusting)
def numba_cuda_unchecked(p):
    from numba import cuda

    # begin: numba_cuda
    @cuda.jit
    def take(array, index, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = array[index[i]]
    # end: numba_cuda

    threads = 256
    blocks = max(1, (p.out.size + threads - 1) // threads)
    return lambda: take[blocks, threads](p.array, p.index, p.out)


@gather.twin("cupy", "wrap")
def cupy_wrap(p):
    return lambda: p.array.take(p.index, out=p.out)  # array[index] does the same


@gather.twin("torch_cuda", "unchecked", unavailable=trusting)
def torch_unchecked(p):
    import torch

    # A wrong index trips an assertion in the kernel, and the GPU is lost to the process.
    return lambda: torch.index_select(p.array, 0, p.index, out=p.out)
