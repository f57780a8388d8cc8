# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Bars and dots: times of an exercise, ratios between processors, phases side by side."""

from __future__ import annotations

from collections import defaultdict

from . import charts
from .model import Case, differing, labels
from .text import plural, readable_bytes, readable_time, short, three_digits

MOST_BARS = 40


def chosen(cases: list[Case]) -> list[Case]:
    """The cases of a chart: of each kind the largest, where all would be too many to read; then the fastest."""
    timed = [c for c in cases if c.timed and not c.whole]
    if len(timed) > MOST_BARS:
        largest = {}
        for c in timed:
            kind = (c.variant, c.place.index, c.precision, c.phase, c.source.tag, c.threads)
            if kind not in largest or c.size() > largest[kind].size():
                largest[kind] = c
        timed = list(largest.values())
    if len(timed) > MOST_BARS:
        timed = sorted(timed, key=lambda c: c.ns)[:MOST_BARS]
    names = differing(timed)
    return sorted(timed, key=lambda c: (c.place.index, c.phase != "kernel", c.phase, problem(c, names), c.ns))


def problem(c: Case, names: list[str]) -> tuple:
    """What tells problems apart, in order: numbers by size, before texts."""
    values = [c.parameters.get(n) for n in names]
    return tuple((0, v, "") if isinstance(v, (int, float)) else (1, 0, str(v)) for v in values)


def bar_axis(axis, values, labels):
    axis.set_yticks(range(len(values)))
    axis.set_yticklabels(labels)
    axis.set_ylim(len(values) - 0.4, -0.6)
    axis.grid(axis="y", visible=False)
    axis.tick_params(axis="y", length=0)


def times(exercise: str, cases: list[Case]) -> tuple[str, list[Case]] | None:
    """Time of every variant in every space, on a log scale, and beside it the share of its ceiling."""
    shown = chosen(cases)
    if not shown:
        return None
    names = labels(shown, differing(shown))
    ceilings = [c for c in shown if c.percent is not None]
    colours = {short(c.place.label, 60): charts.colour(c.place.index) for c in shown}
    hatched = [word for word, odd in (("wrong on purpose", "expected_to_fail"), ("other work", "other_work")) if any(getattr(c, odd) for c in shown)]
    look = {"left": min(5.0, 0.15 + max(map(charts.text_width, names))), "columns": (3, 2) if ceilings else None}
    fig, axes = charts.bars_figure(0.75 + 0.2 * len(shown), colours, any(c.disturbed for c in shown), " or ".join(hatched), **look)
    tips = charts.Tips()
    low, high = min(c.ns for c in shown), max(c.ns for c in shown)
    start = low / 3
    axes[0].set_xscale("log")
    axes[0].set_xlim(start, high * (high / start) ** 0.28)
    for k, c in enumerate(shown):
        odd = c.expected_to_fail or c.other_work or c.failed
        look = charts.bar(c.disturbed, charts.colour(c.place.index))
        (bar,) = axes[0].barh(k, c.ns - start, left=start, height=0.72, hatch="///" if odd else None, **look)
        tips.on(bar, f"{c.name}: {readable_time(c.ns)}, {c.where()}, {c.status}{c.disturbed}")
        axes[0].text(c.ns * (high / start) ** 0.012, k, readable_time(c.ns), va="center", fontsize=8)
    charts.log_axis(axes[0].xaxis, start, high, charts.tick_time, most=4 if ceilings else 6)
    axes[0].set_title("time, log scale (less is better)")
    bar_axis(axes[0], shown, names)
    if ceilings:
        axes[1].set_xlim(0, max(150.0, 1.5 * max(c.percent for c in ceilings)))
        axes[1].axvline(100, color=charts.MUTED, linewidth=1, linestyle="--", zorder=0)
        for k, c in enumerate(shown):
            if c.percent is None:
                continue
            (bar,) = axes[1].barh(k, c.percent, height=0.72, **charts.bar(c.disturbed, charts.colour(c.place.index)))
            tips.on(bar, f"{c.name}: {charts.percent(c.percent)} of {c.ceiling}{c.disturbed}")
            axes[1].text(c.percent + 1.5, k, f"{charts.percent(c.percent)} {c.ceiling}", va="center", fontsize=8)
        axes[1].set_title("of its ceiling, %")
        axes[1].grid(axis="y", visible=False)
        axes[1].tick_params(axis="y", length=0)
    best = min(shown, key=lambda c: c.ns)
    worst = max(shown, key=lambda c: c.ns)
    text = (
        f"Bar chart of {plural(len(shown), 'case')}. Shortest: {best.name}, {readable_time(best.ns)}."
        f" Longest: {worst.name}, {readable_time(worst.ns)}."
    )
    return charts.svg(fig, f"Times of {exercise}", text, tips), shown


