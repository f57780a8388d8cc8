# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""`parallax compare --series`: how the times of each case change from commit to commit, a panel for each exercise and place."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from math import log
from statistics import median

from ..errors import Refusal
from ..files import refuse_output, write_text
from . import charts, load
from .model import Case, Source, differing, label, setting
from .text import plural, readable_time, short, three_digits

MOST_CURVES = 10  # of a panel: those that changed most
MOST_TICKS = 16
PANEL = 2.4  # inches


@dataclass
class Curve:
    """A case in the commits that have it: the times of one or several runs of each."""

    case: Case
    runs: dict[str, list[float]]
    disturbed: set[str]  # commits with a disturbed run

    def ratios(self) -> dict[str, float]:
        """By commit, the median over the first commit's."""
        medians = {commit: median(times) for commit, times in self.runs.items()}
        first = next(iter(medians.values()))
        return {commit: ns / first for commit, ns in medians.items()}

    def change(self) -> float:
        return max(abs(log(r)) for r in self.ratios().values())


def commit_of(source: Source) -> str:
    return source.text("git") or source.text("parallax_version") or "unknown"


def date_of(source: Source) -> datetime | None:
    try:
        date = datetime.fromisoformat(source.text("date"))
    except ValueError:
        return None
    return date if date.tzinfo else None


def commits(sources: list[Source]) -> list[str]:
    """In the order of their first runs; in the files' order where one has no date."""
    dates = [date_of(s) for s in sources]
    if None not in dates:
        sources = [s for _, s in sorted(zip(dates, sources), key=lambda pair: pair[0])]
    return list(dict.fromkeys(map(commit_of, sources)))


def curves(order: list[str], cases: list[Case]) -> dict[tuple, list[Curve]]:
    """By exercise and place, those that two commits have. A case with other parameters is another case."""
    runs = defaultdict(lambda: defaultdict(list))
    newest, disturbed = {}, defaultdict(set)
    for c in cases:
        if c.timed and not c.failed and not c.expected_to_fail:
            key = (c.exercise, c.place.index, c.variant, c.team_size, c.threads, setting(c))
            runs[key][commit_of(c.source)].append(c.ns)
            newest[key] = c
            if c.disturbed:
                disturbed[key].add(commit_of(c.source))
    panels = defaultdict(list)
    for key, found in runs.items():
        if len(found) > 1:
            panels[key[:2]].append(Curve(newest[key], {k: found[k] for k in order if k in found}, disturbed[key]))
    return panels


def draw(axis, panel: list[Curve], order: list[str], tips: charts.Tips) -> None:
    shown = sorted(panel, key=Curve.change, reverse=True)[:MOST_CURVES]
    names = differing([c.case for c in shown])
    every = [1.0]
    for k, curve in enumerate(shown):
        text, look = label(curve.case, names, most=44), {"color": charts.colour(k)}
        marker, ratios = charts.MARKERS[k % len(charts.MARKERS)], curve.ratios()
        every += ratios.values()
        axis.plot([order.index(c) for c in ratios], list(ratios.values()), linewidth=1.3, **look)
        axis.plot([], [], marker + "-", label=text, linewidth=1.3, markersize=4, **look)
        for commit, ratio in ratios.items():
            hollow = commit in curve.disturbed
            (mark,) = axis.plot(order.index(commit), ratio, marker, markersize=5, **charts.mark(hollow, look["color"]))
            times = curve.runs[commit]
            runs = f", median of {len(times)} runs" if len(times) > 1 else ""
            tips.on(mark, f"{curve.case.name} at {commit}: {readable_time(median(times))}{runs}, {three_digits(ratio)} of the first{', disturbed' if hollow else ''}")
    charts.explain_hollow(axis, any(curve.disturbed for curve in shown))
    low, high = min(every), max(every)
    if high > 5 * low:
        axis.set_yscale("log")
        charts.log_axis(axis.yaxis, low, high, charts.tick_number)
    else:
        axis.set_ylim(min(0.9, 0.98 * low), max(1.1, 1.02 * high))
    step = 1 + (len(order) - 1) // MOST_TICKS
    axis.set_xticks(range(0, len(order), step), [short(c, 22) for c in order[::step]], rotation=20, ha="right", fontsize=7)
    axis.set_xlim(-0.3, len(order) - 0.7)
    left_out = f" ({len(panel) - len(shown)} more changed less)" if len(panel) > len(shown) else ""
    axis.set_title(short(f"{shown[0].case.exercise} on {shown[0].case.place.described()}{left_out}", 110))
    axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.05), fontsize=7, handlelength=1.6, borderpad=0, labelspacing=0.35)


def picture(order: list[str], panels: dict[tuple, list[Curve]]) -> str:
    height = 0.4 + PANEL * len(panels)
    fig, tips = charts.Figure(figsize=(charts.WIDTH, height)), charts.Tips()
    charts.FigureCanvasSVG(fig)
    for k, key in enumerate(sorted(panels, key=lambda key: (key[0], key[1]))):
        axis = fig.add_axes((0.11, 1 - (0.4 + PANEL * (k + 1) - 0.7) / height, 0.52, (PANEL - 1) / height))
        draw(axis, panels[key], order, tips)
    title = f"Times over those of the first commit (less is better), {plural(len(order), 'commit')}"
    fig.text(0.1 / charts.WIDTH, 1 - 0.2 / height, title, fontsize=10)
    exercises = ", ".join(dict.fromkeys(panel[0].case.exercise for panel in panels.values()))
    return charts.alone(*charts.drawn(fig, tips), title, f"Line charts of {plural(len(panels), 'panel')}: {exercises}. Commits: {', '.join(order)}.")


def make_series(files: list[str], output: str) -> int:
    refuse_output(output, files)
    sources, _, cases, warnings = load.load(files)
    order = commits(sources)
    if len(order) < 2:
        raise Refusal(f"--series: all files are of one commit, {order[0]}")
    panels = curves(order, cases)
    if not panels:
        raise Refusal("--series: no case was timed in two commits on one machine with the same parameters")
    for warning in warnings:
        print(f"parallax: {warning}", file=sys.stderr)
    write_text(output, picture(order, panels))
    count = sum(map(len, panels.values()))
    print(f"parallax: wrote {output}: {plural(count, 'case')} over {plural(len(order), 'commit')}", file=sys.stderr)
    return 0
