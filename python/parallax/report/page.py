# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The page: what was measured, one chart, the roofline and the tiers; all else is folded. Nothing in it comes from elsewhere, and nothing in it
calls out."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import datetime
from pathlib import Path

from . import bars, counted, energy, images, profile, ranks_model, roofline, scaling, sweeps, tables, tiers, versus
from .model import Case, Place, Source, differing, set_text
from .tables import Cell
from .text import h, plural, readable_bytes, readable_rate, short

HERE = Path(__file__).parent
CEILINGS = {
    "copy_bytes_per_second": ("copy", "B/s"),
    "triad_bytes_per_second": ("triad", "B/s"),
    "read_bytes_per_second": ("read", "B/s"),
    "write_bytes_per_second": ("write", "B/s"),
    "update_bytes_per_second": ("update", "B/s"),
    "fma_f32_flops_per_second": ("FMA f32", "FLOP/s"),
    "fma_f64_flops_per_second": ("FMA f64", "FLOP/s"),
}


def slug(text: str) -> str:
    """An identifier of the page that no name can break."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in text)
    return plain if plain == text else f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


class Page:
    """Collects sections and their entries in the table of contents."""

    def __init__(self):
        self.contents: list[tuple[str, str]] = []
        self.body: list[str] = []

    def section(self, title: str, *parts: str, key: str = "", intro: str = "", front: bool = False) -> None:
        """`front`: not folded."""
        key = slug(key or title.lower().replace(" ", "-"))
        about = f"<p>{h(intro)}</p>" if intro else ""
        head, inside = f"<h2>{h(title)}</h2>", f"{about}{''.join(parts)}"
        if front:
            self.contents.append((key, title))
            inside = head + inside
        else:
            if ("details", "Details") not in self.contents:
                self.contents.append(("details", "Details"))
                self.body.append('<h2 id="details">Details</h2>')
            inside = f'<details class="part"><summary>{head}</summary>{inside}</details>'
        self.body.append(f'<section id="{h(key)}">{inside}</section>')


def chart(svg: str, caption: str = "") -> str:
    note = f"<figcaption>{h(caption)}</figcaption>" if caption else ""
    return f'<figure class="chart"><div class="scroll" tabindex="0" role="group" aria-label="chart">{svg}</div>{note}</figure>'


def folded(summary: str, inside: str) -> str:
    return f"<details><summary>{h(summary)}</summary>{inside}</details>"


def some(values: list[str]) -> str:
    """Each once; of many, the first three."""
    values = list(dict.fromkeys(filter(None, values)))
    return ", ".join(short(v, 60) for v in values[:3]) + (f" and {len(values) - 3} more" if len(values) > 3 else "")


def size_of(source: Source) -> str:
    """The name of the size or of the size file, by the command."""
    command = source.text("command_line")
    found = re.search(r"--size[ =](\S+)", command)
    return f"size {Path(found[1]).stem}" if found else "size course" if re.search(r"\brun\b", command) else ""


def machines(places: list[Place]) -> str:
    threads = {}
    for p in places:
        threads[p.device] = max(threads.get(p.device, 0), p.threads)
    return some([short(device) + (f" ({plural(n, 'thread')})" if n else "") for device, n in threads.items()])


def about(sources: list[Source]) -> str:
    """Dates, sizes and commits, in a line."""
    commits = [s.text("git") or s.text("parallax_version") for s in sources]
    commits = ("commits " if len(set(commits)) > 1 else "commit ") + some(commits) if any(commits) else ""
    facts = [some(sorted(s.text("date")[:10] for s in sources)), some(list(map(size_of, sources))), commits]
    return f'<p class="about">{h(" · ".join(filter(None, facts)))}</p>'


def unfinished(sources: list[Source]) -> str:
    names = [Path(s.path).name for s in sources if s.context.get("complete") is False]
    return f'<p class="box odd" role="alert">Incomplete, because the run was stopped before the end: {h(some(names))}.</p>' if names else ""


def tiles(cases: list[Case]) -> str:
    counts = [
        ("cases", len(cases), ""),
        ("verified", sum(c.verified is True and not c.expected_to_fail for c in cases), "good"),
        ("FAILED", sum(c.failed for c in cases), "bad"),
        ("wrong on purpose", sum(c.expected_to_fail for c in cases), "odd"),
        ("not available", sum(bool(c.unavailable) for c in cases), "none"),
        ("exercises", len({c.exercise for c in cases}), ""),
    ]
    items = "".join(
        f'<li class="{look if n else "zero"}"><b>{n}</b> {h(name)}</li>'
        for name, n, look in counts
        if n or name == "FAILED"
    )
    return f'<ul class="tiles">{items}</ul>'


def failures(cases: list[Case]) -> str:
    """In plain sight, before all else."""
    failed = [c for c in cases if c.failed]
    if not failed:
        return ""
    rows = [[c.name, c.where(), c.compared, number(c.error), number(c.tolerance), c.source.tag] for c in failed]
    columns = ["case", "on", "what was compared", "error", "tolerance", "file"]
    text = f'<div class="box bad" role="alert"><h3>{h(plural(len(failed), "check"))} failed</h3>'
    return f"{text}<p>A wrong kernel has no speed: these cases are in no chart.</p>{tables.table('Failed checks', columns, rows)}</div>"


def judgements(page: Page, cases: list[Case], warnings: list[str]) -> None:
    odd = [c for c in cases if c.expected_to_fail]
    absent = [c for c in cases if c.unavailable]
    parts = []
    if odd:
        rows = [
            [c.name, c.where(), Cell(c.status, None, "odd"), c.compared, number(c.error), c.source.tag] for c in odd
        ]
        parts.append(
            '<div class="box odd"><h3>Wrong on purpose</h3><p>Variants that show a mistake, and are expected to fail.</p>'
        )
        parts.append(
            tables.table("Expected to fail", ["case", "on", "outcome", "what was compared", "error", "file"], rows)
            + "</div>"
        )
    if absent:
        rows = [[c.name, c.unavailable, c.source.tag] for c in absent]
        parts.append(
            folded(
                f"{plural(len(absent), 'case')} not available",
                tables.table("Not available", ["case", "why", "file"], rows),
            )
        )
    if warnings:
        parts.append('<ul class="box note">' + "".join(f"<li>{h(w)}</li>" for w in warnings) + "</ul>")
    if parts:
        page.section("Checks", *parts)


def number(x: float | None) -> Cell:
    return Cell("not a number") if x is None else Cell(f"{x:.3g}", x)


def conditions(page: Page, sources: list[Source], places: list[Place]) -> None:
    facts = [
        ("program", lambda s: s.text("program") or "kokkos"),
        ("date", lambda s: s.text("date")),
        ("host", lambda s: s.text("host_name")),
        ("processors", lambda s: s.text("num_cpus")),
        ("Parallax", lambda s: " ".join(filter(None, [s.text("parallax_version"), s.text("git")]))),
        ("Kokkos", lambda s: s.text("kokkos_version")),
        ("Kokkos Kernels", lambda s: s.text("kokkos_kernels_version")),
        ("compiler", lambda s: s.text("compiler")),
        ("flags", lambda s: s.text("flags")),
        ("Slurm job", lambda s: s.text("slurm_job_id")),
        ("site", lambda s: s.text("site")),
        ("MPI ranks", lambda s: s.text("mpi_ranks")),
        ("command", lambda s: s.text("command_line")),
        (
            "complete",
            lambda s: {"True": "yes", "False": "no: it was stopped"}.get(s.text("complete"), s.text("complete")),
        ),
    ]
    cards = []
    for s in sources:
        rows = "".join(f"<dt>{h(name)}</dt><dd>{h(value(s))}</dd>" for name, value in facts if value(s))
        missing = s.context.get("missing_spaces")
        if isinstance(missing, dict):
            rows += "".join(f"<dt>no {h(space)}</dt><dd>{h(why)}</dd>" for space, why in missing.items())
        cards.append(f'<div class="card"><h3>{h(s.tag)}: {h(Path(s.path).name)}</h3><dl>{rows}</dl></div>')
    rows = []
    for p in places:
        row = [
            Cell(p.label),
            {"kokkos": "Kokkos"}.get(p.program, p.program) + (f", {p.library}" if p.library else ""),
            p.device,
            Cell(str(p.threads), p.threads) if p.on_host else "device",
            Cell(readable_bytes(p.memory), p.memory) if p.memory else "",
        ]
        for name, (_, unit) in CEILINGS.items():
            value = p.ceilings.get(name)
            row.append(Cell(readable_rate(value, unit), value) if value else "")
        rows.append([*row, ", ".join(p.sources)])
    columns = ["space", "program", "device", "threads", "memory", *(name for name, _ in CEILINGS.values()), "file"]
    intro = (
        "Ceilings are measured in the same run: what a simple kernel reaches in that space. Those of caches are measured once on a"
        " machine and kept; a row whose arrays fit a cache is held against that cache's."
    )
    page.section(
        "Where and how",
        tables.table("Spaces, their devices and measured ceilings", columns, rows),
        f'<div class="cards">{"".join(cards)}</div>',
        intro=intro,
    )


def main_place(places: list[Place], cases: list[Case]) -> Place | None:
    """Whose roofline and tiers come first: Kokkos's, a device before the host, the one with most cores."""
    found = [p for p in places if p.program == "kokkos" and any(c.place is p and c.fair for c in cases)]
    return max(found, key=lambda p: (not p.on_host, p.threads), default=None)


