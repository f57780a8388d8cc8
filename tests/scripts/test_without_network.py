# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the scripts say where nothing can be fetched: stand-ins for CMake and apt fail as they do then."""

import shutil
import unittest

from support import ROOT, STAND_IN, InFolder


class WithoutNetwork(InFolder):
    """Few lines, that say what to do: not the log of the tool that failed."""

    LOG = "\n".join(f"a line of a long log, {k}" for k in range(50))

    def setUp(self):
        super().setUp()
        self.copy_scripts()
        # A machine without Debian's keys, whoever runs this test.
        self.write("stand-ins/id", STAND_IN + "echo 0\n")

    def refused(self, lines, *words, **environment):
        status, out, err = self.run_script("scripts/run-demo", **environment)
        said = [line for line in err.splitlines() if not line.startswith(("parallax: builds ", "parallax: then runs "))]
        self.assertEqual((status, out, len(said)), (3, "", lines), err)
        for word in words:
            self.assertIn(word, "\n".join(said))

    def test_cmake_cannot_fetch(self):
        error = "CMake Error at cmake/Fetch.cmake:7 (message):\n  Kokkos could\n  not be fetched\nCall Stack (most recent call first):"
        self.write("stand-ins/cmake", STAND_IN + f"cat <<'END'\n{self.LOG}\n{error}\n{self.LOG}\nEND\nexit 1\n")
        for _ in range(2):  # the second time there is a cache of the first
            self.refused(3, "Kokkos could not be fetched\n", "Kokkos_ROOT", "build/host/configure.log", PARALLAX_WAY="fetch")
            self.write("build/host/CMakeCache.txt", "")

    def test_apt_cannot_fetch(self):
        failing = STAND_IN + f"cat <<'END'\n{self.LOG}\nE: Failed to fetch InRelease\nEND\nexit 100\n"
        for name in ("apt-get", "debootstrap"):
            self.write(f"stand-ins/{name}", failing)
        self.write("stand-ins/apt-config", STAND_IN)
        _, _, err = self.run_script("scripts/sandbox", "true")
        self.assertIn("E: Failed to fetch InRelease", err)
        said = err[err.index("could not be made") :]
        self.assertEqual(said.count("\n"), 3, err)
        self.assertIn("Kokkos_ROOT", said)
        self.assertIn("build/sandbox.log", said)

    def test_neither_cmake_nor_root(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("bash", "dirname", "readlink", "mkdir", "flock"):
            (tools / name).symlink_to(shutil.which(name))
        self.write("tools/id", STAND_IN + "echo 1000\n")
        status, out, err = self.run_script(shutil.which("bash"), "scripts/run-demo", PATH=str(tools))
        self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
        self.assertIn("install both, or run this as root on Debian", err)

    @unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
    def test_the_configuration_names_what_to_do(self):
        lines = [
            "cmake_minimum_required(VERSION 3.22)", "project(x NONE)", f'include("{ROOT}/cmake/Fetch.cmake")',
            "parallax_dependency(Nonsuch TARGET Nonsuch::x PACKAGE libnonsuch-dev",
            f'  URL "file://{self.folder}/nonsuch-1.tar.gz" SHA256 {"0" * 64})',
        ]
        self.write("CMakeLists.txt", "\n".join(lines) + "\n", 0o644)

        generator = {"CMAKE_GENERATOR": "Ninja"} if shutil.which("ninja") else {}

        def configure():
            status, _, err = self.run_script("cmake", "-S", ".", "-B", "b", **generator)
            self.assertNotEqual(status, 0)
            self.assertLess(len(err.splitlines()), 15, err)
            return " ".join(err.split())

        said = configure()
        for words in ("nonsuch-1.tar.gz", "could not be fetched", "libnonsuch-dev", "Nonsuch_ROOT", "FETCHCONTENT_SOURCE_DIR_NONSUCH"):
            self.assertIn(words, said)
        self.write("nonsuch-1.tar.gz", "something else")
        self.assertIn("another SHA-256", configure())


if __name__ == "__main__":
    unittest.main()
