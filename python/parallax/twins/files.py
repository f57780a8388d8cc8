# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import MachineError, UsageError


def _partial(path: str) -> str:
    return f"{path}.partial-{os.getpid()}"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def write_atomically(path: str, content: str) -> None:
    """Under a temporary name first, then renamed."""
    try:
        Path(_partial(path)).write_text(content, encoding="utf-8")
        os.replace(_partial(path), path)
    except OSError as error:
        Path(_partial(path)).unlink(missing_ok=True)
        raise MachineError(f"cannot write '{path}': {_reason(error)}") from None


def require_writable(path: str) -> None:
    """Refuses, before the work, a file that could not be written after it."""
    if not path:
        raise UsageError("an output file needs a name, got ''")
    if Path(path).is_dir():
        raise MachineError(f"cannot write '{path}': it is a directory")
    try:
        Path(_partial(path)).touch()
        Path(_partial(path)).unlink()
    except (OSError, ValueError) as error:
        raise MachineError(f"cannot write '{path}': {_reason(error)}") from None


def read_file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except IsADirectoryError:
        raise MachineError(f"cannot read '{path}': it is a directory") from None
    except UnicodeDecodeError:
        raise UsageError(f"'{path}' is not a text file") from None
    except OSError as error:
        raise MachineError(f"cannot read '{path}': {_reason(error)}") from None
