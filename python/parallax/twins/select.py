# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""From what the user asked for to the list of cases, as src/harness/select.cpp."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .catalogue import ROOT
from .errors import MachineError, UsageError, suggestion
from .exercise import Case, Exercise, Twin
from .files import read_file
from .parameters import Parameters
from .spaces import FAMILIES, SPACES, Space
from .timing import TimingOptions

SIZES = ("tiny", "course", "large")
Assignments = list  # of (name, value) pairs


@dataclass
class Options:
    """What run_peers was asked for; empty lists mean "all"."""

    exercises: list[str] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)
    spaces: list[str] = field(default_factory=list)
    precisions: list[str] = field(default_factory=list)
    size: str = "course"
    set: list[tuple[str, str]] = field(default_factory=list)
    seed: int = 12345
    timing: TimingOptions = field(default_factory=TimingOptions)
    verify_only: bool = False
    dry_run: bool = False
    quiet: bool = False
    json: str | None = None
    csv: str | None = None
    command_line: str = ""
    executable: str = ""


@dataclass
class PlannedCase:
    """An exercise in one space with one precision and one set of parameters: several twins."""

    exercise: Exercise
    space: Space
    precision: str
    parameters: Parameters
    twins: list[Twin]
    suffix: str = ""

    def case(self) -> Case:
        return Case(self.parameters, self.precision)

    def memory(self) -> float:
        """Bytes of one copy of inputs and outputs."""
        try:
            return float(self.exercise.memory(self.case()))
        except UsageError as error:
            raise UsageError(f"{self.exercise.name}: {error}") from None


INSTALLED = Path(__file__).resolve().parents[1] / "exercises"  # where setup.py puts the rooms' twins
ROOMS = INSTALLED if INSTALLED.is_dir() else ROOT / "apps"


