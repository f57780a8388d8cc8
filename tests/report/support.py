# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the report, of compare and of sweeps share."""

import os
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "python"), str(Path(__file__).resolve().parents[1])]
import processes
from processes import ROOT


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
