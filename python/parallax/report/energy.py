# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Time against energy: what a run takes and what it uses, CPU against GPU; which is greener, and from which size on."""

from __future__ import annotations

from collections import defaultdict

from . import charts, tables
from .model import Case, differing, set_text, setting
from .text import plural, readable_joules, readable_time, short, three_digits

MOST_SERIES = 12


def best(cases: list[Case]) -> dict[tuple, list[Case]]:
    """By place, precision and phase: of each problem the case with the least joules, by size."""
    least = {}
    for c in cases:
        if c.joules is None or not c.fair:
            continue
        key = (c.place.index, c.precision, c.phase, setting(c), c.threads)
        if key not in least or c.joules < least[key].joules:
            least[key] = c
    series = defaultdict(list)
    for c in sorted(least.values(), key=lambda c: (not c.place.on_host, c.place.index, c.size())):
        series[c.place.index, c.precision, c.phase].append(c)
    return dict(series)


def greener(cpu: Case, gpu: Case) -> str:
    """Of the same problem; "" where the intervals overlap."""
    if (gpu.joules_high or gpu.joules) < (cpu.joules_low or cpu.joules):
        return "GPU"
    return "CPU" if (cpu.joules_high or cpu.joules) < (gpu.joules_low or gpu.joules) else ""


def verdict(pairs: list[tuple[Case, Case]]) -> str:
    """In words, of (CPU, GPU) on the same problems, the smallest first."""
    names = differing([cpu for cpu, _ in pairs])

    def at(pair) -> str:
        less = max(c.joules for c in pair) / min(c.joules for c in pair)
        values = set_text({n: pair[0].parameters[n] for n in names if n in pair[0].parameters})
        return f"{three_digits(less)} times less energy{f' at {values}' if values else ''}"

    winners = [greener(*pair) for pair in pairs]
    last = winners[-1]
    if not last:
        return f"no clear difference at the largest of {plural(len(pairs), 'size')}" if names else "no clear difference"
    # The largest sizes that one side wins without an exception.
    first = max((k for k, winner in enumerate(winners) if winner != last), default=-1) + 1
    where = set_text({n: pairs[first][0].parameters[n] for n in names if n in pairs[first][0].parameters})
    ends = at(pairs[-1])
    if first == 0:
        return f"the {last} is greener{f' at all {len(pairs)} sizes' if names else ''}: {ends}"
    below = "the other way round below" if last not in winners[:first] and all(winners[:first]) else "below, not at every size"
    return f"the {last} is greener from {where} on: {ends}; {below}"


def verdicts(series: dict[tuple, list[Case]]) -> list[str]:
    """A sentence for each precision and phase: which side uses less energy, and from which size on."""
    problems = defaultdict(lambda: defaultdict(dict))
    for cases in series.values():
        for c in cases:
            sides = problems[c.precision, c.phase][setting(c)]
            if c.place.on_host not in sides or c.joules < sides[c.place.on_host].joules:
                sides[c.place.on_host] = c
    lines = []
    for (precision, phase), by_problem in problems.items():
        pairs = [(sides[True], sides[False]) for sides in by_problem.values() if len(sides) == 2]
        pairs.sort(key=lambda pair: pair[0].size())
        if pairs:
            lines.append(f"{precision}{'' if phase == 'kernel' else ' ' + phase}: {verdict(pairs)}.")
    return lines


def caption(series: dict[tuple, list[Case]]) -> str:
    cases = [c for curve in series.values() for c in curve]
    counted = dict.fromkeys(f"{c.place.label}: {c.joules_of}" for c in cases)
    said = ["Which is greener, and from which size on?", *verdicts(series)]
    if len(said) == 1:
        said.append("These files have no problem with joules of both a CPU and a GPU.")
    return f"{' '.join(said)} Of each problem the variant with the least joules. Counted: {'; '.join(counted)}."


def table(exercise: str, series: dict[tuple, list[Case]]) -> str:
    def joules(x):
        return tables.Cell(readable_joules(x), x) if x else ""

    rows = [
        [
            c.name,
            c.where(),
            tables.time(c.ns),
            joules(c.joules),
            f"{readable_joules(c.joules_low)} to {readable_joules(c.joules_high)}" if c.joules_high else "",
            joules(c.joules / c.items) if c.items > 0 else "",
            c.joules_of,
            c.source.tag,
        ]
        for curve in series.values()
        for c in curve
    ]
    columns = ["case", "on", "time", "joules a run", "interval", "joules an item", "counted", "file"]
    return tables.table(f"{exercise}: time against energy", columns, rows, ("on", "counted", "file"))


def chart(exercise: str, series: dict[tuple, list[Case]]) -> str:
    shown = list(series.values())[:MOST_SERIES]
    names = [
        short(" · ".join([c.place.label, c.precision, *([c.phase] if c.phase != "kernel" else [])]), 38)
        for c in (curve[0] for curve in shown)
    ]
    right = 0.4 + max(charts.text_width(name, 8) for name in [*names, charts.HOLLOW])
    fig, (axis,) = charts.figure(3.3, left=0.85, right=right, top=0.3, bottom=0.5)
    axis.set_xscale("log")
    axis.set_yscale("log")
    tips = charts.Tips()
    for k, (curve, name) in enumerate(zip(shown, names)):
        look = {"color": charts.colour(k)}
        marker = "o" if curve[0].place.on_host else "^"
        axis.plot([c.ns for c in curve], [c.joules for c in curve], linewidth=1.4, **look)
        axis.plot([], [], marker + "-", label=name, **look)
        for c in curve:
            (mark,) = axis.plot(c.ns, c.joules, marker, markersize=6, **charts.mark(c.disturbed, look["color"]))
            tips.on(mark, f"{c.name}: {readable_time(c.ns)}, {readable_joules(c.joules)} ({c.joules_of}){c.disturbed}")
    every = [c for curve in shown for c in curve]
    charts.explain_hollow(axis, any(c.disturbed for c in every))
    charts.log_axis(axis.xaxis, min(c.ns for c in every), max(c.ns for c in every), charts.tick_time)
    charts.log_axis(axis.yaxis, min(c.joules for c in every), max(c.joules for c in every), readable_joules)
    axis.set_xlabel("time of a run (to the left is faster)")
    axis.set_title("energy of a run (further down is greener); circles: CPU, triangles: GPU")
    axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.03), fontsize=8, handlelength=1.6, borderpad=0)
    text = f"Time against energy of {plural(len(every), 'case')} of {exercise}: {', '.join(names)}. {' '.join(verdicts(series))}"
    return charts.svg(fig, f"Time against energy: {exercise}", text, tips)