def load_exercises(folder: Path = ROOMS) -> dict[str, Exercise]:
    """The Exercise of every <name>/twin.py of a folder. A twin imports another file of its room by `from .file`."""
    found = {}
    for file in sorted(folder.glob("*/twin.py")):
        spec = importlib.util.spec_from_file_location(
            f"exercises.{file.parent.name}", file, submodule_search_locations=[str(file.parent)]
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        found.update({e.name: e for e in vars(module).values() if isinstance(e, Exercise)})
    return found


def _read_sizes(size: str, exercises: Iterable[str]) -> tuple[str, dict[str, list[Assignments]]]:
    """The base size, and the sets of parameters of each exercise that a file changes."""
    if size in SIZES:
        return size, {}
    if "." not in size and "/" not in size:
        raise UsageError(f"unknown size '{size}'{suggestion(size, SIZES)}; or the name of a .json file")
    try:
        content = json.loads(read_file(size))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise UsageError(f"size file '{size}' is not a JSON object")
    base = content.pop("base", "course")
    if base not in SIZES:
        raise UsageError(f"size file '{size}': base: expected tiny, course or large")
    changes = {}
    for name, sets in content.items():
        where = f"size file '{size}': {name}"
        if name not in exercises:
            raise UsageError(f"size file '{size}': unknown exercise '{name}'{suggestion(name, ['base', *exercises])}")
        changes[name] = [_assignments(where, s) for s in (sets if isinstance(sets, list) else [sets])]
    return base, changes


def _assignments(where: str, values) -> Assignments:
    if not isinstance(values, dict):
        raise UsageError(where + ': expected an object of parameters, e.g. {"n": 1000}')
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise UsageError(f"{where}: parameter '{name}' must be a number or a string")
    return sorted((name, value if isinstance(value, str) else json.dumps(value)) for name, value in values.items())


def _suffix(sets: list[Assignments], chosen: Assignments) -> str:
    """ "/name:value" for each parameter in which the sets of one exercise differ."""
    differ = [(n, v) for n, v in chosen if any((n, v) not in other for other in sets)]
    return "".join(f"/{name}:{value}" for name, value in differ) if len(sets) > 1 else ""


def _require_known(what: str, asked: Iterable[str], known: Iterable[str]) -> None:
    known = list(dict.fromkeys(known))
    for name in asked:
        if name not in known and name != "all":
            raise UsageError(f"unknown {what} '{name}'{suggestion(name, known)}")


def _chosen_spaces(asked: list[str]) -> tuple[list[Space], dict[str, str]]:
    """The spaces to run in, and why each of the others cannot be used here."""
    _require_known("space", asked, [*SPACES, *FAMILIES])
    everything = not asked or "all" in asked
    chosen, missing = [], {}
    for space in SPACES.values():
        if everything or space.name in asked or space.family in asked:
            why = space.why_missing()
            if not why:
                chosen.append(space)
            elif space.name in asked:
                raise MachineError(f"space '{space.name}' cannot be used here: {why}")
            else:
                missing[space.name] = why
    if not chosen:
        raise MachineError("; ".join(f"space '{name}' cannot be used here: {why}" for name, why in missing.items()))
    return chosen, missing


def _wanted(asked: list[str], offered: tuple[str, ...]) -> list[str]:
    if not asked:
        return list(offered[:1])
    return [p for p in offered if p in asked or "all" in asked]


def select_cases(
    options: Options, exercises: dict[str, Exercise], catalogue: dict[str, dict] | None
) -> tuple[list[PlannedCase], dict[str, str]]:
    """Resolves the options into cases; besides, why each space that is not used is missing."""
    _require_known("exercise", options.exercises, exercises)
    everything = not options.exercises or "all" in options.exercises
    chosen = [e for e in exercises.values() if everything or e.name in options.exercises]
    specs: dict[str, list[dict] | None] = {e.name: None for e in chosen}
    if catalogue is not None:
        for name in options.exercises:
            if name != "all" and name not in catalogue:
                raise UsageError(f"the C++ program whose sizes are taken has no exercise '{name}'")
        chosen = [e for e in chosen if e.name in catalogue]  # a program of one exercise lists only that
        specs = {e.name: catalogue[e.name]["parameters"] for e in chosen}
        names = [spec["name"] for e in chosen for spec in specs[e.name]]
        _require_known("parameter", [name for name, _ in options.set], names)
    _require_known("variant", options.variants, sorted(v for e in chosen for v in e.variants()))
    _require_known("precision", options.precisions, sorted(p for e in chosen for p in e.precisions))
    base, changes = _read_sizes(options.size, [*exercises, *(catalogue or {})])
    spaces, missing = _chosen_spaces(options.spaces)
    cases = []
    for e in chosen:
        sets: list[Assignments] = []
        for changed in changes.get(e.name, [[]]):  # what --set decides tells no set from another
            left = [(name, value) for name, value in changed if name not in dict(options.set)]
            if left not in sets:
                sets.append(left)
        for precision in _wanted(options.precisions, e.precisions):
            for chosen_set in sets:
                for space in spaces:
                    twins = [
                        twin
                        for twin in e.twins
                        if twin.space in (space.name, space.family)
                        and (not options.variants or twin.variant in options.variants)
                    ]
                    if twins:
                        parameters = Parameters(specs[e.name], base, space.on_host, options.seed)
                        _assign(parameters, chosen_set, options)
                        suffix = _suffix(sets, chosen_set)
                        cases.append(PlannedCase(e, space, precision, parameters, twins, suffix))
    if not cases:
        raise UsageError("nothing to run: no exercise has all that was asked for")
    return cases, missing


def _assign(parameters: Parameters, chosen_set: Assignments, options: Options) -> None:
    try:
        for name, value in chosen_set:
            parameters.set(name, value)
    except UsageError as error:
        raise UsageError(f"size file '{options.size}': {error}") from None
    for name, value in options.set:
        if parameters.accepts(name):
            parameters.set(name, value)
