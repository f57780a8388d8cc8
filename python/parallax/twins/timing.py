# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""How long a twin takes: the rules of src/measure/time/timing.cpp.

Synchronise, start, run, synchronise, stop; compilation and warm-up are over by then. Runs so short
that the synchronisation would show are launched many times between two of them. On a GPU two more
times are taken: `seen`, one run between two synchronisations, launch and Python included; `event`,
by the device's own clock with the launches queued up, both left out.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..intervals import median_interval
from .disturbance import between, disturbance, hit_samples, involuntary_switches, read_scheduler
from .interrupt import interrupted
from .spaces import Space

_SHORTEST_SAMPLE_NS = 100e3
_DEVICE_SAMPLE_NS = 10e6  # libraries take up to 100 us to launch and wait
_NARROW = 0.02
_SHORTEST_EVENT_NS = 1e6
_VERY_SLOW_NS = 3e9


def _narrow(ns: list[float]) -> bool:
    interval = median_interval(ns)
    return interval is not None and interval.high - interval.low <= _NARROW * statistics.median(ns)


@dataclass
class Samples:
    """Nanoseconds a run, one entry for each sample."""

    real_ns: list[float] = field(default_factory=list)
    cpu_ns: list[float] = field(default_factory=list)
    iterations: int = 1
    seen_ns: list[float] = field(default_factory=list)
    event_ns: list[float] = field(default_factory=list)
    switches: list[int] = field(default_factory=list)  # involuntary, of all threads
    disturbed: str = ""  # why they cannot be trusted
    hit: list[int] = field(default_factory=list)  # those in which a thread lost its processor
    twice: bool = False  # the first ones were disturbed
    interrupted: bool = False

    def median_ns(self) -> float:
        return statistics.median(self.real_ns)


class Timer:
    """Times one twin in one space."""

    def __init__(self, space: Space, run: Callable[[], Any], prepare: Callable[[], None] | None):
        self.space, self.run, self.prepare = space, run, prepare

    def take(self, iterations: int) -> tuple[float, float]:
        """Wall and processor time of one sample, ns a run."""
        run, last = self.run, None
        if self.prepare:
            self.prepare()
        self.space.synchronize()
        cpu, start = time.process_time_ns(), time.perf_counter_ns()
        for _ in range(iterations):
            last = run()
        self.space.synchronize(last)
        stop = time.perf_counter_ns()
        return (stop - start) / iterations, (time.process_time_ns() - cpu) / iterations

    def _batch(self, run_ns: float) -> int:
        wanted = _SHORTEST_SAMPLE_NS if self.space.on_host else _DEVICE_SAMPLE_NS
        return int(min(max(math.ceil(wanted / max(run_ns, 1.0)), 1), 10**6))

    def measure(self, repeat: int | None, warmup: int, min_time: float, max_time: float) -> Samples:
        """At least `repeat` samples (None: 10) and `min_time` seconds of them, or half of it if the interval of their median is 2 % wide at
        most; where `repeat` is None, 3 samples and `max_time` seconds do, and one sample of a run of seconds."""
        samples, estimate = Samples(), 0.0
        for _ in range(warmup):
            if not interrupted():
                estimate = self.take(1)[0]
        if not self.prepare:
            estimate = estimate or self.take(1)[0]
            if estimate < 50e6:  # a second run may still tune or allocate
                estimate = min(estimate, self.take(1)[0], self.take(1)[0])
            if estimate < 1e6:  # mostly overhead: take it again over a batch
                estimate = self.take(self._batch(estimate))[0]
            samples.iterations = self._batch(estimate)
        total, halfway = 0.0, False
        while not interrupted():
            taken = len(samples.real_ns)
            enough = taken >= (repeat or 10) and total >= min_time * 1e9
            if not halfway and taken >= (repeat or 10) and total >= min_time * 0.5e9:
                halfway = True
                enough = enough or _narrow(samples.real_ns)
            too_long = repeat is None and ((taken >= 3 and total >= max_time * 1e9) or (taken and samples.real_ns[-1] >= _VERY_SLOW_NS))
            if enough or too_long:
                break
            switches = involuntary_switches()
            real, cpu = self.take(samples.iterations)
            samples.switches.append(involuntary_switches() - switches)
            samples.real_ns.append(real)
            samples.cpu_ns.append(cpu)
            total += real * samples.iterations
        if not self.space.on_host:
            self._device_times(samples)
        samples.interrupted = bool(interrupted())
        return samples

    def watched(self, repeat: int | None, warmup: int, min_time: float, max_time: float) -> Samples:
        """The same, and whether other work disturbed them; then the better of two tries, unless the first was long."""

        def once() -> Samples:
            before = read_scheduler()
            samples = self.measure(repeat, warmup, min_time, max_time)
            # Of a device, only the thread that launches can be disturbed.
            seen = between(before, read_scheduler(), self.space.concurrency() if self.space.on_host else 1)
            seen.switches, seen.sample_ns = samples.switches, [ns * samples.iterations for ns in samples.real_ns]
            samples.disturbed, samples.hit = disturbance(seen), hit_samples(seen)
            return samples

        first = once()
        seconds = sum(first.real_ns) * first.iterations * 1e-9
        if not first.disturbed or seconds > 2 * max_time or interrupted():
            return first
        second = once()
        if second.interrupted:
            return first
        first.twice = second.twice = True
        return min(first, second, key=lambda s: (bool(s.disturbed), s.median_ns()))

    def _device_times(self, samples: Samples) -> None:
        alone = samples.iterations == 1  # then every sample was such a run
        samples.seen_ns = samples.real_ns if alone else _extra(lambda: self.take(1)[0])
        timer = None if self.prepare else self.space.event_timer()
        if timer:  # no more launches than fit into the queue behind the delay
            run_ns = statistics.median(samples.real_ns) if samples.real_ns else 1.0
            batch = min(samples.iterations, 50, math.ceil(_SHORTEST_EVENT_NS / max(run_ns, 1.0)))
            timer(self.run, batch)  # compiles the delay
            samples.event_ns = _extra(lambda: timer(self.run, batch))


def _extra(take: Callable[[], float]) -> list[float]:
    """20 samples; of long runs, which differ little, the number that 50 ms hold, and 3 at least, unless one takes seconds."""
    taken: list[float] = []
    start = time.perf_counter_ns()
    while len(taken) < 20 and not interrupted():
        spent = time.perf_counter_ns() - start
        if spent >= _VERY_SLOW_NS or (spent >= 50e6 and len(taken) >= 3):
            break
        taken.append(take())
    return taken
