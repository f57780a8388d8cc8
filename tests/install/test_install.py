# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` puts where, a project outside that adds an exercise, and the archive of the sources that cpack writes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from processes import WithFolder, cache_of_build  # noqa: E402
from processes import checked as run  # noqa: E402

ROOT = HERE.parents[1]
BUILD = Path(os.environ["PARALLAX_PROGRAM_DIR"]).parent
CACHE = cache_of_build()
CMAKE = CACHE["CMAKE_COMMAND"]
VERSION = CACHE["CMAKE_PROJECT_VERSION"]
# The tools and libraries of this build. HDF5 is found with the others.
SAME = [f"-D{name}={CACHE[name]}" for name in ("CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER", "CMAKE_EXE_LINKER_FLAGS", "CMAKE_PREFIX_PATH")
        if CACHE.get(name)] + ["-G", CACHE["CMAKE_GENERATOR"], "-DFETCHCONTENT_FULLY_DISCONNECTED=ON"]  # fmt: skip
FOUND = [f"-D{name}={CACHE[name]}" for name in ("Kokkos_DIR", "KokkosKernels_DIR") if not CACHE.get(name, "-NOTFOUND").endswith("-NOTFOUND")]
FOUND += [f"-DFETCHCONTENT_SOURCE_DIR_{f.name[:-4].upper()}={f}" for f in BUILD.glob("_deps/*-src")]
FOUND += [f"-D{name}={folder}" for name, folder in CACHE.items() if name.startswith("FETCHCONTENT_SOURCE_DIR_") and folder]
if CACHE.get("FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS"):  # its libraries would be compiled as well
    FOUND += ["-DPARALLAX_ENABLE_KOKKOS_KERNELS=OFF"]
INCLUDE = re.compile(r'^ *#include "([^"]+)"', re.MULTILINE)


