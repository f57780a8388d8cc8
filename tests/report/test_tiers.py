# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What plain Kokkos gets, what tuning adds, what a library has; and the line of each exercise's results."""

import importlib.machinery
import importlib.util
import json
import re
import sys
import unittest
from xml.etree import ElementTree

import samples
from support import ROOT, InFolder, skip

from parallax import bars
from parallax.report import load, tiers
from parallax.report.model import setting
from parallax.report.tables import Cell


def lines(columns, rows):
    """Each row as a dictionary of what its cells show."""
    return [{n: c.text if isinstance(c, Cell) else c for n, c in zip(columns, row)} for row in rows]


def lesson_tables():
    loader = importlib.machinery.SourceFileLoader("lesson_tables", str(ROOT / "scripts" / "fill-pages"))
    pages = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(pages)
    return pages


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

    def test_the_picture_of_an_exercise_has_a_bar_for_each_time_and_the_fastest_in_bold(self):
        rows = [("range", "lesson", [(4e6, "4.00 ms"), None]), ("a<b", "tuned", [(1e6, "1.00 ms"), (2e3, "2.00 us")])]
        drawn = bars.svg("Times", ["GPU", "CPU"], rows)
        texts = [(e.text, e.get("font-weight")) for e in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([t for t, bold in texts if bold], ["GPU", "1.00 ms", "CPU", "2.00 us"])
        self.assertEqual([t for t, bold in texts if not bold], ["lesson", "tuned", "4.00 ms", "-", "range", "a<b"])
        lengths = [float(w) for w in re.findall(r'width="([\d.]+)" height="18"', drawn)]
        self.assertEqual(lengths, [bars.BAR, bars.BAR / 4, bars.BAR])

    def test_a_lesson_page_has_a_column_of_tiers_where_rows_have_one(self):
        pages = lesson_tables()
        old = {**samples.row("vector_add", "range", "serial"), "case": ("", "f64")}
        new = {**samples.row("vector_add", "wide", "serial", tier="tuned"), "case": ("", "f64")}
        self.assertEqual(pages.kokkos_table([old])[0], "| precision | variant | CPU, one thread |")
        head, _, *lines = pages.kokkos_table([old, new])
        self.assertEqual(head, "| precision | variant | tier | CPU, one thread |")
        self.assertEqual([line.split(" | ")[2] for line in lines], ["", "tuned"])

    def test_the_table_of_tiers_has_columns_of_tuned_rows_only_where_there_are_some(self):
        pages = lesson_tables()

        def add(variant, tier, ns, **more):
            return samples.row("matmul", variant, "cuda", ns=ns, tier=tier, **more)

        plain = [
            add("naive", "lesson", 9e6, parameters={"tile": 16}),
            add("team_scratch", "lesson", 8e6, parameters={"tile": 16}, team_size=256),
            add("tiled_swizzled", "tuned", 6e6, parameters={"tile": 16}),
        ]
        tuned = [
            add("team_scratch", "lesson", 4e6, parameters={"tile": 16}, team_size=64, tuned_for_this_machine=True),
            add("tiled_swizzled", "tuned", 3e6, parameters={"tile": 32}, tuned_for_this_machine=True),
        ]
        samples.write(self.folder / "plain.json", samples.results(plain))
        before, scratch = pages.tiers(pages.load(self.folder)), pages.scratch(pages.load(self.folder))
        self.assertNotIn("tuned for the machine", before[2])
        samples.write(self.folder / "tuned.json", samples.results(tuned, date="2026-02-02T03:04:05+00:00"))
        _, _, head, _, *lines = pages.tiers(pages.load(self.folder))
        self.assertEqual(head, before[2] + " tuned for the machine | by | times as fast as with its own parameters |")
        (line,) = lines
        self.assertEqual(line.split(" | ")[-3].split(",")[0], "3.00 ms")
        self.assertTrue(line.endswith("| `tiled_swizzled` | 2.00 |"))
        self.assertTrue(line.startswith(before[4].removesuffix(" |")), "the other columns are as before")
        self.assertEqual(scratch[2:], pages.scratch(pages.load(self.folder))[2:])

    def test_a_page_takes_its_code_from_between_two_comments(self):
        pages = lesson_tables()
        pages.ROOT = self.folder
        source = "int n;\n// begin: add\nint a;\n// end: add\nint main() {\n  // begin: add\n  // student: begin step\n  a += 1;\n"
        source += "  // student: end step\n  // begin: rest\n\n    ++n;\n"
        (self.folder / "add.cpp").write_text(source + "#pragma omp barrier\n  // end: rest\n  // end: add\n}\n")
        (self.folder / "add.py").write_text("# begin: add\na += 1\n# end: add\n")
        page = "Text\n\n<!-- code add.cpp add -->\n```cpp\nold\n```\n\nMore\n<!-- code add.py add -->\n"
        new = pages.with_code(page)
        cpp = "int a;\n\na += 1;\n\n  ++n;\n#pragma omp barrier\n"
        self.assertEqual(
            f"Text\n\n<!-- code add.cpp add -->\n```cpp\n{cpp}```\n\nMore\n<!-- code add.py add -->\n```python\na += 1\n```\n", new)
        self.assertEqual(new, pages.with_code(new))
        with self.assertRaisesRegex(SystemExit, "add.cpp.*begin: gone"):
            pages.with_code("<!-- code add.cpp gone -->\n")

    def test_a_number_in_prose_is_its_source_s(self):
        pages = lesson_tables()
        results = samples.results([samples.row("add_one", v, "cuda", ns=ns) for v, ns in (("range", 478300.0), ("wide", 268000.0))])
        pages.MEASURED = self.folder / "sources"
        (pages.MEASURED / "tiers").mkdir(parents=True)
        (pages.MEASURED / "tiers" / "gpu.json").write_text(json.dumps(results), encoding="utf-8")
        rows = [f"gpu {row['name']}" for row in results["benchmarks"]]

        def wrong(text):
            return len(list(pages.wrong_numbers(text)))

        for right in (f"478 us<!-- from {rows[0]} -->", f"0.48 ms<!-- from {rows[0]} -->", f"478 300<!-- from {rows[0]} real_time -->",
                      f"1.8<!-- from {rows[0]} / {rows[1]} --> times", f"178 %<!-- from {rows[0]} / {rows[1]} -->", "no source, 17 us"):
            self.assertEqual(0, wrong(right), right)
        for bad in (f"477 us<!-- from {rows[0]} -->", f"0.478 us<!-- from {rows[0]} -->", f"1.7<!-- from {rows[0]} / {rows[1]} --> times",
                    f"478 us<!-- from {rows[0]}x -->", f"478 us<!-- from no_{rows[0]} -->", f"478<!-- from {rows[0]} no_field -->",
                    f"478 us times <!-- from {rows[0]} -->"):
            self.assertEqual(1, wrong(bad), bad)


if __name__ == "__main__":
    sys.exit(unittest.main())
