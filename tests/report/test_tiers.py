# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What plain Kokkos gets, what tuning adds, what a library has; and the line of each exercise's results."""

import re
import sys
import unittest

import samples
from support import InFolder, skip

from parallax.report import load, tiers
from parallax.report.model import setting
from parallax.report.tables import Cell


def lines(columns, rows):
    """Each row as a dictionary of what its cells show."""
    return [{n: c.text if isinstance(c, Cell) else c for n, c in zip(columns, row)} for row in rows]


class Tables(InFolder):
    def load(self, *rows, program="kokkos"):
        return load.load([samples.write(self.folder / "rows.json", samples.results(list(rows), program))])[2]

    def compared(self, *rows):
        return lines(tiers.COLUMNS, tiers.comparison_rows(self.load(*rows)))

    def test_the_best_of_each_tier_and_its_ratios(self):
        def add(variant, tier, ns, **more):
            return samples.row("vector_add", variant, "serial", ns=ns, tier=tier, **more)

        (line,) = self.compared(
            add("range", "lesson", 9e6),
            add("team", "lesson", 6e6, team_size=64),
            add("team", "lesson", 8e6, team_size=32),
            add("wide", "tuned", 3e6),
            add("cub", "library", 1.5e6),
            # None of these may count: wrong, wrong on purpose, unchecked, less work, another phase, of no tier.
            samples.failed(add("broken", "lesson", 1.0)),
            add("race", "lesson", 1.0, expected_to_fail=True),
            add("unchecked", "tuned", 1.0, verified=None),
            add("cheap", "tuned", 1.0, other_work=True),
            add("copied", "tuned", 1.0, phase="end_to_end"),
            samples.row("vector_add", "older", "serial", ns=1.0),
        )
        self.assertEqual((line["lesson"], line["tuned"], line["library"]), ("team", "wide", "cub"))
        self.assertEqual((line["lesson: time"], line["tuned: time"]), ("6.00 ms", "3.00 ms"))
        self.assertEqual(line["tuned: times as fast"], "2.00 ×")
        self.assertEqual(line["library: times as fast"], "2.00 ×")
        self.assertTrue(line["lesson: of ceiling"].endswith("triad"))
        self.assertEqual((line["parameters"], line["on"]), ("n = 1e6", f"serial (1 thread of {samples.HOST})"))

    def test_every_precision_place_and_size_has_a_line_and_a_missing_tier_no_ratio(self):
        def add(where, precision, n):
            return samples.row("vector_add", "range", where, precision, n=n, tier="lesson")

        cases = [add("serial", "f32", 10), add("serial", "f64", 10), add("openmp", "f32", 10), add("serial", "f32", 20)]
        made = self.compared(*cases)
        self.assertEqual(len(made), 4)
        for line in made:
            self.assertEqual((line["tuned"], line["tuned: times as fast"]), ("", ""))

    def test_the_first_table_has_the_largest_problem_of_one_place_and_no_empty_column(self):
        def add(variant, where, n, tier="lesson", ns=1e6):
            return samples.row("vector_add", variant, where, n=n, tier=tier, ns=ns)

        cases = self.load(add("range", "openmp", 10), add("range", "openmp", 20), add("wide", "openmp", 20, "tuned", 5e5), add("range", "serial", 99))
        text = tiers.comparison(cases, cases[0].place)
        heads = re.findall(r"<th scope=\"col\">([^<]*)", text)
        self.assertEqual(heads, ["exercise", "lesson", "lesson: time", "lesson: of ceiling", "tuned", "tuned: time", "tuned: of ceiling", "tuned: times as fast"])
        self.assertEqual((text.count("<tr>"), "2.00 ×" in text), (2, True))

    def test_files_without_tiers_have_no_such_table(self):
        self.assertEqual(tiers.comparison(self.load(samples.row("vector_add", "range", "serial"))), "")

    def test_results_are_one_line_with_the_ends_where_rows_differ(self):
        def count(variant, n, **result):
            return samples.row("circle_area", variant, "serial", n=n, result=result)

        cases = self.load(
            count("philox", 100, hits=70, area=3.0),
            count("xoroshiro", 1000, hits=2**53 + 1, area=3.1415926535, state="even", counts=[1, 2]),
            count("philox", 1000, hits=9, area=3.1415931, state="even"),
            samples.failed(count("broken", 1000, hits=1, area=0.0)),
            {**count("race", 1000, hits=2, area=0.0), "expected_to_fail": True},
        )
        result = "hits 9 (philox/serial) to 9007199254740993 (xoroshiro/serial), area 3.14159, state even"
        self.assertEqual(tiers.computed_rows(cases), [["circle_area", "f64", result, "n = 1000, seed = 12345"]])

    def test_a_sweep_of_team_sizes_is_a_curve_and_no_other_problem(self):
        def teams(size):
            return samples.row("row_sum", "team", "serial", ns=1e6 / size, team_size=size, suffix=f"/team_size:{size}")

        try:
            from parallax.report import sweeps
        except ImportError as missing:  # this Python has no matplotlib, and draws nothing
            skip(str(missing))
        cases = self.load(*map(teams, (32, 64, 128)), samples.row("row_sum", "range", "serial", ns=5e5, team_size=0))
        (sweep,) = sweeps.find("row_sum", cases)
        self.assertEqual(sweep.parameter, "team_size")
        self.assertEqual([c.team_size for c in sweep.cases()], [32, 64, 128])
        self.assertEqual(len({setting(c) for c in cases}), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
