# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What ncu prints: `--csv --page raw --print-units base`, a line for each kernel."""

from __future__ import annotations

import csv
import io
import re

from .names import COUNTERS, LIMITS, STALLS, limit_metric, mean, stall_metric

DURATION = "gpu__time_duration.sum"
# ncu scales even base units in some versions. All else, such as "%" or "warp", is a plain number.
UNITS = {
    **{"nsecond": 1e-9, "ns": 1e-9, "usecond": 1e-6, "us": 1e-6, "msecond": 1e-3, "ms": 1e-3},
    **{"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12},
}
UNKNOWN = re.compile(r"Failed to find metric\s+(?:regex:\^?)?([\w.]+)")


def number(text: str) -> float | None:
    """1,234.5 has its commas between thousands; "n/a" and the like are none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def kernels(text: str) -> list[dict[str, float]]:
    """The metrics of each kernel, in seconds, bytes and counts. What comes before the head of the table is not ncu's, or no table."""
    lines = text.splitlines()
    head = next((k for k, line in enumerate(lines) if line.startswith('"ID",')), None)
    if head is None:
        return []
    rows = list(csv.reader(io.StringIO("\n".join(line for line in lines[head:] if line.startswith('"')))))
    names, units = rows[0], rows[1] if len(rows) > 1 else []
    found = []
    for row in rows[2:]:
        if len(row) == len(names) == len(units):
            values = {name: (number(value), UNITS.get(unit, 1.0)) for name, unit, value in zip(names, units, row)}
            found.append({name: value * factor for name, (value, factor) in values.items() if value is not None})
    return found


def weighted(rows: list[dict[str, float]], metric: str) -> float | None:
    """The mean over kernels."""
    pairs = [(row[metric], row.get(DURATION, 0.0)) for row in rows if metric in row]
    return mean(pairs) if pairs else None


def counters(text: str) -> dict:
    """All kernels of a run as one; empty where there is none."""
    rows = kernels(text)
    made: dict = {}
    for counter in COUNTERS:
        if not rows or not counter.ncu or not all(any(metric in row for row in rows) for metric in counter.ncu):
            continue
        if counter.combine == "mean":
            made[counter.name] = weighted(rows, counter.ncu[0])
        else:
            made[counter.name] = sum(row.get(metric, 0.0) for row in rows for metric in counter.ncu)
    if not made:
        return {}
    longest = max(rows, key=lambda row: row.get(DURATION, 0.0))
    limits = {what: longest[limit_metric(what)] for what in LIMITS if limit_metric(what) in longest}
    if limits:
        made["occupancy_limited_by"] = min(limits, key=lambda what: limits[what])
    waiting = {reason: weighted(rows, stall_metric(reason)) or 0.0 for reason in STALLS}
    whole = sum(waiting.values())
    if whole > 0:
        first = sorted(waiting, key=lambda reason: -waiting[reason])[:3]
        made["stalls"] = {reason: waiting[reason] / whole for reason in first if waiting[reason] > 0}
    return {"kernels": len(rows), **made}


def unknown(text: str) -> list[str]:
    """Metrics that this GPU or this ncu has not."""
    return list(dict.fromkeys(UNKNOWN.findall(text)))


def complaint(text: str) -> str:
    """Why ncu counted nothing, in its own words."""
    if "ERR_NVGPUCTRPERM" in text:
        return (
            "ncu may not read this GPU's counters (ERR_NVGPUCTRPERM): an administrator allows it by the option "
            "NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia"
        )
    lines = [line[len("==ERROR==") :].strip() for line in text.splitlines() if line.startswith("==ERROR==")]
    return f"ncu: {lines[0]}" if lines else "ncu saw no kernel in the counted run"
