# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Strong and weak scaling over ranks: what was measured, the ideal, and the model's line past it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from . import charts, tables
from .model import Case, differing, label
from .ranks_model import COSTS, NETWORK, NODES, Link, Machine, Messages, Model, efficiency
from .sweeps import RANKS
from .tables import Cell
from .text import plural, readable_bytes, readable_rate, readable_time, three_digits

MOST_CURVES = 6
INTRO = (
    "The model behind the dashed lines. R ranks share what one rank computes (strong) or compute as much each (weak), evenly and"
    " as fast as measured; then they send, and nothing overlaps. Launches and noise cost nothing"
    " here, so real runs do no better."
)


@dataclass
class Curve:
    cases: list[Case]  # by ranks
    weak: bool
    model: Model | None
    unknown: str = ""  # why there is no model

    def efficiency(self, c: Case) -> float:
        first = self.cases[0]
        return efficiency(ranks(first), first.ns, ranks(c), c.ns, self.weak)


def ranks(c: Case) -> int:
    return c.ranks or 1


def comparable(c: Case) -> bool:
    return c.timed and not c.failed and not c.expected_to_fail


def family(c: Case) -> tuple:
    """The same kernel on the same problem, on the same device with the same number of threads a rank."""
    rest = tuple(sorted((n, repr(v)) for n, v in c.parameters.items() if n not in (*RANKS, "seed")))
    return c.variant, c.precision, c.phase, c.place.index, c.threads, rest


def way(c: Case) -> tuple[str, list[dict[str, float]]]:
    return c.source.links_of("" if c.sends_from_host else c.place.space)


def by_way(curves: list[Curve]) -> list[Case]:
    """The last case of a curve for each file and way of sending."""
    return list({(id(c.source), way(c)[0]): c for c in (curve.cases[-1] for curve in reversed(curves))}.values())[::-1]


def machine(c: Case, network: Link | None) -> Machine | None:
    """What the ranks of this case's file could do; None where no links were measured."""
    _, links = way(c)
    if not links:
        return None
    measured = Link(links[0]["one_way_ns"], links[-1]["bytes"] / links[-1]["one_way_ns"])
    return Machine(measured, network or (measured if c.source.nodes > 1 else NETWORK), c.source.ranks_a_node)


def modelled(curve: list[Case], weak: bool, network: Link | None) -> Curve:
    last = curve[-1]
    if last.messages is None:
        return Curve(curve, weak, None, "its file does not say what it sends")
    others = [pattern for pattern, _ in last.messages if pattern not in COSTS]
    if others:
        return Curve(curve, weak, None, f"messages of pattern '{others[0]}' are not in the model")
    on = machine(last, network)
    if on is None and last.messages:
        return Curve(curve, weak, None, "its file has no links")
    on = on or Machine(NETWORK, NETWORK, last.source.ranks_a_node)
    sent = {ranks(c): c.messages for c in curve if c.ranks > 1 and c.messages is not None}
    return Curve(curve, weak, Model(on, Messages(sent, weak), ranks(curve[0]), curve[0].ns, weak))


def find(cases: list[Case], network: Link | None) -> list[Curve]:
    """Of an exercise: each row that was timed on several counts of ranks."""
    families = defaultdict(list)
    for c in cases:
        if comparable(c):
            families[family(c)].append(c)
    curves = []
    for group in families.values():
        for weak in (False, True):
            curve = {}
            for c in group:
                if ranks(c) == 1 or c.weak == weak:
                    curve.setdefault(ranks(c), c)
            if len(curve) > 1:
                curves.append(modelled([curve[count] for count in sorted(curve)], weak, network))
    return sorted(curves, key=lambda curve: (-ranks(curve.cases[-1]), curve.cases[-1].ns))


def shown(curves: list[Curve], weak: bool) -> list[Curve]:
    """Those that go furthest, and of them the fastest."""
    return [curve for curve in curves if curve.weak == weak][:MOST_CURVES]


def title(weak: bool) -> str:
    return f"{'Weak' if weak else 'Strong'} scaling over ranks"


