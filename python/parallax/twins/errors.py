# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What ends a run early, with its exit status, and near-match suggestions."""

from __future__ import annotations

from collections.abc import Iterable


class UsageError(Exception):
    """Bad usage: exit status 2. The message is one line."""

    status = 2


class MachineError(Exception):
    """The machine could not: exit status 3. The message is one line."""

    status = 3


def edit_distance(a: str, b: str) -> int:
    """Levenshtein distance, one row of the table at a time."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def suggestion(typed: str, known: Iterable[str]) -> str:
    """ " (did you mean 'x'?)", else the list of what is known; the rule of src/harness/error.cpp."""
    known = list(known)
    least, nearest = max(2, len(typed) // 3) + 1, ""
    for candidate in known:
        distance = edit_distance(typed, candidate)
        if distance < least and distance < len(candidate):
            least, nearest = distance, candidate
    if nearest:
        return f" (did you mean '{nearest}'?)"
    return f" (known: {', '.join(known)})" if known else ""


def first_line(error: BaseException) -> str:
    """An exception's own words, on one line."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
