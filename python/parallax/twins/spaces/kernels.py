# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Libraries in which a twin writes kernels: Numba on the CPU and on CUDA, CuPy."""

from __future__ import annotations

import importlib
import os
from functools import lru_cache

import numpy as np

from .base import Device, Space

os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")  # small launches are part of the lessons


class Numba(Space):
    name = family = module = "numba"

    def concurrency(self) -> int:
        return importlib.import_module("numba").get_num_threads()


class NumbaSerial(Space):
    """Numba without `parallel=True`: one thread."""

    name = family = "numba_serial"
    module = "numba"


class NumbaCuda(Device):
    name = family = "numba_cuda"
    module = "numba.cuda"

    @property
    def cuda(self):
        return importlib.import_module(self.module)

    def version(self) -> str:
        try:
            return "numba-cuda " + importlib.import_module("numba_cuda").__version__
        except ImportError:
            return super().version()

    def why_no_device(self) -> str:
        if not hasattr(np, "row_stack"):  # NumPy 2.5 dropped the name, numba-cuda 0.30 still looks it up
            np.row_stack = np.vstack
        return "" if self.cuda.is_available() else "no CUDA device or driver found"

    def device(self) -> str:
        if not hasattr(self.cuda, "get_current_device"):  # NUMBA_ENABLE_CUDASIM=1
            return "CUDA simulator"
        name = self.cuda.get_current_device().name
        return name.decode() if isinstance(name, bytes) else str(name)

    def memory(self):
        try:
            return tuple(map(float, self.cuda.current_context().get_memory_info()))
        except (AttributeError, NotImplementedError):  # the simulator's device has no memory
            return super().memory()

    def array(self, x):
        return self.cuda.to_device(np.array(x))

    mutable = array

    def assign(self, held, x):
        held.copy_to_device(np.array(x))
        return held

    def to_numpy(self, x):
        return x.copy_to_host() if hasattr(x, "copy_to_host") else np.asarray(x)

    def synchronize(self, last=None):
        self.cuda.synchronize()

    def new_event(self):
        return self.cuda.event(timing=True)

    def elapsed_ms(self, start, stop):
        return self.cuda.event_elapsed_time(start, stop)

    def delay(self):
        _numba_delay()[1, 1](self.queue_ns)


@lru_cache(maxsize=None)
def _numba_delay():
    from numba import cuda

    @cuda.jit
    def delay(nanoseconds):
        for _ in range(nanoseconds // 500_000):
            cuda.nanosleep(500_000)

    return delay


class Cupy(Device):
    name = family = module = "cupy"

    @property
    def cp(self):
        return importlib.import_module("cupy")

    def why_no_device(self):
        return "" if self.cp.cuda.runtime.getDeviceCount() > 0 else "no CUDA device found"

    def device(self):
        return self.cp.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def memory(self):
        return tuple(map(float, self.cp.cuda.runtime.memGetInfo()))

    def array(self, x):
        return self.cp.array(x)

    mutable = array

    def assign(self, held, x):
        held[...] = self.cp.asarray(x)
        return held

    def to_numpy(self, x):
        return self.cp.asnumpy(x)

    def synchronize(self, last=None):
        self.cp.cuda.runtime.deviceSynchronize()

    def new_event(self):
        return self.cp.cuda.Event()

    def elapsed_ms(self, start, stop):
        return self.cp.cuda.get_elapsed_time(start, stop)

    def delay(self):
        _cupy_delay()((1,), (1,), (self.queue_ns,))

    def release(self):
        super().release()
        self.cp.get_default_memory_pool().free_all_blocks()
        self.cp.get_default_pinned_memory_pool().free_all_blocks()


@lru_cache(maxsize=None)
def _cupy_delay():
    import cupy

    code = """extern "C" __global__ void delay(long long ns) {
        unsigned long long start, now;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
        do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < ns);
    }"""
    return cupy.RawKernel(code, "delay")
