# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Who is faster: processors against each other, and Kokkos against the Python twins."""

from __future__ import annotations

from collections import defaultdict

from . import bars
from .model import Case, set_text
from .tables import Cell, table, time
from .text import clean, three_digits


def setting(c: Case, names: tuple[str, ...] = ()) -> tuple:
    """The same problem: exercise, phase, precision and parameters. Threads of a sweep are the place's affair."""
    skipped = ("seed", "threads") if c.threads else ("seed",)
    return (
        c.exercise,
        c.phase,
        c.precision,
        tuple(sorted((n, repr(v)) for n, v in c.parameters.items() if n not in skipped)),
    )


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


def largest_only(pairs: list[tuple[Case, Case]]) -> list[tuple[Case, Case]]:
    """Of a sweep, the largest size: the others are in its curves."""
    kept = {}
    for slow, fast in pairs:
        key = (fast.exercise, fast.phase, fast.precision, fast.place.index, slow.place.index)
        if key not in kept or fast.size() > kept[key][1].size():
            kept[key] = (slow, fast)
    return list(kept.values())


def processors(cases: list[Case]) -> list[tuple[Case, Case]]:
    """Of Kokkos: the best on the host's cores and the best on each device; without a device, the slowest and the fastest
    place."""
    pairs = []
    for by_place in fastest([c for c in cases if c.place.program == "kokkos"]).values():
        host = [c for c in by_place.values() if c.place.on_host]
        device = [c for c in by_place.values() if not c.place.on_host]
        if host and device:
            pairs += [(min(host, key=lambda c: c.ns), d) for d in device]
        elif len(by_place) > 1:
            slow, fast = max(by_place.values(), key=lambda c: c.ns), min(by_place.values(), key=lambda c: c.ns)
            pairs.append((slow, fast))
    return largest_only(pairs)


def peers(cases: list[Case]) -> list[tuple[Case, Case]]:
    """The best Python twin and the best of Kokkos on the same kind of processor."""
    pairs = []
    for by_place in fastest(cases).values():
        for on_host in (True, False):
            ours = [c for c in by_place.values() if c.place.program == "kokkos" and c.place.on_host is on_host]
            theirs = [c for c in by_place.values() if c.place.program != "kokkos" and c.place.on_host is on_host]
            if ours and theirs:
                pairs.append((min(theirs, key=lambda c: c.ns), min(ours, key=lambda c: c.ns)))
    return largest_only(pairs)


def section(pairs: list[tuple[Case, Case]], caption: str) -> str:
    """Chart and table of pairs (slower side, faster side)."""
    pairs = sorted(pairs, key=lambda p: (p[1].place.index, -p[0].ns / p[1].ns))
    rows, marks = [], []
    for slow, fast in pairs:
        ratio = slow.ns / fast.ns
        tip = f"{fast.name} on {fast.where()} is {three_digits(ratio)} times as fast as {slow.name} on {slow.where()}"
        name = fast.exercise + ("" if fast.phase == "kernel" else f" {fast.phase}")
        marks.append(
            (clean(f"{name} · {fast.place.label} : {slow.place.label} · {fast.precision}"), ratio, fast.place, tip)
        )
        parameters = {n: v for n, v in fast.parameters.items() if n not in ("seed", "threads")}
        rows.append(
            [
                f"{name} {fast.precision}",
                Cell(f"{three_digits(ratio)} ×", ratio),
                set_text(parameters),
                fast.variant,
                fast.where(),
                time(fast.ns),
                slow.variant,
                slow.where(),
                time(slow.ns),
            ]
        )
    columns = ["exercise", "times as fast", "parameters", "variant", "on", "time", "against", "on ", "its time"]
    shown = marks if len(marks) <= 60 else sorted(marks, key=lambda m: -m[1])[:60]
    return bars.ratios(shown), table(caption, columns, rows, ("on", "on "))
