# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Libraries in which a twin writes whole arrays, on a CPU or a GPU: JAX and PyTorch."""

from __future__ import annotations

import importlib
import os

import numpy as np

from .. import host
from .base import Device, Space


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
