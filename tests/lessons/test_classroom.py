# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""course/classroom.yml, the workflow for GitHub Classroom: its last commands, run as GitHub's bash runs them, in a repository of a student's."""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lessons import parts  # noqa: E402

PROGRAMS = os.environ.get("PARALLAX_PROGRAM_DIR")
WORKFLOW = (ROOT / "course" / "classroom.yml").read_text(encoding="utf-8")


class TheWorkflow(unittest.TestCase):
    def test_it_is_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no yaml")
        steps = yaml.safe_load(WORKFLOW)["jobs"]["check"]["steps"]
        self.assertEqual([step.get("name", step.get("uses", "").partition("@")[0]) for step in steps],
                         ["actions/checkout", "actions/cache", "suite", "kernels", "actions/upload-artifact"])

    @unittest.skipUnless(PROGRAMS, "no build: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
    def test_a_right_kernel_beside_a_wrong_one(self):
        commands = textwrap.dedent(re.search(r"- name: kernels\n +run: \|\n((?: {10}.*\n)+)", WORKFLOW)[1])
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT, Path(folder) / "parallax")
            summary = Path(folder) / "summary.md"
            environment = {**os.environ, "PARALLAX_BUILD": str(Path(PROGRAMS).parent), "GITHUB_STEP_SUMMARY": str(summary)}

            def run(*words):
                return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)

            def pushed():
                return run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", commands).returncode

            self.assertNotEqual(pushed(), 0, "a repository without a kernel")
            summary.unlink()
            started = run(str(ROOT / "scripts" / "lesson"), "start", "increment", "mine")
            self.assertEqual(started.returncode, 0, started.stderr)
            (Path(folder) / "mine" / "increment" / "lesson.hpp").write_text(parts.MARK.sub("", parts.original("increment")))
            self.assertEqual(pushed(), 0, summary.read_text())
            step = parts.steps("increment")[0].name
            self.assertRegex(summary.read_text(), rf"(?m)^increment {step}: right")
            self.assertNotIn("<failure", (Path(folder) / "mine.xml").read_text())
            self.assertEqual(run(str(ROOT / "scripts" / "lesson"), "start", "increment", "another").returncode, 0)
            header = Path(folder) / "another" / "increment" / "lesson.hpp"
            header.write_text(header.read_text().replace("// your code here", "no_such = 1;  // your code here", 1))
            self.assertEqual(pushed(), 1, "the wrong one comes first, the right one last")
            self.assertIn("no_such", summary.read_text())
            self.assertIn("<failure", (Path(folder) / "another.xml").read_text())


if __name__ == "__main__":
    unittest.main()
