# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the configuration decides: which standard holds, what is said of fetched packages, which BLAS Kokkos Kernels is built with, and which
files need Kokkos's compiler."""

import hashlib
import json
import re
import shutil
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


@unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
class WithoutCompiler(InFolder):
    """Parts of the configuration, in projects without a language."""

    GENERATOR = ("-G", "Ninja") if shutil.which("ninja") else ()

    def configure(self, text, *options, folder="."):
        source = self.folder / folder
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22...3.31)\n" + text)
        return self.start(["cmake", *self.GENERATOR, "-S", str(source), "-B", str(source / "b"), *options])

    def standard(self, *options, around=""):
        include = f'include("{ROOT}/cmake/Options.cmake")\nmessage(STATUS "the standard is ${{CMAKE_CXX_STANDARD}}")\n'
        if around:
            (self.folder / "inner").mkdir(exist_ok=True)
            (self.folder / "inner/CMakeLists.txt").write_text("project(inner NONE)\n" + include)
            include = f"{around}\nadd_subdirectory(inner)\n"
        shutil.rmtree(self.folder / "b", ignore_errors=True)
        done = self.configure("project(x NONE)\n" + include, "-DCMAKE_INSTALL_LIBDIR=lib", *options)
        return done, re.findall("the standard is (.*)", done.stdout)

    def test_the_users_standard_holds_where_it_is_new_enough(self):
        self.assertEqual(self.standard()[1], ["20"])
        for chosen in ("20", "23", "26"):
            self.assertEqual(self.standard(f"-DCMAKE_CXX_STANDARD={chosen}")[1], [chosen])
        for chosen in ("98", "11", "17"):
            done, _ = self.standard(f"-DCMAKE_CXX_STANDARD={chosen}")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"CMAKE_CXX_STANDARD is {chosen}; Parallax needs 20 or newer", done.stderr)
        for around, standard in (("set(CMAKE_CXX_STANDARD 17)", "20"), ("set(CMAKE_CXX_STANDARD 23)", "23")):
            self.assertEqual(self.standard(around=around)[1], [standard])

    def test_nothing_is_said_of_what_a_fetched_package_calls_deprecated(self):
        (self.folder / "old-1").mkdir()
        (self.folder / "old-1/CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.10)\nproject(old NONE)\nmessage(DEPRECATION old)\nadd_library(old INTERFACE)\n")
        archive = shutil.make_archive(str(self.folder / "old"), "gztar", self.folder, "old-1")
        digest = hashlib.sha256(Path(archive).read_bytes()).hexdigest()
        done = self.configure(
            f'project(x NONE)\ninclude("{ROOT}/cmake/Fetch.cmake")\n'
            f'parallax_dependency(Old TARGET old URL "file://{archive}" SHA256 {digest})\nmessage(DEPRECATION "of ours")\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("of ours", done.stderr)
        self.assertEqual(len(re.findall("CMake .*[Ww]arning|CMP0", done.stderr)), 1, done.stderr)

    def test_a_path_that_cmake_cannot_take_is_said(self):
        text = (ROOT / "CMakeLists.txt").read_text()
        for name in ("a;b", "a[b", "a]b", 'a"b', "a|b", "a<b"):
            done = self.configure(text, folder=name)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("may be in their paths", " ".join(done.stderr.split()))


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
        with_kokkos = set()
        for c in commands:
            if "KOKKOS_DEPENDENCE" not in c["command"]:
                continue
            # A file of a unity build includes those that it is made of.
            files = re.findall('#include "(.*)"', Path(c["file"]).read_text()) if "/Unity/" in c["file"] else [c["file"]]
            with_kokkos.update(str(Path(file).relative_to(ROOT)) for file in files if file.startswith(str(ROOT)))
        if not with_kokkos:
            self.skipTest("this Kokkos does not mark what is compiled with it")
        for file in ("src/measure/ceilings/ceilings.cpp", "tests/exercise/outputs.cpp", "tests/random/generators.cpp"):
            self.assertIn(file, with_kokkos)
        for file in ("src/program/command_line.cpp", "src/data/event_file.cpp", "tests/data/event_file.cpp", "tests/program/command_line.cpp"):
            self.assertNotIn(file, with_kokkos)


if __name__ == "__main__":
    unittest.main()
