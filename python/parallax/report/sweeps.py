# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Curves over a parameter that the files vary: sizes, bins, threads. Those over ranks are in scaling.py."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from . import charts
from .fields import LEAST, MOST
from .model import Case, differing, labels
from .text import plural, readable_number, readable_time

MOST_CURVES = 12
MOST_TIPS = 150  # above it, points are drawn with their curve: a mark each costs time and says no more
RANKS = ("ranks", "weak")


@dataclass
class Sweep:
    exercise: str
    parameter: str
    curves: list[list[Case]]  # each sorted by the parameter
    left_out: int = 0

    @property
    def scaling(self) -> bool:
        """Of processors rather than of work."""
        return self.parameter == "threads" and all(c.threads for c in self.curves[0])

    def cases(self) -> list[Case]:
        return [c for curve in self.curves for c in curve]


def number(value) -> bool:
    """Has a place on a logarithmic axis."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and LEAST <= value <= MOST


def find(exercise: str, cases: list[Case]) -> list[Sweep]:
    """Every numeric parameter that takes at least three values (two of threads) with all others the same."""
    timed = [c for c in cases if c.timed and not c.failed]
    found = []
    for parameter in differing(timed):
        if parameter in RANKS:
            continue
        families = defaultdict(dict)
        for c in timed:
            value = c.parameters.get(parameter)
            if not number(value):
                continue
            rest = tuple(sorted((n, repr(v)) for n, v in c.parameters.items() if n not in (parameter, "seed")))
            key = (c.place.index, c.variant, c.precision, c.phase, c.source.tag, rest)
            families[key].setdefault(value, c)
        least = 2 if parameter == "threads" else 3
        curves = [[curve[x] for x in sorted(curve)] for _, curve in sorted(families.items()) if len(curve) >= least]
        if not curves:
            continue
        # Too many to read: those that go furthest, and of them the fastest.
        curves.sort(key=lambda curve: (-curve[-1].parameters[parameter], curve[-1].ns))
        kept = curves[:MOST_CURVES]
        kept.sort(key=lambda curve: (curve[0].place.index, curve[-1].ns))
        found.append(Sweep(exercise, parameter, kept, len(curves) - len(kept)))
    return found


def chart(sweep: Sweep) -> str:
    x = sweep.parameter
    scaling = sweep.scaling
    labels = curve_labels(sweep)
    right = 0.35 + max(charts.text_width(text, 8) for text in [*labels, charts.HOLLOW]) + 0.1
    right = min(right, 3.3)
    fig, axes = charts.figure(3.3, left=0.85, right=right, top=0.32, bottom=0.5)
    axis = axes[0]
    tips = charts.Tips()
    axis.set_xscale("log", base=2 if scaling else 10)
    axis.set_yscale("log", base=2 if scaling else 10)
    every = sweep.cases()
    xs = sorted({c.parameters[x] for c in every})
    ys = []
    for k, (curve, text) in enumerate(zip(sweep.curves, labels)):
        first = curve[0]
        value = {id(c): first.ns / c.ns * first.parameters[x] if scaling else c.ns for c in curve}
        ys += value.values()
        style = {"color": charts.colour(k), "linewidth": 1.4, "linestyle": ("-", "--")[k // len(charts.SERIES) % 2]}
        marker = charts.MARKERS[k % len(charts.MARKERS)]
        (line,) = axis.plot([c.parameters[x] for c in curve], list(value.values()), label=text, **style)
        if len(every) > MOST_TIPS:
            line.set(marker=marker, markersize=4)
            tips.on(line, text)
        for c in curve:
            if len(every) <= MOST_TIPS or c.disturbed:
                look = charts.mark(c.disturbed, charts.colour(k))
                (mark,) = axis.plot(c.parameters[x], value[id(c)], marker, markersize=5, **look)
                tips.on(mark, f"{c.name}: {x} = {readable_number(c.parameters[x])}, {readable_time(c.ns)}{c.disturbed}")
    if scaling:
        axis.plot([xs[0], xs[-1]], [xs[0], xs[-1]], color=charts.MUTED, linewidth=1, linestyle=":", label="ideal")
        charts.values_on_axis(axis.xaxis, xs)
        charts.values_on_axis(axis.yaxis, [v for v in xs if v <= max(ys) * 1.5] or xs)
        axis.set_title("speed-up (more is better)")
    else:
        charts.log_axis(axis.xaxis, xs[0], xs[-1], charts.tick_number)
        charts.log_axis(axis.yaxis, min(ys), max(ys), charts.tick_time)
        axis.set_title("time, log scale (less is better)")
    charts.explain_hollow(axis, any(c.disturbed for c in every))
    axis.set_xlabel(x)
    axis.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.03), fontsize=8, handlelength=1.6, borderpad=0, labelspacing=0.4
    )
    text = (
        f"Line chart of {plural(len(labels), 'curve')} over {x} from {readable_number(xs[0])} to"
        f" {readable_number(xs[-1])}: {', '.join(labels)}."
    )
    kind = "Scaling" if scaling else "Sweep"
    return charts.svg(fig, f"{kind} of {sweep.exercise} over {x}", text, tips)


def curve_labels(sweep: Sweep) -> list[str]:
    ends = [curve[-1] for curve in sweep.curves]
    names = [n for n in differing(ends) if n != sweep.parameter]
    return labels(ends, names, most=38)
