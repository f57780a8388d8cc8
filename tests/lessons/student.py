# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A student's folder with a lesson, and the commands of scripts/lesson there, with the build that is tested."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lessons import parts  # noqa: E402

PROGRAMS = os.environ.get("PARALLAX_PROGRAM_DIR")
# A build with OpenMP on a CPU has the programs of programs.py.
THREADS = bool(PROGRAMS) and (Path(PROGRAMS).parent / "tests" / "CMakeFiles" / "lesson_vector_add.dir").exists()


@unittest.skipUnless(PROGRAMS, "no build: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
class WithALesson(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.assertEqual(self.lesson("start", "vector_add", "my-work")[0], 0)
        self.header = self.folder / "my-work" / "vector_add" / "lesson.hpp"

    def lesson(self, *arguments):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "lesson", *arguments],
            cwd=self.folder,
            env={**os.environ, "PARALLAX_BUILD": str(Path(PROGRAMS).parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def check_with(self, part):
        """What is said of the lesson with this text in the first student's part, whose place is marked."""
        step = parts.steps("vector_add")[0].name
        text = parts.replaced(parts.original("vector_add"), {step: part})
        self.header.write_text(text)
        return self.lesson("check", "my-work")
