# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The table of hardware counters, as `run --counters` wrote them."""

from __future__ import annotations

from ..counters.names import BY_NAME, DERIVED, STALLS
from . import tables
from .model import Case
from .tables import Cell
from .text import readable_bytes, readable_number, readable_time, three_digits

INTRO = "What the processor counted in one run of each row, under a profiler: these runs are not the timed ones."
ORDER = [*BY_NAME, *DERIVED]
IN_RATIOS = {f"{what}_{of}" for what in ("load", "store") for of in ("sectors", "requests")}  # the table has their ratio


def cell(name: str, value) -> Cell | str:
    if value is None:
        return ""
    if name == "stalls":
        return Cell(", ".join(f"{STALLS.get(reason, reason)} {100 * share:.0f} %" for reason, share in value.items()))
    if not isinstance(value, (int, float)):
        return Cell(value)
    if name == "seconds":
        return Cell(readable_time(1e9 * value), value)
    if name.endswith("_bytes"):
        return Cell(readable_bytes(value), value)
    return Cell(readable_number(float(f"{value:.3g}")) if value == int(value) else three_digits(value), value)


def table(cases: list[Case]) -> str:
    """A column for each counter that some row has; empty where none has any."""
    rows = [c for c in cases if c.counters]
    known = [name for name in dict.fromkeys(name for c in rows for name in c.counters) if name not in IN_RATIOS]
    names = [n for n in ORDER if n in known] + [n for n in known if n not in (*ORDER, "tool")]
    columns = ["case", "tool", *(n.replace("_", " ") for n in names), "file"]
    lines = [[c.name, c.counters.get("tool", ""), *(cell(n, c.counters.get(n)) for n in names), c.source.tag] for c in rows]
    return tables.table("Counters", columns, lines, ("tool",)) if rows else ""
