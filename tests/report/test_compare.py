# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""parallax compare: ratios, verdicts and how often they are wrong, and when --fail-above fails."""

import copy
import random
import re
import sys
import unittest

import samples
from support import Comparing, row


class Compare(Comparing):
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

    def test_units_are_converted(self):
        micro = row()
        micro.update(time_unit="us", real_time=micro["real_time"] / 1e3, samples=[s / 1e3 for s in micro["samples"]])
        self.assertRegex(self.compare([row()], [micro]), r"1\.000 +same \(")

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


if __name__ == "__main__":
    sys.exit(unittest.main())
