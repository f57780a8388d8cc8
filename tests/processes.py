# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What tests that start programs share: the built program as a process, and an empty folder to work in."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

# What argparse makes of its help depends on the terminal otherwise.
os.environ.update(COLUMNS="100", PYTHON_COLORS="0")

ROOT = Path(__file__).resolve().parents[1]
_folder = os.environ.get("PARALLAX_PROGRAM_DIR")
PROGRAM = Path(_folder) / "parallax" if _folder else None


def cache_of_build():
    """What CMake's cache of the build says, by name."""
    text = (PROGRAM.parent.parent / "CMakeCache.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.MULTILINE))


def checked(*command, **more):
    """What a command prints; one that fails is an error that shows it."""
    more.setdefault("env", {**os.environ, "LC_ALL": "C.UTF-8"})
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          stdin=subprocess.DEVNULL, **more)  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


class WithFolder(unittest.TestCase):
    """One empty folder for all tests of the class."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)


class InFolder(unittest.TestCase):
    """Works in a new empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def content(self):
        return sorted(p.name for p in self.folder.iterdir())

    def run_program(self, *arguments, environment=None, shell=""):
        """The program; `shell` is run before it in the same shell."""
        if PROGRAM is None or not PROGRAM.exists():
            raise unittest.SkipTest("no built program: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
        command = [str(PROGRAM), *map(str, arguments)]
        return self.start(["bash", "-c", shell + ' exec "$0" "$@"', *command] if shell else command, environment)

    def start(self, command, environment=None):
        surroundings = {**os.environ, **(environment or {})}
        return subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, env=surroundings, check=False
        )

    def host_space(self):
        """serial where the program has it, else openmp."""
        return "serial" if '"serial"' in self.run_program("list", "--json").stdout else "openmp"

    def refused(self, outcome, status, *words):
        """The status, nothing on standard output, and one line of ours that holds the words."""
        lines = [line for line in outcome.stderr.splitlines() if line.startswith("parallax:")]
        self.assertEqual((outcome.returncode, outcome.stdout, len(lines)), (status, "", 1), outcome.stderr)
        self.assertNotIn("Traceback", outcome.stderr)
        for word in words:
            self.assertIn(word, lines[0])
