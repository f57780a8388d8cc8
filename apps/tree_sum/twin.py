# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""tree_sum: the sum of n numbers, the twin of apps/tree_sum.

What is to be learnt: a library's sum runs at the speed of memory; of one's own kernels `race` loses
updates, and a tree in shared memory with an atomic addition per block does not.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.normals import normals

tree_sum = Exercise("tree_sum", precisions=("f32", "f64"), memory=lambda p: p.n * p.dtype.itemsize)

CHAIN = 4096  # additions one after the other, at most: what follows is joined in trees
THREADS = 256
BLOCKS = 1024


@tree_sum.problem
def problem(p):
    a = normals(p.seed, p.n, p.dtype) if p.input == "normal" else np.arange(p.n).astype(p.dtype)
    expected = float(np.sum(a, dtype=np.longdouble))
    # As in apps/tree_sum/exercise.cpp: roundings of normals add up as randomly as the normals themselves.
    eps, length = float(np.finfo(p.dtype).eps), min(CHAIN, p.n)
    if p.input == "normal":
        tolerance = 4 * eps * (p.n * length) ** 0.5
    else:
        tolerance = eps / 2 * length * expected

    def judge(total):
        found = float(np.asarray(total).item())
        error = abs(found - expected)
        return check.number(
            "the sum with one in extended precision", found, expected, tolerance, sum=found, error=error
        )

    work = Work(bytes=a.nbytes, flops=p.n, items=p.n)
    return Problem(inputs={"a": a}, outputs={"sum": np.empty(1, p.dtype)}, work=work, check=judge)


@tree_sum.twin("numpy", "reduce_wide")
def numpy(p):
    return lambda: np.sum(p.a, keepdims=True, out=p.sum)


@tree_sum.twin("numba", "reduce")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def add(a, out):
        total = 0.0
        for i in numba.prange(a.size):
            total += a[i]
        out[0] = total

    return lambda: add(p.a, p.sum)


def _launches(p, add):
    """Runs `add` from a sum of 0 with enough threads to keep a GPU busy."""
    from numba import cuda

    zero = p.dtype.type(0)

    @cuda.jit
    def clear(out):
        out[0] = zero

    blocks = max(1, min(BLOCKS, -(-p.n // THREADS)))

    def run():
        clear[1, 1](p.sum)
        add[blocks, THREADS](p.a, p.sum)

    return run


@tree_sum.twin("numba_cuda", "race", expected_to_fail=True)
def numba_cuda_race(p):
    from numba import cuda

    @cuda.jit
    def add(a, out):
        for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
            out[0] += a[i]

    return _launches(p, add)


@tree_sum.twin("numba_cuda", "team_tree")
def numba_cuda_tree(p):
    import numba
    from numba import cuda

    kind = numba.float32 if p.precision == "f32" else numba.float64
    threads = THREADS

    # begin: numba_cuda
    @cuda.jit
    def add(a, out):
        partial = cuda.shared.array(threads, kind)
        me = cuda.threadIdx.x
        total = kind(0)
        for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
            total += a[i]
        partial[me] = total
        half = threads // 2
        while half > 0:
            cuda.syncthreads()
            if me < half:
                partial[me] += partial[me + half]
            half //= 2
        if me == 0:
            cuda.atomic.add(out, 0, partial[0])
    # end: numba_cuda

    return _launches(p, add)


@tree_sum.twin("cupy", "reduce_wide")
def cupy(p):
    import cupy as cp

    return lambda: cp.sum(p.a, keepdims=True, out=p.sum)


@tree_sum.twin("jax", "reduce_wide")
def jax(p):
    import jax

    add = jax.jit(jax.numpy.sum)
    return lambda: add(p.a)


@tree_sum.twin("torch", "reduce_wide")
def torch(p):
    import torch

    return lambda: torch.sum(p.a, 0, keepdim=True, out=p.sum)
