# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Broken and hostile results files: each is refused in one line that names it, or read safely."""

import json
import sys
import unittest

import samples
from support import InFolder

from parallax.report import images, load
from parallax.errors import Refusal
from parallax.report.text import clean, readable_number, readable_rate, readable_time

GOOD = samples.row("vector_add", "range", "serial", "f32", ns=1000.0)


class BrokenFiles(InFolder):
    def refuse(self, content, *words, status=2):
        path = self.folder / "broken.json"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        with self.assertRaises(Refusal) as caught:
            load.load([str(path)])
        text = str(caught.exception)
        self.assertEqual(caught.exception.status, status)
        self.assertNotIn("\n", text)
        self.assertIn("broken.json", text)
        for word in words:
            self.assertIn(word, text)

    def row(self, **changes):
        return {"context": {}, "benchmarks": [{**GOOD, **changes}]}

    def test_json_of_another_schema(self):
        for content in ([], 3, None, True, {}, {"benchmarks": 3}, {"benchmarks": {}}, {"results": []}):
            self.refuse(content, "'benchmarks'")
        self.refuse({"benchmarks": [{"name": "BM_memcpy/8", "real_time": 1.0}]}, "'exercise'", "not a results file")
        self.refuse({"benchmarks": [GOOD], "context": []}, "'context'")
        self.refuse({"benchmarks": [GOOD], "context": {"spaces": [1]}}, "'spaces' is not an object")
        self.refuse({"benchmarks": [GOOD], "context": {"program": 5}}, "'program' is not a text")
        self.refuse({"benchmarks": [GOOD], "context": {"spaces": {"serial": 3}}}, "'serial' is not an object")

    def test_truncated_files(self):
        whole = json.dumps(samples.results([GOOD, GOOD]))
        for length in (0, 1, 10, len(whole) // 2, len(whole) - 1):
            self.refuse(whole[:length], "not JSON, or was cut short")

    def test_what_is_not_json_at_all(self):
        self.refuse(b"\x89PNG\r\n\x1a\n", "UTF-8")
        self.refuse("<html></html>", "not JSON")
        self.refuse(b"\x00" * 64, "not JSON")
        self.refuse("[" * 100_000, "nested too deeply")
        self.refuse('{"benchmarks": NaN}', "NaN")

    def test_no_benchmarks(self):
        self.refuse({"context": {}, "benchmarks": []}, "no benchmarks")
        self.refuse(
            {"context": {}, "benchmarks": [{**GOOD, "run_type": "aggregate", "aggregate_name": "mean"}]},
            "no benchmarks",
        )

    def test_fields_of_another_kind(self):
        for name in ("name", "exercise", "variant", "space", "precision"):
            self.refuse(self.row(**{name: ""}), f"'{name}'")
            self.refuse(self.row(**{name: None}), f"'{name}'")
            self.refuse(self.row(**{name: 7}), f"'{name}' is not a text")
        self.refuse({"benchmarks": [3]}, "benchmark 1 is not an object")
        self.refuse(self.row(time_unit="fortnight"), "unknown time unit 'fortnight'", "ns, us, ms, s")
        for value in ("fast", [], {}, True):
            self.refuse(self.row(real_time=value), "'real_time' is not a number")
        for value in (0, -1.0):
            self.refuse(self.row(real_time=value), "'real_time' is not a number above 0")
        self.refuse(json.dumps(self.row()).replace("1000.0", "1e999"), "not a number above 0")
        self.refuse(json.dumps(self.row()).replace("1000.0", "1" + "0" * 400), "not a number above 0")
        self.refuse(self.row(samples="many"), "'samples' is not a list of numbers")
        self.refuse(self.row(samples=[1, "two"]), "'samples' is not a list of numbers")
        self.refuse(self.row(parameters=[1]), "'parameters' is not an object")
        self.refuse(self.row(parameters={"n": 10**40}), "'n' leaves 64 bits")
        self.refuse(self.row(verified="yes"), "'verified' is not true or false")
        self.refuse(self.row(check=[]), "'check' is not an object")
        self.refuse(self.row(tier=3), "'tier' is not a text")
        self.refuse(self.row(tier="fastest"), "unknown tier 'fastest'", "lesson, tuned, library")
        for value in ("256", 2.5, True):
            self.refuse(self.row(team_size=value), "'team_size' is not a whole number")
        for value in (-1, 2**31):
            self.refuse(self.row(team_size=value), "'team_size' is")
        self.refuse(self.row(result=[1]), "'result' is not an object")
        self.refuse(self.row(result={"sum": {"f32": 1}}), "'sum' is neither a number nor a word")
        self.refuse(json.dumps(self.row(result={"sum": 0.125})).replace("0.125", "1e999"), "'sum' is neither")

    def test_files_that_cannot_be_read(self):
        for path in (self.folder / "absent.json", self.folder):
            with self.assertRaises(Refusal) as caught:
                load.load([str(path)])
            self.assertEqual(caught.exception.status, 3)
            self.assertIn(str(path), str(caught.exception))


class OddFiles(InFolder):
    def load(self, *contents):
        paths = [samples.write(self.folder / f"{k}.json", content) for k, content in enumerate(contents)]
        return load.load(paths)

    def test_mixed_units_are_converted_and_said(self):
        rows = [{**GOOD, "name": f"a{unit}", "time_unit": unit, "real_time": 2.0} for unit in ("ns", "us", "ms", "s")]
        _, _, cases, warnings = self.load(samples.results(rows))
        self.assertEqual([c.ns for c in cases], [2.0, 2e3, 2e6, 2e9])
        self.assertTrue(any("mixes time units" in w for w in warnings))

    def test_duplicates_are_all_shown_and_said(self):
        _, _, cases, warnings = self.load(samples.results([GOOD, GOOD]))
        self.assertEqual(len(cases), 2)
        self.assertTrue(any("more than once" in w and GOOD["name"] in w for w in warnings))

    def test_an_incomplete_file_is_said(self):
        _, _, _, warnings = self.load(samples.results([GOOD], complete=False))
        self.assertTrue(any("incomplete" in w for w in warnings))

    def test_a_file_with_a_byte_order_mark_is_read(self):
        self.assertEqual(len(self.load("\ufeff" + json.dumps(samples.results([GOOD])))[2]), 1)

    def test_a_file_without_context_is_read(self):
        _, places, cases, _ = self.load({"benchmarks": [GOOD]})
        self.assertEqual((len(cases), places[0].device), (1, "a device without a name"))

    def test_tiers_teams_and_results_are_read_and_older_files_have_none(self):
        new = {**GOOD, "tier": "tuned", "team_size": 128, "result": {"sum": 2**53 + 1, "bins": [1, 2], "none": None}}
        _, _, (case, old), _ = self.load(samples.results([new, {k: v for k, v in GOOD.items() if k != "result"}]))
        self.assertEqual((case.tier, case.team_size, case.result), ("tuned", 128, {"sum": 2**53 + 1}))
        self.assertEqual((old.tier, old.team_size, old.result), ("", 0, {}))

    def test_team_sizes_are_a_parameter_where_a_file_has_several_of_one_case(self):
        rows = [{**GOOD, "name": f"t{size}", "team_size": size} for size in (32, 64)]
        rows.append({**GOOD, "variant": "wide", "team_size": 256})
        _, _, cases, _ = self.load(samples.results(rows))
        self.assertEqual([c.parameters.get("team_size") for c in cases], [32, 64, None])

    def test_the_same_device_in_two_files_is_one_place_and_another_is_another(self):
        _, places, _, _ = self.load(samples.results([GOOD]), samples.results([GOOD]))
        self.assertEqual([p.label for p in places], ["serial"])
        other = samples.results([GOOD])
        other["context"]["spaces"]["serial"]["device"] = "Another CPU"
        _, places, _, _ = self.load(samples.results([GOOD]), other)
        self.assertEqual([p.label for p in places], ["serial #1", "serial #2"])


class Words(unittest.TestCase):
    def test_what_cannot_be_printed_is_spelt_out(self):
        self.assertEqual(clean("a\u202eb\x00c\ud800"), r"a\u202eb\x00c\ud800")
        self.assertEqual(clean("H₂O · µs"), "H₂O · µs")

    def test_numbers_as_people_write_them(self):
        self.assertEqual(readable_time(1.5e6), "1.50 ms")
        self.assertEqual(readable_time(999.9), "1.00 µs")
        self.assertEqual(readable_rate(3.03e12, "B/s"), "3.03 TB/s")
        self.assertEqual(readable_number(100_000_000), "1e8")
        self.assertEqual(readable_number(12345), "12345")
        self.assertEqual(readable_number(12345678), "12345678")
        self.assertEqual(readable_number(0.5), "0.5")


class Pictures(InFolder):
    def test_what_is_not_a_picture_is_refused(self):
        for content in (b"", b"GIF89a", images.SIGNATURE, images.SIGNATURE + b"\x00" * 60):
            path = self.folder / "x.png"
            path.write_bytes(content)
            with self.assertRaises(Refusal) as caught:
                images.figures([str(path)], [])
            self.assertIn("x.png", str(caught.exception))
        with self.assertRaises(Refusal) as caught:
            images.find([], [str(self.folder / "absent")])
        self.assertEqual(caught.exception.status, 3)


if __name__ == "__main__":
    sys.exit(unittest.main())
