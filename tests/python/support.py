# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the twins share."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]
# What argparse makes of its help depends on the terminal otherwise.
os.environ.update(COLUMNS="100", PYTHON_COLORS="0")
os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ.setdefault("NUMBA_NUM_THREADS", "2")

from parallax.twins import cli  # noqa: E402
from parallax.twins.catalogue import read_catalogue  # noqa: E402
from parallax.twins.parameters import Parameters  # noqa: E402
from parallax.twins.select import PlannedCase, load_exercises  # noqa: E402
from parallax.twins.spaces import SPACES  # noqa: E402
from parallax.twins.verify import Prepared  # noqa: E402

_folder = os.environ.get("PARALLAX_PROGRAM_DIR")
PROGRAM = str(Path(_folder) / "parallax") if _folder else None
CATALOGUE = read_catalogue(PROGRAM) if PROGRAM else None
EXERCISES = load_exercises()


def listed_exercises():
    """Those that the program at hand has too."""
    if CATALOGUE is None:
        raise unittest.SkipTest("no built program: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
    return [e for e in EXERCISES.values() if e.name in CATALOGUE]


def usable_spaces():
    return [space for space in SPACES.values() if not space.why_missing()]


def spaces_of(exercise):
    """The spaces in which one of its twins can run here: some exercises have no twin that needs only NumPy."""
    return [s.name for s in usable_spaces() if any(t.space in (s.name, s.family) for t in exercise.twins)]


def has_usable_twin(exercise):
    return bool(spaces_of(exercise))


def planned_cases(exercise, precision, spaces, **changes):
    """A PlannedCase for each space that has twins, at size tiny with some parameters changed."""
    for space in spaces:
        twins = [t for t in exercise.twins if t.space in (space.name, space.family)]
        parameters = Parameters(CATALOGUE[exercise.name]["parameters"], "tiny", space.on_host)
        for name, value in changes.items():
            parameters.set(name, str(value))
        if twins:
            yield PlannedCase(exercise, space, precision, parameters, 12345, twins)


def prepared_twins(planned):
    """(twin, Prepared) for each twin that runs with these parameters."""
    problem = planned.exercise.make_problem(planned.case())
    planned.space.activate()
    for twin in planned.twins:
        if not (twin.unavailable and twin.unavailable(planned.case())):
            yield twin, Prepared(twin, planned, problem)


def run_here(*arguments):
    """Status, standard output and standard error of run_twins, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main([str(a) for a in arguments])
    return status, out.getvalue(), err.getvalue()


def run_process(*arguments, environment=None, output=subprocess.PIPE):
    """run_twins as a user starts it."""
    command = [sys.executable, str(ROOT / "python" / "run_twins.py"), *map(str, arguments)]
    surroundings = {**os.environ, **(environment or {})}
    return subprocess.run(
        command, stdout=output, stderr=subprocess.PIPE, text=True, env=surroundings, check=False
    )


class InFolder(unittest.TestCase):
    """Works in a new empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)


def parameter(name, kind, value, **more):
    """One of a catalogue, with the same value in every size."""
    return {"name": name, "kind": kind, **dict.fromkeys(("tiny", "course", "course_host", "large"), value), **more}


class WithCatalogue(InFolder):
    """Needs no program: list.json has vector_add."""

    GIVEN = ("--catalogue", "list.json", "--space", "numpy")

    def setUp(self):
        super().setUp()
        parameters = [
            parameter("n", "integer", "99", least=1.0),
            parameter("input", "choice", "indexed", choices=["indexed", "ones"]),
        ]
        exercise = {"name": "vector_add", "precisions": ["f32", "f64"], "parameters": parameters}
        Path("list.json").write_text(json.dumps({"exercises": [exercise]}))
