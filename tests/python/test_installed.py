# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The installed package holds what the checkout does: the twin of every exercise, and the report's page."""

import os
import shutil
import subprocess
import sys
import unittest
from importlib.util import find_spec
from pathlib import Path

from support import EXERCISES, ROOT, InFolder

LIST = "from parallax.twins import select; print(select.ROOMS, *select.load_exercises())"


@unittest.skipIf(find_spec("setuptools") is None, "setuptools is not installed")
class Installed(InFolder):
    def test_twins_and_data_are_installed(self):
        # A copy, since a build leaves files beside the sources.
        for name in ("apps", "python"):
            shutil.copytree(ROOT / name, name, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        shutil.copy(ROOT / "CMakeLists.txt", ".")
        build = [sys.executable, "setup.py", "-q", "build", "--build-lib", self.folder / "installed"]
        subprocess.run(build, cwd="python", check=True, capture_output=True, text=True, timeout=600)
        version = subprocess.run([sys.executable, "setup.py", "--version"], cwd="python", check=True, capture_output=True, text=True)
        self.assertIn(f"VERSION {version.stdout.split()[-1]}\n", Path("CMakeLists.txt").read_text(encoding="utf-8"))
        shutil.rmtree("apps")
        others = os.environ.get("PYTHONPATH", "")
        environment = {**os.environ, "PYTHONPATH": f"{self.folder / 'installed'}{os.pathsep}{others}"}
        listed = subprocess.run(
            [sys.executable, "-c", LIST], env=environment, check=True, capture_output=True, text=True, timeout=600
        )
        rooms, *names = listed.stdout.split()
        self.assertEqual(Path(rooms), Path("installed/parallax/exercises").resolve())
        self.assertEqual(sorted(names), sorted(EXERCISES))
        for name in ("page.css", "page.js"):
            self.assertTrue(Path("installed/parallax/report", name).exists(), name)


if __name__ == "__main__":
    unittest.main()
