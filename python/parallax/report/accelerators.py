# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""One exercise on all accelerators: a bar for each library and for each tier of Kokkos, grouped by device."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from matplotlib.patches import Patch
from matplotlib.transforms import blended_transform_factory

from ..errors import Refusal
from ..words import suggestion
from . import bars, charts
from .model import Case, Source, set_text, setting
from .text import plural, readable_number, readable_time, short

NAMES = {
    "python": "Python loop",
    "numpy": "NumPy",
    "numba_serial": "Numba (one thread)",
    "numba": "Numba (all threads)",
    "jax_cpu": "JAX on the CPU",
    "torch_cpu": "PyTorch on the CPU",
    "serial": "Kokkos Serial",
    "openmp": "Kokkos OpenMP",
    "cupy": "CuPy",
    "numba_cuda": "Numba-CUDA",
    "jax_cuda": "JAX on the GPU",
    "torch_cuda": "PyTorch on the GPU",
    "cuda": "Kokkos CUDA",
    "hip": "Kokkos HIP",
}
KINDS = {  # their colours, in order
    "python": "Python",
    "lesson": "Kokkos, lesson",
    "tuned": "Kokkos, tuned",
    "library": "Kokkos, library",
    "": "Kokkos",  # files from before tiers were recorded
}
CLOCK = "median wall time of the kernel, log scale; no copy between host and device is in it"


def kind(c: Case) -> str:
    return c.tier if c.place.program == "kokkos" else "python"


def time(c: Case) -> float:
    """Of the whole problem: an estimate where a part was timed."""
    return c.ns * c.factor


def problem(c: Case) -> tuple:
    return setting(replace(c, parameters=c.whole) if c.whole else c)


def slot(c: Case) -> tuple:
    """The bar that a case competes for."""
    return c.place.index, c.tier or c.variant


def device(c: Case) -> str:
    return f"{'CPU' if c.place.on_host else 'GPU'}: {c.place.device}"


def label(c: Case) -> str:
    tier = f", {c.tier}" if c.tier else ""
    text = f"{NAMES.get(c.place.space, c.place.space)}{tier} · {c.variant}"
    if c.whole:
        part = [readable_number(v) for n, v in c.parameters.items() if n in c.whole and c.whole[n] != v]
        text += f", scaled from {' x '.join(part)}"
    return short(text, 60)


def time_text(c: Case) -> str:
    threads = f" · {plural(c.threads or c.place.threads, 'thread')}" if c.place.on_host else ""
    return ("≈ " if c.whole else "") + readable_time(time(c)) + threads


def select(rows: list[Case]) -> tuple[tuple, dict[tuple, Case]]:
    """The problem (precision and parameters) that gives most bars, and the fastest verified case of each bar."""
    best = defaultdict(dict)
    for c in rows:
        if c.fair and c.verified:
            group = best[problem(c)]
            if slot(c) not in group or time(c) < time(group[slot(c)]):
                group[slot(c)] = c
    return max(best.items(), key=lambda item: len(item[1]), default=((), {}))


def missing(sources: list[Source], rows: list[Case], chosen: tuple, drawn: dict[tuple, Case]) -> str:
    """The bars that could be there and are not, by reason."""
    reasons = defaultdict(dict)
    for c in rows:
        if problem(c) == chosen and slot(c) not in drawn:
            why = c.unavailable or ("its check failed" if c.failed else "not timed, or not the same work")
            reasons[why][label(c)] = True
    unusable = {}
    for source in sources:
        found = source.context.get("missing_spaces")
        unusable.update(found if isinstance(found, dict) else {})
    for space, name in NAMES.items():
        gpu = space in ("cuda", "hip")  # one of them, or another's, will do
        here = [c for c in rows if (c.place.program == "kokkos" and not c.place.on_host if gpu else c.place.space == space)]
        if not any(problem(c) == chosen for c in here):
            why = "only with other parameters" if here else str(unusable.get(space, "not in these files"))
            reasons[why]["Kokkos on a GPU" if gpu else name] = True
    told = [f"{', '.join(names)} ({short(why, 80)})" for why, names in reasons.items()]
    return "missing: " + "; ".join(told) if told else "no bar is missing"


