# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a person reads, in the words of src/harness/table.cpp."""

from __future__ import annotations

import statistics

from .results import CaseResult, Results
from .spaces import Space


def aligned(rows: list[list[str]]) -> str:
    """Columns padded to their width: the first to the left, the others to the right, the last as it is."""
    width = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(width[0])] + [cell.rjust(w) for cell, w in zip(row[1:], width[1:])]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return "\n".join(lines) + "\n"


def _three_digits(x: float) -> str:
    return f"{x:.{0 if x >= 100 else 1 if x >= 10 else 2}f}"


def readable(x: float, unit: str) -> str:
    """1.23e9, "B/s" -> 1.23 GB/s."""
    prefixes = ["", "k", "M", "G", "T", "P", "E"]
    while x >= 999.5 and len(prefixes) > 1:
        x /= 1000
        del prefixes[0]
    return f"{_three_digits(x)} {prefixes[0]}{unit}"


def readable_time(ns: float) -> str:
    for limit, unit in ((1.0, "ns"), (1e3, "us"), (1e6, "ms")):
        if ns / limit < 999.5:
            return f"{_three_digits(ns / limit)} {unit}"
    return f"{_three_digits(ns / 1e9)} s"


def _spread(samples: list[float]) -> str:
    """Half the distance between the quartiles over the median, in per cent."""
    if len(samples) < 4:
        return ""
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive")
    return _three_digits(50 * (high - low) / statistics.median(samples)) + " %"


def _rate(r: CaseResult) -> str:
    seconds = r.samples.median_ns() * 1e-9
    if r.work.bytes > 0:
        return readable(r.work.bytes / seconds, "B/s")
    return readable(r.work.flops / seconds, "FLOP/s") if r.work.flops else readable(r.work.items / seconds, "/s")


def _judgement(r: CaseResult) -> str:
    if r.unavailable:
        return "n/a: " + r.unavailable
    if r.verdict is None:
        return ""
    if r.expected_to_fail:
        return "right by luck" if r.verdict.passed else "wrong, as expected"
    if r.verdict.passed:
        return "verified"
    return f"FAILED: {r.verdict.compared} (error {r.verdict.error:.3g}, tolerance {r.verdict.tolerance:.3g})"


def table(results: Results) -> str:
    rows = [["case", "time", "spread", "as seen", "events", "rate", "check"]]
    for r in results.cases:
        s = r.samples
        timed = bool(s.real_ns)
        rows.append(
            [
                r.name(),
                readable_time(s.median_ns()) if timed else "",
                _spread(s.real_ns) if timed else "",
                readable_time(statistics.median(s.seen_ns)) if s.seen_ns else "",
                readable_time(statistics.median(s.event_ns)) if s.event_ns else "",
                _rate(r) if timed else "",
                _judgement(r),
            ]
        )
    keep = [k for k in range(7) if k in (0, 6) or any(row[k] for row in rows[1:])]
    return aligned([[row[k] for k in keep] for row in rows])


def described(space: Space) -> str:
    if not space.on_host:
        return f"{space.name} ({space.device()}, {space.version()})"
    threads = "1 thread" if space.concurrency() == 1 else f"{space.concurrency()} threads"
    return f"{space.name} ({threads} of {space.device()}, {space.version()})"


def footer(results: Results) -> str:
    """What ran where, and why a space is missing."""
    out = "".join(f"{described(space)}\n" for space in results.spaces)
    return out + "".join(f"{name}: not run: {why}\n" for name, why in results.missing.items())
