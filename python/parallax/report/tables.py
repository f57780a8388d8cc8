# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""HTML tables that page.js makes sortable and filterable; without it they are plain tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .model import Case, set_text
from .text import h, readable_rate, readable_time, three_digits


@dataclass
class Cell:
    """What is shown, what it is sorted by, and a class for its look."""

    text: Any
    value: float | None = None
    look: str = ""


STATUS_LOOKS = {
    "verified": "good",
    "FAILED": "bad",
    "wrong, as expected": "odd",
    "right by luck": "odd",
    "not available": "none",
    "not checked": "none",
}


def cell(content, head: bool = False) -> str:
    c = content if isinstance(content, Cell) else Cell(content)
    attributes = f' data-v="{c.value:.9g}"' if c.value is not None else ""
    size = "num" if c.value is not None else "wide" if len(str(c.text)) > 24 else ""
    looks = " ".join(filter(None, [size, c.look]))
    attributes += f' class="{looks}"' if looks else ""
    return f'<th scope="row"{attributes}>{h(c.text)}</th>' if head else f"<td{attributes}>{h(c.text)}</td>"


def table(caption: str, columns: list[str], rows: list[list], choose: tuple[str, ...] = (), key: str = "") -> str:
    """choose: columns that get a list of their values to filter by. The first column names the row."""
    heads = "".join(f'<th scope="col"{" data-choose" if name in choose else ""}>{h(name)}</th>' for name in columns)
    body = "".join(f"<tr>{cell(row[0], head=True)}{''.join(cell(c) for c in row[1:])}</tr>\n" for row in rows)
    identity = f' id="{h(key)}"' if key else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{h(caption)}"><table class="data"{identity}>'
        f"<caption>{h(caption)}</caption><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def spread(samples: list[float], marks: str = "") -> Cell:
    """Half the distance between the quartiles over the median, in per cent, as the program's table has it; with the letters of
    what makes the samples doubtful."""
    if len(samples) < 4:
        return Cell(marks)
    ordered = sorted(samples)
    n = len(ordered)
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    if middle <= 0:
        return Cell(marks)
    value = 50 * (ordered[n * 3 // 4] - ordered[n // 4]) / middle
    return Cell(f"{three_digits(value)} % {marks}".rstrip(), value)


def time(ns: float | None) -> Cell:
    return Cell("", None) if ns is None else Cell(readable_time(ns), ns)


CASE_COLUMNS = ("case", "tier", "time", "rate", "of ceiling", "check", "spread", "where", "team", "parameters", "file")
PARTS = ("exercise", "variant", "precision", "phase")  # of the name, to choose by
CHOICES = ("exercise", "variant", "tier", "where", "precision", "phase", "check", "file")


def check_cell(c: Case) -> Cell:
    text = c.status
    if c.unavailable:
        text += ": " + c.unavailable
    elif c.failed:
        text += ": " + c.compared
    if c.other_work:
        text += " (other work)"
    return Cell(text, None, STATUS_LOOKS[c.status])


def case_row(c: Case) -> list:
    rate = c.rate()
    return [
        c.name,
        c.tier,
        time(c.ns),
        Cell(readable_rate(*rate), rate[0]) if rate else "",
        Cell(f"{three_digits(c.percent)} % {c.ceiling}", c.percent) if c.percent is not None else "",
        check_cell(c),
        spread(c.samples, "".join(c.marks)),
        c.place.label + (f", {c.threads} threads" if c.threads else ""),
        Cell(str(c.team_size), c.team_size) if c.team_size else "",
        set_text(
            {
                n: v
                for n, v in c.parameters.items()
                if n not in ("seed", "team_size", "threads") or (n == "threads" and not c.threads)
            }
        ),
        c.source.tag,
    ]


def cases(caption: str, rows: list[Case]) -> str:
    """A chart's own table."""
    return table(caption, list(CASE_COLUMNS), [case_row(c) for c in rows], ("tier", "where", "check", "file"))


def all_cases(rows: list[Case]) -> str:
    """Every case, with the parts of its name to choose by."""
    cells = [case_row(c) + [c.exercise, c.variant, c.precision, c.phase] for c in rows]
    return table("All cases", [*CASE_COLUMNS, *PARTS], cells, CHOICES, key="all")
