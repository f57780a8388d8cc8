# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the scripts and of the lessons share: the scripts, a folder to start them in, and the verdicts."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [ROOT / ".ci" / "run", *(p for p in sorted((ROOT / "scripts").iterdir()) if os.access(p, os.X_OK) and p.is_file())]
BASH = [p for p in SCRIPTS if "bash" in p.read_text().splitlines()[0]]
PYTHON = [p for p in SCRIPTS if "python" in p.read_text().splitlines()[0]]
STAND_IN = "#!/bin/bash\n"
VERDICTS = (
    "nothing was written|the last N elements are missing|N elements are missing|wrote beyond the end|wrote before the beginning|"
    "changed its input|N updates were lost|N updates too many|two runs differ|an old result was left|only PRECISION is right|"
    "only right up to n = N|wrong values|the kernel stopped with an error|the kernel does not end|the kernel ended the program|out of bounds|"
    "right for one seed only|no kernel was launched|a kernel ran in another space|no scratch was used|right|right, but slow"
).split("|")


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def write(self, name, text, mode=0o755):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def everything(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PARALLAX_", "BASH_"))}
        return {**kept, "PATH": f"{self.folder / 'stand-ins'}:{kept['PATH']}", **more}

    def start(self, *command, **environment):
        return subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            cwd=self.folder, env=self.environment(**environment),
        )

    def run_script(self, *command, **environment):
        with self.start(*command, **environment) as process:
            out, err = process.communicate()
        return process.returncode, out, err

    def copy_scripts(self):
        """A repository with only the scripts, and what those in Python begin with."""
        shutil.copytree(ROOT / "scripts", self.folder / "scripts")
        self.write("python/parallax/start.py", (ROOT / "python/parallax/start.py").read_text(), 0o644)
        for name in ("src", "apps", "cmake"):
            (self.folder / name).mkdir()
