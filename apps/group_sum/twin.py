# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""group_sum: sums of four columns by key, the twin of apps/group_sum.

With sorted keys a group is a run of rows: Numba's threads on a CPU walk the runs that begin in their
shares. On a GPU they add to the groups. NumPy has bincount, PyTorch scatter_add for any order and
segment_reduce for runs.
"""

import math

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.events import all_cores, by_chunks, grid, normal, offsets, philox

FIRST = (1 << 32) + 7

group_sum = Exercise("group_sum", precisions=("f64", "f32"), memory=lambda p: p.n * (8 + 4 * p.dtype.itemsize))


def _shuffled(seed, n):
    """The permutation of apps/group_sum/exercise.cpp: a Feistel network, walked until it falls inside."""
    half = 1
    while (1 << (2 * half)) < n:
        half += 1
    mask, shift = np.uint64((1 << half) - 1), np.uint64(half)

    def some(first, end):
        x = np.arange(first, end, dtype=np.uint64)
        todo = np.arange(x.size)
        while todo.size:
            left, right = x[todo] >> shift, x[todo] & mask
            for k in range(4):
                left, right = right, left ^ (philox(seed, right, 311 + k)[0] & mask)
            x[todo] = (left << shift) | right
            todo = todo[x[todo] >= n]
        return x

    order = np.empty(n, np.int64)
    by_chunks(n, some, order)
    return order


def step_for(rows, dtype):
    """A step of the values so coarse that a group's sums are exact in any order (apps/group_sum/exercise.cpp)."""
    return max(2.0**-10, 2.0 ** (math.ceil(math.log2(max(2**14, 32 * rows))) - np.finfo(dtype).nmant - 1))


def _too_many(p):
    many = p.dtype == np.float32 and p.n > 1 << 22 and p.mean < 1e-5
    return "a group has too many rows for exact sums in this precision" if many else ""


def reference(steps, columns, groups, in_order):
    """Sums of groups in double precision, a column for each thread."""
    if in_order:
        starts = np.concatenate(([0], np.flatnonzero(steps[1:] != steps[:-1]) + 1))
        present = steps[starts]

    def add(x):
        if not in_order:
            return np.bincount(steps, x, groups)
        sums = np.zeros(groups)
        sums[present] = np.add.reduceat(x, starts, dtype=np.float64)
        return sums

    with all_cores() as pool:
        return np.stack(list(pool.map(add, columns)), axis=1).reshape(-1)


@group_sum.problem
def problem(p):
    steps = offsets(p.seed, p.n, p.mean)[1:].astype(np.int64)
    if p.order == "shuffled":
        steps = steps[_shuffled(p.seed, p.n)]
    groups = int(steps.max()) + 1
    rows = np.bincount(steps)
    step = step_for(rows.max(), p.dtype)
    columns = {}
    for c, name in enumerate("abcd"):
        columns[name] = np.empty(p.n, p.dtype)

        def values(first, end, c=c):
            x = 10 * normal(philox(p.seed, np.arange(first, end, dtype=np.uint64), 301 + c))
            return grid(x + 20 if c == 3 else x, 1 / step)

        by_chunks(p.n, values, columns[name])
    expected = reference(steps, columns.values(), groups, p.order == "sorted")

    def judge(sums):
        numbers = {
            "groups": int(np.count_nonzero(rows)),
            "totals": [float(t) for t in sums.sum(axis=0, dtype=np.float64)],
            "first": [float(x) for x in sums[0]],
            "last": [float(x) for x in sums[-1]],
        }
        return check.elements("every sum with NumPy's bincount, exactly", sums.reshape(-1), expected, **numbers)

    work = Work(bytes=p.n * 8 + 4 * p.dtype.itemsize * (p.n + groups), flops=4 * p.n, items=p.n)
    return Problem(
        inputs={"key": steps + FIRST, **columns},
        outputs={"sums": np.empty((groups, 4), p.dtype)},
        work=work,
        check=judge,
    )


@group_sum.twin("numpy", "sort_then_reduce", unavailable=_too_many)
def numpy(p):
    def run():
        for c, x in enumerate((p.a, p.b, p.c, p.d)):
            p.sums[:, c] = np.bincount(p.key - FIRST, x, p.sums.shape[0])

    return run


def _needs_order(p):
    return _too_many(p) if p.order == "sorted" else "the keys are not sorted"


@group_sum.twin("numba", "sorted_segments", unavailable=_needs_order)
def numba_parallel(p):
    import numba

    threads = numba.get_num_threads()
    zero = p.dtype.type(0)

    @numba.njit(parallel=True)
    def add(key, a, b, c, d, sums):
        n = key.size
        for t in numba.prange(threads):
            # A thread has the groups that begin in its share of the rows.
            r, end = n * t // threads, n * (t + 1) // threads
            while 0 < r < n and key[r] == key[r - 1]:
                r += 1
            while 0 < end < n and key[end] == key[end - 1]:
                end += 1
            empty = key[r - 1] - FIRST + 1 if r > 0 else 0
            while r < end:
                k = key[r]
                group = k - FIRST
                for g in range(empty, group):
                    sums[g, 0] = sums[g, 1] = sums[g, 2] = sums[g, 3] = zero
                s0 = s1 = s2 = s3 = zero
                while r < end and key[r] == k:
                    s0 += a[r]
                    s1 += b[r]
                    s2 += c[r]
                    s3 += d[r]
                    r += 1
                sums[group, 0], sums[group, 1], sums[group, 2], sums[group, 3] = s0, s1, s2, s3
                empty = group + 1

    return lambda: add(p.key, p.a, p.b, p.c, p.d, p.sums)


@group_sum.twin("numba_cuda", "atomic", unavailable=_too_many)
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


@group_sum.twin("torch", "atomic", unavailable=_too_many)
def torch_scatter_add(p):
    def run():
        group = p.key - FIRST
        p.sums.zero_()
        for c, x in enumerate((p.a, p.b, p.c, p.d)):
            p.sums[:, c].scatter_add_(0, group, x)

    return run


@group_sum.twin("torch", "sorted_segments", unavailable=_needs_order)
def torch_segment_reduce(p):
    import torch

    keys = torch.arange(FIRST, FIRST + p.sums.shape[0] + 1, device=p.key.device)

    def run():
        first = torch.searchsorted(p.key, keys)  # where each group's rows begin, and where the last ones end
        for c, x in enumerate((p.a, p.b, p.c, p.d)):
            p.sums[:, c] = torch.segment_reduce(x, "sum", offsets=first, initial=0)

    return run
