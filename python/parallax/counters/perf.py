# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What `perf stat -x,` prints: value, unit, event, and more that is not needed."""

from __future__ import annotations

import re

from .names import COUNTERS

UNITS = {"msec": 1e-3, "ns": 1e-9, "usec": 1e-6}
EVENT = re.compile(r"(?:\w+/)?([\w-]+)/?(?::\w+)?")  # cpu_core/cycles/ of a processor with two kinds of cores; cycles:u


def values(text: str) -> tuple[dict[str, float], list[str], list[str]]:
    """By event; then the events that this machine has not, and those that did not count."""
    counted: dict[str, float] = {}
    absent, idle = [], []
    for line in text.splitlines():
        fields = line.split(",")
        if line.startswith("#") or len(fields) < 3 or not (named := EVENT.fullmatch(fields[2])):
            continue
        event = named[1]
        if fields[0] == "<not supported>":
            absent.append(event)
        elif fields[0] == "<not counted>":
            idle.append(event)
        else:
            try:
                counted[event] = counted.get(event, 0.0) + float(fields[0]) * UNITS.get(fields[1], 1.0)
            except ValueError:
                continue
    return counted, [e for e in absent if e not in counted], [e for e in idle if e not in counted]


def counters(text: str) -> dict:
    counted = values(text)[0]
    return {counter.name: counted[counter.perf] for counter in COUNTERS if counter.perf in counted}


def complaint(text: str, said: str) -> str:
    """Why there is no counter at all: `text` is perf's file, `said` what it wrote to standard error."""
    if values(text)[2]:
        return "perf counted nothing: the program never switched it on"
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("Events ")]
    if "perf_event_paranoid" in said:
        return "perf may not count here: an administrator allows it by sysctl kernel.perf_event_paranoid=2 or less"
    return f"perf: {lines[0].removeprefix('Error:').strip() or 'failed'}" if lines else "perf printed no counter"
