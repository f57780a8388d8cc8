# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The C++ program's list of exercises: the one place that states parameters and sizes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from .errors import MachineError, UsageError, first_line
from .files import read_file

ROOT = Path(__file__).resolve().parents[3]


def _built_program() -> str | None:
    """Where scripts/parallax would find it, else on the PATH. Nothing is compiled for the sake of a list."""
    folders = [Path(os.environ["PARALLAX_BUILD"])] if os.environ.get("PARALLAX_BUILD") else []
    folders += [ROOT / "build" / name for name in ("host", "debian-openmp", "debian-serial", "openmp", "serial")]
    for folder in folders:
        if os.access(folder / "bin" / "parallax", os.X_OK):
            return str(folder / "bin" / "parallax")
    return shutil.which("parallax")


def _exercises(text: str, source: str) -> dict[str, dict]:
    try:
        listed = json.loads(text)["exercises"]
        return {exercise["name"]: exercise for exercise in listed}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{source} does not hold what 'parallax list --json' prints") from None


def read_catalogue(program: str | None = None, file: str | None = None) -> dict[str, dict] | None:
    """Exercises by name, from `file`, or what `program list --json` prints; None where neither is to be had.

    A program or file that is named must work; one that is only found may be missing.
    """
    if file is not None:
        return _exercises(read_file(file), f"'{file}'")
    found = program or _built_program()
    if found is None:
        return None
    try:
        listed = subprocess.run([found, "list", "--json"], capture_output=True, text=True, timeout=60, check=False)
        problem = f"exit status {listed.returncode}" if listed.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = first_line(error)
    if problem:
        if program is None:
            return None
        raise MachineError(f"'{found} list --json' failed: {problem}")
    return _exercises(listed.stdout, f"the output of '{found} list --json'")
