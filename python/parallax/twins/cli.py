# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The command line of run_peers: the C++ program's options, words and exit statuses."""

from __future__ import annotations

import argparse
import sys

from ..words import one_line, say
from .catalogue import read_catalogue
from .errors import MachineError, UsageError, suggestion
from .interrupt import watch_signals
from .parameters import parse_assignments, parse_integer, parse_real
from .run import Run, dry_run
from .select import Options, load_exercises, select_cases
from .spaces import FAMILIES, SPACES
from .timing import TimingOptions


class Parser(argparse.ArgumentParser):
    """One line for what it does not understand, with the near match."""

    def error(self, message: str):
        raise UsageError(message)

    def _print_message(self, message: str, file=None) -> None:
        say(message)  # the help

    def refuse_unknown(self, words: list[str]) -> None:
        for word in (w.partition("=")[0] for w in words if w.startswith("-")):
            options = [o for action in self._actions for o in action.option_strings if o.startswith("--")]
            raise UsageError(f"unknown option '{word}'{suggestion(word, options)}")
        if words:
            raise UsageError(f"unknown argument '{words[0]}'")


def _list(text: str) -> list[str]:
    return text.split(",")


def _add_catalogue_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--parallax", metavar="PROGRAM", help="the C++ program, asked for parameters and sizes (default: the one built)"
    )
    add("--catalogue", metavar="FILE.json", help="what 'parallax list --json' printed, instead of the program")


def make_parser(catalogue: dict[str, dict] | None) -> Parser:
    parser = Parser(
        prog="run_peers",
        allow_abbrev=False,
        description="Runs, verifies and times the Python twins of Parallax's exercises.",
        epilog="Exit status: 0 verified, 1 a check failed, 2 bad usage, 3 the machine could not.",
    )
    add = parser.add_argument
    spaces = ", ".join([*SPACES, *FAMILIES])
    add("exercises", nargs="*", metavar="EXERCISE", help="names, or all (default: all)")
    add("--size", default="course", help="tiny, course, large or FILE.json (default: course)")
    add("--set", action="append", default=[], metavar="NAME=VALUE,...", help="parameters: n=1000,bins=120")
    add("--seed", default="12345", help="of all random inputs (default: 12345)")
    for flag, text in (
        ("--space", f"{spaces} or all (default: all that can be used here)"),
        ("--variant", "ways to write it (default: all)"),
        ("--precision", "f32, f64, ... or all (default: each exercise's own)"),
    ):
        add(flag, action="append", type=_list, default=[], metavar="A,B,...", help=text)
    add("--repeat", help="samples at least (default: 10)")
    add("--warmup", default="1", help="runs dropped before the samples (default: 1)")
    add("--min-time", default="0.2", help="seconds of samples at least (default: 0.2)")
    add("--max-time", default="0.5", help="seconds after which 3 samples do, unless --repeat is given (default: 0.5)")
    add("--json", metavar="FILE", help="write the results to FILE")
    add("--csv", metavar="FILE", help="write one line per row to FILE")
    add("--verify-only", action="store_true", help="check the results, measure nothing")
    add("--dry-run", action="store_true", help="say what would be run, and run nothing")
    add("--quiet", action="store_true", help="no progress and no summary, only the table")
    _add_catalogue_options(parser)
    parameters = parser.add_argument_group("parameters (also by --set)")
    for name, help_text in sorted(_parameters(catalogue).items()):
        option = "--" + name.replace("_", "-")
        parameters.add_argument(option, dest="parameter_" + name, metavar="VALUE", help=help_text.replace("%", "%%"))
    return parser


def _parameters(catalogue: dict[str, dict] | None) -> dict[str, str]:
    """Name and help of every parameter; --bins 120 is --set bins=120."""
    exercises = (catalogue or {}).values()
    return {spec["name"]: spec.get("help", "") for e in exercises for spec in e["parameters"]}


def _whole(flag: str, text: str, least: int) -> int:
    value = parse_integer(text)
    if value is None or value < least:
        raise UsageError(f"{flag}: '{text}' is not a whole number from {least}")
    return value


def _seconds(flag: str, text: str) -> float:
    value = parse_real(text)
    if value is None or value < 0:
        raise UsageError(f"{flag}: '{text}' is not a number of seconds")
    return value


def _join_negative(arguments: list[str]) -> list[str]:
    """--real -2,0.5 becomes --real=-2,0.5, which argparse does not take for an option."""
    joined: list[str] = []
    for word in arguments:
        if word[:1] == "-" and word[1:2].isdigit() and joined and joined[-1].startswith("--"):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def find_catalogue(arguments: list[str]) -> dict[str, dict] | None:
    """The catalogue that the arguments name, before the rest of them can be understood."""
    parser = Parser(add_help=False, allow_abbrev=False)
    _add_catalogue_options(parser)
    typed, _ = parser.parse_known_args(arguments)
    return read_catalogue(typed.parallax, typed.catalogue)


def parse(arguments: list[str], catalogue: dict[str, dict] | None) -> Options:
    parser = make_parser(catalogue)
    typed, unknown = parser.parse_known_intermixed_args(_join_negative(arguments))
    parser.refuse_unknown(unknown)
    timing = TimingOptions(
        repeat=_whole("--repeat", "10" if typed.repeat is None else typed.repeat, 1),
        repeat_given=typed.repeat is not None,
        warmup=_whole("--warmup", typed.warmup, 0),
        min_time=_seconds("--min-time", typed.min_time),
        max_time=_seconds("--max-time", typed.max_time),
    )
    given = {name: getattr(typed, "parameter_" + name) for name in _parameters(catalogue)}
    return Options(
        exercises=typed.exercises,
        variants=sum(typed.variant, []),
        spaces=sum(typed.space, []),
        precisions=sum(typed.precision, []),
        size=typed.size,
        set=[pair for text in typed.set for pair in parse_assignments(text)]
        + [(name, value) for name, value in given.items() if value is not None],
        seed=_whole("--seed", typed.seed, 0),
        timing=timing,
        verify_only=typed.verify_only,
        dry_run=typed.dry_run,
        quiet=typed.quiet,
        json=typed.json,
        csv=typed.csv,
        command_line=" ".join(sys.argv[:1] + arguments),
        executable=sys.executable,
    )


def run(arguments: list[str]) -> int:
    catalogue = find_catalogue(arguments)
    options = parse(arguments, catalogue)
    cases, missing = select_cases(options, load_exercises(), catalogue)
    if options.dry_run:
        say(dry_run(cases))
        return 0
    watch_signals()
    return Run(cases, missing, options).execute()


def main(arguments: list[str] | None = None) -> int:
    try:
        return run(sys.argv[1:] if arguments is None else arguments)
    except (UsageError, MachineError) as error:
        return refuse(error, error.status)
    except MemoryError:
        return refuse("the machine ran out of memory")
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        return refuse(error.strerror or error)
    except Exception as error:  # one that was not foreseen, of a library say
        return refuse(f"{type(error).__name__}: {error}")


def refuse(why: object, status: int = MachineError.status) -> int:
    print(f"run_peers: {one_line(why)}", file=sys.stderr)
    return status
