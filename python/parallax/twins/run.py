# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Runs cases: verifies, measures, and keeps what is finished."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import files as shared_files
from ..words import one_line, say
from . import host
from .check import Verdict
from .errors import MachineError, UsageError, first_line
from .exercise import Problem, Twin
from .files import require_writable, write_atomically
from .interrupt import interrupted
from .results import CaseResult, Results, to_csv, to_json
from .select import SIZES, Options, PlannedCase
from .spaces import Space
from .table import aligned, footer, readable, table
from .timing import Timer

_HOST_COPIES = 4  # inputs, outputs, the reference and what a check makes of them


def poison(x: np.ndarray) -> np.ndarray:
    """NaN, or -1 for integers: what an output holds before a verified run."""
    return np.full(x.shape, np.nan if x.dtype.kind in "fc" else np.array(-1).astype(x.dtype), x.dtype)


class Prepared:
    """One twin, made ready in one space: what it writes can be poisoned, run and read."""

    def __init__(self, twin: Twin, planned: PlannedCase, problem: Problem):
        self.space, self.problem = planned.space, problem
        self.end_to_end = twin.phase == "end_to_end"  # from host arrays to host arrays
        self.case = planned.case()
        self.case.host = SimpleNamespace(**problem.inputs, **problem.outputs)
        for name, x in problem.inputs.items():
            setattr(self.case, name, self.space.array(x))
        for name, x in self.starts():
            setattr(self.case, name, self.space.mutable(x))
        self.call = twin.make(self.case)

    def starts(self) -> Iterator[tuple[str, np.ndarray]]:
        """What each array that a twin writes holds before a verified run."""
        for name, x in self.problem.outputs.items():
            yield name, poison(x)
        yield from self.problem.updated.items()

    def fresh(self) -> None:
        """Poisons the outputs and starts the updated arrays anew, in the arrays that the twin holds."""
        for name, start in self.starts():
            setattr(self.case, name, self.space.assign(getattr(self.case, name), start))
            if self.end_to_end:
                getattr(self.case.host, name)[...] = start

    def outputs(self, *arguments: Any) -> tuple[np.ndarray, ...]:
        """Runs once from poison and returns the outputs: what the run returned, else what it wrote."""
        self.fresh()
        returned = self.call(*arguments)
        self.space.synchronize(returned)
        if returned is None:
            where = self.case.host if self.end_to_end else self.case
            returned = tuple(getattr(where, name) for name, _ in self.starts())
        elif not isinstance(returned, (tuple, list)):
            returned = (returned,)
        return tuple(self.space.to_numpy(x) for x in returned)


def verify(prepared: Prepared, phase: str) -> Verdict:
    """A twin that throws has failed."""
    try:
        return prepared.problem.judge(phase, prepared.outputs(), prepared.outputs)
    except (UsageError, MachineError, MemoryError):
        raise
    except Exception as error:
        return Verdict(False, f"the run threw: {type(error).__name__}: {first_line(error)}")