TIERS = (
    "The fastest verified kernel of each tier, the same problem on the same device. lesson: plain Kokkos; tuned: what it"
    " takes to come near the ceiling, and how many times as fast as the lesson; library: a routine of Kokkos or of the vendor, and"
    " how many times as fast as the best of both."
)


def headlines(page: Page, cases: list[Case], places: list[Place]) -> None:
    """What is seen first."""
    place = main_place(places, cases)
    pairs = versus.processors(cases)
    if pairs:
        fast, slow, best = versus.sides(pairs)
        title = f"times as fast on {fast} as on {slow}, log scale (left of 1: {slow} is faster)"
        drawn, table = versus.section(pairs, f"{best}: both sides", title)
        intro = f"The best verified Kokkos variant on {fast} against the best on {slow}: the same problem and precision."
        page.section(best, chart(drawn, versus.left_out(pairs)), folded("Table: both sides", table), intro=intro, front=True)
    if place and (drawn := roof(place, places, cases)):
        page.section("Roofline", drawn, front=True)
    table = tiers.comparison(cases, place)
    if table:
        page.section("What plain Kokkos gets, what tuning adds, what a library has", table, intro=TIERS, key="tiers", front=True)


def roof(place: Place, places: list[Place], cases: list[Case]) -> str:
    shown = roofline.points(place, places, cases)
    if not shown or not place.ceilings:
        return ""
    others = roofline.bandwidth_only(place, cases)
    caption = f"{place.described()}. Half-filled marks: Python twins on the same processor."
    if others:
        caption += f" {plural(others, 'case')} without floating-point work: their roof is bandwidth, in percent of ceiling below."
    rows = [
        [
            c.name,
            Cell(f"{c.flops / c.bytes:.3g} FLOP/B", c.flops / c.bytes),
            Cell(readable_rate(c.flops / c.ns * 1e9, "FLOP/s"), c.flops / c.ns),
            Cell(readable_rate(c.bytes / c.ns * 1e9, "B/s"), c.bytes / c.ns),
            Cell(f"{c.percent:.1f} % {c.ceiling}", c.percent) if c.percent is not None else "",
        ]
        for c in shown
    ]
    table = tables.table(f"Points of the roofline of {place.label}", ["case", "intensity", "FLOP/s", "B/s", "of ceiling"], rows)
    return chart(roofline.chart(place, shown), caption) + folded("Table", table)


