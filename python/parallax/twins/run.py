# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Runs cases: verifies, measures, and keeps what is finished."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace

from ..errors import Refusal
from ..files import is_stream, refuse_output, write_text
from ..program import say
from ..report.text import readable_bytes
from ..words import reason
from . import host
from .check import Verdict
from .exercise import Problem, Twin
from .interrupt import interrupted
from .results import CaseResult, Results, to_json
from .select import SIZES, PlannedCase
from .table import footer, table
from .timing import Timer
from .verify import Prepared, verify

_HOST_COPIES = 4  # inputs, outputs, the reference and what a check makes of them


def require_memory(planned: PlannedCase) -> None:
    """Refuses, before the work, what cannot fit."""
    space, copy = planned.space, planned.memory()
    needs = [(_HOST_COPIES * copy, host.memory_free(), "memory")]
    if not space.on_host:
        needs.append((copy, space.memory()[0], f"memory on {space.device()}"))
    for need, free, where in needs:
        if need > free:
            raise Refusal(
                f"{planned.name()} needs {readable_bytes(need)} of {where}, of which {readable_bytes(free)} are free; "
                "choose a smaller --size or --set",
                3,
            )


def make_problem(planned: PlannedCase) -> Problem:
    try:
        return planned.exercise.make_problem(planned.case())
    except (ValueError, OSError) as error:
        raise Refusal(f"{planned.exercise.name}: cannot make the inputs: {reason(error)}", 3) from None


class Run:
    """One run of run_twins."""

    def __init__(self, cases: list[PlannedCase], missing: dict[str, str], options: Namespace):
        self.cases, self.options = cases, options
        spaces = dict.fromkeys(case.space for case in cases)
        self.results = Results(options.command_line, list(spaces), missing)
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "dumb") == "dumb"  # no escape sequences: a line cannot be taken back
        self._shown = not options.quiet and sys.stderr.isatty() and not plain
        self._saved = 0.0
        self._lost: Refusal | None = None  # the results file could not be written

    def execute(self) -> int:
        if self.options.json is not None:
            inputs = {self.options.size, self.options.catalogue} - {*SIZES, None}
            refuse_output(self.options.json, inputs)
        for planned in self.cases:
            require_memory(planned)
        try:
            self._run_cases()
        except BaseException:
            self._finish(complete=False)
            raise
        self._finish(complete=not interrupted())
        return self._status()

    def _run_cases(self) -> None:
        inputs, problem = None, None
        for k, planned in enumerate(self.cases):
            if interrupted():
                break
            self._progress(k, planned)
            # The same inputs for every space: made once for neighbouring cases with equal parameters.
            if inputs != planned.inputs():
                problem = None  # frees the last one first
                inputs, problem = planned.inputs(), make_problem(planned)
            self._run_case(planned, problem)

    def _progress(self, k: int, planned: PlannedCase) -> None:
        if self._shown:
            print(f"\r\033[K[{k + 1}/{len(self.cases)}] {planned.name()}", end="", file=sys.stderr, flush=True)

    def _run_case(self, planned: PlannedCase, problem: Problem) -> None:
        planned.space.activate()
        for twin in planned.twins:
            if interrupted():
                break
            result = self._run_twin(twin, planned, problem)
            planned.space.release()
            if result.samples.interrupted and len(result.samples.real_ns) < 3:
                break
            self.results.cases.append(result)
            if time.monotonic() - self._saved > 1:  # files may be long
                self._save()
                self._saved = time.monotonic()

    def _run_twin(self, twin: Twin, planned: PlannedCase, problem: Problem) -> CaseResult:
        result = CaseResult(planned, twin, problem.work_of(twin.phase))
        result.unavailable = twin.unavailable(planned.case()) if twin.unavailable else ""
        if result.unavailable:
            return result
        try:
            prepared = Prepared(twin, planned, problem)
        except (Refusal, MemoryError):
            raise
        except Exception as error:  # it did not compile, say: the others may
            result.verdict = Verdict(False, f"cannot set up: {type(error).__name__}: {reason(error)}")
            return result
        result.verdict = verify(prepared, twin.phase)
        # A wrong kernel has no speed: its time would only mislead.
        o = self.options
        if not o.verify_only and not result.failed():
            timer = Timer(planned.space, prepared.call, prepared.fresh if problem.consumed else None)
            result.samples = timer.watched(o.repeat, o.warmup, o.min_time, o.max_time)
        return result

    def _save(self, last: bool = False) -> None:
        """Writes the results file; what goes to a pipe or a device is written once. The run goes on without it."""
        file = self.options.json
        if file is None or (not last and is_stream(file)):
            return
        self._lost = None
        try:
            write_text(file, to_json(self.results))
        except Refusal as error:
            self._lost = error

    def _finish(self, complete: bool) -> None:
        """Gives what was found to the file and to standard output. Without a row the file stays as it is."""
        self.results.complete = complete
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr)
        if not self.results.cases:
            return
        self._save(last=True)
        if self._lost:
            print(f"run_twins: {self._lost}", file=sys.stderr)
        say(table(self.results) + ("" if self.options.quiet else footer(self.results)))

    def _status(self) -> int:
        rows = self.results.cases
        if interrupted():
            when = f"after {len(rows)} rows; what was finished is kept" if rows else "before the first row"
            print(f"run_twins: stopped by signal {interrupted()} {when}", file=sys.stderr)
            return 128 + interrupted()
        failures = sum(result.failed() for result in rows)
        if failures:
            print(f"run_twins: {failures} of {len(rows)} checks failed", file=sys.stderr)
        return 3 if self._lost else 1 if failures else 0
