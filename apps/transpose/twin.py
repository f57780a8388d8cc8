# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""transpose: out[j, i] = in[i, j], the twin of apps/transpose.

In array libraries a transpose is a view and costs nothing, until its elements are put in order.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

transpose = Exercise(
    "transpose", precisions=("f32", "f64"), memory=lambda p: 2 * p.rows * p.columns * p.dtype.itemsize
)

TILE = 32


@transpose.problem
def problem(p):
    a = uniform(p.seed, p.rows * p.columns, p.dtype).reshape(p.rows, p.columns)

    def judge(out):
        out = np.asarray(out)
        ends = {"first": float(out[0, 0]), "last": float(out[-1, -1])}
        return check.elements("every element with the input's", out, a.T, **ends)

    work = Work(bytes=2 * a.nbytes, items=a.size)
    return Problem(inputs={"a": a}, outputs={"out": np.empty((p.columns, p.rows), p.dtype)}, work=work, check=judge)


@transpose.twin("numpy", "naive")
def numpy(p):
    return lambda: np.copyto(p.out, p.a.T)


@transpose.twin("numba", "team_scratch")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def turn(a, out):
        rows, columns = a.shape
        for tile in numba.prange((rows + TILE - 1) // TILE):  # rows of tiles: a tile's lines stay in the cache
            top, bottom = tile * TILE, min(rows, (tile + 1) * TILE)
            for left in range(0, columns, TILE):
                for j in range(left, min(columns, left + TILE)):
                    for i in range(top, bottom):
                        out[j, i] = a[i, j]

    return lambda: turn(p.a, p.out)


@transpose.twin("numba_cuda", "team_scratch")
def numba_cuda(p):
    import numba
    from numba import cuda

    kind = numba.float32 if p.precision == "f32" else numba.float64
    width = TILE + 1  # a column is in 32 banks; worked out here, since a shape takes constants only

    # begin: numba_cuda
    @cuda.jit
    def turn(a, out):
        x = cuda.shared.array((TILE, width), kind)
        row, column = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
        j = cuda.threadIdx.x
        for i in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
            if row + i < a.shape[0] and column + j < a.shape[1]:
                x[i, j] = a[row + i, column + j]
        cuda.syncthreads()
        for i in range(cuda.threadIdx.y, TILE, cuda.blockDim.y):
            if column + i < a.shape[1] and row + j < a.shape[0]:
                out[column + i, row + j] = x[j, i]
    # end: numba_cuda

    blocks = (-(-p.columns // TILE), -(-p.rows // TILE))
    return lambda: turn[blocks, (TILE, 8)](p.a, p.out)


@transpose.twin("cupy", "naive")
def cupy(p):
    import cupy as cp

    return lambda: cp.copyto(p.out, p.a.T)


@transpose.twin("jax", "naive")
def jax(p):
    import jax

    turn = jax.jit(lambda a: a.T.copy())
    return lambda: turn(p.a)


@transpose.twin("torch", "naive")
def torch(p):
    return lambda: p.out.copy_(p.a.T)
