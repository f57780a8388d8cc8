# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""heat: a five-point stencil in time steps, the twin of apps/heat/lesson.hpp.

With whole arrays a step passes over the plate once for each neighbour; as a kernel, once. A step always writes another array than it
reads, and the frame is in both.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform_at

heat = Exercise(
    "heat", precisions=("f32", "f64"), memory=lambda p: 3 * (p.rows + 2) * (p.columns + 2) * p.dtype.itemsize
)

SHARE = 0.125  # of a difference that evens out in a step
DISCS = 12
TILE = 16


def plate(p):
    """Before the first step: sin(pi x) sin(pi y), or hot discs on a warm plate, with noise (apps/heat/reference.hpp)."""
    i, j = np.arange(p.rows + 2)[:, None], np.arange(p.columns + 2)
    y, x = i / (p.rows + 1), j / (p.columns + 1)
    if p.start == "eigenmode":
        frame = (i == 0) | (j == 0) | (i > p.rows) | (j > p.columns)
        return np.where(frame, 0, np.sin(np.pi * x) * np.sin(np.pi * y))
    field = np.full(np.broadcast_shapes(x.shape, y.shape), 0.125)
    # Negative indices, which wrap round.
    random = uniform_at(p.seed, -1 - np.arange(3 * DISCS)).reshape(DISCS, 3)
    for disc, (at_x, at_y, radius) in enumerate(random):
        field[np.hypot(x - at_x, y - at_y) < 0.02 + 0.1 * radius] = 0.5 + 0.03125 * disc
    return field + 0.125 * uniform_at(p.seed, i * (p.columns + 2) + j)


def around(u):
    """The sum of the four neighbours of each inner point."""
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]


def decay(p):
    """What an eigenmode is multiplied by in a step."""
    return 1 - 4 * SHARE * sum(np.sin(np.pi / (2 * (n + 1))) ** 2 for n in (p.rows, p.columns))


@heat.problem
def problem(p):
    start = plate(p)
    first = start.astype(p.dtype)
    if p.start == "eigenmode":
        compared, expected = "every point with the eigenmode's exact decay", decay(p) ** p.steps * start
    else:
        compared, expected = "every point with steps in float64", first.astype(np.float64)
        for _ in range(p.steps):
            expected[1:-1, 1:-1] = expected[1:-1, 1:-1] / 2 + around(expected) / 8

    def judge(end):
        return check.elements(
            compared, end, expected, (3 * p.steps + 4) * np.finfo(p.dtype).eps, sum=end[1:-1, 1:-1].sum(dtype=np.float64)
        )

    points = p.rows * p.columns * p.steps
    work = Work(bytes=2 * points * p.dtype.itemsize, flops=7 * points, items=points)
    return Problem(inputs={"first": first}, outputs={"end": np.empty_like(first)}, work=work, check=judge)


def too_long(p):
    """About 1e8 points a second with whole arrays on one core."""
    minutes = p.rows * p.columns * p.steps / 1e8 / 60
    return f"about {minutes:.0f} minutes a run with whole arrays on one core" if minutes > 0.5 else ""


def whole_arrays(p, xp):
    def run():
        u = xp.array(p.first)
        for _ in range(p.steps):
            u[1:-1, 1:-1] += SHARE * (around(u) - 4 * u[1:-1, 1:-1])
        return u

    return run


@heat.twin("numpy", "arrays", unavailable=too_long)
def numpy_arrays(p):
    return whole_arrays(p, np)


@heat.twin("cupy", "arrays")
def cupy_arrays(p):
    import cupy

    return whole_arrays(p, cupy)


def fields(p, spare):
    """(from, to) for each step: the first is only read, and the last writes `end`."""
    to = [p.end if (p.steps - step) % 2 == 0 else spare for step in range(1, p.steps + 1)]
    return list(zip([p.first, *to], to))


@heat.twin("numba", "mdrange")
def numba_parallel(p):
    import numba

    share, four = p.dtype.type(SHARE), p.dtype.type(4)

    # begin: numba
    @numba.njit(parallel=True)
    def step(u, to):
        for i in numba.prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                to[i, j] = u[i, j] + share * (around - four * u[i, j])
    # end: numba

    spare = np.array(p.first)
    steps = fields(p, spare)

    def run():
        p.end[:] = p.first
        for u, to in steps:
            step(u, to)
        return p.end

    return run


def cuda_run(p, step, threads):
    """What is timed: a launch for each step."""
    from numba import cuda

    spare = cuda.device_array_like(p.first)
    spare.copy_to_device(p.first)
    steps = fields(p, spare)
    blocks = tuple((n + t - 1) // t for n, t in zip((p.columns, p.rows), threads))

    def run():
        p.end.copy_to_device(p.first)
        for u, to in steps:
            step[blocks, threads](u, to)
        return p.end

    return run


@heat.twin("numba_cuda", "mdrange")
def numba_cuda(p):
    from numba import cuda

    share, four = p.dtype.type(SHARE), p.dtype.type(4)

    @cuda.jit
    def step(u, to):
        j, i = cuda.grid(2)
        if i + 2 < u.shape[0] and j + 2 < u.shape[1]:
            i, j = i + 1, j + 1
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            to[i, j] = u[i, j] + share * (around - four * u[i, j])

    return cuda_run(p, step, (32, 8))


@heat.twin("numba_cuda", "team_scratch")
def numba_cuda_shared(p):
    from numba import cuda

    share, four, kind = p.dtype.type(SHARE), p.dtype.type(4), p.dtype
    size = TILE + 2

    # begin: numba_cuda
    @cuda.jit
    def step(u, to):
        tile = cuda.shared.array((size, size), kind)
        top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
        thread = cuda.threadIdx.y * TILE + cuda.threadIdx.x
        for e in range(thread, size * size, TILE * TILE):
            r, c = e // size, e % size
            if top + r < u.shape[0] and left + c < u.shape[1]:
                tile[r, c] = u[top + r, left + c]
        cuda.syncthreads()
        r, c = cuda.threadIdx.y + 1, cuda.threadIdx.x + 1
        if top + r < u.shape[0] - 1 and left + c < u.shape[1] - 1:
            around = tile[r - 1, c] + tile[r + 1, c] + tile[r, c - 1] + tile[r, c + 1]
            to[top + r, left + c] = tile[r, c] + share * (around - four * tile[r, c])
    # end: numba_cuda

    return cuda_run(p, step, (TILE, TILE))


@heat.twin("jax", "mdrange")
def jax_steps(p):
    import jax

    def step(_, u):
        return u.at[1:-1, 1:-1].add(SHARE * (around(u) - 4 * u[1:-1, 1:-1]))

    run = jax.jit(lambda u: jax.lax.fori_loop(0, p.steps, step, u))
    return lambda: run(p.first)
