# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""`parallax why`: what the counters of a row say, in a few sentences."""

from __future__ import annotations

import argparse
import sys

from ..errors import Refusal
from ..program import Parser, exit_status, say
from ..report import load
from ..report.model import Case
from ..report.text import plural
from ..words import suggestion
from .rules import Values, sentences

PARTS = "EXERCISE/VARIANT[/SPACE[/PRECISION]]"


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="parallax why", description="What bounds a row, by its counters, and what would help.")
    parser.add_argument("row", metavar=PARTS, help="as in the file's names")
    parser.add_argument("--results", metavar="FILE", default="results.json", help="of `run ... --counters --json FILE` (default: results.json)")
    return parser.parse_args(arguments)


def chosen(cases: list[Case], name: str, path: str) -> list[Case]:
    wanted = name.split("/")
    if len(wanted) < 2 or not all(wanted):
        raise Refusal(f"'{name}' is no {PARTS}")
    found = [c for c in cases if c.name.split("/")[: len(wanted)] == wanted]
    known = dict.fromkeys("/".join(c.name.split("/")[: len(wanted)]) for c in cases)
    if not found:
        raise Refusal(f"'{path}' has no row '{name}'{suggestion(name, known)}")
    counted = [c for c in found if c.counters]
    if not counted:
        raise Refusal(f"'{path}': '{name}' has no counters: `run ... --counters --json FILE` takes them")
    return counted


def said(c: Case) -> str:
    lines = sentences(Values(c.counters, c.percent, c.ceiling))
    if not lines:
        lines = [f"Nothing stands out in its {plural(sum(isinstance(v, float) for v in c.counters.values()), 'counter')}."]
    return f"{c.name}\n" + "".join(f"  {line}\n" for line in lines)


def why(arguments: list[str]) -> int:
    options = parse(arguments)
    _, cases = load.read_file(options.results, 0, load.Places())
    say("".join(said(c) for c in chosen(cases, options.row, options.results)))
    return 0


def main(arguments: list[str] | None = None) -> int:
    return exit_status("parallax", lambda: why(sys.argv[1:] if arguments is None else arguments))
