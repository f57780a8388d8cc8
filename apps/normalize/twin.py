# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""normalize: v / norm2(v), the twin of apps/normalize.

Array by array, the norm and the division each pass through memory; a compiler that sees both still needs the barrier
between them.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

normalize = Exercise("normalize", precisions=("f32", "f64"), memory=lambda p: 2 * p.n * p.dtype.itemsize)


def out_of_range(p):
    return "" if p.input == "uniform" else "squares out of range: the C++ program shows what that takes"


@normalize.problem
def problem(p):
    v = 2 * uniform(p.seed, p.n, p.dtype) - 1
    norm = float(np.sqrt(np.sum(v.astype(np.longdouble) ** 2)))
    expected = v.astype(np.float64) / norm
    # Libraries add the squares up in the type itself, in their own trees.
    relative = max(1e-5, 1e-8 * p.n**0.5) if p.precision == "f32" else 1e-12

    def judge(out):
        after = float(np.sqrt(np.sum(out.astype(np.float64) ** 2)))
        return check.both(
            check.elements("every element with v / norm", out, expected, relative * np.abs(expected) + 1e-45),
            check.number("the norm afterwards with 1", after, 1, relative, norm=norm, norm_after=after),
        )

    work = Work(bytes=3 * p.n * p.dtype.itemsize, flops=3 * p.n, items=p.n)
    return Problem(inputs={"v": v}, outputs={"out": np.empty(p.n, p.dtype)}, work=work, check=judge)


@normalize.twin("numpy", "reduce_then_scale", unavailable=out_of_range)
def numpy(p):
    return lambda: np.divide(p.v, np.linalg.norm(p.v), out=p.out)


@normalize.twin("numba", "sum_then_scale", unavailable=out_of_range)
def numba_parallel(p):
    import numba

    # begin: numba
    @numba.njit(parallel=True)
    def divide(v, out):
        total = 0.0
        for i in numba.prange(v.size):
            total += float(v[i]) * float(v[i])
        norm = total**0.5
        for i in numba.prange(v.size):
            out[i] = v[i] / norm
    # end: numba

    return lambda: divide(p.v, p.out)


@normalize.twin("cupy", "reduce_then_scale", unavailable=out_of_range)
def cupy(p):
    import cupy as cp

    return lambda: cp.divide(p.v, cp.linalg.norm(p.v), out=p.out)


@normalize.twin("jax", "reduce_then_scale", unavailable=out_of_range)
def jax(p):
    import jax

    divide = jax.jit(lambda v: v / jax.numpy.linalg.norm(v))
    return lambda: divide(p.v)


def torch_cannot(p):
    if p.space == "torch_cpu" and p.precision == "f32" and p.n > 1_000_000:
        return "in f32 PyTorch's norm on a CPU is further off than the check allows"
    return out_of_range(p)


@normalize.twin("torch", "reduce_then_scale", unavailable=torch_cannot)
def torch(p):
    import torch

    return lambda: torch.div(p.v, torch.linalg.vector_norm(p.v), out=p.out)


@normalize.twin("torch", "kokkos_kernels", unavailable=torch_cannot)
def torch_normalize(p):
    import torch

    return lambda: torch.nn.functional.normalize(p.v, dim=0, out=p.out)
