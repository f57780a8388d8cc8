# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Intervals of times and of their ratios, and the verdicts that follow; docs/measuring.md explains them. The interval of a median is
the one of src/platform/base/statistics.cpp. Needs the standard library only."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, floor, hypot, log, sqrt
from typing import NamedTuple

LEAST_SAMPLES = 6  # fewer have no 95 % interval of their median: even the whole range holds it less often
# 97.5 % of Student's distribution are below, for 1 to 10 degrees of freedom.
_STUDENT_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_NORMAL = 1.959964


class Interval(NamedTuple):
    low: float
    high: float


@dataclass
class Estimate:
    """A time, and where it may be."""

    value: float
    median: Interval | None = None  # of the median in this run
    run: Interval | None = None  # of the median in any run of the same program

    def scaled(self, factor: float) -> Estimate:
        ends = [i and Interval(i.low * factor, i.high * factor) for i in (self.median, self.run)]
        return Estimate(self.value * factor, *ends)


class Ratio(NamedTuple):
    value: float
    interval: Interval | None  # by which it was judged
    difference: str


def _student_t(freedom: int) -> float:
    if freedom <= len(_STUDENT_T):
        return _STUDENT_T[max(freedom, 1) - 1]
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _exp(x: float) -> float:
    """Within the range of doubles, which made-up times can leave."""
    return exp(max(-700.0, min(x, 700.0)))


def median_interval(samples: Sequence[float]) -> Interval | None:
    """Of samples in the order in which they were taken: neighbours are alike, which the block bootstrap counts in. None where there
    are too few of them."""
    n = len(samples)
    if n < LEAST_SAMPLES:
        return None
    middle = statistics.median(samples)
    below = [1.0 if x < middle else 0.0 if x > middle else 0.5 for x in samples]
    mean = sum(below) / n
    block = floor(sqrt(n) + 0.5)
    excess, squares = sum(below[:block]) - block * mean, 0.0
    for k in range(n):
        squares += excess * excess
        excess += below[(k + block) % n] - below[k]
    variance = squares / block * n / (n - block)
    width = max(_NORMAL * sqrt(n) / 2, _student_t(n // block - 1) * sqrt(variance))
    rank = max(floor(n / 2 - width + 0.5), 1)
    ordered = sorted(samples)
    return Interval(ordered[rank - 1], ordered[n - rank])


def sample_range(samples: Sequence[float]) -> Interval | None:
    """Where another sample is with 95 %: as far as one run of a program may be off, because what slows all samples of a run does not
    average out over them. None where there are too few of them."""
    n = len(samples)
    if n < LEAST_SAMPLES:
        return None
    ordered = sorted(samples)
    outside = n // 40  # 2.5 % on each side
    return range_of_any(Interval(ordered[outside], ordered[n - 1 - outside]), statistics.median(samples), n)


def range_of_any(found: Interval, middle: float, count: int) -> Interval:
    """The same from the least and the greatest of `count` samples and their median. The range of few samples is too narrow: ten
    normal samples span the eleventh in 82 % of all cases. Widened by this factor they do in 95 % (tests/report/test_intervals.py)."""
    if found.low <= 0 or middle <= 0:
        return found
    wider = 1 + 8 / count
    return Interval(*(middle * _exp(wider * (log(end) - log(middle))) for end in found))


def mean_of_runs(values: Sequence[float]) -> Estimate:
    """The geometric mean of the runs' values, and Student's 95 % interval of it: the only one that has seen how runs differ. One run
    has none."""
    n, logs = len(values), [log(x) for x in values]
    mean = sum(logs) / n
    if n < 2:
        return Estimate(_exp(mean))
    half = _student_t(n - 1) * sqrt(sum((x - mean) ** 2 for x in logs) / (n - 1) / n)
    interval = Interval(_exp(mean - half), _exp(mean + half))
    return Estimate(_exp(mean), interval, interval)


def _over(b: Interval, a: Interval, value_b: float, value_a: float) -> Interval:
    """The interval of a ratio from the intervals of its two sides: the distances add as independent deviations do, on a logarithmic scale
    (Zou and Donner, Statistics in Medicine 27, 2008)."""
    down = hypot(log(value_b) - log(b.low), log(a.high) - log(value_a))
    up = hypot(log(b.high) - log(value_b), log(value_a) - log(a.low))
    ratio = value_b / value_a
    return Interval(ratio * _exp(-down), ratio * _exp(up))


def compared(a: Estimate, b: Estimate, threshold: float) -> Ratio:
    """b over a. `slower` and `faster`: the ratio is beyond the threshold (0.02: 1.02 and 1/1.02), and its interval over runs excludes
    1. `same`: the interval of the medians is within the threshold. `ambiguous`: all else, also where an interval is missing."""
    ratio = b.value / a.value
    if not a.run or not b.run or a.run.low <= 0 or b.run.low <= 0:
        return Ratio(ratio, None, "ambiguous")
    most, interval = 1 + threshold, _over(b.run, a.run, b.value, a.value)
    if interval.low > 1 and ratio > most:
        return Ratio(ratio, interval, "slower")
    if interval.high < 1 and ratio < 1 / most:
        return Ratio(ratio, interval, "faster")
    if a.median and b.median and a.median.low > 0 and b.median.low > 0:
        medians = _over(b.median, a.median, b.value, a.value)
        if 1 / most <= medians.low and medians.high <= most:
            return Ratio(ratio, medians, "same")
    return Ratio(ratio, interval, "ambiguous")
