# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""`parallax run ... --counters`: the run as it is without the flag, then once more for each verified row, under a tool that counts."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

from ..errors import Refusal
from ..files import is_stream, read_bytes, write_text
from ..program import exit_status, say
from ..report.text import plural
from ..words import one_line, reason
from . import counting, insert
from .table import table

COULD_NOT = 3
STOPPED = 128  # and the number of the signal


def value_of(option: str, words: list[str]) -> str | None:
    """The last one given: "--json FILE" or "--json=FILE"."""
    found = None
    for word, after in zip(words, [*words[1:], None]):
        if word == option:
            found = after
        elif word.startswith(option + "="):
            found = word.partition("=")[2]
    return found


class Stopped(Exception):
    """By a signal, whose number it has."""


def stop(number, _frame):
    raise Stopped(number)


@contextlib.contextmanager
def handling(handlers: dict):
    """Signals go to these handlers for a while."""
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def as_without(command: list[str]) -> int:
    """The exit status of the first run. Signals that reach us are the program's to answer."""
    try:
        program = subprocess.Popen(command)
    except OSError as error:
        raise Refusal(f"cannot start '{command[0]}': {reason(error)}", COULD_NOT) from None

    def pass_on(number, _frame):
        with contextlib.suppress(ProcessLookupError):
            program.send_signal(number)

    # A terminal sends SIGINT to both.
    with handling({signal.SIGTERM: pass_on, signal.SIGUSR1: pass_on, signal.SIGINT: lambda *_: None}):
        status = program.wait()
    return status if status >= 0 else STOPPED - status


def count(path: str, program: str, words: list[str]) -> int:
    """Into the file; the exit status. A stop keeps what was counted before it."""
    text = read_bytes(path).decode("utf-8")
    data = json.loads(text)
    todo, counted, stopped = counting.jobs(data, program, words), counting.Counted(), None
    try:
        with handling({signal.SIGINT: stop, signal.SIGTERM: stop}):
            counting.count(todo, counted)
    except Stopped as signalled:
        stopped = signalled.args[0]
    if counted.rows:
        write_text(path, insert.with_objects(text, "counters", counted.rows))
        say("\ncounters\n" + table([(job.name, counted.rows[job.index]) for job in todo if job.index in counted.rows]))
    for cause, rows in counted.causes.items():
        print(f"parallax: --counters: {one_line(cause)} ({plural(rows, 'row')})", file=sys.stderr)
    if stopped:
        print(f"parallax: --counters: stopped by signal {stopped} after {len(counted.rows)} of {plural(len(todo), 'row')}", file=sys.stderr)
        return STOPPED + stopped
    return 0 if counted.rows or not todo else COULD_NOT  # of no row: nothing was verified, which the run has said


def run(arguments: list[str]) -> int:
    if not arguments:
        raise Refusal("this is started by `parallax run ... --counters`")
    program, words = arguments[0], arguments[1:]
    path = value_of("--json", words)
    if path is not None and is_stream(path):
        raise Refusal(f"--counters: --json needs a regular file, and '{path}' is none")
    with tempfile.TemporaryDirectory(prefix="parallax-counters-") as folder:
        more = []
        if path is None:
            path = os.path.join(folder, "results.json")
            more = ["--json", path]
        status = as_without([program, *words, *more])
        if status not in (0, 1) or not os.path.exists(path):
            return status
        counted = count(path, program, words)
    return status or counted


def main(arguments: list[str] | None = None) -> int:
    return exit_status("parallax", lambda: run(sys.argv[1:] if arguments is None else arguments))