def comparisons(page: Page, cases: list[Case], places: list[Place]) -> None:
    pairs = versus.peers(cases)
    if pairs:
        title = "times as fast in Kokkos as in Python, log scale (left of 1: Python is faster)"
        drawn, table = versus.section(pairs, "Kokkos against Python: both sides", title)
        intro = "The best Kokkos variant against the best Python twin on the same kind of processor, the same problem and precision."
        page.section("Kokkos against Python", chart(drawn, versus.left_out(pairs)), table, intro=intro)
    groups = bars.phase_groups(cases)
    if groups:
        rows = [
            [n, phase, c.variant, c.where(), tables.time(c.ns), c.source.tag]
            for n, best in groups
            for phase, c in best.items()
        ]
        table = tables.table(
            "Phases of the fastest variants", ["case", "phase", "variant", "on", "time", "file"], rows, ("phase",)
        )
        page.section("Kernel, transfer, end to end", chart(bars.phases(groups[:60])), table)
    main = main_place(places, cases)
    drawn = [f"<h3>{h(p.label)}</h3>{text}" for p in places if p is not main and (text := roof(p, places, cases))]
    if drawn:
        page.section("Rooflines of the other spaces", *drawn)
    if table := tiers.comparison(cases):
        page.section("Tiers in every space, of every problem", table, intro=TIERS)


