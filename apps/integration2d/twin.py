# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""integration2d: the midpoint rule for sin(x+y) over [0,pi] x [0,pi], the twin of apps/integration2d/lesson.hpp.

n*n sines and no memory to speak of. What differs is who adds up what, and whether the sines ever
meet memory: NumPy and PyTorch write them to arrays, the others keep them in registers.
"""

import math

import numpy as np

from parallax.twins import Exercise, Problem, Work, check

integration2d = Exercise("integration2d", precisions=("f64", "f32"), memory=lambda p: 64 * p.n)


def exact_sum(n, y_upper):
    """What the midpoint rule gives, free of rounding: sin(x+y) = sin x cos y + cos x sin y, in closed form."""

    def sums(upper):
        h, half = upper / n, upper / 2
        return math.sin(half) ** 2 / math.sin(h / 2), math.sin(half) * math.cos(half) / math.sin(h / 2)

    (sin_x, cos_x), (sin_y, cos_y) = sums(math.pi), sums(y_upper)
    return math.pi / n * y_upper / n * (sin_x * cos_y + cos_x * sin_y)


@integration2d.problem
def problem(p):
    tolerance = 8 * np.finfo(p.dtype).eps * math.pi**2

    def judge(integral):
        value = np.asarray(integral).item()
        numbers = {"integral": value, "error": abs(value)}
        compared = "the integral with the closed form of the discrete sum"
        return check.number(compared, value, exact_sum(p.n, math.pi), tolerance, **numbers)

    def judge_half(again):  # the whole integral is 0, which is also what a twin that adds nothing finds
        (integral,) = again(math.pi / 2)
        return check.number("the integral over half the square", integral, exact_sum(p.n, math.pi / 2), tolerance)

    work = Work(items=p.n * p.n)  # sines: how many operations one takes is its library's affair
    return Problem(outputs={"integral": np.empty(1)}, work=work, check=judge, recheck=judge_half)


def midpoints(p, upper):
    """n points in the middles of n equal cells of [0, upper], as a NumPy array."""
    return ((np.arange(p.n) + 0.5) * (upper / p.n)).astype(p.dtype)


def cell(p, y_upper):
    return math.pi / p.n * y_upper / p.n


@integration2d.twin("numpy", "rows")
def numpy_rows(p):
    def integral(y_upper=math.pi):
        y = midpoints(p, y_upper)
        # A row at a time stays in the cache; all n*n sines at once would not fit into memory.
        return cell(p, y_upper) * sum(np.sin(x + y).sum(dtype=np.float64) for x in midpoints(p, math.pi))

    return integral


@integration2d.twin("numba_serial", "row_per_thread")
@integration2d.twin("numba", "row_per_thread")
def numba_rows(p):
    import numba

    @numba.njit(parallel=p.space == "numba")
    def sum_of_sines(x, y):
        total = 0.0
        for i in numba.prange(x.size):  # a reduction: Numba gives each thread its own total
            row = 0.0
            for j in range(y.size):
                row += math.sin(x[i] + y[j])
            total += row
        return total

    return lambda y_upper=math.pi: cell(p, y_upper) * sum_of_sines(midpoints(p, math.pi), midpoints(p, y_upper))


def cuda_row_sums(p):
    """(run, rows): run(y_upper) leaves the sum of each row, by a thread for each."""
    from numba import cuda

    x, rows = cuda.to_device(midpoints(p, math.pi)), cuda.device_array(p.n, np.float64)

    # begin: numba_cuda
    @cuda.jit
    def sum_rows(x, y, cell, rows):
        i = cuda.grid(1)
        if i < x.size:
            total = 0.0
            for j in range(y.size):
                total += math.sin(x[i] + y[j])
            rows[i] = total * cell
    # end: numba_cuda

    y = {upper: cuda.to_device(midpoints(p, upper)) for upper in (math.pi, math.pi / 2)}
    threads = 64  # small blocks spread evenly: n threads do not fill a GPU
    blocks = (p.n + threads - 1) // threads
    return lambda y_upper: sum_rows[blocks, threads](x, y[y_upper], cell(p, y_upper), rows), rows


# Without copies: the rows are added on the device, in a kernel of Numba's own.
@integration2d.twin("numba_cuda", "row_per_thread")
def cuda_rows(p):
    from numba import cuda

    run, rows = cuda_row_sums(p)
    add = cuda.reduce(lambda a, b: a + b)

    def integral(y_upper=math.pi):
        run(y_upper)
        add(rows, res=p.integral)

    return integral


# As in the course: the partial sums are copied back and added on the host.
@integration2d.twin("numba_cuda", "row_per_thread", phase="end_to_end")
def cuda_rows_copied_back(p):
    run, rows = cuda_row_sums(p)

    def integral(y_upper=math.pi):
        run(y_upper)
        return rows.copy_to_host().sum()

    return integral


@integration2d.twin("numba_cuda", "block_scratch")
def cuda_blocks_of_rows(p):
    from numba import cuda

    threads = 16  # of a block, each with its own row: the course's number
    blocks = (p.n + threads - 1) // threads
    x, sums = cuda.to_device(midpoints(p, math.pi)), cuda.device_array(blocks, np.float64)

    @cuda.jit
    def sum_blocks(x, y, cell, sums):
        partial = cuda.shared.array(threads, np.float64)
        i, t = cuda.grid(1), cuda.threadIdx.x
        total = 0.0
        if i < x.size:
            for j in range(y.size):
                total += math.sin(x[i] + y[j])
        partial[t] = total
        width = threads // 2
        while width > 0:
            cuda.syncthreads()
            if t < width:
                partial[t] += partial[t + width]
            width //= 2
        if t == 0:
            sums[cuda.blockIdx.x] = partial[0] * cell

    add = cuda.reduce(lambda a, b: a + b)
    y = {upper: cuda.to_device(midpoints(p, upper)) for upper in (math.pi, math.pi / 2)}

    def integral(y_upper=math.pi):
        sum_blocks[blocks, threads](x, y[y_upper], cell(p, y_upper), sums)
        add(sums, res=p.integral)

    return integral


@integration2d.twin("numba_cuda", "team_scratch")
def cuda_blocks(p):
    from numba import cuda

    threads = 128  # of a block, which shares one row: a power of 2, for the tree
    x, rows = cuda.to_device(midpoints(p, math.pi)), cuda.device_array(p.n, np.float64)

    @cuda.jit
    def sum_rows(x, y, cell, rows):
        partial = cuda.shared.array(threads, np.float64)
        i, t = cuda.blockIdx.x, cuda.threadIdx.x
        total = 0.0
        for j in range(t, y.size, threads):
            total += math.sin(x[i] + y[j])
        partial[t] = total
        width = threads // 2
        while width > 0:  # the tree: half of the threads add the other half's
            cuda.syncthreads()
            if t < width:
                partial[t] += partial[t + width]
            width //= 2
        if t == 0:
            rows[i] = partial[0] * cell

    add = cuda.reduce(lambda a, b: a + b)
    y = {upper: cuda.to_device(midpoints(p, upper)) for upper in (math.pi, math.pi / 2)}

    def integral(y_upper=math.pi):
        sum_rows[p.n, threads](x, y[y_upper], cell(p, y_upper), rows)
        add(rows, res=p.integral)

    return integral


@integration2d.twin("cupy", "row_per_thread")
def cupy_rows(p):
    import cupy as cp

    # The body of a CUDA kernel; CuPy adds the index and the bounds check.
    sum_row = cp.ElementwiseKernel(
        "T x, raw T y, int64 n",
        "float64 row",
        """
        row = 0;
        for (long long j = 0; j < n; ++j) row += sin(x + y[j]);
        """,
        "sum_row",
    )
    x = cp.asarray(midpoints(p, math.pi))
    y = {upper: cp.asarray(midpoints(p, upper)) for upper in (math.pi, math.pi / 2)}
    return lambda y_upper=math.pi: cell(p, y_upper) * sum_row(x, y[y_upper], p.n, block_size=64).sum()


@integration2d.twin("cupy", "team_scratch")
def cupy_blocks(p):
    import cupy as cp

    # CuPy writes the kernel around two expressions: a block for each row, a tree in shared memory.
    sum_of_sines = cp.ReductionKernel("T x, T y", "float64 s", "sin(x + y)", "a + b", "s = a", "0", "sum_of_sines")
    x = cp.asarray(midpoints(p, math.pi))[:, None]
    y = {upper: cp.asarray(midpoints(p, upper))[None, :] for upper in (math.pi, math.pi / 2)}
    return lambda y_upper=math.pi: cell(p, y_upper) * sum_of_sines(x, y[y_upper], axis=1).sum()


@integration2d.twin("jax", "flat")
def jax_flat(p):
    import jax
    import jax.numpy as jnp

    @jax.jit  # the compiler fuses the sines into the sum: no array of n*n is made
    def integral(x, y, cell):
        return cell * jnp.sum(jnp.sin(x[:, None] + y[None, :]), dtype=jnp.float64)

    x = jnp.asarray(midpoints(p, math.pi))
    y = {upper: jnp.asarray(midpoints(p, upper)) for upper in (math.pi, math.pi / 2)}
    return lambda y_upper=math.pi: integral(x, y[y_upper], cell(p, y_upper))


@integration2d.twin("torch", "chunks")
def torch_chunks(p):
    import torch

    device = p.integral.device
    x = torch.tensor(midpoints(p, math.pi), device=device)
    y = {upper: torch.tensor(midpoints(p, upper), device=device) for upper in (math.pi, math.pi / 2)}
    rows = max(1, 50_000_000 // p.n)  # each chunk's sines do go to memory and back

    def integral(y_upper=math.pi):
        p.integral.zero_()
        for part in x.split(rows):
            p.integral.add_(torch.sin(part[:, None] + y[y_upper]).sum(dtype=torch.float64))
        p.integral.mul_(cell(p, y_upper))

    return integral
