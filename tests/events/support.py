# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of files of events share: the built program and the converter as processes."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_folder = os.environ.get("PARALLAX_PROGRAM_DIR")
PROGRAM = Path(_folder) / "parallax" if _folder else None


class InFolder(unittest.TestCase):
    """Works with an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def content(self):
        return sorted(p.name for p in self.folder.iterdir())

    def run_program(self, *arguments, shell=""):
        """The program; `shell` is run before it in the same shell."""
        if PROGRAM is None or not PROGRAM.exists():
            raise unittest.SkipTest("no built program: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
        return self._run(["bash", "-c", shell + ' exec "$0" "$@"', str(PROGRAM), *map(str, arguments)])

    def convert(self, *arguments, python=(sys.executable,)):
        return self._run([*python, str(ROOT / "python" / "convert_events.py"), *map(str, arguments)])

    def _run(self, command):
        return subprocess.run(command, capture_output=True, text=True, timeout=250, cwd=self.folder, check=False)

    def require_refused(self, outcome, status, *words):
        """The status, nothing on standard output, and one line that has the words."""
        lines = [line for line in outcome.stderr.splitlines() if line.startswith("parallax:")]
        self.assertEqual((outcome.returncode, outcome.stdout, len(lines)), (status, "", 1), outcome.stderr)
        self.assertNotIn("Traceback", outcome.stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def need_hdf5(self):
        """Skips where the program was built without the library, after its refusal was seen."""
        outcome = self.run_program("generate", "events", "probe.h5", "--set", "n=1")
        if "without HDF5" in outcome.stderr:
            self.require_refused(outcome, 3, "built without HDF5")
            raise unittest.SkipTest("the program was built without HDF5")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        (self.folder / "probe.h5").unlink()

    def host_space(self):
        """serial where the program has it, else openmp."""
        return "serial" if '"serial"' in self.run_program("list", "--json").stdout else "openmp"

    def dilepton(self, *options):
        """The results of each variant of a verified run on a host space."""
        given = ["--space", self.host_space(), "--verify-only", "--quiet", "--json", "r.json", *options]
        outcome = self.run_program("run", "dilepton_mass", *given)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        rows = json.loads((self.folder / "r.json").read_text())["benchmarks"]
        return {row["variant"]: row["result"] | {"parameters": row["parameters"]} for row in rows}
