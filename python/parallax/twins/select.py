# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""From what the user asked for to the list of cases."""

from __future__ import annotations

import copy
import importlib.util
import json
import math
import sys
from argparse import Namespace
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from ..errors import Refusal
from ..files import read_bytes
from ..words import suggestion
from .catalogue import ROOT
from .exercise import Exercise, Twin
from .parameters import Parameters, text_of
from .spaces import FAMILIES, SPACES, Space

BASES = ("tiny", "course", "large")
SIZES = (*BASES, "demo")
Assignments = list  # of (name, value) pairs


@dataclass
class PlannedCase:
    """An exercise in one space with one precision and one set of parameters: several twins."""

    exercise: Exercise
    space: Space
    precision: str
    parameters: Parameters
    seed: int
    twins: list[Twin]
    suffix: str = ""
    whole: Parameters | None = None  # of the whole problem, where this is a part

    def factor(self) -> float:
        """The whole problem over this part of it."""
        cut = [n for n in self.parameters if self.whole and self.parameters[n] != self.whole[n]]
        return math.prod(self.whole[n] / self.parameters[n] for n in cut)

    def name(self, twin: Twin | None = None) -> str:
        """Of all of its rows, or of a twin's."""
        names = [self.exercise.name, twin and twin.variant, self.space.name, self.precision]
        phase = "" if twin is None or twin.phase == "kernel" else "/" + twin.phase
        return "/".join(filter(None, names)) + phase + self.suffix

    def case(self) -> SimpleNamespace:
        """What a twin is given: parameters (`p.n`), `p.dtype`, `p.precision`, `p.seed`, `p.space`; arrays come in verify.py."""
        dtype = np.dtype(f"{self.precision[0]}{int(self.precision[1:]) // 8}")  # f64 is NumPy's f8
        return SimpleNamespace(
            **self.parameters, dtype=dtype, precision=self.precision, seed=self.seed, space=self.space.name
        )

    def inputs(self) -> tuple:
        """What decides the inputs: equal for cases that differ only in space."""
        return self.exercise.name, self.precision, self.parameters, self.seed

    def memory(self) -> float:
        """Bytes of one copy of inputs and outputs."""
        return float(self.exercise.memory(self.case()))


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
    if size == "demo":  # a file of the suite, beside the sources or where it is installed
        source = ROOT / "configs" / "sizes"
        size = str((source if source.exists() else ROOT / "sizes") / "demo.json")
    elif size in BASES:
        return size, {}
    if "." not in size and "/" not in size:
        raise Refusal(f"unknown size '{size}'{suggestion(size, SIZES)}; or the name of a .json file")
    try:
        content = json.loads(read_bytes(size))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise Refusal(f"size file '{size}' is not a JSON object")
    base = content.pop("base", "course")
    if base not in BASES:
        raise Refusal(f"size file '{size}': base: expected tiny, course or large")
    changes = {}
    for name, sets in content.items():
        where = f"size file '{size}': {name}"
        if name not in exercises:
            raise Refusal(f"size file '{size}': unknown exercise '{name}'{suggestion(name, ['base', *exercises])}")
        changes[name] = [_assignments(where, s) for s in (sets if isinstance(sets, list) else [sets])]
    return base, changes


def _assignments(where: str, values) -> Assignments:
    if not isinstance(values, dict):
        raise Refusal(where + ': expected an object of parameters, e.g. {"n": 1000}')
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise Refusal(f"{where}: parameter '{name}' must be a number or a string")
    return sorted((name, value if isinstance(value, str) else json.dumps(value)) for name, value in values.items())


def _suffix(sets: list[Assignments], chosen: Assignments) -> str:
    """ "/name:value" for each parameter in which the sets of one exercise differ."""
    differ = [(n, v) for n, v in chosen if any((n, v) not in other for other in sets)]
    return "".join(f"/{name}:{value}" for name, value in differ) if len(sets) > 1 else ""


