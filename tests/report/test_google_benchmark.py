# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Google Benchmark's own compare.py reads our files: Debian's copy of it, from libbenchmark-tools."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import samples
from support import ROOT, InFolder

TOOL = Path(os.environ.get("PARALLAX_COMPARE_PY", "/usr/share/benchmark/compare.py"))


def why_not():
    if not TOOL.exists():
        return f"{TOOL} is missing: install libbenchmark-tools"
    for python in (sys.executable, "/usr/bin/python3"):
        command = [python, "-c", "import numpy, scipy"]
        try:
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                why_not.python = python
                return ""
        except OSError:
            pass
    return "compare.py needs python3-numpy and python3-scipy"


REASON = why_not()


@unittest.skipIf(REASON, REASON)
class ComparePy(InFolder):
    def compare(self, a, b):
        """What compare.py says of two files: its lines by name, and the report it dumps."""
        command = [why_not.python, str(TOOL), "--no-color", "-d", "dump.json", "benchmarks", str(a), str(b)]
        outcome = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
        self.assertNotIn("Warning", outcome.stderr)
        dumped = json.loads((self.folder / "dump.json").read_text())
        return outcome.stdout, {row["name"]: row for row in dumped}

    def run_to(self, name, *more):
        outcome = self.run_program(
            *["run", "vector_add", "--size", "tiny", "--space", self.host_space(), "--repeat", "2", "--min-time", "0"],
            *["--max-time", "0", "--json", self.folder / name, "--quiet", *more],
        )
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        return self.folder / name

    def test_two_runs_with_rows_that_are_not_available(self):
        a, b = self.run_to("a.json"), self.run_to("b.json")
        text, rows = self.compare(a, b)
        timed = [r for r in json.loads(a.read_text())["benchmarks"] if "real_time" in r]
        self.assertLess(len(timed), len(json.loads(a.read_text())["benchmarks"]))  # some are not available
        self.assertEqual(set(rows) - {"OVERALL_GEOMEAN"}, {r["name"] for r in timed})
        for r in timed:
            self.assertAlmostEqual(rows[r["name"]]["measurements"][0]["real_time"], r["real_time"], delta=1)
            self.assertIn(r["name"], text)
        self.assertGreater(rows["OVERALL_GEOMEAN"]["measurements"][0]["real_time"], 0)

    def test_a_run_against_one_that_only_verified(self):
        timed, verified = self.run_to("a.json"), self.run_to("b.json", "--verify-only")
        for a, b in ((timed, verified), (verified, timed), (verified, verified)):
            _, rows = self.compare(a, b)
            self.assertEqual([name for name in rows if name != "OVERALL_GEOMEAN"], [])

    def test_the_change_is_the_one_that_we_print(self):
        a = samples.write(self.folder / "a.json", samples.results([samples.row("x", "y", "serial", ns=1000.0)]))
        b = samples.write(self.folder / "b.json", samples.results([samples.row("x", "y", "serial", ns=1500.0)]))
        _, rows = self.compare(a, b)
        self.assertAlmostEqual(rows["x/y/serial/f64"]["measurements"][0]["time"], 0.5)
        ours = self.run_program("compare", a, b)
        self.assertRegex(ours.stdout, r"x/y/serial/f64 .* 1\.500 +slower")

    def test_a_sweep_keeps_its_cases_apart(self):
        more = ["--variant", "range", "--sweep", "n=10:1000:x10"]
        a, b = self.run_to("a.json", *more), self.run_to("b.json", *more)
        _, rows = self.compare(a, b)
        names = {f"vector_add/range/{self.host_space()}/f32/n:{n}" for n in (10, 100, 1000)}
        self.assertEqual(set(rows) - {"OVERALL_GEOMEAN"}, names)

    def test_twins_too(self):
        program = os.environ.get("PARALLAX_PROGRAM_DIR")
        if program is None:
            self.skipTest("no built program: set PARALLAX_PROGRAM_DIR")
        command = [sys.executable, str(ROOT / "python" / "run_twins.py"), "vector_add", "--size", "tiny", "--space", "numpy"]
        command += ["--parallax", str(Path(program) / "parallax")]
        command += ["--min-time", "0", "--repeat", "2", "--json", "t.json"]
        outcome = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False)
        if outcome.returncode == 3 and "NumPy" in outcome.stderr:
            self.skipTest(outcome.stderr.strip())
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        _, rows = self.compare(self.folder / "t.json", self.folder / "t.json")
        self.assertTrue(any(re.match("vector_add/.*/numpy/", name) for name in rows))


if __name__ == "__main__":
    sys.exit(unittest.main())
