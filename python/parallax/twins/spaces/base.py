# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the harness asks of a library: of NumPy, and what GPU libraries share."""

from __future__ import annotations

import gc
import importlib
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...words import reason
from .. import host


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
            return reason(error)

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
        """Times a batch on the device's own clock, ns a run, or None where there is no such clock. The batch ends early where
        its launches take longer than the delay that they queue up behind."""
        return None

    def release(self) -> None:
        """Gives cached memory back, so that the next library finds it free."""
        gc.collect()


class Python(Space):
    """A loop in plain Python over NumPy's arrays."""

    name = family = "python"

    def version(self) -> str:
        return platform.python_version()


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

        def timer(run, iterations):
            self.synchronize()
            self.delay()
            self.record(start)
            launching, done = time.perf_counter_ns(), 0
            # Until the delay is nearly over: a run may be many launches.
            while done < iterations and (done == 0 or time.perf_counter_ns() - launching < self.queue_ns * 2 // 3):
                run()
                done += 1
            self.record(stop)
            self.synchronize()
            return self.elapsed_ms(start, stop) * 1e6 / done

        return timer
