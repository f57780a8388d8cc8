# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""parallax compare: why files do not match, and files of other programs."""

import copy
import json
import sys
import unittest

import samples
from support import SAMPLES, Comparing, row


class Files(Comparing):
    def test_other_problems_are_not_set_side_by_side(self):
        text = self.compare([row(n=10), row("y")], [row(n=20, factor=9), row("y")], "--fail-above", "1.05", status=1)
        self.assertIn("other parameters", text)
        self.assertIn("x/range/serial/f64 (n = 10 and 20)", text)
        text = self.compare([row(), row("y")], [row(other_work=True), row("y")])
        self.assertIn("x/range/serial/f64 (other work)", text)

    def test_other_machines_and_builds_are_said(self):
        other = samples.results([row()], threads=8, compiler="GNU 16.1.0")
        other["context"]["spaces"]["serial"]["device"] = "Another CPU"
        text = self.compare([row()], other)
        self.assertIn(f"different devices: serial = {samples.HOST} and Another CPU", text)
        self.assertIn("different builds: compiler = GNU 12.2.0 and GNU 16.1.0", text)

    def test_missing_cases_are_said(self):
        text = self.compare([row(), row("y")], [row(), row("z")])
        self.assertRegex(text, r"timed in '.*a\.json' only: 1 case: y/range/serial/f64")
        self.assertRegex(text, r"timed in '.*b\.json' only: 1 case: z/range/serial/f64")
        self.assertIn("1 of 3 cases are in every file", text)

    def test_files_with_nothing_in_common_guard_nothing(self):
        text = self.compare([row(precision="f32")], [row(precision="f64")])
        self.assertIn("different precisions: f32 and f64 (--across precision sets them side by side)\n", text)
        self.assertIn("0 of 2 cases", text)
        self.compare([row(precision="f32")], [row(precision="f64")], "--fail-above", "1.05", status=2)

    def test_files_with_nothing_in_common_have_a_hint_and_no_table(self):
        """A CPU's file and a GPU's: no table whose every row has one side."""
        cpu = [samples.row(f"x{k}", "range", where) for k in range(20) for where in ("serial", "openmp")]
        text = self.compare(cpu, [samples.row(f"x{k}", "range", "cuda") for k in range(9)])
        self.assertIn("different spaces: openmp, serial and cuda (--across space sets them side by side)\n", text)
        self.assertLess(len(text.splitlines()), 7)
        text = self.compare([row()], [row() | {"name": "x/range/serial/f64/ranks:4"}])
        self.assertIn("different ranks: 1 rank and 4 ranks (--across ranks sets", text)
        for other in (row("z"), {"name": "BM_x", "real_time": 1.0}):
            self.assertNotIn("--across", self.compare([row()], {"benchmarks": [other]}))

    def test_a_sweep_meets_a_single_run_of_the_same_problem(self):
        def swept(n, factor=1.0):
            return row(factor=factor, n=n, suffix=f"/n:{n}")

        one, sweep = [row(n=1000)], [swept(100, 9.0), swept(1000, 2.0), swept(10000, 9.0)]
        self.assertRegex(self.compare(one, sweep), r"\nx/range/serial/f64 .* 2\.000 +slower")
        self.assertRegex(self.compare(sweep, one), r"\nx/range/serial/f64/n:1000 .* 0\.500 +faster")
        self.assertIn("0 of 4 cases", self.compare([row(n=1)], sweep))
        text = self.compare([row(n=100), *sweep], sweep)  # what has the name already keeps it
        self.assertRegex(text, r"f64/n:100 .* 1\.000 +same")

    def test_a_failed_check_is_said_and_fails_the_guard(self):
        wrong = samples.failed(row())
        self.assertIn("failed in", self.compare([row(), row("y")], [wrong, row("y")]))
        self.compare([row(), row("y")], [copy.deepcopy(wrong), row("y")], "--fail-above", "1.05", status=1)

    def test_an_incomplete_file_is_said(self):
        self.assertIn("incomplete", self.compare([row()], samples.results([row()], complete=False)))

    def test_files_of_other_programs(self):
        """Google Benchmark's own: aggregates are no times, an error has none, and counters of our fields' names mean something else."""
        counters = {"clock": 2.5e9, "samples": 7.0, "verified": 0.0, "energy": 3.0, "interval": 1.0}
        rows = [
            {"name": "BM_copy/8", "run_type": "iteration", "repetitions": 1, "real_time": 100.0, "time_unit": "us", **counters},
            {"name": "BM_copy/8_cv", "run_type": "aggregate", "aggregate_name": "cv", "real_time": 0.01, "time_unit": "us"},
            {"name": "BM_wrong", "run_type": "iteration", "real_time": 0.0, "error_occurred": True, "error_message": "no"},
        ]
        text = self.compare({"benchmarks": rows}, {"benchmarks": [{**rows[0], "real_time": 150.0}]})
        self.assertRegex(text, r"(?s)^case .*\nBM_copy/8 +100 us +150 us +1\.500 +ambiguous\n1 of 1 cases are in every file")
        for broken, words in (
            ([{"real_time": 1.0}], "has no 'name'"),
            ([{**rows[0], "time_unit": "min"}], "unknown time unit 'min'"),
            ([{**rows[0], "real_time": "1"}], "'real_time'"),
            ([rows[0]] * 2, "the case 'BM_copy/8' stands twice"),
            ([rows[0] | {"repetition_index": 0}] * 2, "the case 'BM_copy/8' stands twice"),
            ([rows[1]], "holds no timed case (aggregates are none)"),
            ([rows[2]], "holds no timed case"),
            ([{**rows[0], "real_time": 1e70}], "which no measurement gives"),
        ):
            path = samples.write(self.folder / "broken.json", {"benchmarks": broken})
            self.refused(self.run_program("compare", path, path), 2, "broken.json", words)

    def test_repetitions_of_other_programs_are_samples(self):
        """--benchmark_repetitions: a row for each, and aggregates, which older versions tell by their names only."""

        def repeated(factor, *more):
            times = [{"name": "BM_x/8", "repetition_index": k, "real_time": factor * s} for k, s in enumerate(SAMPLES)]
            ends = {"mean": 1e3, "median": 1e3, "stddev": 10.0, "cv": 0.01}
            return {"benchmarks": times + [{"name": f"BM_x/8_{end}", "real_time": factor * x} for end, x in ends.items()] + [*more]}

        text = self.compare(repeated(1.0), repeated(1.2), "--fail-above", "1.05", status=1)
        self.assertRegex(text, r"\nBM_x/8 +1\.01 us +1\.22 us +1\.200 +slower \(1\.1.*\n1 of 1 cases are in every file")
        self.compare(repeated(1.0), repeated(1.0), "--fail-above", "1.05")
        mean = {"name": "BM_mean", "real_time": 5.0}  # a case, not an aggregate
        for more in (mean, mean | {"repetition_index": [1]}):
            self.assertIn("2 of 2 cases", self.compare(repeated(1.0, more), repeated(1.0, more)))
        bad = {"name": "BM_x/8", "repetition_index": 10, "real_time": 0.0, "error_occurred": True}
        self.assertIn("failed in", self.compare(repeated(1.0), repeated(1.0, bad), "--fail-above", "1.05", status=1))

    def test_counters_of_other_programs_that_are_no_numbers(self):
        """Google Benchmark writes NaN and Infinity as they are; ours are null."""
        text = '{"benchmarks": [{"name": "BM_x", "real_time": 7.0, "ratio": NaN, "a": -Infinity}, {"name": "BM_y", "real_time": NaN}]}'
        self.assertRegex(self.compare(json.loads(text), json.loads(text)), r"BM_x +7\.00 ns .*\n1 of 1 cases")
        path = samples.write(self.folder / "ours.json", samples.results([row() | {"bytes": float("nan")}]))
        self.refused(self.run_program("compare", path, path), 2, "'bytes' is not a number that is finite")


if __name__ == "__main__":
    sys.exit(unittest.main())
