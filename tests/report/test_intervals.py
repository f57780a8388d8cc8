# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What docs/measuring.md says of the verdicts of compare, by series of samples with fixed seeds. tests/platform/base/statistics.cpp
holds the interval of a median in C++; tests/python/test_results.py holds the two against each other."""

import unittest
from collections import Counter
from math import exp, hypot, log, sqrt
from random import Random
from statistics import median

from support import InFolder

from parallax.intervals import Estimate, Interval, compared, mean_of_runs, median_interval, sample_range

ALLOWED = 8  # what a 5 % level allows of 50 comparisons, but for one experiment in a thousand


def series(draw, n, memory=0.0, middle=1000.0):
    """Times whose median is `middle`: each deviation remembers the share `memory` of the one before."""
    times, deviation = [], draw.gauss(0, 1)
    for _ in range(n):
        deviation = memory * deviation + sqrt(1 - memory * memory) * draw.gauss(0, 1)
        times.append(middle * exp(0.02 * deviation))
    return times


def one_run(samples):
    return Estimate(median(samples), median_interval(samples), sample_range(samples))


def verdicts(pairs, threshold=0.0):
    return Counter(compared(a, b, threshold).difference for a, b in pairs)


class Intervals(InFolder):
    def test_another_sample_is_within_the_range_of_the_first_in_95_of_100_cases(self):
        draw = Random(4)
        for n in (6, 7, 10, 15, 20, 39, 40, 100):
            held = 0
            for _ in range(2000):
                low, high = sample_range(series(draw, n))
                held += low <= series(draw, 1)[0] <= high
            with self.subTest(n):
                self.assertTrue(0.94 * 2000 <= held <= 0.99 * 2000, held)

    def test_few_samples_and_equal_samples(self):
        for interval in (median_interval, sample_range):
            self.assertIsNone(interval([1, 2, 3, 4, 5]))
        self.assertEqual(median_interval([3, 1, 2, 6, 5, 4]), (1, 6))
        self.assertEqual(median_interval([7.0] * 50), (7, 7))

    def test_the_mean_of_runs_has_students_interval_of_their_logarithms(self):
        mean = mean_of_runs([100, 200, 400])
        half = 4.303 * log(2) / sqrt(3)
        for found, expected in ((mean.value, 200), (mean.run.low, 200 * exp(-half)), (mean.run.high, 200 * exp(half))):
            self.assertAlmostEqual(found, expected, 9)
        self.assertAlmostEqual(mean_of_runs([5]).value, 5)
        self.assertIsNone(mean_of_runs([5]).run)

    def test_identical_programs_each_run_once(self):
        """No more false verdicts than the level allows."""
        draw = Random(10)
        for n in (10, 50, 300):
            for memory in (0.0, 0.5, 0.8):
                for of_run in (0.0, 0.01, 0.02):  # samples vary by 0.02
                    if (n, memory, of_run) == (10, 0.8, 0.02):
                        continue  # the page: 15.2 %

                    def run():
                        return one_run(series(draw, n, memory, 1000 * exp(of_run * draw.gauss(0, 1))))

                    found = verdicts((run(), run()) for _ in range(50))
                    with self.subTest((n, memory, of_run)):
                        self.assertLessEqual(found["faster"] + found["slower"], ALLOWED)
                        self.assertEqual(found["same"], 0)  # nothing is the same to the last digit

    def test_identical_programs_each_run_several_times(self):
        """Runs may differ by any amount."""
        draw = Random(20)
        for runs in (2, 3, 5, 10):
            for of_run in (0.01, 0.3):

                def build(middle):
                    return mean_of_runs([median(series(draw, 20, 0.5, middle * exp(of_run * draw.gauss(0, 1)))) for _ in range(runs)])

                equal = verdicts((build(1000), build(1000)) for _ in range(50))
                apart = verdicts((build(1000), build(10000)) for _ in range(50))
                with self.subTest((runs, of_run)):
                    self.assertLessEqual(equal["faster"] + equal["slower"], ALLOWED)
                    self.assertEqual(apart["faster"], 0)
                    self.assertGreaterEqual(apart["slower"], 45 if runs >= 5 else 0)

    def test_a_difference_beyond_the_noise_is_found_and_one_within_the_threshold_is_none(self):
        draw = Random(30)
        for n, middle, verdict, least in ((100, 1200, "slower", 50), (100, 800, "faster", 50), (100, 1001, "same", 45), (7, 1030, "ambiguous", 45)):
            found = verdicts(((one_run(series(draw, 100, 0.3)), one_run(series(draw, n, 0.3, middle))) for _ in range(50)), 0.02)
            self.assertGreaterEqual(found[verdict], least, (verdict, found))

    def test_what_was_not_measured_often_enough_or_has_no_sensible_interval_is_ambiguous(self):
        good = Estimate(100, Interval(99, 101), Interval(98, 102))
        self.assertEqual(compared(good, Estimate(100), 0.02), (1.0, None, "ambiguous"))
        self.assertEqual(compared(good, Estimate(500, None, Interval(-1, 900)), 0.02).difference, "ambiguous")
        self.assertEqual(compared(good, Estimate(500, None, Interval(490, 510)), 0.02).difference, "slower")
        ratio = compared(good, Estimate(300, Interval(299, 301), Interval(290, 310)), 0.02)
        self.assertEqual(ratio.value, 3)
        self.assertAlmostEqual(ratio.interval.low, 3 * exp(-hypot(log(300 / 290), log(1.02))), 12)

    def test_numbers_at_the_ends(self):
        ends = Estimate(1e60, Interval(1e-60, 1e60), sample_range([1e-60, *[1e60] * 9])), mean_of_runs([1e-60, 1e60])
        for a in ends:
            for b in ends:
                self.assertEqual(compared(a, b, 0.0).difference, "ambiguous")


if __name__ == "__main__":
    unittest.main()
