# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""memory_kinds: a convolution whose weights live in each kind of memory, the twin of apps/memory_kinds/lesson.hpp.

Numba-CUDA names the kinds as CUDA does: a device array, cuda.const, cuda.shared, cuda.local.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

memory_kinds = Exercise("memory_kinds", precisions=("f32", "f64"), memory=lambda p: 2 * p.n * p.dtype.itemsize)


@memory_kinds.problem
def problem(p):
    # Whole numbers: every sum is exact, in any order (apps/memory_kinds/exercise.cpp).
    digits = np.finfo(p.dtype).nmant + 1
    weights = 1 + 7 * np.arange(p.taps) % 16
    weights[0] = 1 + 2 ** (digits // 2)
    signal = (2**digits // weights.sum() * uniform(p.seed, p.n)).astype(np.int64)
    size = max(0, p.n - p.taps + 1)
    expected = np.zeros(size, np.int64)
    for k, weight in enumerate(weights):
        expected += weight * signal[k : k + size]

    def judge(out):
        checksum = out.sum(dtype=np.float64)
        return check.elements("every element with a convolution in integers", out, expected, checksum=checksum)

    work = Work(bytes=2 * size * p.dtype.itemsize, flops=2 * p.taps * size, items=size)
    inputs = {"signal": signal.astype(p.dtype), "weights": weights.astype(p.dtype)}
    return Problem(inputs=inputs, outputs={"out": np.empty(size, p.dtype)}, work=work, check=judge)


def too_long(p):
    if p.taps <= p.n:
        return ""
    return f"a filter of {p.taps} taps is longer than the array of {p.n} elements (expected taps <= n)"


@memory_kinds.twin("numpy", "global", unavailable=too_long)
def numpy(p):
    return lambda: np.correlate(p.signal, p.weights, "valid")


@memory_kinds.twin("numba", "global", unavailable=too_long)
def numba_parallel(p):
    import numba

    @numba.njit(parallel=True)
    def convolve(x, weights, out):
        for i in numba.prange(out.size):
            total = x.dtype.type(0)
            for k in range(weights.size):
                total += weights[k] * x[i + k]
            out[i] = total

    return lambda: convolve(p.signal, p.weights, p.out)


def launch(kernel, p, *arguments):
    """What is timed: the kernel over all elements, 256 threads a block."""
    blocks = (p.out.size + 255) // 256
    return lambda: kernel[blocks, 256](p.signal, *arguments, p.out)


def cuda_sum():
    """The sum that all four kinds share, as a function of the GPU's: weights come from wherever they live."""
    from numba import cuda

    # begin: numba_cuda
    @cuda.jit(device=True)
    def weighted_sum(weights, taps, x, i):
        total = weights[0] * x[i]
        for k in range(1, taps):
            total += weights[k] * x[i + k]
        return total
    # end: numba_cuda

    return weighted_sum


@memory_kinds.twin("numba_cuda", "global", unavailable=too_long)
def cuda_global(p):
    from numba import cuda

    taps, weighted_sum = p.taps, cuda_sum()

    @cuda.jit
    def convolve(x, weights, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = weighted_sum(weights, taps, x, i)

    return launch(convolve, p, p.weights)


@memory_kinds.twin("numba_cuda", "constant", unavailable=too_long)
def cuda_constant(p):
    from numba import cuda

    fixed = np.ascontiguousarray(p.host.weights)
    taps, weighted_sum = p.taps, cuda_sum()

    @cuda.jit
    def convolve(x, out):
        weights = cuda.const.array_like(fixed)
        i = cuda.grid(1)
        if i < out.size:
            out[i] = weighted_sum(weights, taps, x, i)

    return launch(convolve, p)


@memory_kinds.twin("numba_cuda", "team_scratch", unavailable=too_long)
def cuda_shared(p):
    from numba import cuda

    taps, dtype, weighted_sum = p.taps, p.dtype, cuda_sum()

    # begin: numba_cuda
    @cuda.jit
    def convolve(x, weights, out):
        shared = cuda.shared.array(taps, dtype)
        for k in range(cuda.threadIdx.x, taps, cuda.blockDim.x):
            shared[k] = weights[k]
        cuda.syncthreads()
        i = cuda.grid(1)
        if i < out.size:
            out[i] = weighted_sum(shared, taps, x, i)
    # end: numba_cuda

    return launch(convolve, p, p.weights)


@memory_kinds.twin("numba_cuda", "local", unavailable=too_long)
def cuda_local(p):
    from numba import cuda

    taps, dtype, weighted_sum = p.taps, p.dtype, cuda_sum()

    @cuda.jit
    def convolve(x, weights, out):
        mine = cuda.local.array(taps, dtype)
        for k in range(taps):
            mine[k] = weights[k]
        i = cuda.grid(1)
        if i < out.size:
            out[i] = weighted_sum(mine, taps, x, i)

    return launch(convolve, p, p.weights)


@memory_kinds.twin("torch_cuda", "global", unavailable=too_long)
def torch_cuda(p):
    import torch

    torch.backends.cudnn.allow_tf32 = False  # 11 digits of the 24 of float32
    x, weights = p.signal.view(1, 1, -1), p.weights.view(1, 1, -1)
    return lambda: torch.nn.functional.conv1d(x, weights).view(-1)
