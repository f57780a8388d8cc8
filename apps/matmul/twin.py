# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""matmul: C = A B, the twin of apps/matmul/lesson.hpp.

What is to be learnt: a library's product and a kernel of one's own with tiles in shared memory differ by the
reuse in registers, which Numba's kernel has no room for.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

matmul = Exercise(
    "matmul", precisions=("f32", "f64"), memory=lambda p: (p.m * p.k + p.k * p.n + p.m * p.n) * p.dtype.itemsize
)


def matrix(p, seed, rows, columns, everywhere):
    if p.input == "constants":
        return np.full((rows, columns), everywhere, p.dtype)
    u = uniform(seed, rows * columns, p.dtype).reshape(rows, columns)
    return 2 * u - 1 if p.input == "uniform" else np.floor(9 * u) - 4


@matmul.problem
def problem(p):
    a = np.ascontiguousarray(matrix(p, p.seed, p.m, p.k, 3), p.dtype)
    b = np.ascontiguousarray(matrix(p, p.seed + 1, p.k, p.n, 4), p.dtype)
    # Whole numbers are exact; the roundings of a sum of k products of random sign come to about 0.07 eps k.
    tolerance = float(np.finfo(p.dtype).eps) * max(1, p.k) if p.input == "uniform" else 0.0
    expected = a.astype(np.float64) @ b.astype(np.float64)

    def judge(c):
        sums = {"sum": c.sum(dtype=np.float64), "first": c[0, 0], "last": c[-1, -1]}
        return check.elements("every element with NumPy's f64 product", c, expected, tolerance, **sums)

    work = Work(
        bytes=p.dtype.itemsize * (p.m * p.k + p.k * p.n + p.m * p.n), flops=2 * p.m * p.n * p.k, items=p.m * p.n
    )
    return Problem(inputs={"a": a, "b": b}, outputs={"c": np.empty((p.m, p.n), p.dtype)}, work=work, check=judge)


@matmul.twin("numpy", "kokkos_kernels")
def numpy(p):
    return lambda: np.matmul(p.a, p.b, out=p.c)


@matmul.twin("numba", "naive")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def product(a, b, c):
        for i in numba.prange(c.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] = 0
            for e in range(a.shape[1]):  # along the rows of b and c
                for j in range(c.shape[1]):
                    c[i, j] += a[i, e] * b[e, j]

    return lambda: product(p.a, p.b, p.c)


@matmul.twin("numba_cuda", "tiled")
def numba_cuda(p):
    import numba
    from numba import cuda

    kind = numba.float32 if p.precision == "f32" else numba.float64
    tile = 16  # the course's; a constant, so that the compiler unrolls

    # begin: numba_cuda
    @cuda.jit
    def product(a, b, c):
        a_tile = cuda.shared.array((tile, tile), kind)
        b_tile = cuda.shared.array((tile, tile), kind)
        tj, ti = cuda.threadIdx.x, cuda.threadIdx.y
        j, i = cuda.grid(2)
        total = kind(0)
        for e in range(0, a.shape[1], tile):
            a_tile[ti, tj] = a[i, e + tj] if i < c.shape[0] and e + tj < a.shape[1] else kind(0)
            b_tile[ti, tj] = b[e + ti, j] if e + ti < b.shape[0] and j < c.shape[1] else kind(0)
            cuda.syncthreads()
            for s in range(tile):
                total += a_tile[ti, s] * b_tile[s, tj]
            cuda.syncthreads()
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = total
    # end: numba_cuda

    blocks = ((p.n + tile - 1) // tile, (p.m + tile - 1) // tile)
    return lambda: product[blocks, (tile, tile)](p.a, p.b, p.c)


@matmul.twin("cupy", "kokkos_kernels")
def cupy(p):
    import cupy as cp

    return lambda: cp.matmul(p.a, p.b, out=p.c)


@matmul.twin("jax", "kokkos_kernels")
def jax(p):
    import jax

    product = jax.jit(lambda a, b: jax.numpy.matmul(a, b, precision="highest"))  # no TF32
    return lambda: product(p.a, p.b)


@matmul.twin("torch", "kokkos_kernels")
def torch(p):
    import torch

    return lambda: torch.mm(p.a, p.b, out=p.c)  # TF32 is off by default