def exercise(page: Page, name: str, cases: list[Case], curves: list[scaling.Curve]) -> None:
    parts = []
    drawn = bars.times(name, cases)
    if drawn:
        svg, shown = drawn
        timed = sum(c.timed and not c.whole for c in cases)
        caption = ""
        same = {n: v for n, v in shown[0].parameters.items() if n not in (*differing(shown), "seed", "threads")}
        if same:
            caption = set_text(same) + ". "
        if len(shown) < timed:
            caption += (
                f"{len(shown)} of {timed} timed cases: of each kind the largest; all are in the table of all cases."
            )
        parts.append(chart(svg, caption))
        parts.append(folded(f"Table: {plural(len(shown), 'case')}", tables.cases(f"{name}: times and checks", shown)))
    for sweep in sweeps.find(name, cases):
        title = f"{'Scaling' if sweep.scaling else 'Sweep'} over {sweep.parameter}"
        caption = f"{plural(sweep.left_out, 'curve')} more in the table of all cases." if sweep.left_out else ""
        parts.append(f"<h3>{h(title)}</h3>" + chart(sweeps.chart(sweep), caption))
        parts.append(folded("Table", tables.cases(f"{name}: {title.lower()}", sweep.cases())))
    for weak in (False, True):
        shown, caption = scaling.shown(curves, weak), scaling.caption(name, cases, curves, weak)
        if shown or caption:
            parts.append(f"<h3>{scaling.title(weak)}</h3>")
            parts.append(chart(scaling.chart(name, shown, weak), caption) if shown else f"<p>{h(caption)}</p>")
            parts.append(folded("Table", scaling.table(name, shown, weak)) if shown else "")
    series = energy.best(cases)
    if series:
        parts.append("<h3>Time against energy</h3>" + chart(energy.chart(name, series), energy.caption(series)))
        parts.append(folded("Table", energy.table(name, series)))
    if not parts:
        parts.append(tables.cases(f"{name}: not timed", cases[:200]))
    page.section(name, *parts, key="exercise-" + name)


def page(title, sources, places, cases, warnings, pictures, timers, network: ranks_model.Link | None = None) -> str:
    p = Page()
    headlines(p, cases, places)
    judgements(p, cases, warnings)
    names = list(dict.fromkeys(c.exercise for c in cases))
    if pictures:
        p.section("Pictures", images.figures(pictures, names))
    comparisons(p, cases, places)
    curves = {name: scaling.find([c for c in cases if c.exercise == name], network) for name in names}
    for name in names:
        exercise(p, name, [c for c in cases if c.exercise == name], curves[name])
    every = [curve for found in curves.values() for weak in (False, True) for curve in scaling.shown(found, weak)]
    if every:
        p.section("Past these machines", *scaling.section(every, network), intro=scaling.INTRO)
    table = tiers.computed(cases)
    if table:
        intro = "What the verified rows report; where they differ, the least and the greatest. Of a sweep: its largest size."
        p.section("Results", table, intro=intro)
    if table := counted.table(cases):
        drawn = bars.moved(cases)
        p.section("Counters", *([chart(drawn)] if drawn else []), table, intro=counted.INTRO)
    for path in timers:
        p.section("Kernel timer", profile.section(path), key=f"kernel-timer-{path}")
    conditions(p, sources, places)
    p.section("All cases", tables.all_cases(cases))
    return document(title or f"Parallax on {machines(places)}", about(sources) + tiles(cases) + unfinished(sources) + failures(cases), p)


def document(title: str, head: str, p: Page) -> str:
    style, script = (HERE / "page.css").read_text("utf-8"), (HERE / "page.js").read_text("utf-8")
    # The only script that may run is this one, and nothing may be fetched: a hostile name could do nothing even if it
    # came through as markup.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    contents = "".join(f'<li><a href="#{h(key)}">{h(short(name))}</a></li>' for key, name in p.contents)
    made = datetime.now().astimezone().isoformat(timespec="minutes")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f'<link rel="icon" href="data:,"><title>{h(title)}</title><style>{style}</style></head>\n<body>'
        f"<header><h1>{h(title)}</h1>{head}</header>"
        f'<nav aria-label="Contents"><ul>{contents}</ul></nav><main>{"".join(p.body)}</main>'
        f"<footer>Made by parallax report on {h(made)}.</footer><script>{script}</script></body></html>\n"
    )
