# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The command line of make_portability.py, which `parallax portability` hands over to: its tables, its files."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import textwrap
from collections import defaultdict

from ..errors import Refusal
from ..files import refuse_output, write_text
from ..program import Parser, exit_status, say
from ..words import suggestion
from . import load, portability
from .drawing import need_matplotlib
from .model import Case
from .portability import METRICS, Analysis, Score
from .text import plural, three_digits


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="parallax portability",
        description="The performance-portability metric of several machines' results: of the measured ceilings, and of the best known times.",
    )
    parser.add_argument("files", nargs="+", metavar="A.json", help="results files")
    parser.add_argument("-o", "--output", metavar="OUT.svg", help="the cascade plot of the suite")
    parser.add_argument("--p3", metavar="FILE.csv", help="problem, platform, application, fom: for the P3 Analysis Library")
    parser.add_argument("--json", metavar="FILE", help="all of it, for programs")
    parser.add_argument("--exercise", metavar="A,B", help="only these")
    parser.add_argument("--precision", metavar="A,B", help="only these")
    return parser.parse_args(arguments)


def chosen(cases: list[Case], part: str, text: str | None) -> list[Case]:
    """Those whose exercise, say, is one of a list."""
    if text is None:
        return cases
    known = list(dict.fromkeys(getattr(c, part) for c in cases))
    for word in text.split(","):
        if word not in known:
            raise Refusal(f"--{part}: these files have no rows of '{word}'{suggestion(word, known)}")
    return [c for c in cases if getattr(c, part) in text.split(",")]


def cell(e: float | None) -> str:
    return "-" if e is None else f"{three_digits(100 * e)} %" if e else "0"


def table(analysis: Analysis, metric: str) -> str:
    """A line for each application, under its problem; at the end the suite. One platform of several says nothing of portability."""
    several = min(2, len(analysis.platforms))
    shown = [p for p in analysis.problems if len(p.platforms) >= several]
    blocks = [(p.name, {n: p.score(n, metric) for n in p.applications}, p.platforms) for p in shown]
    scores = portability.suite(analysis, metric)
    count = max((s.problems for s in scores.values()), default=0)
    blocks.append((f"suite: {plural(count, 'problem')} judged on all platforms", scores, analysis.platforms))
    head = ["", *(f"P{k}" for k in range(1, len(analysis.platforms) + 1)), "metric", "where it runs"]
    rows: list[list[str]] = []
    for name, found, platforms in blocks:
        lines = []
        for application, s in found.items():
            if s.where_it_runs is not None:
                here = dict(zip(map(id, platforms), s.efficiencies))
                cells = [cell(here[id(p)]) if id(p) in here else "" for p in analysis.platforms]
                fewer = f" ({plural(s.problems, 'problem')})" if found is scores and s.problems < count else ""
                lines.append([f"  {application}{fewer}", *cells, cell(s.metric), cell(s.where_it_runs)])
        rows += [[name], *lines] if lines else []
    widths = [max(len(row[k]) for row in [head, *rows] if len(row) > 1) for k in range(len(head))]
    text = f"\n{METRICS[metric]}\n"
    for row in [head, *rows]:
        text += "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]).rstrip() + "\n"
    return text


def listed(analysis: Analysis) -> str:
    groups = defaultdict(list)
    for e in analysis.excluded:
        groups[e.rule, e.detail].append(f"{e.case.name} [{e.case.source.tag}]")
    text = ""
    for (rule, detail), names in sorted(groups.items()):
        line = f"{rule}{f' ({detail})' if detail else ''}: {', '.join(names)}"
        text += textwrap.fill(line, 130, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False) + "\n"
    return f"excluded: {plural(len(analysis.excluded), 'row')}\n{text}"


