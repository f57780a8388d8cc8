# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""histogram: how many values fall into each bin, the twin of apps/histogram.

The last two counts are of values outside and of NaN. NumPy counts on one core; Numba gives each
thread its own histogram; on a GPU blocks count in shared memory and add to the global counts.
CuPy and PyTorch have a function for it.
"""

import functools

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.events import by_chunks, each_chunk, grid, mass, normal, philox

histogram = Exercise("histogram", precisions=("f32", "f64"), memory=lambda p: p.n * p.dtype.itemsize)


@functools.lru_cache(maxsize=1)
def inputs(seed, n, distribution, low, high, edges, dtype):
    """The values, kept for the next number of bins. `edges`: of how many bins there are edges among them."""

    def values(first, end):
        i = np.arange(first, end, dtype=np.uint64)
        if distribution == "one_bin":
            return np.full(end - first, low + 0.4 * (high - low))
        a = philox(seed, i, 201)
        if distribution == "edges":
            k = (a[0] % np.uint64(2 * edges + 12)).astype(np.int64)
            known = [a[1] % np.uint64(2) == 0, k == 0, k == 1, k == 2]
            nearer = np.where(a[1] // np.uint64(2) % np.uint64(2) == 0, 1, 1 - 2.0**-52)
            return np.select(known, [low, -np.inf, np.inf, np.nan], (low + 0.5 * (k - 5) * (high - low) / edges) * nearer)
        if distribution == "mass":
            return grid(mass(a, philox(seed, i, 202)), 16384)
        return grid(0.5 * (low + high) + 0.25 * (high - low) * normal(a), 16384)

    x = np.empty(n, dtype)
    by_chunks(n, values, x)
    return x


@histogram.problem
def problem(p):
    edges = p.bins if p.distribution == "edges" else 0
    x = inputs(p.seed, p.n, p.distribution, p.low, p.high, edges, p.dtype)
    low, high, scale = p.dtype.type(p.low), p.dtype.type(p.high), p.dtype.type(p.bins / (p.high - p.low))

    def count(first, end):
        part = x[first:end]
        counts = np.zeros(p.bins + 2, np.int64)
        inside = (part >= low) & (part < high)
        counts[: p.bins] = np.bincount(
            np.minimum(((part[inside] - low) * scale).astype(np.int64), p.bins - 1), minlength=p.bins
        )
        nan = np.count_nonzero(np.isnan(part))
        if p.overflow == "clamp":
            counts[0] += np.count_nonzero(part < low)
            counts[p.bins - 1] += np.count_nonzero(part >= high)
        else:
            counts[p.bins] = part.size - np.count_nonzero(inside) - nan
        counts[p.bins + 1] = nan
        return counts

    expected = np.sum(each_chunk(p.n, count), axis=0, dtype=np.int64) if p.n else np.zeros(p.bins + 2, np.int64)

    def judge(counts):
        numbers = {
            "in_range": counts[: p.bins].sum(),
            "outside": counts[p.bins],
            "nan": counts[p.bins + 1],
            "peak_bin": int(np.argmax(counts[: p.bins])),
        }
        if p.bins <= 1200:
            numbers["counts"] = [int(c) for c in counts[: p.bins]]
        return check.elements("every count with NumPy's bincount", counts, expected, **numbers)

    work = Work(bytes=x.nbytes, items=p.n)
    return Problem(inputs={"x": x}, outputs={"counts": np.empty(p.bins + 2, np.int64)}, work=work, check=judge)


def constants(p):
    t = p.dtype.type
    return t(p.low), t(p.high), t(p.bins / (p.high - p.low)), p.bins, p.overflow == "clamp"


def slots(p, xp):
    """The bin of each value in the arrays of `xp` (NumPy, CuPy, PyTorch), before it is rounded down to a whole number."""
    low, high, scale, bins, clamp = constants(p)
    with np.errstate(invalid="ignore"):
        inside = (p.x >= low) & (p.x < high)
        slot = xp.clip((p.x - low) * scale, 0, bins - 1)
        return xp.where(xp.isnan(p.x), bins + 1, xp.where(inside | clamp, slot, bins))


@histogram.twin("numpy", "scratch_copies")
def numpy(p):
    return lambda: np.bincount(slots(p, np).astype(np.int64), minlength=p.bins + 2)


# The libraries' histograms compute their own edges, which round differently from (x - low) * scale: they are given
# slots, whose edges are whole numbers.
@histogram.twin("cupy", "scratch_copies")
def cupy(p):
    import cupy as cp

    return lambda: cp.histogram(slots(p, cp), p.bins + 2, (0, p.bins + 2))[0]


def _counted_in_f32(p):
    return "torch.histc counts in f32, exactly up to 2^24" if p.precision == "f32" and p.n > 1 << 24 else ""


@histogram.twin("torch", "scratch_copies", unavailable=_counted_in_f32)
def torch(p):
    import torch

    def run():  # the middle of a bin stays inside however histc rounds
        p.counts.copy_(torch.histc(slots(p, torch).floor() + 0.5, p.bins + 2, min=0, max=p.bins + 2))

    return run


@histogram.twin("numba", "private_rows")
def numba_parallel(p):
    import numba

    low, high, scale, bins, clamp = constants(p)
    threads = numba.get_num_threads()

    @numba.njit(parallel=True)
    def count(x, rows, counts):
        n = x.size
        for t in numba.prange(threads):
            for k in range(bins + 2):
                rows[t, k] = 0
            for i in range(n * t // threads, n * (t + 1) // threads):
                v = x[i]
                if v >= low and v < high:
                    rows[t, min(int((v - low) * scale), bins - 1)] += 1
                elif v != v:
                    rows[t, bins + 1] += 1
                elif clamp:
                    rows[t, 0 if v < low else bins - 1] += 1
                else:
                    rows[t, bins] += 1
        for k in range(bins + 2):
            counts[k] = rows[:, k].sum()

    rows = np.empty((threads, bins + 2), np.int64)
    return lambda: count(p.x, rows, p.counts)


@histogram.twin("numba_cuda", "team_scratch")
def numba_cuda(p):
    from numba import cuda, int64, uint32

    low, high, scale, bins, clamp = constants(p)
    slots = bins + 2

    @cuda.jit
    def clear(counts):
        i = cuda.grid(1)
        if i < counts.size:
            counts[i] = 0

    # begin: numba_cuda
    @cuda.jit
    def count(x, counts):
        mine = cuda.shared.array(slots, uint32)
        for k in range(cuda.threadIdx.x, slots, cuda.blockDim.x):
            mine[k] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            v = x[i]
            if v >= low and v < high:
                cuda.atomic.add(mine, min(int((v - low) * scale), bins - 1), 1)
            elif v != v:
                cuda.atomic.add(mine, bins + 1, 1)
            elif clamp:
                cuda.atomic.add(mine, 0 if v < low else bins - 1, 1)
            else:
                cuda.atomic.add(mine, bins, 1)
        cuda.syncthreads()
        for k in range(cuda.threadIdx.x, slots, cuda.blockDim.x):
            if mine[k] > 0:
                cuda.atomic.add(counts, k, int64(mine[k]))
    # end: numba_cuda

    threads = min(1024, max(32, -(-p.n // 32) * 32))
    blocks = max(1, min(264, p.n // threads))

    def run():
        clear[-(-slots // 256), 256](p.counts)
        count[blocks, threads](p.x, p.counts)

    return run
