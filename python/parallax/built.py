# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The built C++ program: where it is, and what it lists."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from .errors import Refusal
from .words import reason

ROOT = Path(__file__).resolve().parents[2]
BUILDS = ("host", "debian-openmp", "debian-serial", "openmp", "serial")


def find_program(serial: bool = False) -> str | None:
    """Where scripts/parallax would find it (`serial`: for `--space serial`), else on the PATH. Nothing is built for it."""
    folders = [Path(os.environ["PARALLAX_BUILD"])] if os.environ.get("PARALLAX_BUILD") else []
    folders += [ROOT / "build" / name for name in BUILDS if not (serial and name.endswith("openmp"))]
    if ROOT.parts[-2:] == ("share", "parallax"):  # installed by cmake, beside the program
        folders.append(ROOT.parents[1])
    for folder in folders:
        if os.access(folder / "bin" / "parallax", os.X_OK):
            return str(folder / "bin" / "parallax")
    return shutil.which("parallax")


def parsed_list(source: str, text: bytes) -> dict:
    """What `parallax list --json` printed, its exercises by name; `source` says in a refusal where that was."""
    try:
        content = json.loads(text)
        return {**content, "exercises": {exercise["name"]: exercise for exercise in content["exercises"]}}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refusal(f"{source} does not hold what 'parallax list --json' prints") from None


def ask_list(program: str) -> dict:
    """What `program list --json` prints, its exercises by name."""
    source = f"'{program} list --json'"
    try:
        done = subprocess.run([program, "list", "--json"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        moved = isinstance(error, FileNotFoundError) and os.path.exists(program)  # its loader is what is not there
        raise Refusal(f"{source} failed: {'it was built elsewhere' if moved else reason(error)}", 3) from None
    if done.returncode:
        raise Refusal(f"{source} failed: exit status {done.returncode}", 3)
    return parsed_list(source, done.stdout)