def _require_known(what: str, asked: Iterable[str], known: Iterable[str]) -> None:
    known = list(dict.fromkeys(known))
    for name in asked:
        if name not in known and name != "all":
            raise Refusal(f"unknown {what} '{name}'{suggestion(name, known)}")


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
                raise Refusal(f"space '{space.name}' cannot be used here: {why}", 3)
            else:
                missing[space.name] = why
    if not chosen:
        raise Refusal("; ".join(f"space '{name}' cannot be used here: {why}" for name, why in missing.items()), 3)
    return chosen, missing


def _wanted(asked: list[str], offered: tuple[str, ...]) -> list[str]:
    if not asked:
        return list(offered[:1])
    return [p for p in offered if p in asked or "all" in asked]


def _offer(options: Namespace, exercises: dict[str, Exercise], catalogue: dict[str, dict]) -> list[Exercise]:
    """The exercises that were asked for; refuses names that none of them has."""
    _require_known("exercise", options.exercises, exercises)
    for name in options.exercises:
        if name != "all" and name not in catalogue:
            raise Refusal(f"the C++ program whose sizes are taken has no exercise '{name}'")
    everything = not options.exercises or "all" in options.exercises
    asked = [e for e in exercises.values() if everything or e.name in options.exercises]
    chosen = [e for e in asked if e.name in catalogue]  # a program of one exercise lists only that
    parameters = [spec["name"] for e in chosen for spec in catalogue[e.name]["parameters"]]
    _require_known("parameter", [name for name, _ in options.set], parameters)
    _require_known("variant", options.variant, sorted(v for e in chosen for v in e.variants()))
    _require_known("precision", options.precision, sorted(p for e in chosen for p in e.precisions))
    return chosen


def _sets(changed: list[Assignments], options: Namespace, parameters: Parameters) -> list[Assignments]:
    """The sets of a size file as names have their values, without what --set decides, which tells no set from another."""
    given, left = dict(options.set), []
    try:
        for assignments in changed:
            rest = [(name, text_of(parameters.read(name, value))) for name, value in assignments if name not in given]
            if rest not in left:
                left.append(rest)
    except Refusal as error:
        raise Refusal(f"size file '{options.size}': {error}") from None
    return left


def _parts(planned: PlannedCase) -> Iterable[PlannedCase]:
    """Takes the twins that time a part of so large a problem out of the case: each gets a separate case."""
    for twin in [t for t in planned.twins if t.part]:
        parameters = copy.deepcopy(planned.parameters)
        for name, most in twin.part.items():
            parameters.set(name, str(min(parameters[name], most)))
        if parameters != planned.parameters:
            planned.twins.remove(twin)
            suffix = planned.suffix + "".join(f"/{name}:{parameters[name]}" for name in twin.part)
            yield replace(planned, parameters=parameters, twins=[twin], suffix=suffix, whole=planned.parameters)


def select_cases(
    options: Namespace, exercises: dict[str, Exercise], catalogue: dict[str, dict]
) -> tuple[list[PlannedCase], dict[str, str]]:
    """Resolves the options into cases; besides, why each space that is not used is missing."""
    chosen = _offer(options, exercises, catalogue)
    base, changes = _read_sizes(options.size, {**exercises, **catalogue})
    spaces, missing = _chosen_spaces(options.space)
    cases, parts = [], []
    for e in chosen:
        specification = catalogue[e.name]["parameters"]
        sets = _sets(changes.get(e.name, [[]]), options, Parameters(specification, base, on_host=False))
        for precision, chosen_set, space in product(_wanted(options.precision, e.precisions), sets, spaces):
            twins = [t for t in e.twins if t.space in (space.name, space.family)]
            twins = [t for t in twins if not options.variant or t.variant in options.variant]
            if twins:
                parameters = Parameters(specification, base, space.on_host)
                for name, value in chosen_set + [(n, v) for n, v in options.set if n in parameters]:
                    parameters.set(name, value)
                suffix = _suffix(sets, chosen_set)
                cases.append(PlannedCase(e, space, precision, parameters, options.seed, twins, suffix))
                parts += _parts(cases[-1])
    cases = [case for case in cases if case.twins] + parts  # equal inputs stay together
    if not cases:
        raise Refusal("nothing to run: no exercise has all that was asked for")
    return cases, missing
