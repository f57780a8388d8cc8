# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Rows whose times are doubtful: the report and compare say which, and why."""

import json
import re
import sys
import unittest
from pathlib import Path

import samples
from support import ROOT, InFolder

from parallax.errors import Refusal
from parallax.report import load, tables

DISTURBED = {"disturbed": "a thread waited 48 % of the time for a processor", "sampled_twice": True}


def clock(mhz, best=3000.0):
    return {"mhz": mhz, "best_mhz": best, "source": "timed additions", "reported_mhz": None}


def row(name="x", **more):
    return samples.row(name, "range", "serial", **more)


class Marks(InFolder):
    def load(self, *rows):
        _, _, cases, warnings = load.load([samples.write(self.folder / "a.json", samples.results(list(rows)))])
        return [c.marks for c in cases], warnings, cases

    def test_a_row_without_doubts_has_none(self):
        for state in ({}, {"clock": None, "power": None}, {"clock": clock(2750.0)}, {"clock": "wall"}):
            marks, warnings, _ = self.load(row(**state))
            self.assertEqual(([{}], []), (marks, warnings), state)
        throttled_by_nothing = {"watts": 90.0, "celsius": None, "throttled": []}
        for power in (throttled_by_nothing, {**throttled_by_nothing, "throttled": None}):
            self.assertEqual([{}], self.load(row(power=power))[0])

    def test_each_doubt_is_a_mark_with_its_reason(self):
        power = {"watts": 700.0, "celsius": 80.0, "throttled": ["power cap", "power brake"]}
        marks, warnings, cases = self.load(row(**DISTURBED, clock=clock(2600.0), power=power), row("y", **DISTURBED))
        self.assertEqual(
            marks[0],
            {
                "d": "a thread waited 48 % of the time for a processor; sampled twice",
                "c": "2600 of 3000 MHz",
                "t": "power cap, power brake",
            },
        )
        self.assertEqual(list(marks[1]), ["d"])
        self.assertEqual(3, len(warnings))
        self.assertIn("In 2 rows of file A other work disturbed the samples (marked d). The first: x/range", warnings[0])
        self.assertIn("2600 of 3000 MHz", warnings[1])
        column = tables.CASE_COLUMNS.index("spread")
        self.assertTrue(tables.case_row(cases[0])[column].text.endswith(" % dct"))

    def test_a_row_that_is_too_fast_for_its_work_is_marked(self):
        def compare(*more):
            paths = [samples.write(self.folder / f"{k}.json", samples.results([row(**m)])) for k, m in enumerate(more)]
            return self.run_program("compare", *paths).stdout

        marks, warnings, _ = self.load(row(above_ceiling="419 % of triad L2"))
        self.assertEqual([{"f": "419 % of triad L2"}], marks)
        self.assertIn("took less time than the work needs at least (marked f). The first: x/range", warnings[0])
        self.assertIn("(419 % of triad L2)", compare({}, {"above_ceiling": "419 % of triad L2"}))

    def test_few_samples_are_marked_too(self):
        self.assertEqual("d", tables.spread([1.0, 2.0], "d").text)
        self.assertEqual("", tables.spread([1.0, 2.0]).text)

    def test_states_of_another_kind_are_refused(self):
        for state in (
            {"disturbed": True},
            {"clock": 3},
            {"clock": clock("fast")},
            {"power": []},
            {"power": {"throttled": "power cap"}},
        ):
            with self.assertRaises(Refusal, msg=json.dumps(state)):
                self.load(row(**state))

    def test_compare_names_the_cases_and_the_reasons(self):
        def compare(a, b):
            paths = [samples.write(self.folder / f"{n}.json", samples.results([r])) for n, r in (("a", a), ("b", b))]
            return self.run_program("compare", *paths).stdout

        self.assertNotIn("doubt", compare(row(clock=clock(2750.0)), row(power={"throttled": []})))
        text = compare(row(**DISTURBED), row(clock=clock(2600.0), power={"throttled": ["power cap"]}))
        self.assertIn("times to doubt: 1 case: x/range/serial/f64 (2600 of 3000 MHz; throttled; the first file, too)", text)
        text = compare(row(**DISTURBED), row())
        self.assertIn("times to doubt: 1 case: x/range/serial/f64 (the first file: disturbed: a thread waited 48 %", text)

    MARK = re.compile(r'<g class="mark">\s*<title>([^<]*)</title>(.*?)</g>', re.DOTALL)

    def files(self, disturb):
        """All charts of the page: CPU, GPU and twins, sweeps, phases, ranks, joules; `disturb` says which of the rows were disturbed."""
        kokkos, twins = samples.showcase()
        joules = {"energy": {"joules_per_run": 2.0, "interval": None, "parts": {"package": {}}}}
        kokkos["benchmarks"] += [samples.row("add_one", "team", "openmp", n=n, ns=3.0 * n, suffix=f"/n:{n}", **joules) for n in (10**4, 10**5)]
        more = {"messages": [], "scaling": "strong"}
        kokkos["benchmarks"] += [samples.row("gather", "range", "openmp", ns=8e6 / k, ranks=k, suffix=f"/ranks:{k}", **more) for k in (2, 4)]
        for data in (kokkos, twins):
            for k, made in enumerate(r for r in data["benchmarks"] if "real_time" in r):
                made.update(DISTURBED if disturb(k) else {})
        return [samples.write(self.folder / f"{name}.json", data) for name, data in (("a", kokkos), ("b", twins))]

    def marks(self, path):
        """Each point and bar whose tip says so is hollow, and no other; the legend has an entry where there are any."""
        text = Path(path).read_text(encoding="utf-8")
        found = [mark for mark in self.MARK.findall(text) if "the model" not in mark[0]]
        self.assertTrue(found, path)
        for title, drawn in found:
            # Where it is hatched, too, the pattern is the face, and there is an edge.
            self.assertEqual(", disturbed" in title, "fill: #ffffff" in drawn or ("fill: url(" in drawn and "stroke: #" in drawn), title)
        several = sum(", disturbed" in title for title, _ in found)
        self.assertEqual(several > 0, ">disturbed</text>" in text, path)
        return several, len(found)

    def test_charts_draw_disturbed_points_hollow_and_say_so(self):
        self.need_matplotlib()
        (self.folder / "charts").mkdir()
        for every, disturb in ((True, lambda k: True), (False, lambda k: k % 3 == 0)):
            files = self.files(disturb)
            outcome = self.run_report(*files, "-o", "x.html", "--charts", "charts")
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            charts = sorted((self.folder / "charts").iterdir())
            names = {name for name in ("energy", "ranks", "roofline", "sweep", "times-of", "fast", "kernel-") if any(name in c.name for c in charts)}
            self.assertEqual(len(names), 7, charts)
            counts = [self.marks(path) for path in charts]
            several, marks = (sum(column) for column in zip(*counts))
            self.assertEqual((several > 0, several == marks), (True, every), counts)
            outcome = self.run_report(*files, "--bars", "vector_add", "-o", "bars.svg")
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.assertGreater(self.marks(self.folder / "bars.svg")[0], 0)

    def test_the_series_marks_a_commit_of_which_a_run_was_disturbed(self):
        self.need_matplotlib()
        files = []
        for k, (commit, more) in enumerate((("v1", {}), ("v2", {}), ("v2", DISTURBED))):
            data = samples.results([row(ns=1e6 + k, **more)], git=commit)
            files.append(samples.write(self.folder / f"{k}.json", data))
        outcome = self.start([sys.executable, str(ROOT / "python" / "compare_results.py"), *files, "--series", "x.svg"])
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(self.marks(self.folder / "x.svg"), (1, 2))


if __name__ == "__main__":
    unittest.main()