class Installed(WithFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.folder / "prefix"
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        cls.program = cls.prefix / "bin" / "parallax"
        cls.exercises = [e["name"] for e in json.loads(run(cls.program, "list", "--json"))["exercises"]]

    def test_every_exercise_has_a_program_a_page_and_a_lesson(self):
        self.assertGreater(len(self.exercises), 1)
        for name in ["parallax", *(n for n in self.exercises if (BUILD / "bin" / n).exists())]:
            self.assertTrue(os.access(self.prefix / "bin" / name, os.X_OK), name)
            page = (self.prefix / "share/man/man1" / f"{name}.1").read_text(encoding="utf-8")
            self.assertIn(f"\n.SH NAME\n{name} \\- ", page)
        for name in self.exercises:
            self.assertTrue((self.prefix / "share/parallax/lessons/apps" / name / "README.md").exists(), name)
        page = (self.prefix / "share/man/man1/parallax.1").read_text(encoding="utf-8")
        for words in ("\n.SH parallax run\n", "\\-\\-variant", "\n.SH parallax compare\n", "\\-\\-network", f'"Parallax {VERSION}"'):
            self.assertIn(words, page)
        self.assertTrue(run(self.program, "--version").startswith(f"parallax {VERSION} ("))

    def test_every_header_finds_those_that_it_includes(self):
        folder = self.prefix / "include/parallax"
        headers = list(folder.rglob("*.hpp"))
        sources = {p.relative_to(ROOT / place) for place in ("src", "apps") for p in (ROOT / place).rglob("*.hpp") if p.parent.name != "bugs"}
        installed = {h.relative_to(folder) for h in headers}
        self.assertEqual(sources - installed, set())
        self.assertEqual(len(installed - sources), 24)  # the names of 1.0, which tests/install/outside/old_names.cpp includes
        missing = [(h.name, i) for h in headers for i in INCLUDE.findall(h.read_text(encoding="utf-8")) if not (folder / i).exists()]
        self.assertEqual(missing, [])

    def test_the_program_runs_with_installed_sizes_and_python(self):
        share = self.prefix / "share/parallax"
        self.assertEqual({p.name for p in (share / "sites").iterdir()}, {p.name for p in (ROOT / "configs/sites").iterdir()})
        run(self.program, "run", "increment", "--size", share / "sizes/odd.json", "--verify-only", "--quiet", cwd=self.folder)
        # The words that Python gets: the installed script, though the checkout has one, too.
        said = run(self.program, "report", "a.json", "-o", "a.html", env={**os.environ, "PARALLAX_PYTHON": "echo"})
        self.assertEqual(Path(said.split()[0]), share / "python/make_report.py")
        self.assertIn("usage:", run(sys.executable, share / "python/make_report.py", "--help"))
        # The twins: their rooms, and the program that tells their sizes.
        script = "from parallax.built import find_program; print(find_program())"
        environment = {**os.environ, "PYTHONPATH": str(share / "python"), "PARALLAX_BUILD": ""}
        self.assertEqual(run(sys.executable, "-c", script, env=environment).strip(), str(self.program))
        self.assertTrue((share / "python/parallax/exercises/increment/twin.py").exists())

    def completed(self, *words):
        """What bash offers for the last word."""
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _parallax; printf "%s\\n" "${COMPREPLY[@]}"'
        name = Path(words[0]).name
        file = self.prefix / "share/bash-completion/completions" / name
        return run("bash", "-c", script, "bash", file, *words).split()

    def test_bash_completes_what_the_program_offers(self):
        self.assertEqual(self.completed(self.program, "comp"), ["compare"])
        self.assertEqual(self.completed(self.program, "run", "incr"), ["increment"])
        self.assertEqual(sorted(self.completed(self.program, "run", "")), sorted([*self.exercises, "all"]))
        self.assertEqual(self.completed(self.program, "run", "--size", "co"), ["course"])
        self.assertEqual(self.completed(self.program, "run", "--json-or-no"), [])
        self.assertIn("--verify-only", self.completed(self.program, "run", "increment", "--ver"))
        self.assertNotIn("--variant", self.completed(self.program, "compare", "--"))
        self.assertEqual(self.completed(self.program, "report", "--out"), ["--output"])
        self.assertIn("--variant", self.completed(self.prefix / "bin/increment", "--var"))
        folder = self.prefix / "share/bash-completion/completions"
        for name in ("parallax", "increment"):
            self.assertTrue(run("bash", "-c", 'source "$1"; complete -p "$2"', "bash", folder / name, name).endswith(f"_parallax {name}\n"))

    def test_a_project_outside_adds_an_exercise(self):
        build = self.folder / "outside"
        run(CMAKE, "-S", HERE / "outside", "-B", build, *SAME, "-DCMAKE_BUILD_TYPE=Debug", f"-DParallax_ROOT={self.prefix}")
        run(CMAKE, "--build", build)
        listed = json.loads(run(build / "mine", "list", "--json"))["exercises"]
        self.assertEqual(sorted(e["name"] for e in listed), ["cube", "increment"])
        for program in ([build / "mine", "run", "cube"], [build / "cube"]):
            rows = run(*program, "--size", "tiny", "--verify-only")
            self.assertRegex(rows, r"(?m)^  range.* verified$")
        self.assertIn(f"parallax {VERSION} (", run(build / "mine", "--version"))
        self.assertIn("1003 ones", run(build / "kernels"))


    def test_a_wrong_name_is_named(self):
        for right, wrong, words in (
            ("cube increment", "cube incrment", "there is no exercise 'incrment'"),
            ("cube/exercise.cpp", "cubo/exercise.cpp", "cubo/exercise.cpp'; expected"),
            ("Parallax 1.0", "Parallax 9.9", "version: " + VERSION),
        ):
            with self.subTest(wrong), tempfile.TemporaryDirectory() as folder:
                text = (HERE / "outside/CMakeLists.txt").read_text(encoding="utf-8")
                self.assertIn(right, text)
                Path(folder, "CMakeLists.txt").write_text(text.replace(right, wrong), encoding="utf-8")
                shutil.copytree(HERE / "outside/cube", Path(folder, "cube"))
                with self.assertRaises(AssertionError) as failed:
                    run(CMAKE, "-S", folder, "-B", Path(folder, "build"), *SAME, f"-DParallax_ROOT={self.prefix}")
                self.assertIn(words, " ".join(str(failed.exception).split()))


class Subdirectory(WithFolder):
    def test_a_project_outside_compiles_with_the_sources(self):
        """Not linked: the harness takes minutes to compile."""
        build = self.folder / "build"
        run(CMAKE, "-S", HERE / "outside", "-B", build, *SAME, *FOUND, "-DCMAKE_BUILD_TYPE=Debug", f"-DPARALLAX_SOURCE={ROOT}",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")  # fmt: skip
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
        for option in ("BUILD_TESTS", "WERROR", "INSTALL"):
            self.assertRegex(cache, rf"(?m)^PARALLAX_{option}:BOOL=OFF$")
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.assertGreater(len(commands), 10)
        for command in commands:
            self.assertNotIn("-Werror", command["command"])
            self.assertNotIn("/tests/platform/", command["file"])
        if CACHE["CMAKE_GENERATOR"] == "Ninja":  # which can say what it would build
            planned = run(CMAKE, "--build", build, "--", "-t", "inputs", "all")
            self.assertIn("app_cube.dir", planned)
            self.assertIn("app_increment.dir", planned)
            self.assertNotIn("app_histogram.dir", planned)
        run(CMAKE, "--build", build, "--target", "app_cube")


class Archive(WithFolder):
    def test_it_configures_without_git_and_network_and_knows_its_commit(self):
        run(Path(CMAKE).parent / "cpack", "--config", BUILD / "CPackSourceConfig.cmake", "-B", self.folder)
        with tarfile.open(self.folder / f"parallax-{VERSION}.tar.gz") as archive:
            archive.extractall(self.folder)
        sources = self.folder / f"parallax-{VERSION}"
        for name in (".git", "build", "out", "results"):
            self.assertFalse((sources / name).exists(), name)
        for name in (".ci/run", "CMakePresets.json", "apps/increment/exercise.cpp", "python/setup.py", "scripts/parallax"):
            self.assertTrue((sources / name).exists(), name)
        commit = (sources / "COMMIT").read_text(encoding="utf-8").strip()
        git = subprocess.run(["git", "-c", "safe.directory=*", "describe", "--always", "--dirty", "--tags"], cwd=ROOT, check=False,
                             capture_output=True, text=True)  # fmt: skip
        self.assertEqual(commit, "unknown" if git.returncode else git.stdout.strip())

        # A git that cannot be used, and tells that it was, for these sources: the sources of a Kokkos that is built as well ask for their own.
        (sources / "COMMIT").write_text("of-the-archive\n", encoding="utf-8")
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "git").write_text(f'#!/bin/sh\ncase "$PWD/ $*" in *{sources}*) touch {self.folder}/git-was-called ;; esac\nexit 1\n', encoding="utf-8")
        (tools / "git").chmod(0o755)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        build = self.folder / "build"
        run(CMAKE, "-S", sources, "-B", build, *SAME, *FOUND, env=environment)
        run(CMAKE, "--build", build, "--target", "parallax_write_build_info", env=environment)
        header = (build / "generated/build_info.hpp").read_text(encoding="utf-8")
        self.assertIn(f'version = "{VERSION}"', header)
        self.assertIn('git = "of-the-archive"', header)
        self.assertFalse((self.folder / "git-was-called").exists())


if __name__ == "__main__":
    unittest.main()
