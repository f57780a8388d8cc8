# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The scripts as a user starts them: through links, beside each other. Nothing is built here: stand-ins say what they were asked for."""

import ast
import os
import re
import shutil
import sys
import unittest
from pathlib import Path

from support import BASH, PYTHON, ROOT, SCRIPTS, STAND_IN, InFolder

# Read by each bash that runs a script: stops it as soon as it knows its root, before any work.
STOP = r"""unset root
set -T
trap '[[ -z ${root:-} ]] || { echo "$root ${-//[^e]/} $(shopt -po pipefail)"; exit 0; }' DEBUG
"""


class Root(InFolder):
    """A script's root is its real file's, however it is called and whatever CDPATH says."""

    def ways(self, script):
        link = self.folder / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(script)
        chain = self.folder / "chain"
        chain.unlink(missing_ok=True)
        chain.symlink_to("link")
        (self.folder / "work").mkdir(exist_ok=True)
        return [script, link, chain, Path(os.path.relpath(script, self.folder))]

    def test_bash(self):
        (self.folder / "stop").write_text(STOP)
        self.assertGreater(len(BASH), 8)
        for script in BASH:
            for way in self.ways(script):
                with self.subTest(script=script.name, way=str(way)):
                    before = self.everything()
                    found = self.run_script(
                        "bash", "-c", 'cd "$0" && exec "$1"', self.folder, way if way.is_absolute() else f"./{way}",
                        BASH_ENV="stop", CDPATH=f"{ROOT}:{self.folder}:/",
                    )
                    # The root, errexit and pipefail.
                    self.assertEqual(found, (0, f"{ROOT} e set -o pipefail\n", ""))
                    self.assertEqual(self.everything(), before)

    def test_python(self):
        said = "import runpy, sys; print(runpy.run_path(sys.argv[1])['ROOT'])"
        self.assertGreater(len(PYTHON), 2)
        for script in PYTHON:
            for way in self.ways(script):
                with self.subTest(script=script.name, way=str(way)):
                    found = self.run_script(sys.executable, "-c", said, way, PYTHONDONTWRITEBYTECODE="1")
                    self.assertEqual(found, (0, f"{ROOT}\n", ""))

    def test_the_first_error_ends_a_script(self):
        # Without the files that it shares with others.
        sourcing = [p for p in BASH if '/common.bash"' in p.read_text() or '/site.bash"' in p.read_text()]
        self.assertGreater(len(sourcing), 6)
        for script in sourcing:
            with self.subTest(script=script.name):
                alone = self.write(f"scripts/{script.name}", script.read_text())
                before = self.everything()
                status, out, err = self.run_script(alone)
                self.assertNotEqual(status, 0)
                self.assertEqual((out, err.count("\n")), ("", 1), err)
                self.assertEqual(self.everything(), before)


class Help(InFolder):
    """--help is answered by every script, whatever it is for, and nothing is done."""

    def test_every_script(self):
        self.copy_scripts()
        for name in ("configs", "sbatch"):
            shutil.copytree(ROOT / name, self.folder / name)
        shutil.copytree(ROOT / "python/parallax", self.folder / "python/parallax", dirs_exist_ok=True)
        before = {name for name in self.everything() if "__pycache__" not in name}
        scripts = [p.name for p in SCRIPTS if p.parent.name == "scripts"]
        self.assertGreater(len(scripts), 20)
        for name in scripts:
            with self.subTest(name):
                status, out, err = self.run_script(f"scripts/{name}", "--help", PYTHONDONTWRITEBYTECODE="1")
                self.assertEqual((status, err), (0, ""))
                self.assertIn({"lesson": "scripts/parallax lesson", "notebooks": "usage: notebooks"}.get(name, f"scripts/{name}"), out)
                self.assertNotIn("SPDX", out)
                self.assertNotIn("set -euo", out)
        made = {name for name in self.everything() if "__pycache__" not in name} - before
        self.assertEqual(made, {"build", "build/.build.lock"})  # of scripts/parallax, which looked for a program

    def test_the_programs_own_help_where_there_is_a_program(self):
        self.copy_scripts()
        self.write("build/host/bin/parallax", STAND_IN + 'echo "own $*"\n')
        self.assertEqual(self.run_script("scripts/parallax", "--help"), (0, "own --help\n", ""))

    def test_a_commands_help_is_its_own(self):
        self.copy_scripts()
        self.write("stand-ins/nvidia-smi", STAND_IN + "exit 1\n")
        self.assertIn("scripts/gpu-check [", self.run_script("scripts/gpu-check", "--preset", "x", "--help")[1])
        self.assertEqual(self.run_script("scripts/measure", "--", "--help", PARALLAX_PROGRAM="false", PARALLAX_PYTHON="echo")[:1], (1,))


class Measure(InFolder):
    """scripts/measure, with a program that prints what it is asked for."""

    def test_a_cpu_is_measured_at_other_sizes_than_a_gpu(self):
        self.copy_scripts()
        self.write("program", STAND_IN + "echo $*\n")
        for libraries, of_twins in (("numba", "peers_cpu"), ("numba,cupy", "peers"), ("", "peers")):
            status, out, err = self.run_script(
                "scripts/measure", PARALLAX_PROGRAM=self.folder / "program", PARALLAX_PYTHON="echo", PARALLAX_SPACES="openmp cuda", PARALLAX_PYTHON_SPACES=libraries
            )
            self.assertEqual((status, err), (0, ""))
            self.assertEqual([Path(word).stem for word in out.split() if "configs/sizes" in word], ["peers_cpu", "peers", of_twins])


