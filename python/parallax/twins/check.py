# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Ways to judge a result, as src/exercise/check.hpp: NaN never passes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

_CHUNK = 1 << 22  # elements at a time: no third copy of a large array


@dataclass(frozen=True)
class Verdict:
    """What a check found: what was compared with what, the error, and the exercise's numbers."""

    passed: bool
    compared: str
    error: float = 0.0
    tolerance: float = 0.0
    result: dict[str, Any] = field(default_factory=dict)


def number(compared: str, actual: float, expected: float, tolerance: float, **result) -> Verdict:
    """One number against another; passes where they differ by at most `tolerance`."""
    actual, expected = np.asarray(actual).item(), float(expected)
    error = 0.0 if actual == expected else abs(actual - expected)
    return Verdict(bool(error <= tolerance), compared, error, float(tolerance), result)


def elements(compared: str, actual, expected, tolerance=0.0, **result) -> Verdict:
    """Every element against its reference, within `tolerance`: one number, or one for each.

    Another shape than the reference's fails. `result` holds the numbers that the exercise reports.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        compared += f": shape {actual.shape} is not {expected.shape}"
        return Verdict(False, compared, math.nan, float(np.max(tolerance)), result)
    actual, expected = actual.reshape(-1), expected.reshape(-1)
    tolerances = np.broadcast_to(np.asarray(tolerance, np.float64), actual.shape)
    wrong, first, worst = 0, -1, 0.0
    for begin in range(0, actual.size, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        x, y = actual[part].astype(np.float64), expected[part].astype(np.float64)
        with np.errstate(invalid="ignore"):
            error = np.where(x == y, 0.0, np.abs(x - y))
        bad = np.flatnonzero(~(error <= tolerances[part]))
        if bad.size and first < 0:
            first = begin + int(bad[0])
        wrong += bad.size
        worst = max(worst, float(np.max(error))) if not math.isnan(worst) else worst
        if np.isnan(error).any():
            worst = math.nan
    if wrong:
        compared += f": {wrong} of {actual.size} wrong, the first at index {first}"
    return Verdict(wrong == 0, compared, worst, float(tolerances[0]) if actual.size else 0.0, result)


def both(first: Verdict, second: Verdict) -> Verdict:
    """Both must hold. Keeps the first failure's words and figures, and the numbers of both."""
    result = {**first.result, **second.result}
    if not first.passed:
        return replace(first, result=result)
    if not second.passed:
        return replace(second, result=result)
    return replace(first, compared=f"{first.compared}; {second.compared}", result=result)
