# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The 95 % interval of a median, as src/platform/base/statistics.cpp computes it; docs/intervals.md explains it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

LEAST_SAMPLES = 6
# 97.5 % of Student's distribution is below, for 1 to 10 degrees of freedom.
_STUDENT_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_NORMAL = 1.959964


def _student_t(freedom: int) -> float:
    if freedom <= len(_STUDENT_T):
        return _STUDENT_T[max(freedom, 1) - 1]
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def median_interval(samples: Sequence[float]) -> list[float] | None:
    """[low, high] of samples in the order in which they were taken; None where there are too few of them."""
    n = len(samples)
    if n < LEAST_SAMPLES:
        return None
    middle = statistics.median(samples)
    below = [1.0 if x < middle else 0.0 if x > middle else 0.5 for x in samples]
    mean = sum(below) / n
    block = math.floor(math.sqrt(n) + 0.5)
    excess, squares = sum(below[:block]) - block * mean, 0.0
    for k in range(n):
        squares += excess * excess
        excess += below[(k + block) % n] - below[k]
    variance = squares / block * n / (n - block)
    width = max(_NORMAL * math.sqrt(n) / 2, _student_t(n // block - 1) * math.sqrt(variance))
    rank = max(math.floor(n / 2 - width + 0.5), 1)
    ordered = sorted(samples)
    return [ordered[rank - 1], ordered[n - rank]]
