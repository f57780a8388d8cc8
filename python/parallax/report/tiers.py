# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What plain Kokkos gets, what tuning adds, what a library has; and what was computed."""

from __future__ import annotations

from collections import defaultdict

from .load import TIERS
from .model import Case, Place, set_text, setting
from .tables import Cell, table, time
from .text import short, three_digits


def best(cases: list[Case]) -> list[dict[str, Case]]:
    """By problem and place, in the order of the file: the fastest verified kernel of each tier."""
    found = defaultdict(dict)
    for c in cases:
        if c.tier and c.fair and c.verified and c.phase == "kernel" and c.place.program == "kokkos":
            group = found[(c.place.index, setting(c), c.threads)]
            if c.tier not in group or c.ns < group[c.tier].ns:
                group[c.tier] = c
    return list(found.values())


def parameters_text(c: Case, *without: str) -> str:
    skipped = ("team_size", "threads", *without)
    return set_text({n: v for n, v in c.parameters.items() if n not in skipped})


def ratio(slow: Case | None, fast: Case | None) -> Cell:
    if slow is None or fast is None:
        return Cell("")
    return Cell(f"{three_digits(slow.ns / fast.ns)} ×", slow.ns / fast.ns)


def percent(c: Case | None) -> Cell:
    return Cell("") if c is None or c.percent is None else Cell(f"{three_digits(c.percent)} % {c.ceiling}", c.percent)


COLUMNS = ["exercise", "precision", "on", "parameters"]
COLUMNS += [column for tier in TIERS for column in (tier, f"{tier}: time", f"{tier}: of ceiling", f"{tier}: times as fast")]
COLUMNS.remove("lesson: times as fast")


def comparison_rows(cases: list[Case]) -> list[list]:
    rows = []
    for group in best(cases):
        lesson, tuned, library = (group.get(tier) for tier in TIERS)
        one = next(iter(group.values()))
        row = [one.exercise, one.precision, one.where(), parameters_text(one, "seed")]
        ours = min((c for c in (lesson, tuned) if c), key=lambda c: c.ns, default=None)
        for c, slow in ((lesson, []), (tuned, [lesson]), (library, [ours])):
            row += [c.variant if c else "", time(c.ns if c else None), percent(c), *(ratio(one, c) for one in slow)]
        rows.append(row)
    return rows


def comparison(cases: list[Case], place: Place | None = None) -> str:
    """A line for each problem and place, or for the largest problem of each exercise on one place; no text where no row has a tier.
    Columns without a word are left out."""
    if place:
        largest: dict[tuple, Case] = {}
        for c in cases:
            if c.tier and c.place is place and c.fair and c.phase == "kernel":
                key = (c.exercise, c.precision)
                largest[key] = max(largest.get(key, c), c, key=lambda one: (one.threads, one.size()[:3]))
        cases = [c for c in cases if (one := largest.get((c.exercise, c.precision))) and (setting(c), c.threads) == (setting(one), one.threads)]
        cases = [c for c in cases if c.place is place]
    rows = comparison_rows(cases)
    if not rows:
        return ""
    without = ("precision", "on", "parameters", "library: of ceiling") if place else ()
    if place:
        rows = [[f"{row[0]} {row[1]}", *row[1:]] for row in rows]
    kept = [k for k, name in enumerate(COLUMNS) if name not in without and any(row[k] and getattr(row[k], "text", row[k]) for row in rows)]
    caption = f"The best verified kernel of each tier{' on ' + place.described() if place else ''}"
    return table(caption, [COLUMNS[k] for k in kept], [[row[k] for k in kept] for row in rows], ("precision", "on"))


def value_text(value) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return short(str(value).lower() if isinstance(value, bool) else value)


def described(name: str, found: dict[str, tuple]) -> str:
    """`found`: each text with its value and the first row that reports it. One, or the least and the greatest."""
    texts = list(found)
    if len(texts) == 1:
        return f"{name} {texts[0]}"
    numbers = [t for t in texts if isinstance(found[t][0], (int, float))]
    ends = sorted(numbers, key=lambda t: found[t][0]) if len(numbers) == len(texts) else texts
    (low, low_row), (high, high_row) = ((t, found[t][1]) for t in (ends[0], ends[-1]))
    return f"{name} {low} ({low_row}) to {high} ({high_row})"


RESULT_COLUMNS = ["exercise", "precision", "result", "parameters"]


def computed_rows(cases: list[Case]) -> list[list]:
    """What the verified rows of each exercise and precision report, in a line: of a sweep, at its largest size."""
    largest: dict[tuple, Case] = {}
    told = [c for c in cases if c.verified and c.result and not c.expected_to_fail]
    for c in told:
        key = (c.exercise, c.precision)
        if key not in largest or c.size()[:3] > largest[key].size()[:3]:
            largest[key] = c
    lines = defaultdict(lambda: defaultdict(dict))
    for c in told:
        key = (c.exercise, c.precision)
        if setting(c)[3] == setting(largest[key])[3]:
            for name, value in c.result.items():
                text = value_text(value)
                lines[key][name].setdefault(text, (value, f"{c.variant}/{c.place.label}"))
    rows = []
    for (exercise, precision), names in lines.items():
        text = ", ".join(described(name, found) for name, found in names.items())
        rows.append([exercise, precision, text, parameters_text(largest[exercise, precision])])
    return rows


def computed(cases: list[Case]) -> str:
    rows = computed_rows(cases)
    return table("Results", RESULT_COLUMNS, rows) if rows else ""
