# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The cascade: the efficiency of each application on its best platform, its second best, and so on; and the metric so far."""

from __future__ import annotations

from statistics import harmonic_mean

from . import charts
from .portability import METRICS, Platform, Score
from .text import plural, short, three_digits


def steps(score: Score) -> list[tuple[int, float, float]]:
    """The platform's number, the efficiency there, and the metric of this and the platforms before, best platform first."""
    order = sorted((k for k, e in enumerate(score.efficiencies) if e is not None), key=lambda k: -score.efficiencies[k])
    best_first = [score.efficiencies[k] for k in order]
    return [(k, best_first[i], harmonic_mean(best_first[: i + 1])) for i, k in enumerate(order)]


def draw(axis, scores: dict[str, Score], names: list[str], platforms: list[Platform], tips: charts.Tips) -> None:
    for name, score in scores.items():
        look = {"color": charts.colour(names.index(name)), "linewidth": 1.4}
        marker = charts.MARKERS[names.index(name) % len(charts.MARKERS)]
        walk = steps(score)
        runs = [step for step in walk if step[1] > 0]
        axis.plot(range(1, len(runs) + 1), [100 * e for _, e, _ in runs], **look)
        axis.plot(range(1, len(walk) + 1), [100 * m for _, _, m in walk], linestyle="--", **look)
        for x, (k, e, _) in enumerate(runs, 1):
            (mark,) = axis.plot(x, 100 * e, marker, color=look["color"], markersize=7)
            tips.on(mark, f"{name} on {platforms[k].name}: {charts.percent(100 * e)}, {plural(score.problems, 'problem')}")
            axis.annotate(f"P{k + 1}", (x, 100 * e), (6, 4), textcoords="offset points", fontsize=7, color=charts.MUTED)


def picture(platforms: list[Platform], suites: dict[str, dict[str, Score]], about: str) -> str:
    """The picture as SVG, a panel for each metric; `suites`: by metric and application."""
    names = list(dict.fromkeys(name for scores in suites.values() for name in scores))
    lines = (len(names) + 3) // 4
    top, bottom = 0.6 + 0.2 * lines, 0.75 + 0.16 * len(platforms)
    height = top + bottom + 3.2
    fig, axes = charts.figure(height, left=0.6, top=top, bottom=bottom, columns=(1,) * len(suites))
    tips = charts.Tips()
    for axis, (metric, scores) in zip(axes, suites.items()):
        draw(axis, scores, names, platforms, tips)
        axis.set_title(f"{METRICS[metric]}, % ({plural(max(s.problems for s in scores.values()), 'problem')})", fontsize=8.5)
        axis.set_xlim(0.7, len(platforms) + 0.4)
        axis.set_ylim(0, 108)
        charts.values_on_axis(axis.xaxis, range(1, len(platforms) + 1, 1 + len(platforms) // 16))
        axis.set_xlabel("number of platforms, the best first")
    for k, name in enumerate(names):
        marker = charts.MARKERS[k % len(charts.MARKERS)]
        axes[0].plot([], [], marker + "-", color=charts.colour(k), label=short(name, 24))
    fig.legend(*axes[0].get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(0, 1 - 0.38 / height), ncols=4, fontsize=8)
    explained = "Solid: the efficiency on that platform. Dashed: the metric of the platforms so far (harmonic mean)."
    texts = [("Performance portability", height - 0.2, 10), (about, height - 0.38, 8), (explained, 0.12 + 0.16 * len(platforms), 8)]
    texts += [(f"P{k}  {p.name}", 0.1 + 0.16 * (len(platforms) - k), 8) for k, p in enumerate(platforms, 1)]
    for text, y, size in texts:
        fig.text(0.1 / charts.WIDTH, y / height, short(text, 840 // size), fontsize=size)
    said = [
        f"{name}: {METRICS[metric]} {'0' if not s.metric else three_digits(100 * s.metric) + ' %'}"
        for metric, scores in suites.items()
        for name, s in scores.items()
    ]
    description = f"Cascade plot over {plural(len(platforms), 'platform')}, {about}. The metric. {'; '.join(said)}"
    return charts.alone(*charts.drawn(fig, tips), "Performance portability", description)
