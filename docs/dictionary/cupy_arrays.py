# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The CuPy snippets of docs/dictionary.md, between "begin" and "end".

tests/python/test_dictionary.py runs each function with CuPy where there is a GPU, and the functions of ARRAYS with NumPy in CuPy's place.
"""

import numpy as np


def first(cp):
    x = np.arange(5.0)
    # begin: first
    a = cp.asarray(x)
    a *= 2
    y = cp.asnumpy(a)
    # end: first
    assert (y == [0, 2, 4, 6, 8]).all()


def atomics(cp):
    n = 1000
    count = cp.bincount(cp.arange(n) % 10, minlength=10)
    assert (cp.asnumpy(count) == 100).all()


def reduction(cp):
    a = cp.empty(10)
    a[:] = 0.5
    assert a.sum() == 5


def arrays(cp):
    a, b, c = cp.full(100, 5.0), cp.full(100, 10.0), cp.full(100, -0.1)
    # begin: fused
    x = (-b + cp.sqrt(b * b - 4 * a * c)) / (2 * a)
    # end: fused
    assert abs(cp.asnumpy(x) - 0.009950493836207741).max() < 1e-14


def fused(cp):
    a, b, c = cp.full(100, 5.0), cp.full(100, 10.0), cp.full(100, -0.1)
    # begin: fused
    root = cp.ElementwiseKernel(
        "float64 a, float64 b, float64 c",
        "float64 x",
        "x = (-b + sqrt(b * b - 4 * a * c)) / (2 * a)",
        "root")
    x = root(a, b, c)
    # end: fused
    assert abs(cp.asnumpy(x) - 0.009950493836207741).max() < 1e-14


def raw(cp):
    a = cp.arange(5, dtype=cp.float32)
    twice = cp.RawKernel(r"""
    extern "C" __global__ void twice(float* a, int n) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) a[i] *= 2;
    }""", "twice")
    twice(((a.size + 255) // 256,), (256,), (a, np.int32(a.size)))
    assert (cp.asnumpy(a) == [0, 2, 4, 6, 8]).all()


def streams(cp):
    import cupyx

    x = cupyx.empty_pinned(5)
    x[:] = range(5)
    stream = cp.cuda.Stream()
    with stream:
        a = cp.asarray(x)
        a *= 2
    stream.synchronize()
    assert (cp.asnumpy(a) == 2 * x).all()


def timing(cp):
    a = cp.arange(5.0)
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    a *= 2
    stop.record()
    stop.synchronize()
    milliseconds = cp.cuda.get_elapsed_time(start, stop)
    assert milliseconds >= 0


ARRAYS = (first, atomics, reduction, arrays)
SNIPPETS = (*ARRAYS, fused, raw, streams, timing)
