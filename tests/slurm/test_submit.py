# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What scripts/submit makes of the site files, and what it asks on a login node. No Slurm is needed here."""

import os
import re
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from submitting import JOBS, all_types, script_of, submit


class Scripts(unittest.TestCase):
    """What `sbatch --test-only` does not see, for every site, type and job."""

    def test_directives(self):
        for site, gpu in all_types():
            for job in JOBS:
                with self.subTest(site=site, gpu=gpu, job=job):
                    lines = script_of(site, gpu, job).splitlines()
                    self.assertEqual(lines[0], "#!/bin/bash -l")
                    first_command = next(
                        number for number, line in enumerate(lines) if line and not line.startswith("#")
                    )
                    directives = [line for line in lines if "SBATCH" in line]
                    self.assertEqual(
                        [line for line in lines[:first_command] if line.startswith("#SBATCH -")], directives
                    )
                    options = dict((line.split()[1].split("=", 1) + [""])[:2] for line in directives)
                    self.assertEqual(options["--nodes"], "1")
                    self.assertEqual(options["--ntasks"], "1")
                    self.assertIn("--no-requeue", options)
                    self.assertNotIn("--exclusive", options)
                    self.assertNotIn("--ntasks-per-node", options)
                    hours, minutes, seconds = map(int, options["--time"].split(":"))
                    self.assertEqual((hours, seconds), (0, 0))
                    self.assertTrue(5 <= minutes <= 30, minutes)
                    self.assertRegex(options["--output"], r'^"/.*/slurm-%j\.out"$')
                    for word in [options.get(f"--gpus{end}", "1") for end in ("", "-per-node", "-per-task")]:
                        self.assertEqual(word.split(":")[-1], "1")
                    if job in ("build", "build-cpu", "cpu", "report") and gpu != "gh200":
                        self.assertFalse([line for line in directives if "gpu" in line], "no GPU for work on CPUs")

    def test_is_bash(self):
        for site, gpu in all_types():
            checked = subprocess.run(
                ["bash", "-n"], input=script_of(site, gpu, "compare"), text=True, capture_output=True, timeout=600
            )
            self.assertEqual(checked.stderr, "")

    def test_dry_run_of_everything_submits_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results"
            for site, gpu in all_types():
                said = submit(
                    site,
                    gpu,
                    "pair",
                    "--build",
                    "--dry-run",
                    "--results",
                    results,
                    environment={"PATH": "/usr/bin:/bin", "SLURM_CONF": "/nonexistent"},
                )
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertEqual(
                    re.findall(r"^== (\S+),", said.stdout, re.M), ["build-cpu", "cpu", "build", "gpu", "report"]
                )
                self.assertIn("afterok:JOBID_OF_CPU:JOBID_OF_GPU", said.stdout)
            self.assertFalse(results.exists())

    def test_a_build_names_the_hosts_architecture(self):
        """Else the CPU side of a GPU build is compiled for any x86, and the comparison flatters the GPU."""
        for site, gpu in all_types():
            for job in ("build", "build-cpu"):
                script = script_of(site, gpu, job)
                if not re.search(r"\nconfigure \S+ (cuda-gh200|hip-mi250x|zen\d|grace)[ \n]", script):  # these name it
                    self.assertRegex(script, r"\nconfigure \S+ \S+ [A-Z0-9]+[ \n]", (site, gpu, job))

    def test_the_program_is_told_before_a_short_limit_but_not_at_once(self):
        for limit, seconds in (("1", 15), ("0:02:00", 30), ("4", 60), ("0-01", 60), ("1-00:00:09", 60)):
            said = submit("pelle", "l40s", "--time", limit, "--dry-run")
            self.assertIn(f"#SBATCH --signal=TERM@{seconds}\n", said.stdout)
            self.assertEqual("3 minutes are the least" in said.stderr, seconds < 60, limit)

    def test_a_type_without_a_known_module_says_so(self):
        self.assertIn('ask "module spider rocm"', submit("kebnekaise", "mi100", "--dry-run").stderr)

    def test_a_kept_script_finds_its_folder_and_its_cluster(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "my results"
            said = submit("snowy", "t4", "gpu", "--script", "--results", results)
            self.assertTrue(results.is_dir())
        self.assertIn("#SBATCH --clusters=snowy\n", said.stdout)


class OnALoginNode(unittest.TestCase):
    """What Slurm can be asked, and what is said of a job. Stand-ins answer here for sacctmgr, scontrol and sbatch."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.stand_in("sacctmgr", 'printf "naiss2026-1-1\\nhpc2n2026-002\\n"')
        self.stand_in("sbatch", 'cat >"$0.script"; echo 77')
        self.stand_in("scontrol", 'echo "ClusterName             = kebnekaise"')
        self.environment = {
            "PATH": f"{folder.name}:{os.environ['PATH']}",
            "PARALLAX_PROGRAM": str(self.folder / "sbatch"),  # built, for all that is asked here
        }

    def stand_in(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def submit(self, *words):
        return submit("kebnekaise", "l40s", *words, "--results", self.folder / "results", environment=self.environment)

    def test_mine(self):
        said = self.submit("-A", "hpc2n2026-002")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("compare: job 77", said.stdout)
        self.assertIn("#SBATCH --account=hpc2n2026-002\n", (self.folder / "sbatch.script").read_text())

    def test_not_mine(self):
        said = self.submit("-A", "hpc2n2026-001")
        self.assertEqual(said.returncode, 2)
        self.assertIn("you are not in project 'hpc2n2026-001'; you are in: hpc2n2026-002 naiss2026-1-1", said.stderr)
        self.assertFalse((self.folder / "sbatch.script").exists())

    def test_a_variable_will_do(self):
        self.environment["PARALLAX_ACCOUNT"] = "naiss2026-1-1"
        said = self.submit()
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("#SBATCH --account=naiss2026-1-1\n", (self.folder / "sbatch.script").read_text())

    def test_another_cluster_of_the_same_slurm(self):
        self.stand_in("sbatch", 'cat >"$0.script"; echo "78;snowy"')
        said = submit(
            "snowy", "t4", "-A", "naiss2026-1-1", "--results", self.folder / "results", environment=self.environment
        )
        self.assertIn("compare: job 78 on", said.stdout)
        self.assertIn("#SBATCH --clusters=snowy\n", (self.folder / "sbatch.script").read_text())
        self.assertIn("is retired", said.stderr)

    def test_nobody_to_ask_is_no_news(self):
        self.stand_in("sacctmgr", "exit 1")
        said = self.submit("-A", "anything")
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_the_cluster_itself_is_asked_its_name(self):
        self.stand_in("scontrol", 'echo "ClusterName             = dardel"')
        said = self.submit("-A", "naiss2026-1-1")
        self.assertEqual(said.returncode, 2)
        self.assertIn("this is the cluster 'dardel', not 'kebnekaise': log in to HPC2N Kebnekaise", said.stderr)
        self.assertFalse((self.folder / "sbatch.script").exists())
        self.environment["PARALLAX_CLUSTER"] = "dardel"
        self.assertEqual(self.submit("-A", "naiss2026-1-1").returncode, 0)
        self.assertIn("\ncheck_cluster dardel\n", (self.folder / "sbatch.script").read_text())

    def test_nothing_built(self):
        self.environment["PARALLAX_PROGRAM"] = "/nonexistent"
        for job, builder in (("compare", "build"), ("cpu", "build-cpu"), ("pair", "build-cpu"), ("gpu", "build")):
            said = self.submit(job, "-A", "naiss2026-1-1")
            self.assertEqual(said.returncode, 2, job)
            self.assertIn(f"add --build, or submit {builder} first", said.stderr)
            self.assertFalse((self.folder / "sbatch.script").exists(), job)
        for option, builder in (("--gpus 2", "build --gpus 2"), ("--ranks 2", "build-cpu --ranks 2")):
            said = self.submit("-A", "naiss2026-1-1", *option.split())
            self.assertEqual(said.returncode, 2, option)
            self.assertIn(f"{option}: add --build, or submit {builder} first", said.stderr)
        for words in (["--build"], ["--after", "12"]):
            self.assertEqual(self.submit("-A", "naiss2026-1-1", *words).returncode, 0, words)

    def test_what_comes_next(self):
        said = self.submit("-A", "naiss2026-1-1", "--build")
        self.assertIn("next: squeue --me shows them (PD waits, R runs), tail -f ", said.stdout)
        self.assertIn(f" {self.folder}/results/slurm-77.out ", said.stdout)
        # The folder that was announced is there, and says what the job waits for.
        self.assertIn("starts when these have succeeded: 77.", (self.folder / "results/77/waiting.txt").read_text())


if __name__ == "__main__":
    unittest.main()
