# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the page and the charts; what must not be written is refused in one line."""

from __future__ import annotations

from collections.abc import Iterable

from .. import files as shared_files
from .text import ReportError


def _cannot(path: str, error: Exception) -> ReportError:
    return ReportError(f"cannot write '{path}': {getattr(error, 'strerror', None) or error}", 3)


def refuse_output(path: str, inputs: Iterable[str]) -> None:
    """Before the work: an output that could not be written, or that is one of the inputs."""
    if not path:
        raise ReportError("an output file needs a name, got ''")
    if shared_files.same_file(path, inputs):
        raise ReportError(f"the output '{path}' is one of the inputs")
    try:
        shared_files.require_writable(path)
    except (OSError, ValueError) as error:
        raise _cannot(path, error) from None


def write_file(path: str, text: str, inputs: Iterable[str]) -> None:
    if shared_files.same_file(path, inputs):
        raise ReportError(f"cannot write '{path}': it is one of the inputs, or the page")
    try:
        shared_files.write_text(path, text)
    except (OSError, ValueError) as error:
        raise _cannot(path, error) from None