def draw_bars(axis, shown: list[Case], tips: charts.Tips) -> None:
    """A bar for each case, under a line that names its device."""
    lines: list[Case | str] = []
    for k, c in enumerate(shown):
        if k == 0 or device(c) != device(shown[k - 1]):
            lines.append(device(c))
        lines.append(c)
    start = axis.get_xlim()[0]
    for k, c in enumerate(lines):
        if isinstance(c, str):
            row = blended_transform_factory(axis.figure.transFigure, axis.transData)
            paper = {"facecolor": charts.PAPER, "edgecolor": "none", "pad": 1}
            axis.text(0.1 / charts.WIDTH, k, short(c, 84), transform=row, va="center", bbox=paper)
            continue
        colour = charts.colour(list(KINDS).index(kind(c)))
        hatch = "///" if c.whole else None
        (bar,) = axis.barh(k, time(c) - start, left=start, height=0.72, hatch=hatch, **charts.bar(c.disturbed, colour))
        scaled = f", {c.factor:g} times the time of a part" if c.whole else ""
        tips.on(bar, f"{c.name}: {readable_time(time(c))}{scaled}, {c.where()}{c.disturbed}")
        axis.annotate(time_text(c), (time(c), k), (4, 0), textcoords="offset points", va="center", fontsize=8)
    bars.bar_axis(axis, lines, ["" if isinstance(c, str) else label(c) for c in lines])


def picture(sources: list[Source], cases: list[Case], exercise: str, title: str) -> tuple[str, str, str]:
    """The picture as SVG; what it shows, and what is missing, in a line each."""
    rows = [c for c in cases if c.exercise == exercise and c.phase == "kernel"]
    chosen, drawn = select(rows)
    if not drawn:
        names = dict.fromkeys(c.exercise for c in cases)
        raise Refusal(f"--bars: these files have no verified time of '{exercise}'{suggestion(exercise, names)}")
    shown = sorted(drawn.values(), key=lambda c: (not c.place.on_host, c.place.device, -time(c)))
    parameters = shown[0].whole or shown[0].parameters
    about = {n: v for n, v in parameters.items() if n not in ("seed", "team_size", "threads")}
    about = f"{exercise}, {shown[0].precision}: {set_text(about)}"
    missed = missing(sources, rows, chosen, drawn)

    left = 0.2 + max(charts.text_width(label(c)) for c in shown)
    height = 1.3 + 0.22 * (len(shown) + len({device(c) for c in shown}))
    fig, (axis,) = charts.figure(height, left=left, top=0.8, bottom=0.5)
    start, longest = min(map(time, shown)) / 3, max(map(time, shown))
    width = charts.WIDTH - left - 0.2
    room = (width - 0.1 - max(charts.text_width(time_text(c), 8) for c in shown)) / width  # for the longest bar
    axis.set_xscale("log")
    axis.set_xlim(start, start * (longest / start) ** (1 / room))
    tips = charts.Tips()
    draw_bars(axis, shown, tips)
    charts.log_axis(axis.xaxis, start, longest, charts.tick_time)

    kinds = {kind(c) for c in shown}
    legend = [Patch(color=charts.colour(k), label=KINDS[name]) for k, name in enumerate(KINDS) if name in kinds]
    if any(c.whole for c in shown):
        legend.append(Patch(facecolor=charts.SERIES[0], edgecolor=charts.PAPER, hatch="///", label="estimated from a part"))
    if any(c.disturbed for c in shown):
        legend.append(Patch(facecolor=charts.PAPER, edgecolor=charts.MUTED, label=charts.HOLLOW))
    fig.legend(handles=legend, loc="upper left", bbox_to_anchor=(0, 1 - 0.42 / height), ncols=6, fontsize=8)
    for text, y, size in ((title, height - 0.2, 10), (about, height - 0.38, 8), (CLOCK, 0.1, 8)):
        fig.text(0.1 / charts.WIDTH, y / height, short(text, 840 // size), fontsize=size)
    description = f"Bar chart of {plural(len(shown), 'time')}, {about}; {missed}"
    return charts.alone(*charts.drawn(fig, tips), title, description), f"{plural(len(shown), 'bar')} of {about}", missed
