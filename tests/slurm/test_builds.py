# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the build jobs of scripts/submit do, and how they fetch sources. Neither Slurm nor a compiler is needed here."""

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from submitting import ROOT, submit


class Builds(unittest.TestCase):
    """What a build job does, without a compiler: stand-ins for cmake and for the module command note their words."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.words = self.folder / "words"
        self.cmake(self.folder)

    def cmake(self, folder, version="3.25.1", configuring=":", otherwise=":"):
        """A stand-in in a folder; `configuring` is what it does then, `otherwise` for its other uses."""
        folder.mkdir(exist_ok=True)
        (folder / "cmake").write_text(
            "#!/bin/bash\n"
            f'[[ $1 != --version ]] || {{ echo "cmake version {version}"; exit; }}\n'
            f'echo "cmake $*" >>"{self.words}"\n'
            f"if [[ $1 == --preset ]]; then {configuring}; else {otherwise}; fi\n"
        )
        (folder / "cmake").chmod(0o755)

    def build(self, site, gpu, job, module=True, brings=":", **environment):
        self.words.unlink(missing_ok=True)
        if module:
            note = f'echo "module $*" >>"{self.words}"'
            environment["BASH_FUNC_module%%"] = f"() {{ {note}; {brings}; [[ $* != *none* ]]; }}"
        # A login shell makes its own PATH: the stand-in comes in by the file that such a shell reads.
        (self.folder / ".bash_profile").write_text(f'PATH="{self.folder}:$PATH"\n')
        said = submit(
            site,
            gpu,
            job,
            "--here",
            "--results",
            self.folder / "results",
            *environment.pop("options", ()),
            environment={"HOME": str(self.folder), **environment},
        )
        return said, self.words.read_text().splitlines() if self.words.exists() else []

    def test_gpu_build(self):
        said, words = self.build("pelle", "l40s", "build")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual(words[:2], ["module purge", "module load foss/2025b CUDA/13.0.2"])
        self.assertEqual(
            words[2],
            f"cmake --preset cuda-l40s -B {ROOT}/build/pelle-l40s "
            "-D PARALLAX_BUILD_TESTS=OFF -D PARALLAX_WERROR=OFF -D PARALLAX_HOST_FLAGS= -D Kokkos_ARCH_ZEN4=ON",
        )
        self.assertRegex(words[3], f"cmake --build {ROOT}/build/pelle-l40s --parallel [0-9]+")

    def test_cpu_build(self):
        said, words = self.build("dardel", "gh200", "build-cpu")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn(f"cmake --preset grace -B {ROOT}/build/dardel-gh200-cpu -D PARALLAX_BUILD_TESTS=OFF", words[1])
        self.assertNotIn("Kokkos_ARCH", words[1])

    def test_modules_are_kept_where_the_environment_is_made_of_them(self):
        said, words = self.build("dardel", "mi250x", "build")
        self.assertEqual(words[0], "module load PDC/26.03 rocm/7.2.1 craype-accel-amd-gfx90a")

    def test_a_node_that_compiles_for_others_is_not_their_architecture(self):
        for gpu in ("gh200", "mi250x"):
            _, words = self.build("dardel", gpu, "build", brings="hipcc() { :; }")
            self.assertTrue(words[1].endswith("-D PARALLAX_HOST_FLAGS="), words[1])

    def test_modules_without_a_compiler_for_amd_are_refused_before_the_build(self):
        none = 'command() { [[ $* != "-v hipcc" ]] && builtin command "$@"; }'  # this machine may have one
        said, words = self.build("kebnekaise", "mi100", "build", brings=none)
        self.assertEqual(said.returncode, 3)
        self.assertIn("the preset hip-mi100 needs hipcc, and these modules bring none. Ask 'module spider rocm'", said.stderr)
        self.assertFalse([line for line in words if line.startswith("cmake --preset")])
        _, words = self.build("kebnekaise", "mi100", "build", options=("--modules", "foss/2023b rocm/6.3.3"), brings="hipcc() { :; }")
        self.assertIn("cmake --preset hip-mi100 ", "\n".join(words))

    def test_older_kokkos_for_an_older_cuda(self):
        said, words = self.build("cosmos", "a100", "build")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertRegex(
            words[2], r"URL=\S+/kokkos/releases/download/4.7.01/kokkos-4.7.01.tar.gz -D SHA256=[0-9a-f]{64} "
        )
        self.assertRegex(words[3], r"URL=\S+/kokkos-kernels-4.7.01.tar.gz -D SHA256=[0-9a-f]{64} ")
        self.assertIn(f"-D FETCHCONTENT_SOURCE_DIR_KOKKOS={ROOT}/build/sources/kokkos-4.7.01", words[4])
        self.assertIn(f"-D FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS={ROOT}/build/sources/kokkos-kernels-4.7.01", words[4])

    def test_the_sites_cmake_where_the_machines_is_too_old(self):
        self.cmake(self.folder, version="3.20.2")
        said, words = self.build("tetralith", "t4", "build")
        self.assertEqual(said.returncode, 3)
        self.assertIn("CMake 3.25 or newer is needed, and here is cmake version 3.20.2", said.stderr)
        self.assertIn("--modules '... CMake/...'", said.stderr)
        self.cmake(self.folder / "newer", version="4.0.3")
        brings = f'[[ $* != *CMake* ]] || PATH="{self.folder}/newer:$PATH"'
        said, words = self.build("pelle", "l40s", "build", brings=brings)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn("module load CMake/4.0.3-GCCcore-14.3.0", words)
        self.assertRegex(words[-1], "cmake --build ")

    def test_a_build_without_a_network_names_the_way(self):
        failing = "echo 'CMake Error at kokkos-subbuild: Each download failed!' >&2; exit 1"
        self.cmake(self.folder, configuring=failing)
        said, words = self.build("pelle", "l40s", "build", SLURM_JOB_ID="12")
        self.assertEqual(said.returncode, 3)
        self.assertIn("scripts/submit pelle l40s build --here", said.stderr)
        self.assertNotIn("CMake Error", said.stdout + said.stderr)
        several = self.build("pelle", "l40s", "build", SLURM_JOB_ID="13", options=("--gpus", "4"))[0]
        self.assertIn("scripts/submit pelle l40s build --gpus 4 --nodes 1 --here", several.stderr)
        self.assertIn("CMake Error", (self.folder / "results/12/configure.log").read_text())
        said, words = self.build("pelle", "l40s", "build")
        self.assertEqual(said.returncode, 3)
        self.assertNotIn("--here", said.stderr)
        self.assertIn("is there a network?", said.stderr)

    def test_an_older_release_without_a_network(self):
        self.cmake(self.folder, otherwise="printf 'CMake Error: x could\\n  not be fetched: no name\\n'; exit 1")
        said, words = self.build("cosmos", "a100", "build", SLURM_JOB_ID="12")
        self.assertEqual(said.returncode, 3)
        self.assertIn("scripts/submit cosmos a100 build --here", said.stderr)

    def test_another_mistake_of_the_configuration_is_shown(self):
        self.cmake(self.folder, configuring="echo 'CMake Error: no compiler'; exit 1")
        said, words = self.build("pelle", "l40s", "build")
        self.assertEqual(said.returncode, 3)
        self.assertIn("CMake Error: no compiler", said.stderr)
        self.assertNotIn("network", said.stderr)

    def test_modules_that_are_not_there(self):
        said, words = self.build("pelle", "l40s", "build", options=("--modules", "none/1.0"))
        self.assertEqual(said.returncode, 3)
        self.assertIn("these modules did not load: is this Pelle?", said.stderr)
        self.assertEqual(words[-1], "module load none/1.0")
        self.assertFalse([line for line in words if line.startswith("cmake")])
        said, words = self.build("pelle", "l40s", "build", module=False)
        if "BASH_FUNC_module%%" not in os.environ:
            self.assertEqual(said.returncode, 3)
            self.assertIn("no module command here", said.stderr)


class Fetching(unittest.TestCase):
    """sbatch/fetch.cmake, by a file: address."""

    def fetch(self, sha256):
        return subprocess.run(
            [
                "cmake",
                "-D",
                f"URL=file://{self.folder}/x-1.tar.gz",
                "-D",
                f"SHA256={sha256}",
                "-D",
                f"FOLDER={self.folder}/sources/x-1",
                "-P",
                ROOT / "sbatch" / "fetch.cmake",
            ],
            capture_output=True,
            text=True,
            timeout=600,
        )

    @unittest.skipUnless(shutil.which("cmake"), "no cmake here")
    def test_hash(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder)
            with tarfile.open(self.folder / "x-1.tar.gz", "w:gz") as archive:
                archive.addfile(tarfile.TarInfo("x-1/CMakeLists.txt"))
            right = hashlib.sha256((self.folder / "x-1.tar.gz").read_bytes()).hexdigest()
            said = self.fetch("0" * 64)
            self.assertNotEqual(said.returncode, 0)
            self.assertIn("has the hash " + right, " ".join(said.stderr.split()))
            self.assertEqual([path.name for path in (self.folder / "sources").iterdir()], [])
            for _ in range(2):  # the second time it is there
                self.assertEqual(self.fetch(right).returncode, 0)
                self.assertEqual(
                    [path.name for path in (self.folder / "sources").rglob("*")], ["x-1", "CMakeLists.txt"]
                )
            (self.folder / "x-1.tar.gz").unlink()
            shutil.rmtree(self.folder / "sources")
            self.assertIn("could not be fetched", self.fetch(right).stderr)


if __name__ == "__main__":
    unittest.main()