class Pythons(InFolder):
    """The programs in Python find a Python that is new enough and has what they need, or say so in one line."""

    PROGRAMS = [p for p in sorted((ROOT / "python").glob("*.py")) if p.name != "setup.py"]
    # An interpreter that says that it is older than it is, and knows what was not there yet.
    OLD = """import os, runpy, sys
sys.version_info, sys.argv = (3, 6, 8, "final", 0), sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")"""

    def test_all_are_read_by_python_3_6(self):
        self.assertGreater(len(self.PROGRAMS), 5)
        for program in [*self.PROGRAMS, *PYTHON, ROOT / "python/parallax/start.py", *(ROOT / "scripts/lessons").glob("*.py")]:
            with self.subTest(program.name):
                text = program.read_text(encoding="utf-8")
                ast.parse(text, feature_version=(3, 6))
                self.assertNotIn("from __future__ import annotations", text)

    def test_an_old_python_says_what_is_needed(self):
        for program in [*self.PROGRAMS, *(p for p in PYTHON if p.name != "lesson")]:
            with self.subTest(program.name):
                named = {"PARALLAX_PYTHON": sys.executable, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
                status, out, err = self.run_script(sys.executable, "-c", self.OLD, program, **named)
                self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
                self.assertRegex(err, rf"^[\w.-]+: needs Python 3\.9 or newer, and {re.escape(sys.executable)} is Python 3\.6\.8; ")

    def need(self, modules="the_module", **environment):
        """What a program says that needs modules and prints them."""
        program = self.write(
            "program.py",
            f"import os, sys\nsys.path.insert(0, {str(ROOT / 'python')!r})\nfrom parallax import start\nstart.DEBIAN = {str(self.folder / 'debian')!r}\n"
            f"start.need({modules.split()!r}, '{{error}}')\nprint(os.environ.get('MPLCONFIGDIR', ''), sys.modules[{modules!r}].__file__)\n",
        )
        return self.run_script(sys.executable, "-S", program, **{"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": "", **environment})

    def test_modules_of_another_python_are_given_up(self):
        broken = self.write("other/the_module.py", "raise ImportError('numpy of another Python\\nin many lines')\n").parent
        self.write("the_module.py", "")
        self.assertEqual(self.need(), (0, f" {self.folder / 'the_module.py'}\n", ""))
        self.write("the_module.py", "import os\nif os.environ.get('PYTHONPATH'):\n    raise ImportError('x')\n")
        self.assertEqual(self.need(PYTHONPATH=str(broken)), (0, f" {self.folder / 'the_module.py'}\n", ""))
        (self.folder / "the_module.py").unlink()
        self.write("debian", STAND_IN + 'echo "Debian\'s [${PYTHONPATH:-}] $*"\n')
        found = self.need(PYTHONPATH=str(broken))
        self.assertEqual(found, (0, f"Debian's [] {self.folder / 'program.py'}\n", ""))
        self.assertEqual(self.need(PARALLAX_PYTHON="mine"), (3, "", "program: No module named 'the_module'\n"))

    def test_matplotlib_in_a_home_that_is_none(self):
        self.write("matplotlib/__init__.py", "")
        self.write("matplotlib/figure.py", "")
        self.write("file", "")
        (self.folder / "home").mkdir()
        for home, calm in (("home", False), ("file", True), ("file/absent", True)):
            with self.subTest(home):
                status, out, err = self.need("matplotlib.figure", HOME=str(self.folder / home), MPLCONFIGDIR="", XDG_CONFIG_HOME="", XDG_CACHE_HOME="")
                self.assertEqual((status, err), (0, ""))
                self.assertEqual(bool(out.split(" ")[0]), calm)
                self.assertFalse(calm and Path(out.split(" ")[0]).exists())  # gone with the program
        self.assertEqual(self.need("matplotlib.figure", HOME="file", MPLCONFIGDIR="mine")[1].split(" ")[0], "mine")

    def test_the_trees_python_takes_no_other_pythons_modules(self):
        self.copy_scripts()
        (self.folder / "build/sandbox/usr/lib/x86_64-linux-gnu").mkdir(parents=True)
        self.write("build/sandbox/usr/bin/python3", "")
        self.write("build/sandbox/lib64/ld-linux.so.2", STAND_IN + 'echo "[${PYTHONPATH:-}] $PYTHONNOUSERSITE ${PYTHONHOME##*/}"\n')
        self.assertEqual(self.run_script("scripts/tree-python", "x", PYTHONPATH="/other"), (0, "[] 1 usr\n", ""))
        mine = str(self.folder / "python")
        self.assertEqual(self.run_script("scripts/tree-python", "x", PYTHONPATH=f"/other:{mine}:"), (0, f"[{mine}] 1 usr\n", ""))


if __name__ == "__main__":
    unittest.main()
