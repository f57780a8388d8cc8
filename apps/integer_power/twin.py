# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""integer_power: y[i] = x[i]^n, the twin of apps/integer_power/lesson.hpp: pow against multiply.

NumPy and PyTorch know a**2 for a product and have a special loop for it; `pow` is the function,
called with the exponent as a real number.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

integer_power = Exercise("integer_power", precisions=("f64", "f32"), memory=lambda p: 2 * p.n * p.dtype.itemsize)


@integer_power.problem
def problem(p):
    if p.input == "arange":
        x = np.arange(1, p.n + 1).astype(p.dtype)
    else:
        x = uniform(p.seed, p.n, p.dtype) + p.dtype.type(0.5)
        if p.input == "signed":
            x[1::2] *= -1
    with np.errstate(over="ignore"):
        expected = power_by_products(x.astype(np.longdouble), p.exponent).astype(p.dtype)
    # A product rounds by half a unit, and what came before is raised with it; pow is within 4 units.
    relative = (abs(p.exponent) + 4) * np.finfo(p.dtype).eps

    def judge(y):
        numbers = {"sum": y.sum(dtype=np.float64), "first": y[0], "last": y[-1]}
        tolerance = relative * np.abs(np.where(np.isfinite(expected), expected, 0))
        return check.elements("every element with products in a wider type", y, expected, tolerance, **numbers)

    work = Work(bytes=2 * x.nbytes, items=p.n)
    return Problem(inputs={"x": x}, outputs={"y": np.empty_like(x)}, work=work, check=judge)


def power_by_products(x, n):
    """x**n from the bits of n: a product for each, and one more for each that is set."""
    power, square, bits = None, x, abs(n)
    while bits:
        if bits & 1:
            power = square if power is None else power * square
        bits >>= 1
        if bits:
            square = square * square
    if power is None:
        return x * 0 + 1
    return power if n > 0 else 1 / power


@integer_power.twin("numpy", "pow")
def numpy_pow(p):
    exponent = p.dtype.type(p.exponent)
    return lambda: np.power(p.x, exponent, out=p.y)  # a product inside, where the exponent is 2


@integer_power.twin("numpy", "multiply")
def numpy_multiply(p):
    return lambda: power_by_products(p.x, p.exponent)


@integer_power.twin("numba", "multiply")
def numba_multiply(p):
    import numba

    exponent = p.exponent  # a constant for the compiler

    @numba.njit(parallel=True)
    def power(x, y):
        for i in numba.prange(x.size):
            y[i] = x[i] ** exponent  # LLVM makes products of a constant whole exponent

    return lambda: power(p.x, p.y)


@integer_power.twin("numba_cuda", "pow")
def numba_cuda_pow(p):
    import math

    from numba import cuda

    exponent = p.dtype.type(p.exponent)

    # begin: numba_cuda
    @cuda.jit
    def power(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = math.pow(x[i], exponent)
    # end: numba_cuda

    threads = 256
    blocks = (p.n + threads - 1) // threads
    return lambda: power[blocks, threads](p.x, p.y)


@integer_power.twin("cupy", "multiply")
def cupy_multiply(p):
    import cupy as cp

    if p.exponent == 2:
        return lambda: cp.multiply(p.x, p.x, out=p.y)
    fused = cp.fuse(lambda x: power_by_products(x, p.exponent), kernel_name="power_by_products")
    return lambda: fused(p.x)


@integer_power.twin("cupy", "pow")
def cupy_pow(p):
    import cupy as cp

    power = cp.ElementwiseKernel("T x, T n", "T y", "y = pow(x, n)", "power")
    exponent = p.dtype.type(p.exponent)
    return lambda: power(p.x, exponent, p.y)


@integer_power.twin("jax", "multiply")
def jax_multiply(p):
    import jax

    power = jax.jit(lambda x: power_by_products(x, p.exponent))
    return lambda: power(p.x)


@integer_power.twin("torch", "multiply")
def torch_multiply(p):
    import torch

    if p.exponent == 2:
        return lambda: torch.mul(p.x, p.x, out=p.y)
    return lambda: power_by_products(p.x, p.exponent)
