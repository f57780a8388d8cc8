# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Where twins run: one class for each library, with what the harness must ask it."""

from __future__ import annotations

import gc
import importlib
import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from . import host
from .errors import first_line


class Space:
    """A library on a processor. The base class is NumPy: everything is on the host, and synchronous."""

    name = "numpy"
    family = "numpy"
    module = "numpy"
    on_host = True

    def why_missing(self) -> str:
        """One line of why it cannot be used here, or ""."""
        try:
            importlib.import_module(self.module)
            return self.why_no_device()
        except Exception as error:  # a broken installation throws anything: its words are the reason
            return first_line(error)

    def why_no_device(self) -> str:
        return ""

    def version(self) -> str:
        return str(getattr(importlib.import_module(self.module.partition(".")[0]), "__version__", "unknown"))

    def device(self) -> str:
        return host.cpu_name()

    def concurrency(self) -> int:
        return 1

    def memory(self) -> tuple[float, float]:
        """Free and total bytes where its arrays live."""
        return host.memory_free(), host.memory_total()

    def activate(self) -> None:
        """Called before each case: new arrays are made here from now on."""

    def array(self, x: np.ndarray) -> Any:
        """The NumPy array in this space's memory; on NumPy itself, the same array."""
        return x

    def mutable(self, x: np.ndarray) -> Any:
        """A copy that twins may write to."""
        return np.array(x)

    def assign(self, held: Any, x: np.ndarray) -> Any:
        """Copies the NumPy array into one made by `mutable`, and returns what holds it now."""
        held[...] = x
        return held

    def to_numpy(self, x: Any) -> np.ndarray:
        return np.asarray(x)

    def synchronize(self, last: Any = None) -> None:
        """Waits for all that was launched; `last` is what the last launch returned."""

    def event_timer(self) -> Callable[[Callable[[], Any], int], float] | None:
        """Times a batch on the device's own clock, ns a run, or None where there is no such clock."""
        return None

    def release(self) -> None:
        """Gives cached memory back, so that the next library finds it free."""
        gc.collect()


class Numba(Space):
    name = family = module = "numba"

    def concurrency(self) -> int:
        return importlib.import_module("numba").get_num_threads()


class Device(Space):
    """What GPU libraries share: events, and a delay that lets launches queue up behind it."""

    on_host = False
    queue_ns = 3_000_000  # the delay: launches of a batch are on the queue before the first one starts

    def new_event(self) -> Any:
        raise NotImplementedError

    def delay(self) -> None:
        raise NotImplementedError

    def elapsed_ms(self, start: Any, stop: Any) -> float:
        raise NotImplementedError

    def record(self, event: Any) -> None:
        event.record()

    def concurrency(self) -> int:
        return 0

    def event_timer(self):
        start, stop = self.new_event(), self.new_event()

        def time(run, iterations):
            self.synchronize()
            self.delay()
            self.record(start)
            for _ in range(iterations):
                run()
            self.record(stop)
            self.synchronize()
            return self.elapsed_ms(start, stop) * 1e6 / iterations

        return time


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
        return "" if self.cuda.is_available() else "no CUDA device or driver found"

    def device(self) -> str:
        if not hasattr(self.cuda, "get_current_device"):  # NUMBA_ENABLE_CUDASIM=1
            return "CUDA simulator"
        name = self.cuda.get_current_device().name
        return name.decode() if isinstance(name, bytes) else str(name)

    def memory(self):
        try:
            return tuple(map(float, self.cuda.current_context().get_memory_info()))
        except (AttributeError, NotImplementedError):  # the simulator's device has none of its own
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


class Jax(Space):
    """JAX on one kind of device. It returns new arrays: nothing is written in place."""

    module = family = "jax"

    def __init__(self, platform: str):
        self.platform = platform
        self.name = f"jax_{platform}"
        self.on_host = platform == "cpu"

    @property
    def jax(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave memory to the others
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        return jax

    def why_no_device(self):
        return "" if self.jax.devices(self.platform) else "no device found"

    def activate(self):
        self.jax.config.update("jax_default_device", self.jax.devices(self.platform)[0])

    def device(self):
        return host.cpu_name() if self.on_host else self.jax.devices(self.platform)[0].device_kind

    def concurrency(self):
        return host.cores() if self.on_host else 0

    def memory(self):
        stats = None if self.on_host else self.jax.devices(self.platform)[0].memory_stats()
        limit = float((stats or {}).get("bytes_limit", 0))
        return (limit - stats.get("bytes_in_use", 0), limit) if limit else super().memory()

    def array(self, x):
        return self.jax.device_put(np.array(x), self.jax.devices(self.platform)[0])

    mutable = array

    def assign(self, held, x):
        return self.array(x)  # its arrays never change

    def synchronize(self, last=None):
        if last is not None:
            self.jax.block_until_ready(last)


class Torch(Device):
    """PyTorch on one kind of device."""

    module = family = "torch"

    def __init__(self, platform: str):
        self.platform = platform
        self.name = f"torch_{platform}"
        self.on_host = platform == "cpu"

    @property
    def torch(self):
        return importlib.import_module("torch")

    def why_no_device(self):
        return "" if self.on_host or self.torch.cuda.is_available() else "no CUDA device found"

    def device(self):
        return host.cpu_name() if self.on_host else self.torch.cuda.get_device_name()

    def concurrency(self):
        return self.torch.get_num_threads() if self.on_host else 0

    def memory(self):
        return super().memory() if self.on_host else tuple(map(float, self.torch.cuda.mem_get_info()))

    def array(self, x):
        return self.torch.tensor(np.array(x), device=self.platform)

    mutable = array

    def assign(self, held, x):
        return held.copy_(self.torch.tensor(np.array(x)))

    def to_numpy(self, x):
        return x.detach().cpu().numpy() if hasattr(x, "detach") else np.asarray(x)

    def synchronize(self, last=None):
        if not self.on_host:
            self.torch.cuda.synchronize()

    def event_timer(self):
        return None if self.on_host else super().event_timer()

    def new_event(self):
        return self.torch.cuda.Event(enable_timing=True)

    def elapsed_ms(self, start, stop):
        return start.elapsed_time(stop)

    def delay(self):
        self.torch.cuda._sleep(int(self.queue_ns * 1.8))  # cycles, at no more than 2 GHz

    def release(self):
        super().release()
        if not self.on_host:
            self.torch.cuda.empty_cache()


SPACES: dict[str, Space] = {
    space.name: space
    for space in (
        Space(), Numba(), Jax("cpu"), Torch("cpu"), NumbaCuda(), Cupy(), Jax("cuda"), Torch("cuda"),
    )
}  # fmt: skip
FAMILIES = sorted({space.family for space in SPACES.values()} - set(SPACES))
