# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The C++ program's list of exercises: the one place that states parameters and sizes."""

from __future__ import annotations

from ..built import ROOT, ask_list, find_program, parsed_list
from ..errors import Refusal
from ..files import read_bytes

__all__ = ["ROOT", "read_catalogue"]


def read_catalogue(program: str | None = None, file: str | None = None) -> dict[str, dict]:
    """Exercises by name, from `file`, or what `program list --json` prints."""
    if file is not None:
        return parsed_list(f"'{file}'", read_bytes(file))["exercises"]
    program = program or find_program()
    if program is None:
        raise Refusal(
            "the sizes are those of the C++ program, and none is built: scripts/run-demo builds it, --parallax PROGRAM "
            "names one, --catalogue FILE.json has what 'parallax list --json' printed",
            3,
        )
    return ask_list(program)["exercises"]
