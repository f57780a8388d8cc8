# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of files of events share: the built program and the converter as processes."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import processes
from processes import ROOT


class InFolder(processes.InFolder):
    def command(self, *arguments, python=(sys.executable,)):
        return [*python, str(ROOT / "python" / "convert_events.py"), *map(str, arguments)]

    def convert(self, *arguments, **more):
        return self.start(self.command(*arguments, **more))

    def need_hdf5(self):
        """Skips where the program was built without the library, after its refusal was seen."""
        outcome = self.run_program("generate", "events", "probe.h5", "--set", "n=1")
        if "without HDF5" in outcome.stderr:
            self.refused(outcome, 3, "built without HDF5")
            raise unittest.SkipTest("the program was built without HDF5")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        (self.folder / "probe.h5").unlink()

    def dilepton(self, *options):
        """The results of each variant of a verified run on a host space."""
        given = ["--space", self.host_space(), "--verify-only", "--quiet", "--json", "r.json", *options]
        outcome = self.run_program("run", "dilepton_mass", *given)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        rows = json.loads((self.folder / "r.json").read_text())["benchmarks"]
        return {row["variant"]: row["result"] | {"parameters": row["parameters"]} for row in rows}
