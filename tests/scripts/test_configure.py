# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the configuration decides: which BLAS Kokkos Kernels is built with, and which files need Kokkos's compiler."""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import PROGRAM, ROOT, InFolder

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(probe LANGUAGES C)
list(PREPEND CMAKE_MODULE_PATH "{root}/cmake")
include(KokkosChecks)
parallax_kokkos_kernels_options()
file(WRITE "${{CMAKE_BINARY_DIR}}/found" "${{KokkosKernels_ENABLE_TPL_BLAS}}|${{PARALLAX_NO_BLAS}}|${{BLAS_LIBRARIES}}")
"""


@unittest.skipIf(PROGRAM is None, "PARALLAX_PROGRAM_DIR does not name the folder of a build")
class Configure(InFolder):
    def setUp(self):
        super().setUp()
        self.build = PROGRAM.parents[1]
        cache = (self.build / "CMakeCache.txt").read_text()
        self.cache = dict(re.findall(r"^(\w+):\w+=(.*)$", cache, re.MULTILINE))

    def blas(self, *options):
        """(usable, why not, what is left in BLAS_LIBRARIES) of a project configured twice, as by a build that was touched."""
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT))
        tools = [f"-D{name}={self.cache[name]}" for name in ("CMAKE_C_COMPILER", "CMAKE_MAKE_PROGRAM")]
        command = [self.cache["CMAKE_COMMAND"], "-G", self.cache["CMAKE_GENERATOR"], "-S", ".", "-B", "made", *tools]
        for _ in range(2):
            done = self.start([*command, "-DBLA_VENDOR=Generic", f"-DCMAKE_LIBRARY_PATH={self.folder}", *options])
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return (self.folder / "made" / "found").read_text().split("|")

    def test_blas_without_a_fortran_compiler_is_done_without(self):
        (self.folder / "blas.c").write_text("void sgemm_(void) {}\n")
        subprocess.run(
            [self.cache["CMAKE_C_COMPILER"], "-shared", "-fPIC", "blas.c", "-o", "libblas.so"],
            cwd=self.folder,
            check=True,
        )
        self.assertEqual(self.blas("-DCMAKE_Fortran_COMPILER=/bin/true"), ["ON", "", ""])
        (self.folder / "made" / "CMakeCache.txt").unlink()
        usable, why, _ = self.blas("-DCMAKE_Fortran_COMPILER=")
        self.assertEqual(usable, "OFF")
        self.assertIn("Fortran compiler", why)

    def test_no_blas_is_said(self):
        usable, why, _ = self.blas("-DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON")
        self.assertEqual((usable, why), ("OFF", "none was found"))

    def test_only_what_includes_kokkos_is_compiled_with_it(self):
        commands = json.loads((self.build / "compile_commands.json").read_text())
        commands = {Path(c["file"]).relative_to(ROOT): c["command"] for c in commands if c["file"].startswith(str(ROOT))}
        with_kokkos = {str(file) for file, command in commands.items() if "KOKKOS_DEPENDENCE" in command}
        if not with_kokkos:
            self.skipTest("this Kokkos does not mark what is compiled with it")
        for file in ("src/measure/ceilings/ceilings.cpp", "tests/exercise/outputs.cpp", "tests/random/generators.cpp"):
            self.assertIn(file, with_kokkos)
        for file in ("src/program/command_line.cpp", "src/data/event_file.cpp", "tests/data/event_file.cpp", "tests/program/command_line.cpp"):
            self.assertNotIn(file, with_kokkos)


if __name__ == "__main__":
    unittest.main()
