# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Who is faster: processors against each other, and Kokkos against the Python twins."""

from __future__ import annotations

from collections import defaultdict
from math import log
from typing import NamedTuple

from . import bars, charts
from .model import Case, set_text, setting
from .tables import Cell, table, time
from .text import plural, short, three_digits


def fair(cases: list[Case]) -> dict[tuple, list[Case]]:
    """By setting: the cases that may be set against each other."""
    found = defaultdict(list)
    for c in cases:
        if c.fair and c.phase != "transfer":
            found[setting(c)].append(c)
    return found


def best(cases: list[Case]) -> Case:
    return min(cases, key=lambda c: c.ns)


class Pair(NamedTuple):
    """Two sides, which `section` sets against each other on one clock: how many times as fast the second is."""

    slow: Case
    fast: Case
    clock: str = "wall"
    doubtful: bool = False  # a time that decides it has a mark

    def name(self) -> str:
        return self.fast.exercise + ("" if self.fast.phase == "kernel" else f" {self.fast.phase}")

    def ratio(self) -> float:
        return self.slow.time_by(self.clock) / self.fast.time_by(self.clock)


def largest_only(pairs: list[Pair]) -> list[Pair]:
    """Of a sweep, the largest size: the others are in its curves."""
    kept = {}
    for pair in pairs:
        fast, slow = pair.fast, pair.slow
        key = (fast.exercise, fast.phase, fast.precision, fast.place.index, slow.place.on_host)
        if key not in kept or fast.size() > kept[key].fast.size():
            kept[key] = pair
    return list(kept.values())


def against(slow: list[Case], fast: list[Case]) -> list[Pair]:
    """The best of each side, of the tiers that both have: a library that only one build has says nothing about its processor."""
    tiers = {c.tier for c in slow} & {c.tier for c in fast}
    slow, fast = ([c for c in side if c.tier in tiers] for side in (slow, fast))
    if not tiers:
        return []
    pair = Pair(best(slow), best(fast))
    # On the other side, too, the variant of the faster one might have been the best.
    decide = [pair.slow, pair.fast, *(c for c in slow if c.variant == pair.fast.variant)]
    return [pair._replace(doubtful=any(c.marks for c in decide))]


def threads(c: Case) -> int:
    return c.threads or c.place.threads


def processors(cases: list[Case]) -> list[Pair]:
    """Of Kokkos: each device against the host's cores; without a device, all cores of a processor against one. What is not written in
    Kokkos (`native`) is on neither side."""
    pairs = []
    for found in fair([c for c in cases if c.place.program == "kokkos" and not c.variant.startswith("native")]).values():
        host, devices = [c for c in found if c.place.on_host], defaultdict(list)
        for c in found:
            if not c.place.on_host:
                devices[c.place.index].append(c)
        for device in devices.values():
            pairs += against(host, device)
        for processor in dict.fromkeys(c.place.device for c in host if not devices):
            cores = [c for c in host if c.place.device == processor]
            most = max(map(threads, cores))
            if most > 1:
                pairs += against([c for c in cores if threads(c) == 1], [c for c in cores if threads(c) == most])
    # With a device in the files, what only the host has is in no pair.
    if any(not pair.fast.place.on_host for pair in pairs):
        pairs = [pair for pair in pairs if not pair.fast.place.on_host]
    return largest_only(pairs)


def peers(cases: list[Case]) -> list[Pair]:
    """The best Python twin and the best of Kokkos on the same kind of processor. Where both have the device's own clock it
    counts: wall time holds launches and, in Python, the interpreter's part in them."""
    pairs = []
    for every in fair(cases).values():
        found = list({c.place.index: c for c in sorted(every, key=lambda c: -c.ns)}.values())  # the fastest of each place
        for on_host in (True, False):
            ours = [c for c in found if c.place.program == "kokkos" and c.place.on_host is on_host]
            theirs = [c for c in found if c.place.program != "kokkos" and c.place.on_host is on_host]
            rivals = []
            for twin in theirs if ours else []:
                device = [c for c in ours if twin.event_ns and c.event_ns]
                clock = "device" if device else "wall"
                rivals.append(Pair(twin, min(device or ours, key=lambda c: c.time_by(clock)), clock))
            if rivals:
                pairs.append(min(rivals, key=Pair.ratio))
    return largest_only(pairs)


MOST_BARS = 40


def sides(pairs: list[Pair]) -> tuple[str, str, str]:
    """What the second side of `processors` is called, the first, and both."""
    if any(not pair.fast.place.on_host for pair in pairs):
        return "the GPU", "the CPU", "GPU against CPU"
    return "all cores", "one core", "All cores against one core"


def summary(cases: list[Case]) -> list[str]:
    """How many rows are right; of what has no mark the best speed-up and the median one, with their names."""
    checked = [c for c in cases if not c.unavailable and not c.expected_to_fail]
    lines = [f"{sum(c.verified is True for c in checked)} of {plural(len(checked), 'row')} verified"]
    pairs = sorted(processors(cases), key=Pair.ratio)
    sure = [pair for pair in pairs if not pair.doubtful]
    if pairs and not sure:
        lines.append(f"{sides(pairs)[2]}: every time has a mark; measure again when nothing else runs")
    elif pairs:
        pairs = sure
        best, middle = (f"{three_digits(p.ratio())} times as fast ({p.name()})" for p in (pairs[-1], pairs[len(pairs) // 2]))
        lines.append(f"{sides(pairs)[2]}: at best {best}, in the median {middle}")
    return lines


def left_out(pairs: list[Pair]) -> str:
    return f"The {MOST_BARS} of {len(pairs)} that differ most; all are in the table." if len(pairs) > MOST_BARS else ""


def section(pairs: list[Pair], caption: str, title: str) -> tuple[str, str]:
    """Chart, of the pairs that differ most, and table of all."""
    pairs = sorted(pairs, key=lambda p: (p.fast.place.index, -p.ratio()))
    rows, marks = [], []
    for pair in pairs:
        slow, fast, clock = pair.slow, pair.fast, pair.clock
        ratio = pair.ratio()
        tip = f"{fast.name} on {fast.where()} is {three_digits(ratio)} times as fast as {slow.name} on {slow.where()}"
        disturbed = fast.disturbed or slow.disturbed
        name = pair.name()
        look = (short(fast.place.label, 60), charts.colour(fast.place.index))
        marks.append((short(f"{name} · {fast.precision}", 50), ratio, look, tip + disturbed, bool(disturbed)))
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
    furthest = sorted(marks, key=lambda m: -abs(log(m[1])))[:MOST_BARS]
    return bars.ratios(title, [m for m in marks if m in furthest]), table(caption, columns, rows, ("on", "on "))
