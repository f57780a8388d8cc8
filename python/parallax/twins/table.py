# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a person reads."""

from __future__ import annotations

import statistics

from ..report.load import MARKS
from ..report.text import plural, readable_rate, readable_time
from .results import CaseResult, Results
from .spaces import Space

_ROWS_SHOWN = 3


def _rate(r: CaseResult) -> str:
    seconds = r.samples.median_ns() * 1e-9
    for amount, unit in ((r.work.bytes, "B/s"), (r.work.flops, "FLOP/s")):
        if amount > 0:
            return readable_rate(amount / seconds, unit)
    return readable_rate(r.work.items / seconds, "/s")


def _judgement(r: CaseResult) -> str:
    if r.unavailable:
        return "n/a: " + r.unavailable
    if r.expected_to_fail:
        return "right by luck" if r.verdict.passed else "wrong, as expected"
    if r.verdict.passed:
        return "verified" + (f"; the whole problem is {r.planned.factor():g} times this part" if r.planned.whole else "")
    return f"FAILED: {r.verdict.compared} (error {r.verdict.error:.3g}, tolerance {r.verdict.tolerance:.3g})"


def table(results: Results) -> str:
    """A line for each row: the name to the left, times to the right, without columns that are empty."""
    rows = [("case", "time", "mark", "as seen", "events", "rate", "check")]
    for r in results.cases:
        times = (r.samples.real_ns, r.samples.seen_ns, r.samples.event_ns)
        shown = [readable_time(statistics.median(ns)) if ns else "" for ns in times]
        shown.insert(1, "d" if r.samples.disturbed else "")
        rows.append((r.name(), *shown, _rate(r) if r.samples.real_ns else "", _judgement(r)))
    columns = [column for column in zip(*rows) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    lines = ""
    for name, *times, check in zip(*columns):
        lines += "  ".join([name.ljust(widths[0]), *(t.rjust(w) for t, w in zip(times, widths[1:])), check]) + "\n"
    return lines + _doubts(results)


def _doubts(results: Results) -> str:
    """What the mark means, and for the first rows that have it, why."""
    marked = [r for r in results.cases if r.samples.disturbed]
    if not marked:
        return ""
    why = [f"   {r.name()}: {r.samples.disturbed}{'; sampled twice' if r.samples.twice else ''}\n" for r in marked[:_ROWS_SHOWN]]
    more = f"   and {len(marked) - len(why)} more: --json says why\n" if len(marked) > len(why) else ""
    return f"d: {MARKS['d']}, in {plural(len(marked), 'row')}\n{''.join(why)}{more}"


def _described(space: Space) -> str:
    if not space.on_host:
        return f"{space.name} ({space.device()}, {space.version()})"
    threads = "1 thread" if space.concurrency() == 1 else f"{space.concurrency()} threads"
    return f"{space.name} ({threads} of {space.device()}, {space.version()})"


def footer(results: Results) -> str:
    """What ran where, and why a space is missing."""
    out = "".join(f"{_described(space)}\n" for space in results.spaces)
    return out + "".join(f"{name}: not run: {why}\n" for name, why in results.missing.items())
