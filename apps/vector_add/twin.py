# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""vector_add: c[i] = a[i] + b[i], the twin of apps/vector_add/lesson.hpp.

Three arrays pass through memory once each, so bandwidth decides. NumPy adds on one core; Numba
spreads the same loop over all of them; on a GPU the loop disappears and its body becomes a kernel.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

vector_add = Exercise("vector_add", precisions=("f32", "f64"), memory=lambda p: 3 * p.n * p.dtype.itemsize)


@vector_add.problem
def problem(p):
    ones = p.input == "ones"
    a = np.ones(p.n, p.dtype) if ones else uniform(p.seed, p.n, p.dtype)
    b = np.ones(p.n, p.dtype) if ones else uniform(p.seed + 1, p.n, p.dtype)
    # Exact in the wider type, then one rounding: what every processor must find, to the last bit.
    expected = np.empty(p.n, p.dtype)
    np.add(a, b, out=expected, dtype=np.longdouble, casting="same_kind")

    def judge(c):
        sums = {"sum": c.sum(dtype=np.float64), "first": c[0], "last": c[-1]}
        return check.elements("every element with a sum in a wider type", c, expected, **sums)

    work = Work(bytes=3 * p.n * p.dtype.itemsize, flops=p.n, items=p.n)
    return Problem(inputs={"a": a, "b": b}, outputs={"c": np.empty(p.n, p.dtype)}, work=work, check=judge)


@vector_add.twin("numpy", "range")
def numpy(p):
    return lambda: np.add(p.a, p.b, out=p.c)


# The course's first program: each element costs the interpreter three objects and a dispatch on their types.
@vector_add.twin("python", "range", part={"n": 1_000_000})
def python_loop(p):
    def add():
        for i in range(p.n):
            p.c[i] = p.a[i] + p.b[i]

    return add


@vector_add.twin("numba", "range")
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def add(a, b, c):
        for i in numba.prange(c.size):  # shared out over the cores
            c[i] = a[i] + b[i]

    return lambda: add(p.a, p.b, p.c)


@vector_add.twin("numba_cuda", "range")
def numba_cuda(p):
    from numba import cuda

    # begin: numba_cuda
    @cuda.jit
    def add(a, b, c):
        i = cuda.grid(1)  # this thread's place in the grid: one thread for each element
        if i < c.size:  # the last block reaches beyond the end
            c[i] = a[i] + b[i]
    # end: numba_cuda

    threads = 256
    blocks = (p.n + threads - 1) // threads
    return lambda: add[blocks, threads](p.a, p.b, p.c)


@vector_add.twin("cupy", "range")
def cupy(p):
    import cupy as cp

    return lambda: cp.add(p.a, p.b, out=p.c)


@vector_add.twin("jax", "range")
def jax(p):
    import jax

    add = jax.jit(lambda a, b: a + b)
    return lambda: add(p.a, p.b)  # a new array: JAX never writes to an old one


@vector_add.twin("torch", "range")
def torch(p):
    import torch

    return lambda: torch.add(p.a, p.b, out=p.c)


# From NumPy arrays to a NumPy array, as a first user would: the two copies in and the one out
# cost hundreds of times what the addition does.
@vector_add.twin("cupy", "range", phase="end_to_end")
def cupy_end_to_end(p):
    import cupy as cp

    return lambda: cp.asnumpy(cp.asarray(p.host.a) + cp.asarray(p.host.b))


@vector_add.twin("torch_cuda", "range", phase="end_to_end")
def torch_end_to_end(p):
    import torch

    a, b, c = (torch.from_numpy(x) for x in (p.host.a.copy(), p.host.b.copy(), p.host.c))
    return lambda: c.copy_(a.cuda() + b.cuda())


@vector_add.twin("numba_cuda", "range", phase="end_to_end")
def numba_end_to_end(p):
    import numba

    kind = "float32" if p.precision == "f32" else "float64"

    # Numba makes a kernel of the function and moves the arrays there and back: the course's version.
    @numba.vectorize([f"{kind}({kind}, {kind})"], target="cuda")
    def add(x, y):
        return x + y

    return lambda: add(p.host.a, p.host.b)
