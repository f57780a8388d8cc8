# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What scripts/gpu-check runs and sums up. Stand-ins for a GPU and for every program note how they were called."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import ROOT, InFolder

SANITIZERS = ["memcheck", "racecheck", "initcheck", "synccheck"]
STEPS = ["configure", "build", "tests", *SANITIZERS, "sizes"]


class GpuCheck(InFolder):
    def setUp(self):
        super().setUp()
        for part in ("scripts/gpu-check", "scripts/common.bash", "configs/presets/cuda.json"):
            (self.folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, self.folder / part)
        self.stand_in("nvidia-smi", 'echo "NVIDIA H200, 9.0"')
        for name in ("cmake", "ctest", "compute-sanitizer", "parallax"):
            self.stand_in(name)
        for preset in ("cuda-h100", "cuda-t4"):
            (self.folder / "build" / preset / "bin").mkdir(parents=True)
            (self.folder / "build" / preset / "bin" / "parallax").symlink_to(self.folder / "bin" / "parallax")

    def stand_in(self, name, does=""):
        program = self.folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.folder}/calls"\n{does}\n')
        program.chmod(0o755)

    def check(self, *arguments, **environment):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        # Exported functions say which machine this is.
        surroundings = {"PATH": path, "BASH_FUNC_uname%%": "() { echo x86_64; }", **environment}
        command = [str(self.folder / "scripts" / "gpu-check"), *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=600, env={**os.environ, **surroundings}, check=False
        )
        self.outcomes = dict(line.split()[:2] for line in done.stdout.splitlines()[1:])
        calls = self.folder / "calls"
        self.calls = [line for line in calls.read_text().splitlines() if not line.startswith("nvidia-smi")]
        calls.unlink()
        return done

    def test_every_step_is_run_and_summed_up(self):
        done = self.check(PARALLAX_CMAKE_OPTIONS="-D A=1 -D B=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("on NVIDIA H200, preset cuda-h100", done.stdout)
        self.assertEqual(self.outcomes, dict.fromkeys(STEPS, "passed"))
        self.assertEqual(self.calls[0], "cmake --preset cuda-h100 -D PARALLAX_BUILD_TESTS=ON -D A=1 -D B=2")
        self.assertRegex(self.calls[1], f"^cmake --build {self.folder}/build/cuda-h100 --parallel [0-9]+$")
        self.assertTrue(self.calls[2].startswith(f"ctest --test-dir {self.folder}/build/cuda-h100"), self.calls[2])
        tools = [call.split()[2] for call in self.calls[3:7]]
        self.assertEqual(tools, SANITIZERS)
        for call in self.calls[3:7]:
            self.assertIn("run all --space cuda --size tiny --verify-only", call)
        self.assertRegex(self.calls[7], "^parallax run all --size .*/odd.json --precision all --verify-only$")

    def test_the_preset_is_that_of_the_gpu(self):
        for gpu, preset in (("NVIDIA A100-SXM4-80GB, 8.0", "cuda-a100"), ("NVIDIA B200, 10.0", "cuda-b200")):
            self.stand_in("nvidia-smi", f'echo "{gpu}"')
            self.check("configure")
            self.assertIn(f"--preset {preset} ", self.calls[0])
        self.stand_in("nvidia-smi", 'echo "NVIDIA GH200 480GB, 9.0"')
        self.check("configure", **{"BASH_FUNC_uname%%": "() { echo aarch64; }"})
        self.assertIn("--preset cuda-gh200 ", self.calls[0])
        self.check("--preset", "cuda-t4", "configure")
        self.assertIn("--preset cuda-t4 ", self.calls[0])

    def test_what_fails_is_said_and_the_rest_is_run(self):
        self.stand_in("ctest", "echo the third test failed; exit 8")
        done = self.check("tests", "synccheck")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.outcomes, {"tests": "FAILED", "synccheck": "passed"})
        self.assertRegex(done.stdout, r"tests .* status 8, build/cuda-h100/gpu-check/tests\.log\n")
        self.assertIn("the third test failed", done.stderr)

    def test_a_step_that_takes_too_long_is_stopped(self):
        self.stand_in("compute-sanitizer", "sleep 90")
        done = self.check("--limit", "1", "racecheck")
        self.assertEqual((done.returncode, self.outcomes), (1, {"racecheck": "FAILED"}))
        self.assertRegex(done.stdout, r"racecheck .* stopped after 1 s, ")

    def test_no_sanitizer_is_said(self):
        (self.folder / "bin" / "compute-sanitizer").unlink()
        # Nothing but what the script itself needs, so that this machine's own is not found.
        for name in ("bash", "dirname", "readlink", "head", "awk", "mkdir", "timeout", "nproc", "tail", "git", "env"):
            (self.folder / "bin" / name).symlink_to(shutil.which(name))
        script = self.folder / "scripts" / "gpu-check"
        script.write_text(script.read_text().replace("PATH=$PATH:/usr/local/cuda/bin\n", ""))
        done = self.check("build", "memcheck", PATH=str(self.folder / "bin"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.outcomes, {"build": "passed", "memcheck": "skipped"})
        self.assertRegex(done.stdout, r"memcheck +skipped .*compute-sanitizer was not found\n")

    def test_no_gpu_and_bad_usage_are_one_line(self):
        for status, arguments, words in (
            (2, ("tests", "test"), "unknown step 'test'"),
            (2, ("--limit", "soon"), "'soon' is not a number of seconds"),
            (2, ("--preset",), "--preset needs a value"),
            (3, (), "no NVIDIA GPU here"),
        ):
            self.stand_in("nvidia-smi", "exit 9")
            (self.folder / "calls").touch()
            done = self.check(*arguments)
            self.assertEqual((done.returncode, done.stdout, self.calls), (status, "", []))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
