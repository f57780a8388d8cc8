# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What was counted, in 80 columns."""

from __future__ import annotations

from collections.abc import Callable

from ..report.text import readable_bytes, readable_number, three_digits
from .names import STALLS

WIDTH, GAP = 80, 2


def ratio(c: dict) -> str | None:
    moved, needed = c.get("memory_bytes"), c.get("needed_bytes")
    return f"{three_digits(moved / needed)}x" if moved is not None and needed else None


def number(name: str, shown: Callable[[float], str]) -> Callable[[dict], str | None]:
    return lambda c: shown(c[name]) if name in c else None


def first_stall(c: dict) -> str | None:
    return next((f"{STALLS.get(reason, reason)} {100 * share:.0f} %" for reason, share in c.get("stalls", {}).items()), None)


def misses(c: dict) -> str | None:
    return f"{three_digits(100 * c['branch_misses'] / c['branches'])} %" if c.get("branches") and "branch_misses" in c else None


# In the order of what is given up last where a line is full.
COLUMNS: tuple[tuple[str, Callable[[dict], str | None]], ...] = (
    ("moved", number("memory_bytes", readable_bytes)),
    ("needed", number("needed_bytes", readable_bytes)),
    ("ratio", ratio),
    ("occup.", number("occupancy", lambda x: f"{x:.0f} %")),
    ("lanes", number("active_lanes", lambda x: f"{x:.1f}")),
    ("i/cycle", number("instructions_per_cycle", lambda x: f"{x:.2f}")),
    ("first stall", first_stall),
    ("mispred.", misses),
    ("cache misses", number("cache_misses", lambda x: readable_number(float(f"{x:.2e}")))),
    ("page faults", number("page_faults", readable_number)),
    ("switches", number("context_switches", readable_number)),
)


def table(rows: list[tuple[str, dict]]) -> str:
    """A column where a row has something; a name that leaves it no room has a line to itself."""
    cells = {title: [show(c) for _, c in rows] for title, show in COLUMNS}
    titles, used = [], GAP
    for title in (title for title, column in cells.items() if any(column)):
        width = max(len(text or "") for text in (title, *cells[title]))
        if used + GAP + width <= WIDTH:
            titles.append((title, width))
            used += GAP + width
    room = WIDTH - used + GAP
    longest = max([len("row"), *(len(name) for name, _ in rows)])
    first = longest if longest <= room else 2
    lines = [" ".join(["row".ljust(first), *(" " + title.rjust(width) for title, width in titles)])]
    for k, (name, _) in enumerate(rows):
        numbers = [" " + (cells[title][k] or "-").rjust(width) for title, width in titles]
        if first < len(name):
            lines.append(name)
            name = ""
        lines.append(" ".join([name.ljust(first), *numbers]))
    return "\n".join(line.rstrip() for line in lines) + "\n"
