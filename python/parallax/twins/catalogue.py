# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The C++ program's list of exercises: the one place that states parameters and sizes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from ..errors import Refusal
from ..files import read_bytes
from ..words import reason

ROOT = Path(__file__).resolve().parents[3]


def _built_program() -> str:
    """Where scripts/parallax would find it, else on the PATH. Nothing is compiled for the sake of a list."""
    folders = [Path(os.environ["PARALLAX_BUILD"])] if os.environ.get("PARALLAX_BUILD") else []
    folders += [ROOT / "build" / name for name in ("host", "debian-openmp", "debian-serial", "openmp", "serial")]
    for folder in folders:
        if os.access(folder / "bin" / "parallax", os.X_OK):
            return str(folder / "bin" / "parallax")
    found = shutil.which("parallax")
    if found is None:
        raise Refusal(
            "the sizes are those of the C++ program, and none is built: scripts/run-demo builds it, --parallax PROGRAM "
            "names one, --catalogue FILE.json has what 'parallax list --json' printed",
            3,
        )
    return found


def read_catalogue(program: str | None = None, file: str | None = None) -> dict[str, dict]:
    """Exercises by name, from `file`, or what `program list --json` prints."""
    if file is not None:
        source, text = f"'{file}'", read_bytes(file)
    else:
        program = program or _built_program()
        source = f"'{program} list --json'"
        try:
            done = subprocess.run([program, "list", "--json"], capture_output=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Refusal(f"{source} failed: {reason(error)}", 3) from None
        if done.returncode:
            raise Refusal(f"{source} failed: exit status {done.returncode}", 3)
        text = done.stdout
    try:
        return {exercise["name"]: exercise for exercise in json.loads(text)["exercises"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refusal(f"{source} does not hold what 'parallax list --json' prints") from None
