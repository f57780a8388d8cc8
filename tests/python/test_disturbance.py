# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Twins that other work disturbed: the numbers of tests/measure/time/disturbance.cpp, and the mark in file, table and report."""

import json
import os
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import support
from parallax.report import load
from parallax.twins import timing
from parallax.twins.disturbance import Observation, between, disturbance, hit_samples, read_scheduler
from support import run_here

# 10 samples of 20 ms on 4 threads of 8 processors, disturbed by nothing.
QUIET = Observation(4, 8, 205e6, 0.4e6, 0.0, switches=[0] * 10, sample_ns=[20e6] * 10)
TICKS = os.sysconf("SC_CLK_TCK")


def switched(*samples, count=1):
    return [count if k in samples else 0 for k in range(10)]


class TheRule(support.InFolder):
    def test_what_the_program_says(self):
        every = [3] * 10
        shared = {"waited": 100e6, "switches": every}
        for changes, said in (
            ({}, ""),
            (shared, "a thread waited 49 % of the time for a processor, in 10 of 10 samples"),
            ({**shared, "threads": 9}, "a thread waited 49 % of the time for a processor: 9 threads share 8 processors"),
            ({"waited": 38e6, "switches": switched(3, 7)}, ""),
            ({"waited": 38e6, "switches": switched(0, 3, 7)}, "a thread waited 19 % of the time for a processor, in 3 of 10 samples"),
            ({"waited": 2e6, "switches": [1] * 10}, ""),
            ({"waited": 6e6, "switches": [1] * 10}, "a thread waited 2.9 % of the time for a processor, in 10 of 10 samples"),
            ({"waited": 20e6}, ""),
            ({"waited": 60e6}, "a thread waited 29 % of the time for a processor"),
            ({"stolen": 0.04}, ""),
            ({"stolen": 0.25}, "the host of this virtual machine took 25 % of the threads' time"),
            ({"waited": None, "ran": 0.5}, ""),
            ({"waited": None, "ran": 0.98, "switches": every}, ""),
            ({"waited": None, "ran": 0.5, "switches": every}, "the threads ran for 50 % of the time, and lost a processor, in 10 of 10 samples"),
        ):
            with self.subTest(changes):
                self.assertEqual(disturbance(replace(QUIET, **changes)), said)
        self.assertEqual(hit_samples(replace(QUIET, switches=switched(3, 7))), [3, 7])

    def machine(self, first, second, stolen):
        files = {
            "proc/self/task/7/schedstat": f"500 {first} 3",
            "proc/self/task/7/status": "Name:\tx\nCpus_allowed:\t6\nCpus_allowed_list:\t1\n",
            "proc/self/task/8/schedstat": f"500 {second} 3",
            "proc/self/task/8/status": "Name:\tx\nCpus_allowed_list:\t1-2,5\n",
            "proc/stat": f"cpu 0 0 0 0 0 0 0 9999 0 0\ncpu0 1 1 1 1 0 0 0 500 0 0\ncpu1 1 1 1 1 0 0 0 {stolen} 0 0\ncpu2 1 1 1 1 0 0 0 3 0 0\nintr 4\n",
        }
        for name, text in files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        return read_scheduler(os.getcwd())

    def test_two_readings_of_the_scheduler(self):
        before = replace(self.machine(1000, 2000, 10), at=0, cpu=0)
        Path("proc/self/task/9").mkdir()  # began meanwhile: it has waited since an unknown time
        Path("proc/self/task/9/schedstat").write_text("0 9000000000 1")
        after = replace(self.machine(5000, 2e8, 14), at=400e6, cpu=400e6)
        seen = between(before, after, 2)
        self.assertEqual((seen.processors, seen.wall, seen.waited, seen.ran), (3, 400e6, 2e8 - 2000, 0.5))
        self.assertAlmostEqual(seen.stolen, 4e9 / TICKS / 800e6)
        self.assertEqual(between(before, replace(self.machine(5000, 9e8, 14), at=400e6), 2).waited, 400e6)

    def test_a_system_that_counts_nothing_leaves_both_unknown(self):
        reading = read_scheduler(os.getcwd())
        seen = between(reading, reading, 2)
        self.assertEqual((seen.waited, seen.stolen, seen.processors), (None, None, 0))

    def test_this_system(self):
        reading = read_scheduler()
        self.assertGreater(reading.processors, 0)
        self.assertEqual(between(reading, replace(reading, at=reading.at + 1e9), 1).waited or 0.0, 0.0)


class Marks(support.WithCatalogue):
    def run_twice(self, *said, more=()):
        """A run whose tries were disturbed as the words say; its row, the table and how often samples were taken."""
        arguments = ("vector_add", *self.GIVEN, "--set", "n=1009", "--repeat", "3", "--min-time", "0", *more, "--json", "a.json")
        with mock.patch.object(timing, "disturbance", side_effect=said) as judged, mock.patch.object(timing, "hit_samples", lambda seen: [1]):
            status, out, err = run_here(*arguments)
        self.assertEqual((status, err), (0, ""))
        (row,) = json.loads(Path("a.json").read_text())["benchmarks"]
        return row, out, judged.call_count

    def test_a_disturbed_twin_is_marked_in_file_table_and_report(self):
        row, table, tries = self.run_twice("a thread waited", "a thread waited")
        self.assertEqual((row["disturbed"], row["hit_samples"], row["sampled_twice"], tries), ("a thread waited", [1], True, 2))
        self.assertRegex(table, r"case +time +mark +rate +check\nvector_add/range/numpy/f32 +\S+ \S+ +d ")
        self.assertIn("d: other work disturbed the samples, in 1 row\n   vector_add/range/numpy/f32: a thread waited; sampled twice\n", table)
        _, _, (case,), warnings = load.load(["a.json"])
        self.assertEqual(case.marks, {"d": "a thread waited; sampled twice"})
        self.assertIn("other work disturbed the samples (marked d)", warnings[0])

    def test_the_better_of_two_tries_counts(self):
        row, table, tries = self.run_twice("a thread waited", "")
        self.assertEqual((row.get("disturbed"), row["sampled_twice"], tries), (None, True, 2))
        self.assertNotIn("mark", table)
        row, table, tries = self.run_twice("", more=("--quiet",))
        self.assertEqual((row.keys() & {"disturbed", "sampled_twice"}, tries), (set(), 1))

    def test_long_samples_are_taken_once(self):
        row, _, tries = self.run_twice("a thread waited", more=("--max-time", "0"))
        self.assertEqual((row["disturbed"], row.get("sampled_twice"), tries), ("a thread waited", None, 1))


if __name__ == "__main__":
    unittest.main()
