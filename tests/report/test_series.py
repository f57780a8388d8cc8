# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""`parallax compare --series`: which rows become one curve, in which order, and the chart itself."""

import sys
import unittest
import xml.etree.ElementTree as ET
from importlib.util import find_spec

import samples
from support import ROOT, InFolder, skip

DAYS = {"v1": "2026-01-02T10:00:00+01:00", "v2": "2026-01-02T10:00:00+00:00", "v3": "2026-02-01T00:00:00Z"}


def row(variant="range", ns=1e6, **more):
    return samples.row(more.pop("exercise", "vector_add"), variant, more.pop("where", "serial"), ns=ns, **more)


class Series(InFolder):
    def write(self, name, rows, commit, **context):
        data = samples.results(rows)
        data["context"].update(git=commit, date=DAYS.get(commit, ""), **context)
        return samples.write(self.folder / name, data)

    def draw(self, *arguments):
        outcome = self.start([sys.executable, str(ROOT / "python" / "compare_results.py"), *arguments])
        if outcome.returncode == 3 and "matplotlib" in outcome.stderr:
            skip("no matplotlib: " + outcome.stderr.strip())
        return outcome

    def test_a_chart_of_three_commits(self):
        # Names in another order than dates; two runs of v2.
        self.write("c.json", [row(ns=1e6), row("team", ns=2e6), row(exercise="add_one", ns=1.0)], "v1")
        self.write("b.json", [row(ns=2e6), row("team", ns=2e6)], "v2")
        self.write("d.json", [row(ns=4e6), row("team", ns=2e6)], "v2")
        self.write("a.json", [row(ns=1.5e6), row("team", ns=2e6), row(exercise="add_one", ns=3.0, n=5)], "v3")
        outcome = self.draw("a.json", "b.json", "c.json", "d.json", "--series", "out.svg")
        self.assertEqual((outcome.returncode, outcome.stdout), (0, ""), outcome.stderr)
        self.assertIn("wrote out.svg: 2 cases over 3 commits", outcome.stderr)  # add_one had another n
        text = (self.folder / "out.svg").read_text(encoding="utf-8")
        tips = [t.text for t in ET.fromstring(text).iter("{http://www.w3.org/2000/svg}title")][1:]
        self.assertEqual(
            [t.replace("vector_add/range/serial/f64 at ", "") for t in tips if "range" in t],
            ["v1: 1.00 ms, 1.00 of the first", "v2: 3.00 ms, median of 2 runs, 3.00 of the first", "v3: 1.50 ms, 1.50 of the first"],
        )
        self.assertEqual(sum("team" in t for t in tips), 3)
        self.assertLess(text.index("at v1"), text.index("at v3"))
        self.assertIn("vector_add on serial", text)

    def test_what_is_wrong_on_purpose_or_failed_is_not_joined(self):
        race = row("race", exercise="tree_sum", expected_to_fail=True)
        for name, commit in (("a.json", "v1"), ("b.json", "v2")):
            self.write(name, [race, samples.failed(row()) if commit == "v2" else row()], commit)
        self.refused(self.draw("a.json", "b.json", "--series", "x.svg"), 2, "no case was timed in two commits")
        self.assertEqual(self.content(), ["a.json", "b.json"])

    def test_refusals(self):
        self.write("a.json", [row()], "v1")
        self.refused(self.draw("a.json", "a.json", "--series", "x.svg"), 2, "all files are of one commit, v1")
        self.refused(self.draw("a.json", "a.json", "--series", "a.json"), 2, "a.json", "input")
        self.refused(self.draw("none.json", "none.json", "--series", "x.svg"), 3, "none.json")

    @unittest.skipUnless(find_spec("matplotlib"), "no matplotlib")
    def test_files_without_dates_keep_their_order(self):
        from parallax.report import load, series

        files = [self.write(f"{k}.json", [row()], commit) for k, commit in enumerate(("v3", "undated", "v1"))]
        self.assertEqual(series.commits(load.load(files)[0]), ["v3", "undated", "v1"])
        self.assertEqual(series.commits(load.load([files[0], files[2]])[0]), ["v1", "v3"])

    def test_the_program_hands_over(self):
        self.write("a.json", [row()], "v1")
        self.write("b.json", [row()], "v2")
        environment = {"PARALLAX_PYTHON": sys.executable}
        outcome = self.run_program("compare", "a.json", "b.json", "--series", "out.svg", environment=environment)
        if outcome.returncode == 3 and "matplotlib" in outcome.stderr:
            skip("no matplotlib: " + outcome.stderr.strip())
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(self.content(), ["a.json", "b.json", "out.svg"])
        self.refused(self.run_program("compare", "a.json", "b.json", "--series", "x.svg", "--runs", "1"), 2, "--series", "--runs")


if __name__ == "__main__":
    unittest.main()
