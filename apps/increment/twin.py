# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""increment: data[i] += 1, the twin of apps/increment/lesson.hpp: the smallest kernel there is.

At the course's 1024 elements nothing but the launch is measured.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.add_one import add_twins

increment = Exercise("increment", precisions=("i32",), memory=lambda p: p.n * p.dtype.itemsize)


@increment.problem
def problem(p):
    start = np.arange(p.n, dtype=p.dtype)
    # In reverse and turned by the seed, but for the ends: what is expected cannot be known without reading it.
    if p.n > 2:
        start[1:-1] = np.roll(start[1:-1][::-1], p.seed % (p.n - 2))

    def judge(data):
        numbers = {"n": p.n, "first": data[0], "last": data[-1]}
        return check.elements("every element with its input plus 1: 1..n", data, start + 1, **numbers)

    return Problem(updated={"data": start}, work=Work(bytes=2 * start.nbytes, items=p.n), check=judge)


add_twins(increment, "data")


@increment.twin("numba_cuda", "one_block")
def numba_cuda_one_block(p):
    from numba import cuda

    @cuda.jit
    def add(data):
        # One block: the thread's rank in it is the index; a block narrower than the data goes on by its width.
        for i in range(cuda.threadIdx.x, data.size, cuda.blockDim.x):
            data[i] += 1

    return lambda: add[1, 1024](p.data)
