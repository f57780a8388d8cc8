# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The Numba-CUDA snippets of docs/dictionary.md, between "begin" and "end".

tests/python/test_dictionary.py runs each function; where there is no GPU, in Numba's simulator (NUMBA_ENABLE_CUDASIM=1).
"""

import numpy as np
from numba import cuda, float32, int32


# begin: first
@cuda.jit
def twice(a):
    i = cuda.grid(1)  # blockIdx.x * blockDim.x + threadIdx.x
    if i < a.size:
        a[i] *= 2


def run_twice(x):
    a = cuda.to_device(x)
    twice[(x.size + 255) // 256, 256](a)
    return a.copy_to_host()
# end: first


def first():
    assert (run_twice(np.arange(5.0)) == [0, 2, 4, 6, 8]).all()


# begin: grid_stride
@cuda.jit
def squares(a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):  # gridDim.x * blockDim.x
        a[i] = i * i
# end: grid_stride


def grid_stride():
    a = cuda.device_array(40, np.int32)
    squares[2, 8](a)
    assert (a.copy_to_host() == np.arange(40) ** 2).all()


@cuda.jit
def table(a):
    row, column = cuda.grid(2)
    if row < a.shape[0] and column < a.shape[1]:
        a[row, column] = row * column


def two_dimensions():
    a = cuda.device_array((7, 5), np.int32)
    table[(2, 2), (4, 4)](a)
    assert (a.copy_to_host() == np.outer(np.arange(7), np.arange(5))).all()


# begin: shared
@cuda.jit
def reverse(a):  # reverse[a.size // 64, 64](a)
    tile = cuda.shared.array(64, int32)
    t, begin = cuda.threadIdx.x, 64 * cuda.blockIdx.x
    tile[t] = a[begin + t]
    cuda.syncthreads()
    a[begin + t] = tile[63 - t]
# end: shared


def shared():
    x = np.arange(128, dtype=np.int32)
    a = cuda.to_device(x)
    reverse[2, 64](a)
    assert (a.copy_to_host() == x.reshape(2, 64)[:, ::-1].ravel()).all()


# begin: atomics
@cuda.jit(device=True)
def digit(i):
    return i % 10


@cuda.jit
def count(bins, n):
    i = cuda.grid(1)
    if i < n:
        cuda.atomic.add(bins, digit(i), 1)
# end: atomics


def atomics():
    bins = cuda.to_device(np.zeros(10, np.int32))
    count[4, 16](bins, 60)
    assert (bins.copy_to_host() == 6).all()


def reduction():
    total = cuda.reduce(lambda a, b: a + b)
    assert total(cuda.to_device(np.arange(10.0))) == 45


# begin: constant
WEIGHTS = np.array([0.25, 0.5, 0.25], np.float32)


@cuda.jit
def smooth(a, out):
    i = cuda.grid(1)
    if i < out.size:
        weights = cuda.const.array_like(WEIGHTS)
        mine = cuda.local.array(3, float32)
        for k in range(3):
            mine[k] = weights[k] * a[i + k]
        out[i] = mine[0] + mine[1] + mine[2]
# end: constant


def constant():
    out = cuda.device_array(20, np.float32)
    smooth[2, 16](cuda.to_device(np.arange(22, dtype=np.float32)), out)
    assert (out.copy_to_host() == np.arange(1, 21)).all()


def streams():
    x = cuda.pinned_array(5)
    x[:] = range(5)
    # begin: streams
    stream = cuda.stream()
    a = cuda.to_device(x, stream)
    twice[1, 8, stream](a)
    y = a.copy_to_host(stream=stream)
    stream.synchronize()
    # end: streams
    cuda.synchronize()
    assert (y == 2 * x).all()


def timing():
    a = cuda.to_device(np.arange(5.0))
    start, stop = cuda.event(), cuda.event()
    start.record()
    twice[1, 8](a)
    stop.record()
    stop.synchronize()
    milliseconds = start.elapsed_time(stop)
    assert isinstance(milliseconds, float)


SNIPPETS = (first, grid_stride, two_dimensions, shared, atomics, reduction, constant, streams, timing)
