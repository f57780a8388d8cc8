# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The command line of run_twins: the C++ program's options, words and exit statuses."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from ..program import Parser, exit_status
from .catalogue import read_catalogue
from .interrupt import watch_signals
from .parameters import parse_assignments, parse_integer, parse_real
from .run import Run
from .select import load_exercises, select_cases
from .spaces import FAMILIES, SPACES


def _list(text: str) -> list[str]:
    return text.split(",")


def _whole(least: int) -> Callable[[str], int]:
    def parse_whole(text: str) -> int:
        value = parse_integer(text)
        if value is None or value < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least}")
        return value

    return parse_whole


def _seconds(text: str) -> float:
    value = parse_real(text)
    if value is None or value < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds")
    return value


def make_parser() -> Parser:
    parser = Parser(
        prog="run_twins",
        description="Runs, verifies and times the Python twins of Parallax's exercises.",
        epilog="Exit status: 0 verified, 1 a check failed, 2 bad usage, 3 the machine could not.",
    )
    add = parser.add_argument
    add("exercises", nargs="*", metavar="EXERCISE", help="names, or all (default: all)")
    add("--size", default="course", help="tiny, demo, course, large or FILE.json (default: course)")
    add("--set", action="extend", type=parse_assignments, default=[], metavar="NAME=VALUE,...",
        help="parameters: n=1000,bins=120")  # fmt: skip
    add("--seed", type=_whole(0), default=12345, help="of all random inputs (default: 12345)")
    for flag, text in (
        ("--space", f"{', '.join([*SPACES, *FAMILIES])} or all (default: all that can be used here)"),
        ("--variant", "ways to write it (default: all)"),
        ("--precision", "f32, f64, ... or all (default: each exercise's own)"),
    ):
        add(flag, action="extend", type=_list, default=[], metavar="A,B,...", help=text)
    add("--repeat", type=_whole(1), help="samples at least (default: 10)")
    add("--warmup", type=_whole(0), default=1, help="runs dropped before the samples (default: 1)")
    add("--min-time", type=_seconds, default=0.2, help="seconds of samples at least (default: 0.2)")
    add("--max-time", type=_seconds, default=0.3,
        help="seconds after which 3 samples do, unless --repeat is given (default: 0.3)")  # fmt: skip
    add("--json", metavar="FILE", help="write the results to FILE")
    add("--verify-only", action="store_true", help="check the results, measure nothing")
    add("--quiet", action="store_true", help="no progress and no summary, only the table")
    add("--parallax", metavar="PROGRAM", help="the C++ program, which knows the sizes (default: the one built)")
    add("--catalogue", metavar="FILE.json", help="what 'parallax list --json' printed, instead of the program")
    return parser


def parse(arguments: list[str]) -> argparse.Namespace:
    options = make_parser().parse_args(arguments)
    options.command_line = " ".join([*sys.argv[:1], *arguments])
    return options


def run_twins(arguments: list[str]) -> int:
    options = parse(arguments)
    catalogue = read_catalogue(options.parallax, options.catalogue)
    cases, missing = select_cases(options, load_exercises(), catalogue)
    watch_signals()
    return Run(cases, missing, options).execute()


def main(arguments: list[str] | None = None) -> int:
    return exit_status("run_twins", lambda: run_twins(sys.argv[1:] if arguments is None else arguments))
