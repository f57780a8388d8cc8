# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""parallax compare: ratios, verdicts and how often they are wrong, and why files do not match."""

import copy
import json
import random
import re
import sys
import unittest

import samples
from support import InFolder

SAMPLES = [1000.0 + 3 * k for k in range(10)]


def row(name="x", factor=1.0, count=10, **more):
    taken = [s * factor for s in SAMPLES[:count]]
    return samples.row(
        name, "range", "serial", ns=sorted(taken)[len(taken) // 2] if taken else 1000.0 * factor, **more
    ) | {"samples": taken}


class Compare(InFolder):
    def compare(self, a, b, *options, status=0):
        """a, b: rows, or whole files."""
        paths = [
            samples.write(self.folder / f"{name}.json", data if isinstance(data, dict) else samples.results(data))
            for name, data in zip("ab", (a, b))
        ]
        outcome = self.run_program("compare", *paths, *options)
        self.assertEqual(outcome.returncode, status, outcome.stdout + outcome.stderr)
        return outcome.stdout

    def test_a_difference_within_the_threshold_is_none(self):
        text = self.compare([row()], [row(factor=1.001)], "--threshold", "0.05")
        self.assertRegex(text, r"x/range/serial/f64 .* 1\.001 +same \(0\.9\d\d to 1\.0\d\d\)")

    def test_a_difference_beyond_it_is_slower_or_faster(self):
        self.assertRegex(self.compare([row()], [row(factor=1.2)]), r"1\.200 +slower \(1\.1\d\d to 1\.2\d\d\)")
        self.assertRegex(self.compare([row()], [row(factor=0.5)]), r"0\.500 +faster \(0\.4\d\d to 0\.5\d\d\)")
        self.assertRegex(self.compare([row()], [row(factor=1.2)], "--threshold", "0.21"), r"1\.200 +ambiguous \(")

    def test_fail_above_guards_against_slowdowns_only(self):
        slow = self.compare([row(), row("y")], [row(factor=1.2), row("y")], "--fail-above", "1.05", status=1)
        self.assertIn("slower than 1.05 times in", slow)
        self.assertIn("1 case: x/range/serial/f64", slow)
        for factor in (1.04, 1.0, 0.5):  # a real difference below the limit, none, a faster one
            text = self.compare([row()], [row(factor=factor)], "--fail-above", "1.05")
            self.assertIn("no case is slower than 1.05 times in", text)
        # a large ratio that is noise: a median moved by samples that overlap
        wild = row()
        wild["real_time"] = 2000.0
        wild["samples"] = [900.0, 2000.0, 950.0, 2100.0, 980.0, 2000.0, 1000.0, 2200.0, 940.0, 1500.0]
        self.assertRegex(self.compare([row()], [wild], "--fail-above", "1.05", status=1), r"ambiguous \(")

    def closed(self, a, b, *reasons):
        """A gate that cannot tell; the first file's cases against themselves are open."""
        text = self.compare(a, b, "--fail-above", "1.05", status=1)
        lines = [line for line in text.splitlines() if line.startswith("--fail-above 1.05 is closed, it cannot tell for ")]
        self.assertEqual(len(lines), 1, text)
        self.assertTrue(lines[0].endswith("b.json': " + "; ".join(reasons)), lines[0])
        self.assertNotIn("no case is slower", text)

    def test_a_gate_that_cannot_tell_is_closed(self):
        good, long = [row(), row("y")], samples.row("y", "range", "serial", ns=3e9) | {"samples": [3e9], "repetitions": 1}
        self.compare(good, good, "--fail-above", "1.05")
        self.closed([row(count=5), row("y")], good, "1 case with too few samples")
        self.closed([row(), long], [row(), long], "1 case with too few samples")
        self.closed(good, [row(), row("y", disturbed="another process ran")], "1 case too disturbed")
        self.closed(good, [row()], "1 case missing")
        self.closed(good, [row(), row("y", skipped=True, skip_message="no device")], "1 case missing")
        self.closed(good, [row(), row("y", n=7)], "1 case that did not do the same")
        self.closed(good, samples.results(good, complete=False), f"the run of '{self.folder / 'b.json'}' was stopped")
        wide = [700.0 + 80 * k for k in range(10)]
        around, above = ({"samples": [x * f for x in wide], "real_time": wide[5] * f} for f in (0.92, 1.2))
        self.closed(good, [row(), row("y") | above], "1 case ambiguous above that ratio")
        self.closed(good, [row() | around, row("y") | around], "every case is ambiguous")
        self.compare(good, [row(), row("y") | around], "--fail-above", "1.05")  # the other row was judged
        self.closed(good, [row(count=5), row("y", n=7)], "1 case with too few samples", "1 case that did not do the same")

    def test_what_is_wrong_on_purpose_does_not_close_a_gate(self):
        race = samples.row("race", "range", "serial", expected_to_fail=True)
        wrong = samples.failed(copy.deepcopy(race))
        for a, b in ((race, race), (race, wrong), (wrong, race), (wrong, wrong)):
            self.compare([row(), a], [row(), b], "--fail-above", "1.05")

    def test_a_row_that_failed_with_an_error_closes_the_gate(self):
        broken = {name: value for name, value in row("y").items() if name not in ("real_time", "samples", "verified", "check")}
        for error in ({"error_occurred": True, "error_message": "out of memory"}, {"verified": False}):
            text = self.compare([row(), row("y")], [row(), broken | error], "--fail-above", "1.05", status=1)
            self.assertIn("1 case: y/range/serial/f64\n", text)
            self.assertNotIn("no case is slower", text)
        theirs = {"name": "BM_x", "run_type": "iteration", "real_time": 1.0}
        a, b = ({"benchmarks": [row(), last]} for last in (theirs, theirs | {"real_time": 0.0, "error_occurred": True}))
        self.assertIn("failed in", self.compare(a, b, "--fail-above", "1.05", status=1))

    def test_too_few_samples_cannot_tell_and_it_is_said(self):
        text = self.compare([row(count=5)], [row(factor=3, count=5)], "--fail-above", "1.05", status=1)
        self.assertRegex(text, r"3\.000 +ambiguous\n")
        self.assertIn("too few samples to tell (--repeat takes more): 1 case", text)
        self.assertRegex(self.compare([row(count=0) | {"repetitions": 3}], [row()]), r"ambiguous\n")

    def test_a_disturbed_case_cannot_tell(self):
        text = self.compare([row()], [row(factor=3, disturbed="another process ran")], "--fail-above", "1.05", status=1)
        self.assertRegex(text, r"3\.000 +ambiguous \(disturbed\)\n")
        self.assertNotIn("too few samples", text)

    def test_files_without_samples(self):
        """As in docs/measured: the range of the samples is left, and in newer files the interval of the median."""

        def kept(factor, interval):
            made = row(factor=factor, min_time=1000 * factor, max_time=1030 * factor)
            made["interval"] = interval
            del made["samples"]
            return made

        self.assertRegex(self.compare([kept(1, None)], [kept(1.2, None)]), r"1\.200 +slower \(1\.")
        self.assertRegex(self.compare([kept(1, None)], [kept(1, None)], "--threshold", "0.01"), r"1\.000 +ambiguous \(")
        self.assertRegex(self.compare([kept(1, None)], [kept(1, None)], "--threshold", "0.05"), r"1\.000 +same \(0\.97")
        near = [1013.0, 1017.0]
        self.assertRegex(self.compare([kept(1, near)], [kept(1, near)], "--threshold", "0.01"), r"1\.000 +same \(0\.99")
        for broken in ([1, "x"], [-1, 5], 7, [1020, 1010]):
            self.assertIn("ambiguous (", self.compare([kept(1, near)], [kept(1, broken)], "--threshold", "0.01"))

    def test_cycles_where_the_clock_is_known(self):
        def at(mhz, name="x", factor=1.0):
            return row(name, factor=factor, clock={"mhz": mhz})

        a = [at(3000), at(2000, "y"), row("z", clock="wall")]
        text = self.compare(a, [at(1500, factor=2), at(2000, "y", 1.2), at(2000, "z")])
        self.assertRegex(text, r"ratio +difference +in cycles +difference\n")
        self.assertRegex(text, r"x/range/.* 2\.000 +slower \([^)]*\) +1\.000 +same \([^)]*\)\n")
        self.assertRegex(text, r"y/range/.* 1\.200 +slower \([^)]*\) +1\.200 +slower \([^)]*\)\n")
        self.assertRegex(text, r"z/range/.* 1\.000 +same \([^)]*\)\n")
        for clock in (None, "wall", {"mhz": None}, {"mhz": -1}, {}, {"mhz": 1e300}):
            self.assertNotIn("in cycles", self.compare([at(3000)], [row(clock=clock)]), clock)
        self.compare([at(3000)], [at("fast")], status=2)  # as the report: no number
        paths = self.runs([[at(3000)], [at(3000, factor=1.1)], [at(1500, factor=2)], [at(1500, factor=2.2)]])
        self.assertRegex(self.run_program("compare", *paths, "--runs", "2").stdout, r" 2\.000 .* 1\.000 +ambiguous")

    def test_identical_programs_are_called_different_no_more_often_than_the_level_allows(self):
        """Fifty comparisons of samples from one distribution, each remembering the one before, of runs that differ."""
        draw = random.Random(1)

        def series():
            deviation, times, run = draw.gauss(0, 1), [], 1000 * (1 + 0.01 * draw.gauss(0, 1))
            for _ in range(30):
                deviation = 0.6 * deviation + 0.8 * draw.gauss(0, 1)
                times.append(run * (1 + 0.02 * deviation))
            return times

        def build():
            return [samples.row(f"x{k:02d}", "range", "serial") | {"samples": series()} for k in range(50)]

        files = [build() for _ in range(6)]
        for rows in files:
            for r in rows:
                r["real_time"] = sorted(r["samples"])[15]
        for paths, options in ((self.runs(files[:2]), []), (self.runs(files), ["--runs", "3"])):
            outcome = self.run_program("compare", *paths, "--threshold", "0", *options)
            verdicts = re.findall(r"^x\d\d/.* (same|faster|slower|ambiguous) \(", outcome.stdout, re.MULTILINE)
            self.assertEqual(len(verdicts), 50, outcome.stdout + outcome.stderr)
            # at 5 %, more than 8 of 50 come once in a thousand
            self.assertLessEqual(verdicts.count("faster") + verdicts.count("slower"), 8, outcome.stdout)

    def runs(self, files):
        return [samples.write(self.folder / f"run{k}.json", samples.results(rows)) for k, rows in enumerate(files)]

    def test_several_runs_of_each_program(self):
        """Runs that differ by 10 %, whose samples hardly do: a difference of 15 % is none, one of 100 % is."""
        files = [[row("x", f), row("y", f * (2 if k > 2 else 1))] for k, f in enumerate((1, 1.1, 1.2, 1.15, 1.25, 1.35))]
        outcome = self.run_program("compare", *self.runs(files), "--runs", "3", "--fail-above", "1.5")
        self.assertEqual(outcome.returncode, 1, outcome.stderr)
        self.assertRegex(outcome.stdout, r"x/range.* 1\.13\d +ambiguous \(0\.8")
        self.assertRegex(outcome.stdout, r"y/range.* 2\.2\d\d +slower \(1\.")
        self.assertIn("run0.json and 2 more", outcome.stdout)
        paths = self.runs([[row()], [row(n=5)], [row()], [row()]])
        self.refused(self.run_program("compare", *paths, "--runs", "2"), 2, "--runs", "x/range/serial/f64")
        for count in ("3", "4", "0", "many", "-1"):
            self.refused(self.run_program("compare", *paths, "--runs", count), 2, "--runs", count)

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

    def test_units_are_converted(self):
        micro = row()
        micro.update(time_unit="us", real_time=micro["real_time"] / 1e3, samples=[s / 1e3 for s in micro["samples"]])
        self.assertRegex(self.compare([row()], [micro]), r"1\.000 +same \(")

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

    def test_options_that_are_none(self):
        a = samples.write(self.folder / "a.json", samples.results([row()]))
        for words, refusal in (
            ((a,), "needs two files, or --across"),
            ((), "A.json"),
            ((a, a, "--fail-abov", "1.1"), "unknown option '--fail-abov' (did you mean '--fail-above'?)"),
            ((a, a, "--fail-above", "0.5"), "--fail-above: '0.5' is not a ratio from 1"),
            ((a, a, "--threshold", "1"), "--threshold: '1' is not a share of the time below 1"),
            ((a, a, "--threshold", "-1"), "--threshold: '-1'"),
            ((a, a, "--across", "phase"), "--across: 'phase' is none of variant, space, precision, ranks"),
            ((a, a, "--across="), "--across: '' is none of"),
            ((a, a, "--series", "x.svg", "--across", "space"), "--across excludes --series"),
        ):
            self.refused(self.run_program("compare", *words), 2, refusal)
        self.assertEqual(self.content(), ["a.json"])

    def test_three_files(self):
        paths = [samples.write(self.folder / f"{k}.json", samples.results([row(factor=k)])) for k in (1, 2, 4)]
        outcome = self.run_program("compare", *paths, "--fail-above", "3")
        self.assertEqual(outcome.returncode, 1)
        self.assertRegex(outcome.stdout, r"2\.000 +slower .* 4\.000 +slower")

    def test_across_spaces(self):
        """Cases of a CPU's file and of a GPU's, whose names differ in the space: a column for each, its device named."""

        def of(space, ns, exercise="x", **more):
            return samples.row(exercise, "range", space, ns=ns, **more)

        a = samples.results([of("openmp", 4000.0), of("openmp", 5.0, "y"), of("serial", 8000.0)])
        text = self.compare(a, [of("cuda", 1000.0), of("cuda", 1.0, "y", n=7)], "--across", "space")
        self.assertRegex(text, r"case +openmp +serial +ratio +difference +cuda +ratio +difference")
        self.assertRegex(text, r"x/range/\*/f64 +4\.00 us +8\.00 us +2\.000 +slower .* 1\.00 us +0\.250 +faster")
        self.assertRegex(text, r"y/range/\*/f64 .*other parameters")
        self.assertIn("1 of 2 cases are in every column", text)
        self.assertIn(f"openmp: {samples.HOST}, 16 threads\nserial: {samples.HOST}, 1 thread\ncuda: {samples.GPU}\n", text)
        self.assertNotIn("different devices", text)

    def test_across_spaces_that_several_files_have(self):
        text = self.compare([row()], [row(factor=2)], "--across", "space")
        self.assertRegex(text, r"case +serial \(\S+a\.json\) +serial \(\S+b\.json\) +ratio")
        self.assertRegex(text, r"x/range/\*/f64 .* 2\.000 +slower")

    def test_across_the_variants_of_one_file(self):
        """In the order of its rows; one that does other work has no ratio, and phases stay apart."""
        rows = [
            samples.row("x", variant, "serial", ns=ns, phase=phase, other_work=variant == "fewer")
            for variant, ns in (("second", 2000.0), ("first", 1000.0), ("fewer", 10.0))
            for phase in ("kernel", "end_to_end")
        ]
        skipped = rows[0] | {"name": "x/none/serial/f64", "skipped": True, "real_time": None}
        path = samples.write(self.folder / "a.json", samples.results([*rows, skipped]))
        outcome = self.run_program("compare", path, "--across", "variant")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertRegex(outcome.stdout, r"case +second +first +ratio +difference +fewer +ratio +difference")
        self.assertRegex(outcome.stdout, r"x/\*/serial/f64 +2\.00 us +1\.00 us +0\.500 +faster .* other work")
        self.assertRegex(outcome.stdout, r"x/\*/serial/f64/end_to_end +2\.00 us +1\.00 us +0\.500")
        outcome = self.run_program("compare", path, "--across", "variant", "--fail-above", "1.05")
        self.assertEqual(outcome.returncode, 2, outcome.stdout)  # the third column has nothing to compare

    def test_across_precisions(self):
        rows = [row(precision=precision, factor=k) for k, precision in enumerate(("f32", "f64"), 1)]
        text = self.compare(rows, [row("z")], "--across", "precision")
        self.assertRegex(text, r"x/range/serial/\* .* 2\.000 +slower")

    def test_across_ranks(self):
        """Four ranks that share the work of one, and four with that work each."""

        def of(end, ns):
            return samples.row("x", "range", "serial", ns=ns) | {"name": "x/range/serial/f64/n:8" + end}

        one, four = [of("", 4000.0)], [of("/ranks:4", 1250.0), of("/weak:4", 5000.0), of("/ranks:0", 1.0), of("/ranks:many", 1.0)]
        text = self.compare(one, four, "--across", "ranks")
        self.assertRegex(text, r"case +1 rank \(\S+a\.json\) +4 ranks +ratio +efficiency +difference +4 ranks, weak +ratio +efficiency +difference")
        self.assertRegex(text, r"x/range/serial/f64/n:8 +4\.00 us +1\.25 us +0\.312 +80\.0 % +faster .* 5\.00 us +1\.250 +80\.0 % +slower")
        # Of strong and weak files, each rank of the one has a fourth of the other's work.
        strong, weak = [of("/ranks:4", 1250.0)], [of("/weak:4", 4762.0), of("/weak:8", 10000.0)]
        text = self.compare(strong, weak, "--across", "ranks")
        self.assertRegex(text, r"n:8 +1\.25 us +4\.76 us +3\.810 +105\.0 % .* 10\.0 us +8\.000 +50\.0 %")
        self.assertRegex(self.compare(weak[:1], [of("/ranks:8", 625.0)], "--across", "ranks"), r" 0\.131 +95\.2 %")

    def test_bad_input(self):
        good = samples.write(self.folder / "good.json", samples.results([row()]))
        for limit in ("0.5", "fast", "-1", "nan"):
            self.refused(self.run_program("compare", good, good, "--fail-above", limit), 2, "--fail-above", limit)
        for share in ("1", "-0.1", "2%", "nan"):
            self.refused(self.run_program("compare", good, good, "--threshold", share), 2, "--threshold", share)
        twice = samples.write(self.folder / "twice.json", samples.results([row(), row()]))
        self.refused(self.run_program("compare", good, twice), 2, "twice.json", "stands twice")
        unit = samples.write(self.folder / "unit.json", samples.results([row() | {"time_unit": "days"}]))
        self.refused(self.run_program("compare", good, unit), 2, "unit.json", "'days'")
        empty = samples.write(self.folder / "empty.json", samples.results([]))
        self.refused(self.run_program("compare", good, empty), 2, "empty.json", "no timed case")
        self.refused(self.run_program("compare", good), 2, "two files", "--across")
        said = self.run_program("compare", good, "--across", "size")
        self.refused(said, 2, "'size' is none of variant, space, precision, ranks")
        self.refused(self.run_program("compare", good, "--across", "space"), 2, "all have 'serial'")
        foreign = samples.write(self.folder / "foreign.json", samples.results([row() | {"name": "BM_x"}]))
        self.refused(self.run_program("compare", foreign, "--across", "variant"), 2, "'BM_x' has no such part")


class Sweeps(InFolder):
    QUICK = ("run", "vector_add", "--variant", "range", "--size", "tiny", "--verify-only")

    def names(self, *options):
        outcome = self.run_program(*self.QUICK, *options, "--json", self.folder / "s.json")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        rows = json.loads((self.folder / "s.json").read_text())["benchmarks"]
        return {r["name"]: r for r in rows if "skipped" not in r}

    def test_sizes(self):
        host = self.host_space()
        rows = self.names("--space", host, "--sweep", "n=1e1:1e3:x10")
        self.assertEqual(list(rows), [f"vector_add/range/{host}/f32/n:{n}" for n in (10, 100, 1000)])
        self.assertEqual([r["parameters"]["n"] for r in rows.values()], [10, 100, 1000])

    def test_several_sweeps_multiply(self):
        host = self.host_space()
        rows = self.names("--space", host, "--sweep", "n=5,7", "--sweep", "input=ones,indexed")
        self.assertEqual(
            [name.removeprefix(f"vector_add/range/{host}/f32") for name in rows],
            ["/n:5/input:ones", "/n:5/input:indexed", "/n:7/input:ones", "/n:7/input:indexed"],
        )

    def test_threads_of_openmp_and_of_nothing_else(self):
        spaces = self.run_program("list", "--json").stdout
        if '"openmp"' not in spaces:
            self.refused(self.run_program(*self.QUICK, "--sweep", "threads=1,2"), 2, "threads")
            return
        serial = '"serial"' in spaces
        rows = self.names("--space", "serial,openmp" if serial else "openmp", "--sweep", "threads=1,2")
        self.assertEqual(
            list(rows),
            ["vector_add/range/serial/f32"] * serial + [f"vector_add/range/openmp/f32/threads:{n}" for n in (1, 2)],
        )
        self.assertEqual([r.get("space_threads") for r in rows.values()], [None] * serial + [1, 2])
        if serial:
            self.refused(self.run_program(*self.QUICK, "--space", "serial", "--sweep", "threads=1,2"), 2, "threads")
        self.refused(self.run_program(*self.QUICK, "--sweep", "threads=1,100000"), 2, "100000")

    def test_a_size_beyond_memory_is_refused_before_the_work(self):
        out = self.folder / "s.json"
        outcome = self.run_program(*self.QUICK, "--sweep", "n=1e3:1e13:x1e5", "--json", out)
        self.refused(outcome, 3, "needs 120 TB", "n:10000000000000")
        self.assertFalse(out.exists())

    def test_bad_sweeps(self):
        for sweep, *words in (
            ("m=1,2", "unknown parameter 'm'"),
            ("n=0,1", "'0'"),
            ("n=1:2", "NAME=FIRST:LAST:xFACTOR"),
            ("input=ones,twos", "'twos'"),
        ):
            self.refused(self.run_program(*self.QUICK, "--sweep", sweep), 2, *words)
        self.refused(self.run_program(*self.QUICK, "--sweep", "n=1,2", "--set", "n=3"), 2, "both set and swept")
        self.refused(self.run_program(*self.QUICK, "--sweep", "n=1,2", "--sweep", "n=3,4"), 2, "swept twice")
        many = ["--sweep", "n=1:1000:+1", "--sweep", "input=ones,indexed"]
        outcome = self.run_program(*self.QUICK, *many, "--dry-run")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