def ratios(title: str, rows: list[tuple[str, float, tuple[str, str], str, bool]], name: str = "Times as fast", of: str = "times as fast") -> str:
    """Horizontal bars of how many times as fast, or of another ratio: label, ratio, legend and colour, tip, whether a side was disturbed."""
    left = min(5.0, 0.15 + max(charts.text_width(row[0]) for row in rows))
    fig, (axis,) = charts.bars_figure(0.75 + 0.2 * len(rows), dict(row[2] for row in rows), any(row[4] for row in rows), left=left)
    tips = charts.Tips()
    low, high = min(0.8, *(r[1] for r in rows)), max(1.25, *(r[1] for r in rows))
    axis.set_xscale("log")
    axis.set_xlim(low / (high / low) ** 0.12, high * (high / low) ** 0.12)
    for k, (_, ratio, (_, colour), tip, disturbed) in enumerate(rows):
        (bar,) = axis.barh(k, ratio - 1, left=1, height=0.7, **charts.bar(disturbed, colour))
        tips.on(bar, tip)
        side = ("right", -1) if ratio < 1 else ("left", 1)
        axis.text(ratio * (high / low) ** (0.01 * side[1]), k, f"{three_digits(ratio)} ×", va="center", ha=side[0], fontsize=8)
    axis.axvline(1, color=charts.MUTED, linewidth=1)
    charts.log_axis(axis.xaxis, low, high, lambda x: f"{x:g} ×")
    axis.set_title(title)
    bar_axis(axis, rows, [row[0] for row in rows])
    most = max(rows, key=lambda r: r[1])
    text = f"Bar chart of {plural(len(rows), 'ratio')}. Largest: {most[0]}, {three_digits(most[1])} {of}."
    return charts.svg(fig, name, text, tips)


def moved(cases: list[Case]) -> str:
    """A bar for each row with counted traffic of the memory: the bytes that moved over those that the work needs."""
    rows = []
    for c in cases:
        bytes_moved, needed = c.counters.get("memory_bytes"), c.counters.get("needed_bytes")
        if bytes_moved and needed:
            tip = f"{c.name}: memory moved {readable_bytes(bytes_moved)}, the work needs {readable_bytes(needed)}"
            rows.append((short(c.name, 50), bytes_moved / needed, (c.counters.get("tool", ""), charts.colour(c.place.index)), tip, False))
    title = "bytes moved over bytes needed, log scale"
    return ratios(title, rows[:MOST_BARS], "Bytes moved", "times the bytes needed") if rows else ""


def phase_groups(cases: list[Case]) -> list[tuple[str, dict[str, Case]]]:
    """The fastest case of each phase, by exercise, place and precision, where there is more than one phase."""
    groups = defaultdict(dict)
    for c in cases:
        if not c.fair:
            continue
        best = groups[(c.exercise, c.place.index, c.precision, c.source.tag)]
        if c.phase not in best or c.size()[:2] > best[c.phase].size()[:2]:
            best[c.phase] = c
        elif c.size()[:2] == best[c.phase].size()[:2] and c.ns < best[c.phase].ns:
            best[c.phase] = c
    result = []
    for (exercise, _, precision, _), best in sorted(groups.items()):
        if len(best) > 1:
            place = next(iter(best.values())).place
            result.append((short(f"{exercise} · {place.label} · {precision}", 50), best))
    return result


def phases(groups: list[tuple[str, dict[str, Case]]]) -> str:
    """A row for each group, a mark for each phase: what a kernel costs against moving its data."""
    names = sorted({phase for _, best in groups for phase in best}, key=lambda p: (p != "kernel", p))
    left = min(5.0, 0.15 + max(charts.text_width(name) for name, _ in groups))
    fig, (axis,) = charts.figure(1.1 + 0.24 * len(groups), left=left, top=0.62, bottom=0.4)
    tips = charts.Tips()
    every = [c.ns for _, best in groups for c in best.values()]
    axis.set_xscale("log")
    axis.set_xlim(min(every) / 2, max(every) * 2)
    for k, (_, best) in enumerate(groups):
        span = [c.ns for c in best.values()]
        axis.plot([min(span), max(span)], [k, k], color=charts.GRID, linewidth=3, zorder=1)
        for phase, c in best.items():
            p = names.index(phase)
            look = charts.mark(c.disturbed, charts.colour(p))
            (mark,) = axis.plot(c.ns, k, charts.MARKERS[p % len(charts.MARKERS)], markersize=7, zorder=2, **look)
            tips.on(mark, f"{c.name}: {readable_time(c.ns)}, {c.where()}{c.disturbed}")
    for p, phase in enumerate(names):
        axis.plot([], [], charts.MARKERS[p % len(charts.MARKERS)], color=charts.colour(p), label=phase)
    charts.explain_hollow(axis, any(c.disturbed for _, best in groups for c in best.values()))
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=min(6, len(names) + 1), handletextpad=0.1, borderpad=0.1)
    charts.log_axis(axis.xaxis, min(every), max(every), charts.tick_time)
    bar_axis(axis, groups, [name for name, _ in groups])
    text = f"Dot chart of {plural(len(groups), 'row')}: {', '.join(names)} of each, on a log scale of time."
    return charts.svg(fig, "Kernel, transfer, end to end", text, tips)
