# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml cannot say: the version is the suite's, and the twins are in the folders of their exercises, and are installed
as parallax/exercises."""

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ROOT / "apps"
VERSION = re.search(r"^ +VERSION ([0-9.]+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


class BuildWithTwins(build_py):
    def run(self):
        super().run()
        if self.editable_mode:  # an editable installation reads the rooms themselves
            return
        for file in ROOMS.glob("*/*.py"):
            target = Path(self.build_lib, "parallax", "exercises", *file.parts[-2:])
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


setup(version=VERSION, cmdclass={"build_py": BuildWithTwins})
