# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The picture of circle_area's errors: drawn, or refused in one line."""

import json
import sys
import unittest

from support import ROOT, InFolder


class PlotAccuracy(InFolder):
    def setUp(self):
        super().setUp()
        self.need_matplotlib()

    def plot(self, content, *output):
        (self.folder / "in.json").write_text(content if isinstance(content, str) else json.dumps(content))
        outcome = self.start([sys.executable, str(ROOT / "python" / "plot_accuracy.py"), "in.json", "-o", *output])
        return outcome.returncode, outcome.stderr

    def rows(self, **changes):
        row = {"exercise": "circle_area", "phase": "kernel", "variant": "v", "result": {"trials": 100, "error": 0.1}}
        return {"benchmarks": [row | changes]}

    def test_a_picture(self):
        self.assertEqual(self.plot(self.rows(), "out.png"), (0, ""))
        self.assertEqual((self.folder / "out.png").read_bytes()[1:4], b"PNG")
        self.assertEqual(self.content(), ["in.json", "out.png"])

    def test_what_is_no_results_file(self):
        numbers = [{"trials": trials, "error": 1} for trials in ("a", None, 0, -1, 10**400)]
        bad = ["", "[]", "[" * 100_000, {"benchmarks": [1]}, *(self.rows(result=result) for result in (1, {}, *numbers))]
        for content in bad:
            with self.subTest(str(content)[:80]):
                status, said = self.plot(content, "out.png")
                self.assertEqual((status, said.count("\n")), (2, 1), said)
                self.assertIn("'in.json' is not a results file", said)
        self.assertIn("no sampling row", self.plot({"benchmarks": []}, "out.png")[1])
        self.assertEqual(self.content(), ["in.json"])

    def test_what_cannot_be_written(self):
        for output, status in (("none/out.png", 3), ("out.nonsense", 3), (".", 3), ("./in.json", 2)):
            with self.subTest(output):
                found, said = self.plot(self.rows(), output)
                self.assertEqual((found, said.count("\n")), (status, 1), said)
                self.assertIn(output, said)
        self.assertEqual(self.content(), ["in.json"])


if __name__ == "__main__":
    unittest.main()
