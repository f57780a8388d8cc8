# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Libraries and names that are not there."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from types import ModuleType

from ..errors import Refusal
from ..words import suggestion


def library(name: str, use: str, package: str) -> ModuleType:
    """The module of this name; a refusal that says how to get it where there is none."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Refusal(f"{use} needs {name}, which this Python cannot import ({error}): install {package}", 3) from error


def missing(where: str, name: str, there: Iterable[str]) -> Refusal:
    """`name` is not in the file; says what is, or the near match."""
    return Refusal(f"'{where}' has no '{name}'{suggestion(name, sorted(map(str, there)))}")
