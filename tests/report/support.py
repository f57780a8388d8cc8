# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the report, of compare and of sweeps share."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
_folder = os.environ.get("PARALLAX_PROGRAM_DIR")
PROGRAM = Path(_folder) / "parallax" if _folder else None


def skip(reason):
    """Skips, or fails where the tools must be there: PARALLAX_REQUIRE_REPORT=1."""
    if os.environ.get("PARALLAX_REQUIRE_REPORT") == "1":
        raise AssertionError(reason)
    raise unittest.SkipTest(reason)


class InFolder(unittest.TestCase):
    """Works with an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def content(self):
        return sorted(p.name for p in self.folder.iterdir())

    def run_report(self, *arguments, environment=None):
        """make_report.py as the program starts it."""
        command = [sys.executable, str(ROOT / "python" / "make_report.py"), *map(str, arguments)]
        return self._run(command, environment)

    def run_program(self, *arguments, environment=None):
        if PROGRAM is None or not PROGRAM.exists():
            raise unittest.SkipTest("no built program: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
        return self._run([str(PROGRAM), *map(str, arguments)], environment)

    def host_space(self):
        """serial where the program has it, else openmp."""
        return "serial" if '"serial"' in self.run_program("list", "--json").stdout else "openmp"

    def _run(self, command, environment):
        surroundings = {**os.environ, **(environment or {})}
        return subprocess.run(
            command, capture_output=True, text=True, timeout=250, cwd=self.folder, env=surroundings, check=False
        )

    def need_matplotlib(self):
        outcome = self.run_report("--help")
        if outcome.returncode == 3:
            skip("no matplotlib: " + outcome.stderr.strip())

    def refused(self, outcome, status, *words):
        """One line of ours that holds the words, and nothing on standard output."""
        lines = [line for line in outcome.stderr.splitlines() if line.startswith("parallax:")]
        self.assertEqual(outcome.returncode, status, outcome.stderr)
        self.assertEqual(len(lines), 1, outcome.stderr)
        self.assertEqual(outcome.stdout, "")
        for word in words:
            self.assertIn(word, lines[0])