def p3_text(analysis: Analysis) -> str:
    """A line for each problem, platform and application; fom: nanoseconds, nothing where it does not run."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["problem", "platform", "application", "fom"])
    for p in analysis.problems:
        for application, efficiencies in p.applications.items():
            for platform, e in zip(p.platforms, efficiencies):
                if e.of_best is not None:
                    writer.writerow([p.name, platform.name, application, repr(e.ns) if e.ns else ""])
    return out.getvalue()


def score_json(s: Score, platforms: list) -> dict:
    here = {p.name: e for p, e in zip(platforms, s.efficiencies)}
    return {"metric": s.metric, "where_it_runs": s.where_it_runs, "problems": s.problems, "efficiencies": here}


def json_text(analysis: Analysis) -> str:
    problems = []
    for p in analysis.problems:
        applications = {}
        for name, efficiencies in p.applications.items():
            rows = {q.name: e.row.name if e.row else e.why for q, e in zip(p.platforms, efficiencies)}
            applications[name] = {"rows": rows, **{m: score_json(p.score(name, m), p.platforms) for m in METRICS}}
        one = {"name": p.name, "exercise": p.one.exercise, "precision": p.one.precision, "phase": p.one.phase, "parameters": p.parameters()}
        problems.append({**one, "applications": applications})
    suites = {m: {n: score_json(s, analysis.platforms) for n, s in portability.suite(analysis, m).items()} for m in METRICS}
    excluded = [{"file": e.case.source.path, "name": e.case.name, "rule": e.rule, "detail": e.detail} for e in analysis.excluded]
    platforms = [{"name": p.name, "device": p.device, "threads": p.threads, "spaces": p.spaces} for p in analysis.platforms]
    return json.dumps({"platforms": platforms, "problems": problems, "suite": suites, "excluded": excluded}, indent=1) + "\n"


def write_picture(path: str, analysis: Analysis) -> None:
    from . import cascade  # only a picture needs matplotlib

    suites = {m: {n: s for n, s in portability.suite(analysis, m).items() if s.efficiencies} for m in METRICS}
    suites = {m: scores for m, scores in suites.items() if scores}
    if not suites:
        raise Refusal("-o: no problem was judged on all platforms, so there is no suite to draw; --exercise and --json show the others")
    exercises = list(dict.fromkeys(p.one.exercise for p in analysis.problems))
    about = f"{', '.join(exercises) if len(exercises) < 5 else plural(len(exercises), 'exercise')}; {plural(len(analysis.platforms), 'platform')}"
    write_text(path, cascade.picture(analysis.platforms, suites, about))


def make_portability(arguments: list[str]) -> int:
    options = parse(arguments)
    if options.output is not None:
        need_matplotlib()
    outputs = [path for path in (options.output, options.p3, options.json) if path is not None]
    for k, path in enumerate(outputs):
        refuse_output(path, [*options.files, *outputs[:k]])
    _, places, cases, warnings = load.load(options.files)
    for part in ("exercise", "precision"):
        cases = chosen(cases, part, getattr(options, part))
    analysis = portability.analyse(places, cases)
    if not analysis.problems:
        rules = ", ".join(dict.fromkeys(e.rule for e in analysis.excluded)) or "none is of a kernel"
        raise Refusal(f"no row of these files counts: {plural(len(analysis.excluded), 'row')} excluded ({rules})")
    for warning in warnings:
        print(f"parallax: {warning}", file=sys.stderr)
    if options.output is not None:
        write_picture(options.output, analysis)
    if options.p3 is not None:
        write_text(options.p3, p3_text(analysis))
    if options.json is not None:
        write_text(options.json, json_text(analysis))
    say(listed(analysis) + "".join(table(analysis, metric) for metric in METRICS if analysis.applications(metric)))
    alone = sum(len(p.platforms) == 1 < len(analysis.platforms) for p in analysis.problems)
    say("\n" + (f"left out: {plural(alone, 'problem')} on one platform alone (--json has them)\n" if alone else ""))
    say("".join(f"P{k}: {p.name}\n" for k, p in enumerate(analysis.platforms, 1)))
    say("-: not known, because its rows are excluded or a run was stopped; 0: it does not run, or was not verified\n")
    return 0


def main(arguments: list[str] | None = None) -> int:
    return exit_status("parallax", lambda: make_portability(sys.argv[1:] if arguments is None else arguments))
