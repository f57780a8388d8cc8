# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""ragged_sum: the sum of each list of a ragged array, the twin of apps/ragged_sum.

Array libraries have no ragged arrays: NumPy's reduceat and PyTorch's segment_reduce come closest. Numba
writes the loop.
"""

import math

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform
from parallax.twins.shared.events import offsets

ragged_sum = Exercise(
    "ragged_sum",
    precisions=("f32", "f64"),
    memory=lambda p: 8 * p.n + (p.n * p.mean + p.giants * p.giant) * p.dtype.itemsize,
)


@ragged_sum.problem
def problem(p):
    course = p.input == "course"
    at = offsets(p.seed, p.n, p.mean, p.giants, p.giant)
    # Odd multiples of a unit, whose sums are exact in any order (apps/ragged_sum/exercise.cpp).
    elements = p.n * p.mean + min(p.n, p.giants) * p.giant
    unit = 2.0 ** (math.frexp(37 * math.sqrt(max(elements, 1.0)))[1] - np.finfo(p.dtype).nmant - 1)
    if course:  # [[1.1, 2.2, 3.3], [], [4.4, 5.5]], and empty lists behind them
        at = np.array([0, 3, 3] + [5] * p.n, at.dtype)[: p.n + 1]
    size = int(at[-1])
    content = 1.1 * np.arange(1, size + 1) if course else (2 * np.floor(8 / unit * uniform(p.seed, size)) + 1) * unit - 8
    content = content.astype(p.dtype)
    running = np.zeros(content.size + 1)
    np.cumsum(content, dtype=np.float64, out=running[1:])
    expected = running[at[1:]] - running[at[:-1]]

    def judge(sums):
        numbers = {"elements": content.size, "total": sums.sum(dtype=np.float64), "first": sums[0], "last": sums[-1]}
        compared = "every sum with a running sum" + ("" if course else ", exactly")
        return check.elements(compared, sums, expected, 16 * np.finfo(p.dtype).eps if course else 0, **numbers)

    work = Work(bytes=4 * (p.n + 1) + content.nbytes + p.n * p.dtype.itemsize, flops=content.size, items=content.size)
    return Problem(
        inputs={"at": at, "content": content}, outputs={"sums": np.empty(p.n, p.dtype)}, work=work, check=judge
    )


@ragged_sum.twin("numpy", "list_per_thread")
def numpy(p):
    starts = p.at[:-1]
    empty = starts == p.at[1:]

    def run():
        # reduceat gives an element, not 0, for an empty list, and refuses a start at the end.
        p.sums[:] = 0
        if not empty.all():
            p.sums[~empty] = np.add.reduceat(p.content, starts[~empty])

    return run


@ragged_sum.twin("numba", "list_per_thread")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def add(at, content, sums):
        for i in numba.prange(sums.size):
            total = content.dtype.type(0)
            for e in range(at[i], at[i + 1]):
                total += content[e]
            sums[i] = total

    return lambda: add(p.at, p.content, p.sums)


@ragged_sum.twin("numba_cuda", "list_per_thread")
def numba_cuda(p):
    from numba import cuda

    zero = p.dtype.type(0)

    # begin: numba_cuda
    @cuda.jit
    def add(at, content, sums):
        i = cuda.grid(1)
        if i < sums.size:
            total = zero
            for e in range(at[i], at[i + 1]):
                total += content[e]
            sums[i] = total
    # end: numba_cuda

    threads = 256
    blocks = (p.n + threads - 1) // threads
    return lambda: add[blocks, threads](p.at, p.content, p.sums)


@ragged_sum.twin("torch", "list_per_thread")
def torch(p):
    import torch

    return lambda: torch.segment_reduce(p.content, "sum", offsets=p.at, initial=0)
