# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The words of messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def clean(text: object) -> str:
    """Visible characters: controls, overrides of direction and lone surrogates are spelt out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


def one_line(message: object, most: int = 1000) -> str:
    """Cleaned, and cut in the middle where it is very long."""
    line = clean(message)
    return line if len(line) <= most else line[: most // 2] + " [...] " + line[-most // 2 :]


def reason(error: BaseException) -> str:
    """An exception's own words: the system's for what failed, else the first line."""
    lines = str(getattr(error, "strerror", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def suggestion(typed: str, known: Iterable[str]) -> str:
    """ " (did you mean 'x'?)", else the list of what is known."""
    known = list(known)
    near = difflib.get_close_matches(typed, known, 1)
    if near:
        return f" (did you mean '{near[0]}'?)"
    return f" (known: {', '.join(known)})" if known else ""
