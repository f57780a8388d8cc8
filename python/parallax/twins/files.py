# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Files of the twins: parallax.files with this program's errors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .. import files as shared_files
from .errors import MachineError, UsageError


def _refuse(path: str, error: Exception) -> MachineError:
    return MachineError(f"cannot write '{path}': {getattr(error, 'strerror', None) or error}")


def write_atomically(path: str, content: str) -> None:
    try:
        shared_files.write_text(path, content)
    except (OSError, ValueError) as error:
        raise _refuse(path, error) from None


def require_writable(path: str, others: Iterable[str]) -> None:
    """Refuses, before the work, a file that could not be written after it, or that is one of the others."""
    if not path:
        raise UsageError("an output file needs a name, got ''")
    if shared_files.same_file(path, others):
        raise UsageError(f"cannot write '{path}': it is another output, or the input")
    try:
        shared_files.require_writable(path)
    except (OSError, ValueError) as error:
        raise _refuse(path, error) from None


def read_file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except IsADirectoryError:
        raise MachineError(f"cannot read '{path}': it is a directory") from None
    except UnicodeDecodeError:
        raise UsageError(f"'{path}' is not a text file") from None
    except OSError as error:
        raise MachineError(f"cannot read '{path}': {error.strerror or error}") from None
