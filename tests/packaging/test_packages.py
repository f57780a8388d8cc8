# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The files of packaging/ agree with the build that they describe. The package managers themselves are not needed."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPACK = {"KokkosKernels": "kokkos-kernels", "nlohmann_json": "nlohmann-json", "PNG": "libpng", "Threads": None, "Python3": None}
EASYBUILD = {"PNG": "libpng", "KokkosKernels": None, "Threads": None, "HDF5": None, "MPI": None, "NCCL": None, "Catch2": None, "Python3": None}


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def one(pattern, name):
    (found,) = re.findall(pattern, text_of(name), re.MULTILINE)
    return found


class Packages(unittest.TestCase):
    dependencies = re.findall(r"parallax_dependency\((\w+)", text_of("cmake/Dependencies.cmake"))
    (easyconfig,) = [str(f.relative_to(ROOT)) for f in (ROOT / "packaging/easybuild").glob("*.eb")]

    def test_versions_agree(self):
        version = one(r"^  VERSION ([\d.]+)$", "CMakeLists.txt")
        self.assertEqual(one(r"^version = '(\S+)'$", self.easyconfig), version)
        self.assertTrue(Path(self.easyconfig).name.startswith(f"Parallax-{version}-"))

    def test_every_dependency_is_one_of_the_recipes_too(self):
        recipe = text_of("packaging/spack/spack_repo/parallax/packages/parallax/package.py")
        config = text_of(self.easyconfig)
        self.assertGreater(len(self.dependencies), 7)
        for name in self.dependencies:
            if SPACK.get(name, "") is not None:
                self.assertIn(f'depends_on("{SPACK.get(name, name.lower())}', recipe)
            if EASYBUILD.get(name, "") is not None:
                self.assertIn(f"('{EASYBUILD.get(name, name)}', '", config)

    def test_options_are_options_of_the_build(self):
        known = set(re.findall(r"PARALLAX_\w+", text_of("cmake/Options.cmake")))
        names = [self.easyconfig, "packaging/apptainer/parallax.def", "packaging/docker/parallax.docker", "packaging/spack/spack_repo/parallax/packages/parallax/package.py"]
        for name in names:
            used = set(re.findall(r"PARALLAX_\w+", text_of(name)))
            self.assertTrue(used and used <= known, f"{name}: {used - known}")

    def test_the_images_and_the_container_have_what_they_name(self):
        apptainer, docker = text_of("packaging/apptainer/parallax.def"), text_of("packaging/docker/parallax.docker")
        copied = re.findall(r"^  (\S+) /opt/parallax/src/$", apptainer, re.MULTILINE)
        by_docker = [name for names in re.findall(r"^COPY (.+) \S+$", docker, re.MULTILINE) for name in names.split()]
        # Of packaging the build needs the list of packages only.
        self.assertEqual(sorted(name.partition("/")[0] for name in by_docker), sorted(copied))
        for name in copied + by_docker:
            self.assertTrue((ROOT / name).exists(), name)
        for name in re.findall(r"^(?:add_subdirectory|include)\((\w+)\)$", text_of("CMakeLists.txt"), re.MULTILINE):
            self.assertTrue(name in copied or (ROOT / f"cmake/{name}.cmake").exists(), name)
        presets = [p["name"] for f in (ROOT / "configs/presets").glob("*.json") for p in json.loads(f.read_text())["configurePresets"]]
        for preset in re.findall(r"preset[= ](\w[\w-]*)", apptainer + docker + text_of(".devcontainer/devcontainer.json")):
            self.assertIn(preset, presets)
        for text in (apptainer, docker, text_of(".devcontainer/devcontainer.json")):
            self.assertIn("packaging/debian-packages", text)
        json.loads(text_of(".devcontainer/devcontainer.json"))

    def test_the_images_build_and_start_alike(self):
        """Their commands are the same, but for what each format calls its arguments and joins its lines with."""
        commands = []
        for text, argument in ((text_of("packaging/apptainer/parallax.def"), "{{ preset }}"), (text_of("packaging/docker/parallax.docker"), "${preset}")):
            text = re.sub(r"\\\n *", "", text).replace(argument, "PRESET")
            commands.append([re.search(pattern, text)[0].strip() for pattern in (
                r"grep -v [^\n&]*", r"cmake --preset [^\n&]*", r"cmake --build [^\n&]*", r"ln -s [^\n&]*", r"find /opt[^\n&]*")])
        self.assertEqual(*commands)

    def test_releases_of_kokkos_have_the_hashes_that_the_build_has(self):
        pinned = dict(re.findall(r"\[kokkos-([\d.]+)\]=(\w+)", text_of("sbatch/job.bash")))
        pinned[one(r"kokkos-([\d.]+)\.tar\.gz", "cmake/KokkosRelease.cmake")] = one(r'SHA256 "(\w+)"', "cmake/KokkosRelease.cmake")
        matrix = dict(re.findall(r'version: "([\d.]+)", sha256: (\w+)', text_of(".github/workflows/ci.yml")))
        self.assertLessEqual(set(pinned), set(matrix))
        for version, digest in pinned.items():
            self.assertEqual(matrix[version], digest)

    def test_ramble_reads_the_line_that_the_program_prints(self):
        text = text_of("packaging/ramble/applications/parallax/application.py")
        row, time = (re.compile(p) for p in re.findall(r'regex=r"(\^parallax[^"]*)"', text))
        (line,) = re.findall(r"^(parallax\.fom .*)$", text_of("docs/command-line.md"), re.MULTILINE)
        self.assertEqual(row.match(line)["row"], line.removeprefix("parallax.fom ").rsplit(" ", 2)[0])
        self.assertEqual(time.match(line)["time"], line.split()[-2])


if __name__ == "__main__":
    unittest.main()