class Run:
    """One run of run_peers."""

    def __init__(self, cases: list[PlannedCase], missing: dict[str, str], options: Options):
        self.cases, self.options = cases, options
        spaces = dict.fromkeys(case.space for case in cases)
        self.results = Results(options.command_line, options.executable, list(spaces), missing)
        self._problem: tuple[Any, Problem] | None = None
        self._shown = not options.quiet and sys.stderr.isatty()
        self._saved = 0.0
        self._lost: list[MachineError] = []

    def execute(self) -> int:
        outputs = [file for file in (self.options.json, self.options.csv) if file is not None]
        for k, file in enumerate(outputs):
            require_writable(file, [*outputs[:k], *([] if self.options.size in SIZES else [self.options.size])])
        for planned in self.cases:
            require_memory(planned)
        try:
            for k, planned in enumerate(self.cases):
                if interrupted():
                    break
                self._progress(k, planned)
                self._run_case(planned)
        except BaseException:
            self._finish(complete=False)
            raise
        self._finish(complete=not interrupted())
        return self._status()

    def _finish(self, complete: bool) -> None:
        """Gives what was found to the files and to standard output. Without a row the files stay as they are."""
        self.results.complete = complete
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr)
        if not self.results.cases:
            return
        self._save(last=True)
        for error in self._lost:
            print(f"run_peers: {one_line(error)}", file=sys.stderr)
        say(table(self.results) + ("" if self.options.quiet else footer(self.results)))

    def _progress(self, k: int, planned: PlannedCase) -> None:
        if self._shown:
            name = f"{planned.exercise.name}/{planned.space.name}/{planned.precision}{planned.suffix}"
            print(f"\r\033[K[{k + 1}/{len(self.cases)}] {name}", end="", file=sys.stderr, flush=True)

    def _problem_of(self, planned: PlannedCase) -> Problem:
        """The same inputs for every space: made once for neighbouring cases with equal parameters."""
        key = (planned.exercise.name, planned.precision, dict(planned.parameters), planned.parameters.seed)
        if self._problem is None or self._problem[0] != key:
            self._problem = None  # frees the last one first
            try:
                self._problem = (key, planned.exercise.make_problem(planned.case()))
            except UsageError as error:
                raise UsageError(f"{planned.exercise.name}: {error}") from None
            except (ValueError, OSError) as error:
                raise MachineError(f"{planned.exercise.name}: cannot make the inputs: {first_line(error)}") from None
        return self._problem[1]

    def _run_case(self, planned: PlannedCase) -> None:
        problem = self._problem_of(planned)
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
        result = CaseResult(
            planned.exercise.name,
            twin.variant,
            planned.space.name,
            planned.precision,
            twin.phase,
            planned.parameters.values_json(),
            planned.suffix,
            problem.work_of(twin.phase),
            expected_to_fail=twin.expected_to_fail,
            other_work=twin.other_work,
        )
        result.unavailable = twin.unavailable(planned.case()) if twin.unavailable else ""
        if result.unavailable:
            return result
        try:
            prepared = Prepared(twin, planned, problem)
        except (UsageError, MachineError, MemoryError):
            raise
        except Exception as error:  # it did not compile, say: the others may
            result.verdict = Verdict(False, f"cannot set up: {type(error).__name__}: {first_line(error)}")
            return result
        result.verdict = verify(prepared, twin.phase)
        # A wrong kernel has no speed: its time would only mislead.
        if not self.options.verify_only and not result.failed():
            prepare: Callable[[], None] | None = prepared.fresh if problem.consumed else None
            result.samples = Timer(planned.space, prepared.call, prepare).measure(self.options.timing)
        return result

    def _save(self, last: bool = False) -> None:
        """Each file for itself: one that cannot be written does not keep the other from it. What goes to a pipe or a device is
        written once."""
        self._lost.clear()
        for file, text in ((self.options.json, to_json), (self.options.csv, to_csv)):
            try:
                if file is not None and (last or not shared_files.is_stream(file)):
                    write_atomically(file, text(self.results))
            except MachineError as error:
                self._lost.append(error)

    def _status(self) -> int:
        rows = self.results.cases
        if interrupted():
            when = f"after {len(rows)} rows; what was finished is kept" if rows else "before the first row"
            message = f"stopped by signal {interrupted()} {when}"
            print(f"run_peers: {message}", file=sys.stderr)
            return 128 + interrupted()
        failures = sum(result.failed() for result in rows)
        if failures:
            print(f"run_peers: {failures} of {len(rows)} checks failed", file=sys.stderr)
        return 3 if self._lost else 1 if failures else 0


def require_memory(planned: PlannedCase) -> None:
    """Refuses, before the work, what cannot fit."""
    space: Space = planned.space
    name = f"{planned.exercise.name}/{space.name}/{planned.precision}{planned.suffix}"
    needs = [(_HOST_COPIES * planned.memory(), host.memory_free(), "memory")]
    if not space.on_host:
        needs.append((planned.memory(), space.memory()[0], f"memory on {space.device()}"))
    for need, free, where in needs:
        if need > free:
            raise MachineError(
                f"{name} needs {readable(need, 'B')} of {where}, of which {readable(free, 'B')} are free; "
                "choose a smaller --size or --set"
            )


def dry_run(cases: list[PlannedCase]) -> str:
    rows = [["case", "memory", "parameters"]]
    for planned in cases:
        memory = readable(_HOST_COPIES * planned.memory(), "B")
        for twin in planned.twins:
            phase = "" if twin.phase == "kernel" else "/" + twin.phase
            where = f"{planned.space.name}/{planned.precision}{phase}{planned.suffix}"
            rows.append([f"{planned.exercise.name}/{twin.variant}/{where}", memory, planned.parameters.text()])
    return aligned(rows)
