# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""a[i] += 1 in every library: what `increment` does to whole numbers and `add_one` to reals."""

import numpy as np


def add_twins(exercise, name):
    """Gives `exercise` its twins, which add 1 to every element of the problem's array `name`."""

    def array(p):
        return getattr(p, name)

    @exercise.twin("numpy", "range")
    def numpy(p):
        return lambda: np.add(array(p), 1, out=array(p))

    @exercise.twin("numba", "range")
    def numba_parallel(p):
        import numba

        @numba.njit(parallel=True)
        def add(a):
            for i in numba.prange(a.size):
                a[i] += 1

        return lambda: add(array(p))

    @exercise.twin("numba_cuda", "range")
    def numba_cuda(p):
        from numba import cuda

        # begin: numba_cuda
        @cuda.jit
        def add(a):
            i = cuda.grid(1)
            if i < a.size:
                a[i] += 1

        threads = 256
        blocks = (p.n + threads - 1) // threads
        return lambda: add[blocks, threads](array(p))
        # end: numba_cuda

    @exercise.twin("cupy", "range")
    def cupy(p):
        import cupy as cp

        return lambda: cp.add(array(p), 1, out=array(p))

    @exercise.twin("jax", "range")
    def jax(p):
        import jax

        add = jax.jit(lambda a: a + 1)
        return lambda: add(array(p))

    @exercise.twin("torch", "range")
    def torch(p):
        return lambda: array(p).add_(1)
