# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What ends a conversion early, in one line, with the exit statuses of docs/command-line.md."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from types import ModuleType

from ..words import one_line


class ConvertError(Exception):
    """status 2: bad usage, or a file of another content; 3: a file or library that cannot be had."""

    def __init__(self, message: str, status: int = 2):
        super().__init__(one_line(message))
        self.status = status


def library(name: str, use: str, package: str) -> ModuleType:
    """The module of this name; a refusal that says how to get it where there is none."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ConvertError(f"{use} needs {name}, which this Python cannot import ({error}): install {package}", 3) from error


def missing(where: str, name: str, there: Iterable[str]) -> ConvertError:
    """`name` is not in the file; says what is, or the near match."""
    names = sorted(map(str, there))
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean '{near[0]}'?" if near else "there are: " + ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return ConvertError(f"'{where}' has no '{name}' ({hint})")
