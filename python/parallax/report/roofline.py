# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The roofline: what each case computes a second against what it computes for each byte, under measured ceilings."""

from __future__ import annotations

from . import charts
from .model import Case, Place
from .text import plural, readable_rate, short, three_digits

BANDWIDTHS = {f"{name}_bytes_per_second": name for name in ("triad", "read", "update")}
RATES = {"fma_f32_flops_per_second": "FMA f32", "fma_f64_flops_per_second": "FMA f64"}
MOST_POINTS = 400


def guests(place: Place, places: list[Place]) -> list[Place]:
    """Places on the same processor with the same number of threads: Python twins, which measure no ceilings."""
    return [
        p
        for p in places
        if p is place
        or (p.program != place.program and not p.ceilings and p.device == place.device and p.threads == place.threads)
    ]


def points(place: Place, places: list[Place], cases: list[Case]) -> list[Case]:
    known = guests(place, places)
    fit = [c for c in cases if c.fair and c.place in known and c.bytes > 0 and c.flops > 0 and not c.threads]
    if len(fit) > MOST_POINTS:
        largest = {}
        for c in fit:
            kind = (c.exercise, c.variant, c.place.index, c.precision, c.phase, c.source.tag)
            if kind not in largest or c.size() > largest[kind].size():
                largest[kind] = c
        fit = sorted(largest.values(), key=lambda c: c.ns)[:MOST_POINTS]
    return [c for c in fit if c.phase in ("kernel", "sort", "generate")]


def bandwidth_only(place: Place, cases: list[Case]) -> int:
    return sum(1 for c in cases if c.fair and c.place is place and c.bytes > 0 and c.flops <= 0)


def chart(place: Place, shown: list[Case]) -> str:
    exercises = sorted({c.exercise for c in shown})
    right = 0.3 + max(charts.text_width(short(e, 24), 8) for e in [*exercises, charts.HOLLOW]) + 0.2
    fig, (axis,) = charts.figure(4.2, left=0.95, right=right, top=0.2, bottom=0.55)
    tips = charts.Tips()
    intensities = [c.flops / c.bytes for c in shown]
    speeds = [c.flops / (c.ns * 1e-9) for c in shown]
    bandwidths = {name: place.ceilings[k] for k, name in BANDWIDTHS.items() if place.ceilings.get(k)}
    rates = {name: place.ceilings[k] for k, name in RATES.items() if place.ceilings.get(k)}
    top = max([*rates.values(), *speeds])
    knee = max(rates.values(), default=top) / min(bandwidths.values()) if bandwidths else 1
    low, high = min(intensities + [knee]) / 4, max(intensities + [knee]) * 6
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(low, high)
    axis.set_ylim(min(speeds) / 4, top * 2.5)
    for (name, rate), style in zip(bandwidths.items(), ("-", ":", "-.")):
        end = max(rates.values(), default=top) / rate
        axis.plot([low, end], [low * rate, end * rate], style, color=charts.INK, linewidth=1.3)
        if name == "triad" or len(bandwidths) == 1:
            # Under the roof, a third of the way up to where it bends.
            foot = max(low, min(speeds) / 4 / rate)
            at = foot * (end / foot) ** 0.35
            axis.text(
                at * 1.15, at * rate * 0.8, f"{name} {readable_rate(rate, 'B/s')}", fontsize=8, va="top", ha="left"
            )
    for name, rate in place.levels.items():
        end = max(rates.values(), default=top) / rate
        axis.plot([low, end], [low * rate, end * rate], "-", color=charts.MUTED, linewidth=0.8, zorder=0)
        foot = max(low, min(speeds) / 4 / rate)
        axis.text(foot * 1.1, foot * rate * 1.15, name, fontsize=7, va="bottom", ha="left", color=charts.MUTED)
    for (name, rate), style, side in zip(rates.items(), ("-", "--"), ("bottom", "top")):
        start = rate / max(bandwidths.values()) if bandwidths else low
        axis.plot([start, high], [rate, rate], style, color=charts.INK, linewidth=1.3)
        height = rate * (1.08 if side == "bottom" else 0.92)
        axis.text(high * 0.95, height, f"{name} {readable_rate(rate, 'FLOP/s')}", fontsize=8, ha="right", va=side)
    for c, x, y in zip(shown, intensities, speeds):
        k = exercises.index(c.exercise)
        look = charts.mark(c.disturbed, charts.colour(k)) | {"fillstyle": "full" if c.place is place else "left"}
        (mark,) = axis.plot(x, y, charts.MARKERS[k % len(charts.MARKERS)], markersize=6.5, **look)
        tips.on(mark, f"{c.name}: {readable_rate(y, 'FLOP/s')} at {three_digits(x)} FLOP/B{c.disturbed}")
    for k, name in enumerate(exercises):
        axis.plot([], [], charts.MARKERS[k % len(charts.MARKERS)], color=charts.colour(k), label=short(name, 24))
    charts.explain_hollow(axis, any(c.disturbed for c in shown))
    axis.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.02), fontsize=8, handletextpad=0.1, borderpad=0, labelspacing=0.35
    )
    charts.log_axis(axis.xaxis, low, high, charts.tick_number)
    charts.log_axis(axis.yaxis, min(speeds) / 4, top * 2, charts.tick_number)
    axis.set_xlabel("arithmetic intensity, FLOP per byte")
    axis.set_ylabel("FLOP per second")
    roof = ", ".join(
        [f"{n} {readable_rate(v, 'B/s')}" for n, v in bandwidths.items()]
        + [f"{n} {readable_rate(v, 'FLOP/s')}" for n, v in rates.items()]
        + [f"triad in {n} {readable_rate(v, 'B/s')}" for n, v in place.levels.items()]
    )
    text = f"Roofline of {place.described()}. Ceilings: {roof}. {plural(len(shown), 'case')} of {', '.join(exercises)}."
    return charts.svg(fig, f"Roofline of {place.label}", text, tips)