def caption(exercise: str, cases: list[Case], curves: list[Curve], weak: bool) -> str:
    mine = [curve for curve in curves if curve.weak == weak]
    said = []
    if mine:
        said.append(f"Solid: measured. Dashed: the model, up to {NODES} nodes. Dotted: ideal.")
    if len(mine) > MOST_CURVES:
        said.append(f"{plural(len(mine) - MOST_CURVES, 'curve')} more in the table of all cases.")
    for why in dict.fromkeys(curve.unknown for curve in mine[:MOST_CURVES] if curve.unknown):
        named = [curve.cases[-1].name for curve in mine if curve.unknown == why]
        said.append(f"No model of {plural(len(named), 'curve')}: {why}. The first: {named[0]}.")
    drawn = {family(curve.cases[0]) for curve in mine}
    alone = [c for c in cases if comparable(c) and c.ranks > 1 and c.weak == weak and family(c) not in drawn]
    if alone:
        said.append(
            f"In no curve, for want of the same problem on another count of ranks on the same device with as many threads a rank:"
            f" {plural(len(alone), 'row')}. The first: {alone[0].name} [{alone[0].source.tag}]."
        )
    return " ".join(said)


def chart(exercise: str, curves: list[Curve], weak: bool) -> str:
    ends = [curve.cases[-1] for curve in curves]
    names = [label(c, [n for n in differing(ends) if n not in RANKS], most=38) for c in ends]
    right = 0.45 + max(charts.text_width(text, 8) for text in [*names, charts.HOLLOW])
    fig, (axis,) = charts.figure(3.3, left=0.85, right=min(right, 3.3), top=0.32, bottom=0.5)
    axis.set_xscale("log", base=2)
    first = min(ranks(curve.cases[0]) for curve in curves)
    last = max(max(ranks(curve.cases[-1]), curve.model.most if curve.model else 1) for curve in curves)

    def height(curve: Curve, count: int, share: float) -> float:
        return 100 * share if weak else count * share

    tips = charts.Tips()
    for k, (curve, name) in enumerate(zip(curves, names)):
        look = {"color": charts.colour(k)}
        marker = charts.MARKERS[k % len(charts.MARKERS)]
        points = [height(curve, ranks(c), curve.efficiency(c)) for c in curve.cases]
        axis.plot([ranks(c) for c in curve.cases], points, marker + "-", markersize=0, linewidth=1.4, **look)
        axis.plot([], [], marker + "-", label=name, markersize=5, linewidth=1.4, **look)
        for c, y in zip(curve.cases, points):
            (mark,) = axis.plot(ranks(c), y, marker, markersize=5, **charts.mark(c.disturbed, look["color"]))
            tips.on(mark, f"{c.name}: {plural(ranks(c), 'rank')}, {readable_time(c.ns)}, efficiency {charts.percent(100 * curve.efficiency(c))}{c.disturbed}")
        if curve.model:
            counts = curve.model.counts()
            line = [height(curve, count, curve.model.efficiency(count)) for count in counts]
            (dashed,) = axis.plot(counts, line, "--", linewidth=1.1, **look)
            tips.on(dashed, f"{name}: the model, {charts.percent(100 * curve.model.efficiency(counts[-1]))} on {plural(counts[-1], 'rank')}")
    ideal = [height(curves[0], count, 1.0) for count in (first, last)]
    axis.plot([first, last], ideal, color=charts.MUTED, linewidth=1, linestyle=":", label="ideal")
    axis.plot([], [], "--", color=charts.MUTED, linewidth=1.1, label="model")
    charts.explain_hollow(axis, any(c.disturbed for curve in curves for c in curve.cases))
    ticks = [first * 2**k for k in range(64) if first * 2**k <= last]
    ticks = ticks[:: -(-len(ticks) // 9)]
    charts.values_on_axis(axis.xaxis, ticks)
    if weak:
        axis.set_ylim(0, 1.05 * max(100.0, *(100 * curve.efficiency(c) for curve in curves for c in curve.cases)))
        axis.set_title("efficiency in % (more is better)")
    else:
        axis.set_yscale("log", base=2)
        charts.values_on_axis(axis.yaxis, ticks)
        axis.set_title("speed-up (more is better)")
    axis.set_xlabel("ranks")
    axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.03), fontsize=8, handlelength=1.6, borderpad=0, labelspacing=0.4)
    text = f"Line chart of {plural(len(names), 'curve')} from {first} to {last} ranks, with the ideal and a model: {', '.join(names)}."
    return charts.svg(fig, f"{title(weak)}: {exercise}", text, tips)


def share(x: float) -> Cell:
    return Cell(charts.percent(100 * x), x)


