# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""row_sum: sums over the rows of a matrix of normal(0,1) numbers, the twin of apps/row_sum.

Phase `generate` makes the matrix. NumPy does what the C++ program does, to rounding; the others call the
generator that their library has, whose numbers are their own.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.normals import normals

row_sum = Exercise(
    "row_sum", precisions=("f32", "f64"), memory=lambda p: p.rows * (p.columns + 1) * p.dtype.itemsize
)


@row_sum.problem
def problem(p):
    a = normals(p.seed, p.rows * p.columns, p.dtype).reshape(p.rows, p.columns)
    expected = a.sum(axis=1, dtype=np.longdouble).astype(np.float64)
    eps = float(np.finfo(p.dtype).eps)

    def judge_numbers(found):
        """The C++ program's numbers, or another generator's, whose moments are all that is known."""
        found = np.asarray(found)
        n = max(1, found.size)
        mean = float(found.mean(dtype=np.float64)) if found.size else 0.0
        variance = float(np.vdot(found, found)) / n if p.dtype.itemsize == 8 else float(
            np.square(found, dtype=np.float64).mean() if found.size else 0.0
        )
        numbers = {"mean": mean, "variance": variance}
        start = slice(0, min(2, p.columns))
        if found.shape == a.shape and np.all(np.abs(found[0, start] - a[0, start]) <= 64 * eps):
            return check.elements("every number with Box and Muller's formula", found, a, 64 * eps, **numbers)
        return check.both(
            check.number("the mean with 0, by five standard errors", mean, 0, 5 / n**0.5, **numbers),
            check.number("the variance with 1, by five standard errors", variance, 1, 5 * (2 / n) ** 0.5),
        )

    def judge_sums(sums):
        sums = np.asarray(sums)
        numbers = {"total": float(sums.sum(dtype=np.float64)), "first": float(sums[0]), "last": float(sums[-1])}
        return check.elements(
            "every row with its sum in extended precision", sums, expected, 4 * eps * max(1, p.columns), **numbers
        )

    size = p.dtype.itemsize * p.rows * p.columns
    return Problem(
        inputs={"a": a},
        outputs={"sums": np.empty(p.rows, p.dtype)},
        work={
            "generate": Work(bytes=size, items=a.size),
            "kernel": Work(bytes=size + p.dtype.itemsize * p.rows, flops=a.size, items=a.size),
        },
        check={"generate": judge_numbers, "kernel": judge_sums},
    )


@row_sum.twin("numpy", "team", phase="generate")
def numpy_normals(p):
    return lambda: normals(p.seed, p.rows * p.columns, p.dtype).reshape(p.rows, p.columns)


@row_sum.twin("cupy", "team", phase="generate")
def cupy_normals(p):
    import cupy as cp

    generator = cp.random.default_rng(p.seed)
    return lambda: generator.standard_normal((p.rows, p.columns), dtype=p.dtype)


@row_sum.twin("jax", "team", phase="generate")
def jax_normals(p):
    import jax

    key = jax.random.key(p.seed)
    make = jax.jit(lambda key: jax.random.normal(key, (p.rows, p.columns), p.dtype))
    return lambda: make(key)


@row_sum.twin("torch", "team", phase="generate")
def torch_normals(p):
    import torch

    out = torch.empty_like(p.a)
    generator = torch.Generator(device=out.device).manual_seed(p.seed)
    return lambda: out.normal_(generator=generator)


@row_sum.twin("numpy", "team_wide")
def numpy(p):
    return lambda: np.sum(p.a, axis=1, out=p.sums)


@row_sum.twin("numba", "range")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def add(a, sums):
        for r in numba.prange(a.shape[0]):
            total = 0.0
            for c in range(a.shape[1]):
                total += a[r, c]
            sums[r] = total

    return lambda: add(p.a, p.sums)


@row_sum.twin("numba_cuda", "range")
def numba_cuda(p):
    from numba import cuda

    zero = p.dtype.type(0)

    # begin: numba_cuda
    @cuda.jit
    def add(a, sums):
        r = cuda.grid(1)
        if r < sums.size:
            total = zero
            for c in range(a.shape[1]):
                total += a[r, c]
            sums[r] = total
    # end: numba_cuda

    threads = 256
    blocks = (p.rows + threads - 1) // threads
    return lambda: add[blocks, threads](p.a, p.sums)


@row_sum.twin("cupy", "team_wide")
def cupy(p):
    import cupy as cp

    return lambda: cp.sum(p.a, axis=1, out=p.sums)


@row_sum.twin("jax", "team_wide")
def jax(p):
    import jax

    add = jax.jit(lambda a: jax.numpy.sum(a, axis=1))
    return lambda: add(p.a)


@row_sum.twin("torch", "team_wide")
def torch(p):
    import torch

    return lambda: torch.sum(p.a, 1, out=p.sums)
