# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""group_sum: sums of four columns by key, the twin of src/kernels/group_sum.hpp.

Keys are sorted (or shuffled), so a group is a run of rows. NumPy has bincount and reduceat, PyTorch
segment_reduce; Numba's threads add to the groups.
"""

import numpy as np
from exercises._events import by_chunks, normal, offsets, philox
from parallax_twins import Exercise, Problem, Work, check

FIRST = (1 << 32) + 7

group_sum = Exercise("group_sum", precisions=("f64", "f32"), memory=lambda p: p.n * (8 + 4 * p.dtype.itemsize))


def _shuffled(seed, n):
    """The permutation of apps/group_sum.cpp: a Feistel network, walked until it falls inside."""
    half = 1
    while (1 << (2 * half)) < n:
        half += 1
    mask, shift = np.uint64((1 << half) - 1), np.uint64(half)
    x = np.arange(n, dtype=np.uint64)
    todo = np.arange(n)
    while todo.size:
        left, right = x[todo] >> shift, x[todo] & mask
        for k in range(4):
            left, right = right, left ^ (philox(seed, right, 311 + k)[0] & mask)
        x[todo] = (left << shift) | right
        todo = todo[x[todo] >= n]
    return x.astype(np.int64)


@group_sum.problem
def problem(p):
    steps = offsets(p.seed, p.n, p.mean)[1:].astype(np.int64)
    if p.order == "shuffled":
        steps = steps[_shuffled(p.seed, p.n)]
    groups = int(steps.max()) + 1
    columns = {}
    for c, name in enumerate("abcd"):
        columns[name] = np.empty(p.n, p.dtype)

        def values(first, end, c=c):
            x = 10 * normal(philox(p.seed, np.arange(first, end, dtype=np.uint64), 301 + c))
            return x + 20 if c == 3 else x

        by_chunks(p.n, values, columns[name])
    expected = np.stack([np.bincount(steps, x, groups) for x in columns.values()], axis=1).reshape(-1)
    rows = np.bincount(steps, minlength=groups)
    size = np.stack([np.bincount(steps, np.abs(x), groups) for x in columns.values()], axis=1)
    tolerance = (2 * np.minimum(rows, 1e4)[:, None] * np.finfo(p.dtype).eps * size).reshape(-1)

    def judge(sums):
        numbers = {
            "groups": int(np.count_nonzero(rows)),
            "totals": [float(t) for t in sums.sum(axis=0, dtype=np.float64)],
            "first": [float(x) for x in sums[0]],
            "last": [float(x) for x in sums[-1]],
        }
        return check.elements("every sum with NumPy's bincount", sums.reshape(-1), expected, tolerance, **numbers)

    work = Work(bytes=p.n * 8 + 4 * p.dtype.itemsize * (p.n + groups), flops=4 * p.n, items=p.n)
    return Problem(
        inputs={"key": steps + FIRST, **columns},
        outputs={"sums": np.empty((groups, 4), p.dtype)},
        work=work,
        check=judge,
    )


@group_sum.twin("numpy", "sort_then_reduce")
def numpy(p):
    def run():
        for c, x in enumerate((p.a, p.b, p.c, p.d)):
            p.sums[:, c] = np.bincount(p.key - FIRST, x, p.sums.shape[0])

    return run


@group_sum.twin("numba_cuda", "atomic")
def numba_cuda(p):
    from numba import cuda

    @cuda.jit
    def clear(sums):
        i = cuda.grid(1)
        if i < sums.shape[0]:
            for c in range(4):
                sums[i, c] = 0

    @cuda.jit
    def add(key, a, b, c, d, sums):
        i = cuda.grid(1)
        if i < key.size:
            g = key[i] - FIRST
            cuda.atomic.add(sums, (g, 0), a[i])
            cuda.atomic.add(sums, (g, 1), b[i])
            cuda.atomic.add(sums, (g, 2), c[i])
            cuda.atomic.add(sums, (g, 3), d[i])

    threads = 256
    groups = p.sums.shape[0]

    def run():
        clear[-(-groups // threads), threads](p.sums)
        add[-(-p.n // threads), threads](p.key, p.a, p.b, p.c, p.d, p.sums)

    return run