def table(exercise: str, curves: list[Curve], weak: bool) -> str:
    rows = []
    for curve in curves:
        for c in curve.cases:
            measured = curve.efficiency(c)
            speed_up = ranks(c) * measured
            model = curve.model
            rows.append(
                [
                    c.name,
                    Cell(str(ranks(c)), ranks(c)),
                    tables.time(c.ns),
                    Cell(three_digits(speed_up), speed_up),
                    share(measured),
                    tables.time(model.time(ranks(c))) if model else "",
                    share(model.efficiency(ranks(c))) if model else curve.unknown,
                    c.source.tag,
                ]
            )
    columns = ["case", "ranks", "time", "speed-up", "efficiency", "model's time", "model's efficiency", "file"]
    return tables.table(f"{exercise}: {title(weak).lower()}", columns, rows, ("ranks", "file"))


def sends(messages: list[tuple[str, float]], count: int) -> str:
    words = {"sum": "a sum of {}", "to_neighbour": "{} to a neighbour", "to_all": "{} to each other rank"}
    return ", ".join(words[pattern].format(readable_bytes(size)) for pattern, size in messages) or "nothing"


def assumptions(curves: list[Curve], network: Link | None) -> str:
    rows = []
    sources = {}
    for c in by_way([curve for curve in curves if curve.model]):
        source, on = c.source, machine(c, network)
        sources[source.tag] = source
        if on:
            between = "given" if network else "measured between nodes" if source.nodes > 1 else "assumed: no two nodes were measured"
            inside = "measured, one way, " + ("between nodes" if source.nodes > 1 else "on one node")
            inside += "" if way(c)[0] == "host" else f", {way(c)[0]}"
            for what, link, origin in (("a node", on.inside, inside), ("the network", on.between, between)):
                rate = "rate" if what == "a node" else "rate of a node"
                rows.append([f"latency within {what}" if what == "a node" else f"latency of {what}", readable_time(link.latency), origin, source.tag])
                rows.append([f"{rate} within {what}" if what == "a node" else f"{rate} on {what}", readable_rate(link.rate * 1e9, "B/s"), origin, source.tag])
    for tag, source in sources.items():
        rows.append(["ranks a node", str(source.ranks_a_node), "as the ranks of this file", tag])
    rows.append(["nodes", str(NODES), "at most", ""])
    names = {"sum": "a sum over R ranks", "to_neighbour": "to a neighbour", "to_all": "to each other rank"}
    rows += [[f"time of a message: {names[pattern]}", cost, "the model", ""] for pattern, cost in COSTS.items()]
    return tables.table("Assumptions of the model", ["assumption", "value", "from", "file"], rows)


def predictions(curves: list[Curve]) -> str:
    rows = []
    for curve in curves:
        c, model = curve.cases[-1], curve.model
        row = [c.name, "weak" if curve.weak else "strong"]
        if not model:
            rows.append([*row, "", share(curve.efficiency(c)), curve.unknown, "", "", "", c.source.tag])
            continue
        most, stops = model.most, model.stops()
        rows.append(
            [
                *row,
                sends(c.messages, ranks(c)),
                share(curve.efficiency(c)),
                share(model.efficiency(ranks(c))),
                share(model.efficiency(most)),
                tables.time(model.time(most)),
                Cell(plural(stops, "rank"), stops) if stops else Cell(f"not up to {most} ranks", most + 1),
                c.source.tag,
            ]
        )
    columns = ["case", "scaling", "each rank sends", "efficiency", "model's", f"model's on {NODES} nodes", "time there", "under 50 % on", "file"]
    return tables.table("Where the model stops scaling", columns, rows, ("scaling", "file"))


def links(curves: list[Curve], network: Link | None) -> str:
    """Sums and exchanges between all, measured, and what the model makes of the messages between two."""
    rows = []
    for c in by_way(curves):
        on = machine(c, network)
        name, measured = way(c)
        for link in measured:
            size, times = link["bytes"], []
            for pattern, field in (("sum", "all_reduce_ns"), ("to_all", "all_to_all_ns")):
                times += [tables.time(link[field]), tables.time(on.message(pattern, size, ranks(c)))]
            rows.append([Cell(readable_bytes(size), size), name, Cell(str(ranks(c)), ranks(c)), *times, c.source.tag])
    columns = ["message", "way", "ranks", "a sum", "model's", "all to all", "model's", "file"]
    return tables.table("Messages: measured and the model's", columns, rows) if rows else ""


def section(curves: list[Curve], network: Link | None) -> list[str]:
    return [assumptions(curves, network), predictions(curves), links(curves, network)]
