# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Rows whose times are doubtful: the report and compare say which, and why."""

import json
import unittest

import samples
from support import InFolder

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


if __name__ == "__main__":
    unittest.main()
