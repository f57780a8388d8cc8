# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the report, of compare and of sweeps share."""

import os
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "python"), str(Path(__file__).resolve().parents[1])]
import processes
import samples
from processes import ROOT

SAMPLES = [1000.0 + 3 * k for k in range(10)]


def row(name="x", factor=1.0, count=10, **more):
    taken = [s * factor for s in SAMPLES[:count]]
    return samples.row(
        name, "range", "serial", ns=sorted(taken)[len(taken) // 2] if taken else 1000.0 * factor, **more
    ) | {"samples": taken}


def skip(reason):
    """Skips, or fails where the tools must be there: PARALLAX_REQUIRE_REPORT=1."""
    if os.environ.get("PARALLAX_REQUIRE_REPORT") == "1":
        raise AssertionError(reason)
    raise unittest.SkipTest(reason)


class InFolder(processes.InFolder):
    def run_report(self, *arguments, environment=None):
        """make_report.py as the program starts it."""
        command = [sys.executable, str(ROOT / "python" / "make_report.py"), *map(str, arguments)]
        return self.start(command, environment)

    def need_matplotlib(self):
        outcome = self.run_report("a.json", "--output=")  # what is refused next: no name
        if outcome.returncode == 3:
            skip("no matplotlib: " + outcome.stderr.strip())


class Comparing(InFolder):
    def compare(self, a, b, *options, status=0):
        """a, b: rows, or whole files."""
        paths = [
            samples.write(self.folder / f"{name}.json", data if isinstance(data, dict) else samples.results(data))
            for name, data in zip("ab", (a, b))
        ]
        outcome = self.run_program("compare", *paths, *options)
        self.assertEqual(outcome.returncode, status, outcome.stdout + outcome.stderr)
        return outcome.stdout

    def runs(self, files):
        return [samples.write(self.folder / f"run{k}.json", samples.results(rows)) for k, rows in enumerate(files)]
