# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Who is faster: processors against each other, and Kokkos against the Python twins."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from . import bars
from .model import Case, set_text, setting
from .tables import Cell, table, time
from .text import clean, three_digits


def fastest(cases: list[Case]) -> dict[tuple, dict[tuple, Case]]:
    """By setting and place: the fastest fair case."""
    best = defaultdict(dict)
    for c in cases:
        if c.fair and c.phase != "transfer":
            slot = best[setting(c)]
            place = (c.place.index,)
            if place not in slot or c.ns < slot[place].ns:
                slot[place] = c
    return best


class Pair(NamedTuple):
    """The slower side and the faster one, which `section` sets against each other on one clock."""

    slow: Case
    fast: Case
    clock: str = "wall"

    def ratio(self) -> float:
        return self.slow.time_by(self.clock) / self.fast.time_by(self.clock)


def largest_only(pairs: list[Pair]) -> list[Pair]:
    """Of a sweep, the largest size: the others are in its curves."""
    kept = {}
    for pair in pairs:
        fast, slow = pair.fast, pair.slow
        key = (fast.exercise, fast.phase, fast.precision, fast.place.index, slow.place.index)
        if key not in kept or fast.size() > kept[key].fast.size():
            kept[key] = pair
    return list(kept.values())


def processors(cases: list[Case]) -> list[Pair]:
    """Of Kokkos: the best on the host's cores and the best on each device; without a device, the slowest and the fastest
    place."""
    pairs = []
    for by_place in fastest([c for c in cases if c.place.program == "kokkos"]).values():
        host = [c for c in by_place.values() if c.place.on_host]
        device = [c for c in by_place.values() if not c.place.on_host]
        if host and device:
            pairs += [Pair(min(host, key=lambda c: c.ns), d) for d in device]
        elif len(by_place) > 1:
            slow, fast = max(by_place.values(), key=lambda c: c.ns), min(by_place.values(), key=lambda c: c.ns)
            pairs.append(Pair(slow, fast))
    return largest_only(pairs)


def peers(cases: list[Case]) -> list[Pair]:
    """The best Python twin and the best of Kokkos on the same kind of processor. Where both have the device's own clock it
    counts: wall time holds launches and, in Python, the interpreter's part in them."""
    pairs = []
    for by_place in fastest(cases).values():
        for on_host in (True, False):
            ours = [c for c in by_place.values() if c.place.program == "kokkos" and c.place.on_host is on_host]
            theirs = [c for c in by_place.values() if c.place.program != "kokkos" and c.place.on_host is on_host]
            rivals = []
            for twin in theirs if ours else []:
                device = [c for c in ours if twin.event_ns and c.event_ns]
                clock = "device" if device else "wall"
                rivals.append(Pair(twin, min(device or ours, key=lambda c: c.time_by(clock)), clock))
            if rivals:
                pairs.append(min(rivals, key=Pair.ratio))
    return largest_only(pairs)


def section(pairs: list[Pair], caption: str) -> str:
    """Chart and table of pairs (slower side, faster side)."""
    pairs = sorted(pairs, key=lambda p: (p.fast.place.index, -p.ratio()))
    rows, marks = [], []
    for pair in pairs:
        slow, fast, clock = pair
        ratio = pair.ratio()
        tip = f"{fast.name} on {fast.where()} is {three_digits(ratio)} times as fast as {slow.name} on {slow.where()}"
        disturbed = fast.disturbed or slow.disturbed
        name = fast.exercise + ("" if fast.phase == "kernel" else f" {fast.phase}")
        marks.append(
            (clean(f"{name} · {fast.place.label} : {slow.place.label} · {fast.precision}"), ratio, fast.place, tip + disturbed, bool(disturbed))
        )
        parameters = {n: v for n, v in fast.parameters.items() if n not in ("seed", "threads")}
        rows.append(
            [
                f"{name} {fast.precision}",
                Cell(f"{three_digits(ratio)} ×", ratio),
                set_text(parameters),
                fast.variant,
                fast.where(),
                time(fast.time_by(clock)),
                slow.variant,
                slow.where(),
                time(slow.time_by(clock)),
                clock,
            ]
        )
    columns = ["exercise", "times as fast", "parameters", "variant", "on", "time", "against", "on ", "its time", "clock"]
    shown = marks if len(marks) <= 60 else sorted(marks, key=lambda m: -m[1])[:60]
    return bars.ratios(shown), table(caption, columns, rows, ("on", "on "))
