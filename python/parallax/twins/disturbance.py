# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Whether other work used the processors meanwhile: the rules of src/measure/time/disturbance.cpp, which explains them, without its
calibrating loop, which Python cannot run on every thread of a library."""

from __future__ import annotations

import os
import re
import resource
import time
from dataclasses import dataclass, field
from pathlib import Path

from .host import read

_SHORT_WAIT, _LONG_WAIT = 0.02, 0.1
_MANY_SAMPLES = 0.25
_MUCH_STOLEN = 0.05
_RAN_LITTLE = 0.9


def involuntary_switches() -> int:
    """Of all threads of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


@dataclass
class Reading:
    """What the system's scheduler has counted up to a moment, ns."""

    at: float
    cpu: float  # of all threads of this process
    waited: dict[str, float]  # by thread: ready to run, while another had its processor
    stolen: float | None  # by the host of a virtual machine, from the processors that this process may use
    processors: int


@dataclass
class Observation:
    """What tells whether other work used the processors while samples were taken."""

    threads: int = 1
    processors: int = 0  # that the process may use; 0: not known
    wall: float = 0.0
    waited: float | None = None  # of the thread that waited longest
    stolen: float | None = None  # of the threads' time
    ran: float = 1.0
    switches: list[int] = field(default_factory=list)  # involuntary, in each sample
    sample_ns: list[float] = field(default_factory=list)  # with all its runs


def _processors(text: str) -> set[int]:
    """ "0-2,5": 0, 1, 2 and 5."""
    ends = [part.split("-") for part in text.strip().split(",") if part.strip()]
    return {k for low, *high in ends for k in range(int(low), int(high[0] if high else low) + 1)}


def read_scheduler(root: str = "") -> Reading:
    waited, processors = {}, set()
    tasks = Path(root + "/proc/self/task")
    for task in sorted(tasks.iterdir()) if tasks.is_dir() else ():
        times = read(task / "schedstat").split()
        if len(times) >= 2:
            waited[task.name] = float(times[1])
        found = re.search(r"^Cpus_allowed_list:\s*(\S+)", read(task / "status"), re.MULTILINE)
        processors |= _processors(found[1]) if found else set()
    ticks = [line.split() for line in read(root + "/proc/stat").splitlines() if re.match(r"cpu\d", line)]
    stolen = [float(t[8]) * 1e9 / os.sysconf("SC_CLK_TCK") for t in ticks if len(t) > 8 and int(t[0][3:]) in processors]
    return Reading(time.perf_counter_ns(), time.process_time_ns(), waited, sum(stolen) if stolen else None, len(processors))


def between(before: Reading, after: Reading, threads: int) -> Observation:
    wall = max(1.0, after.at - before.at)
    # A wait counts when it ends, and may have begun before.
    waited = [min(ns - before.waited[task], wall) for task, ns in after.waited.items() if task in before.waited]
    running = min(threads, after.processors) if after.processors else max(threads, 1)
    known = before.stolen is not None and after.stolen is not None
    return Observation(
        threads=threads,
        processors=after.processors,
        wall=wall,
        waited=max([0.0, *waited]) if waited else None,
        stolen=min(1.0, (after.stolen - before.stolen) / (wall * running)) if known else None,
        ran=(after.cpu - before.cpu) / (wall * running),
    )


def hit_samples(seen: Observation) -> list[int]:
    """The samples, counted from 0, in which a thread lost its processor."""
    return [k for k, switches in enumerate(seen.switches) if switches > 0]


def _percent(share: float) -> str:
    return f"{100 * share:.{1 if share < 0.1 else 0}f} %"


def _waited_unhit(seen: Observation) -> float:
    unhit = sum(ns for ns, switches in zip(seen.sample_ns, seen.switches) if switches == 0)
    return ((seen.waited or 0.0) - (seen.wall - unhit)) / unhit if unhit > 0 else 0.0


def disturbance(seen: Observation) -> str:
    """Why the samples cannot be trusted; "" where nothing speaks against them."""
    hit, samples = len(hit_samples(seen)), len(seen.switches)
    many_hit = hit > 0 and hit >= _MANY_SAMPLES * samples
    in_samples = f", in {hit} of {samples} samples"
    waited = (seen.waited or 0.0) / max(seen.wall, 1.0)
    if (waited > _SHORT_WAIT and many_hit) or _waited_unhit(seen) > _LONG_WAIT:
        share = f"waited {_percent(waited)} of the time for a processor"
        if 0 < seen.processors < seen.threads:
            return f"a thread {share}: {seen.threads} threads share {seen.processors} processors"
        return f"a thread {share}" + (in_samples if hit else "")
    if seen.stolen is not None and seen.stolen > _MUCH_STOLEN:
        return f"the host of this virtual machine took {_percent(seen.stolen)} of the threads' time"
    if seen.waited is None and many_hit and seen.ran < _RAN_LITTLE:
        return f"the threads ran for {_percent(seen.ran)} of the time, and lost a processor{in_samples}"
    return ""
