# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""scan: exclusive prefix sums, the twin of apps/scan.

Array libraries call it `cumsum`, which is inclusive: its element i - 1 is offset i.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

scan = Exercise("scan", precisions=("i32", "i64", "f32", "f64"), memory=lambda p: 2 * p.n * p.dtype.itemsize)

BLOCK = 1024
LONGEST = 4  # leptons of an event


@scan.problem
def problem(p):
    whole = p.dtype.kind == "i"
    if whole:
        a = ((LONGEST + 1) * uniform(p.seed, p.n, np.float64)).astype(p.dtype)
    else:
        a = 2 * uniform(p.seed, p.n, p.dtype) - p.dtype.type(1)
    expected = np.zeros(p.n + 1, np.int64 if whole else np.longdouble)
    np.cumsum(a, out=expected[1:], dtype=expected.dtype)
    # As in apps/scan/exercise.cpp: the roundings of a chain add up as randomly as the numbers themselves.
    eps = 0.0 if whole else float(np.finfo(p.dtype).eps)
    tolerance = 2 * eps * np.arange(p.n + 1, dtype=np.float64)

    def judge(offsets):
        offsets = np.asarray(offsets)
        ends = {"total": offsets[-1].item()}
        if p.n:
            ends = {"last": offsets[-2].item(), **ends}
        expect = expected.astype(np.int64 if whole else np.float64)
        return check.elements("every prefix sum with one in extended precision", offsets, expect, tolerance, **ends)

    work = Work(bytes=2 * a.nbytes, flops=p.n, items=p.n)
    return Problem(inputs={"a": a}, outputs={"offsets": np.empty(p.n + 1, p.dtype)}, work=work, check=judge)


@scan.twin("numpy", "kokkos_scan")
def numpy(p):
    def scan():
        p.offsets[0] = 0
        np.cumsum(p.a, out=p.offsets[1:], dtype=p.dtype)

    return scan


@scan.twin("numba", "three_kernels")
def numba_parallel(p):
    import numba

    zero = p.dtype.type(0)

    # begin: numba
    @numba.njit(parallel=True)
    def scan(a, starts, offsets):
        blocks = starts.size
        for b in numba.prange(blocks):  # the sum of each block
            total = zero
            for i in range(b * BLOCK, min(a.size, (b + 1) * BLOCK)):
                total += a[i]
            starts[b] = total
        run = zero
        for b in range(blocks):  # a scan of these few sums, in place
            total = starts[b]
            starts[b] = run
            run += total
        offsets[a.size] = run
        for b in numba.prange(blocks):  # the blocks again
            total = starts[b]
            for i in range(b * BLOCK, min(a.size, (b + 1) * BLOCK)):
                offsets[i] = total
                total += a[i]
    # end: numba

    starts = np.empty(p.n // BLOCK + 1, p.dtype)
    return lambda: scan(p.a, starts, p.offsets)


@scan.twin("cupy", "library")
def cupy(p):
    import cupy as cp

    def scan():
        p.offsets[0] = 0
        cp.cumsum(p.a, dtype=p.dtype, out=p.offsets[1:])

    return scan


@scan.twin("jax", "library")
def jax(p):
    import jax

    jnp = jax.numpy
    scan = jax.jit(lambda a: jnp.concatenate([jnp.zeros(1, a.dtype), jnp.cumsum(a, dtype=a.dtype)]))
    return lambda: scan(p.a)


@scan.twin("torch", "library")
def torch(p):
    import torch

    def scan():
        p.offsets[0] = 0
        torch.cumsum(p.a, 0, dtype=p.a.dtype, out=p.offsets[1:])

    return scan
