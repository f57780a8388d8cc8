# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What scripts/submit is asked for: several GPUs or processes, and wrong words and options. No Slurm is needed here."""

import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from submitting import ROOT, SEVERAL_GPUS, script_of, several_script, submit


class Several(unittest.TestCase):
    """Several GPUs or processes: what is asked for, and what a job is told."""

    def test_requests(self):
        for site, gpu, gpus, nodes, request, cores in SEVERAL_GPUS:
            with self.subTest(site=site, gpu=gpu, gpus=gpus, nodes=nodes):
                script = several_script(site, gpu, gpus, nodes)
                asked = re.findall(r"(?m)^#SBATCH (--\S+)", script)
                shape = [f"--nodes={nodes}", f"--ntasks-per-node={gpus // nodes}", f"--cpus-per-task={cores}"]
                start = asked.index("--job-name=parallax-gpu") + 1
                self.assertEqual(asked[start : asked.index(shape[-1]) + 1], [*request.split(), *shape])
                self.assertIn("--time=00:20:00", asked)
                launch = {"cosmos": "mpirun", "tetralith": "mpprun"}.get(site, "srun")
                self.assertIn(f"\nstart_job {site} {gpu} {gpus} {launch}\n", script)
                self.assertIn(f"{ROOT}/build/{site}-{gpu}-mpi/bin/parallax}}\n", script)
                self.assertRegex(script, rf"\nrun ranks-1 (.+)\nrun_all \1\ncompare ranks ranks-1 ranks-{gpus}\n")
                self.assertEqual("\nexport MPICH_GPU_SUPPORT_ENABLED=1\n" in script, gpu == "gh200")

    def test_a_build_has_one_process_and_a_folder_of_its_own(self):
        for words, name, preset in (
            (["pelle", "l40s", "build", "--gpus", "4"], "pelle-l40s-mpi", "cuda-l40s-mpi"),
            (["pelle", "l40s", "build", "--gpus", "4", "--preset", "cuda-a100-mpi"], "pelle-l40s-mpi", "cuda-a100-mpi"),
            (["pelle", "l40s", "build-cpu", "--ranks", "4"], "pelle-cpu-mpi", "zen4-mpi"),
            (["dardel", "gh200", "build-cpu", "--ranks", "4"], "dardel-gh200-cpu-mpi", "grace-mpi"),
        ):
            usual = script_of(*words[:3])
            script = submit(*words, "--script", "--results", "/tmp").stdout
            directives = [re.findall("(?m)^#SBATCH.*", text) for text in (usual, script)]
            self.assertEqual(*directives)
            self.assertRegex(script, f"\nconfigure {ROOT}/build/{name} {preset}[ \n]")
            self.assertIn(f"\nbuild {ROOT}/build/{name}\n", script)
            self.assertIn(f"\nstart_job {words[0]} {words[1]}\n", script)

    def test_processes_share_the_cores_of_a_cpu_job(self):
        for words, shape in (
            (["--ranks", "4"], "--nodes=1 --ntasks-per-node=4 --cpus-per-task=12"),
            (["--ranks", "4", "--nodes", "2"], "--nodes=2 --ntasks-per-node=2 --cpus-per-task=24"),
            (["cpu", "--ranks=96", "--nodes=2"], "--nodes=2 --ntasks-per-node=48 --cpus-per-task=1"),
        ):
            script = submit("pelle", "l40s", *words, "--dry-run").stdout
            self.assertIn("#SBATCH --partition=pelle\n" + "".join(f"#SBATCH {word}\n" for word in shape.split()), script)
            self.assertIn("\nneed_program build-cpu\n", script)

    def test_what_no_site_has(self):
        refused = WrongInput.refused
        for words, complaint in (
            ("pelle h100 --gpus 4", "a node of UPPMAX Pelle has at most 2 h100: --gpus 4 needs --nodes 2 or more"),
            ("pelle h100 --gpus 6 --nodes 3", "UPPMAX Pelle has 2 nodes with 2 h100 or more, not 3"),
            ("pelle t4 --gpus 2", "at most 1 t4: --gpus 2 needs --nodes 2"),
            ("kebnekaise a6000 --gpus 4 --nodes 2", "HPC2N Kebnekaise has 1 node with 2 a6000 or more, not 2"),
            ("kebnekaise mi100 --gpus 2 --nodes 2", "HPC2N Kebnekaise has 1 node with 1 mi100 or more, not 2"),
            ("kebnekaise l40s --gpus 15 --nodes 3", "has 2 nodes with 5 l40s or more, not 3"),
            ("cosmos a100 --gpus 8 --nodes 8", "LUNARC Cosmos has 6 nodes with 1 a100 or more, not 8"),
            ("cosmos a100i --gpus 6 --nodes 3", "has 2 nodes with 2 a100i or more, not 3"),
            ("dardel gh200 --gpus 8", "at most 4 gh200: --gpus 8 needs --nodes 2"),
            ("alvis t4 --gpus 9", "at most 8 t4: --gpus 9 needs --nodes 2"),
            ("pelle l40s --ranks 49", "a CPU job of UPPMAX Pelle has 48 cores on a node: not enough for 49 processes"),
        ):
            for mode in ("--dry-run", "--script", "--test-only"):
                refused(self, *words.split(), mode, says=complaint)

    def test_wrong_use(self):
        for words, complaint in (
            ("--gpus", "--gpus needs a value"),
            ("--gpus 0", "--gpus '0' is not a number of GPUs from 2 on"),
            ("--gpus 1", "--gpus '1' is not a number of GPUs from 2 on"),
            ("--gpus l40s:4", "--gpus 'l40s:4' is not a number"),
            ("--gpus -4", "--gpus '-4' is not a number"),
            ("--gpus 99999999999999999999", "is not a number of GPUs"),
            ("--ranks 2.5", "--ranks '2.5' is not a number of processes"),
            ("--nodes 2", "--nodes goes with --gpus N or --ranks N"),
            ("--gpus 4 --nodes 0", "--nodes '0' is not a number of nodes"),
            ("--gpus 4 --nodes 1-2", "--nodes '1-2' is not a number of nodes"),
            ("--gpus 4 --nodes 3", "--gpus 4 cannot be divided evenly over --nodes 3"),
            ("--gpus 2 --ranks 2", "--gpus is for jobs on GPUs, --ranks for jobs on CPUs: one of them"),
            ("compare --gpus 4", "--gpus is for the jobs gpu, build, interactive, ready, not for compare"),
            ("cpu --gpus 4", "not for cpu"),
            ("gpu --ranks 4", "--ranks is for the jobs cpu, build-cpu, not for gpu"),
            ("--gpus 4 --twins", "--twins are one process each: not with --gpus"),
            ("--ranks 4 --here", "--here starts one process: not with --ranks"),
            ("--gpus 4 --preset cuda-l40", "no preset 'cuda-l40-mpi'"),
            ("--gpus 4 --dry-run -- --nodes=2", "several: --gpus N or --ranks N, before the --"),
            ("-G 4", "for several give --gpus N"),
            ("--gpus-per-node=4", "for several give --gpus N"),
        ):
            with self.subTest(words):
                WrongInput.refused(self, "pelle", "l40s", *words.split(), says=complaint)

    def test_what_is_not_verified_is_said(self):
        words = ("tetralith", "t4", "--dry-run")
        self.assertIn("several processes: not verified: ", submit(*words, "--gpus", "2", "--nodes", "2").stderr)
        self.assertNotIn("several", submit(*words).stderr)

    def test_listing_how_they_are_started(self):
        self.assertIn("  several   processes: by mpprun; not verified: ", submit("--list", "tetralith").stdout)
        self.assertIn("  several   processes: by srun\n", submit("--list", "pelle").stdout)

    def test_interactive(self):
        for words, line, start in (
            ("pelle l40s --gpus 4", "--partition=gpu --gpus-per-node=l40s:4 --nodes=1 --ntasks-per-node=4 --cpus-per-task=3", "srun --cpus-per-task=3"),
            ("cosmos a100i --gpus 2", "--partition=gpua100i --gres=gpu:2 --nodes=1 --ntasks-per-node=2 --cpus-per-task=16", "mpirun -n 2 --bind-to none"),
        ):
            site, gpu, *options = words.split()
            said = submit(site, gpu, "interactive", *options, "--dry-run").stdout.splitlines()
            self.assertTrue(said[0].startswith(f"salloc {line} "), said[0])
            self.assertEqual(said[-1], f"{start} {ROOT}/build/{site}-{gpu}-mpi/bin/parallax run vector_add --space cuda")


class WrongInput(unittest.TestCase):
    def refused(self, *words, says, status=2, **more):
        with tempfile.TemporaryDirectory() as folder:
            said = submit(*words, cwd=folder, **more)
            self.assertEqual(said.returncode, status, said)
            self.assertEqual(said.stdout, "")
            self.assertIn(says, said.stderr)
            self.assertEqual(
                len([line for line in said.stderr.splitlines() if line.startswith("submit:")]), 1, said.stderr
            )
            self.assertEqual(os.listdir(folder), [])

    def test_words(self):
        self.refused("pele", "l40s", says="no site 'pele'")
        self.refused("Pelle", "l40s", says="did you mean pelle?")
        self.refused("../sites/pelle", "l40s", says="no site")
        self.refused("pelle", says="which GPU? UPPMAX Pelle has: l40s h100 t4")
        self.refused("pelle", "a100", says="no GPU 'a100'; it has: l40s h100 t4")
        self.refused("pelle", "L40S", says="did you mean l40s?")
        self.refused("pelle", "l40s", "comp", says="did you mean compare?")
        self.refused("pelle", "l40s", "gpu", "mandelbrot", says="goes into --run")
        self.refused("pelle", "l40s", "report", says="report needs results")
        self.refused("pelle", "l40s", "report", "--from", "nowhere", says="no such file or folder: nowhere")

    def test_options(self):
        self.refused("pelle", "l40s", "--gpu-type", says="unknown option --gpu-type")
        self.refused("pelle", "l40s", "--gres=gpu:4", says="one program uses one GPU")
        self.refused("pelle", "l40s", "--time", says="--time needs a value")
        self.refused("pelle", "l40s", "--time", "soon", says="--time 'soon'")
        self.refused("pelle", "l40s", "--time=", says="--time needs a value")
        self.refused("pelle", "l40s", "--time", "0:00:00", says="leaves the job no time")
        self.refused("pelle", "l40s", "--after", "yesterday", says="--after 'yesterday'")
        self.refused("pelle", "l40s", "--preset", "cuda-l40", says="no preset 'cuda-l40'")
        self.refused("pelle", "l40s", "pair", "--script", says="one job at a time")
        self.assertEqual(submit().returncode, 2)

    def test_a_program_is_one_task_with_one_gpu(self):
        """Slurm would give more, and charge for what stands idle."""
        for options in (
            ["--gpus=2"],
            ["--gpus", "l40s:2"],
            ["-G6"],
            ["-G", "6"],
            ["--gpus=l40s:08"],
            ["--gpus-per-node=l40s:11"],
            ["--gres=shard:1,gpu:l40s:2(S:0)"],
            ["--gpus=99999999999999999999"],
            ["--tres-per-task=cpu:3,gres/gpu=4"],
            ["--tres-per-task", "gres:gpu:l40s:4"],
            ["--mail-type=END", "--gpus-per-task=1", "--ntasks=4"],
            ["-n24"],
            ["--ntasks-per-node", "2"],
            ["-N", "2-4"],
        ):
            self.refused("pelle", "l40s", "gpu", "--dry-run", "--", *options, says="would stand idle and be charged")
        for options in (["--gpus=h100:1"], ["-Gh100:1"], ["--gres", "gpu:h100:1"], ["--gpus-per-node=H100:1"], ["-C", "amd&t4"]):
            self.refused("pelle", "l40s", "gpu", "--dry-run", "--", *options, says="this job is for the GPU l40s; for the other: scripts/submit pelle ")
        self.refused("alvis", "a100", "gpu", "--dry-run", "--", "--gpus-per-node=V100:1", says="scripts/submit alvis v100")
        for words in (["build"], ["build-cpu"], ["gpu", "--build"]):
            self.refused("pelle", "l40s", *words, "--dry-run", "--", "--array=1-3", says="each task would compile in the same folder")
        for options in (["--gpus=l40s:1"], ["-G01"], ["--array=1-3"], ["-a1-3"], ["-C", "l40s"], ["--gres=gpu", "-n", "1"], ["--comment=gpus", "--nodes=1"],
                        ["--tres-per-task=cpu:3,gres/gpu:1"]):
            said = submit("pelle", "l40s", "gpu", "--dry-run", "--", *options)
            self.assertEqual(said.returncode, 0, said.stderr)

    def test_what_gets_into_the_script_stays_in_its_place(self):
        for name in ("a\nb", 'a"b', "a\\b", "a%jb", "a\x1bb"):
            environment = {"PARALLAX_RESULTS": name}
            self.refused("pelle", "l40s", "--dry-run", environment=environment, says="no quotes, backslashes")
        self.refused("pelle", "l40s", "--results", "a\n#SBATCH -G8", says="--results: its value has a line break")
        self.refused("pelle", "l40s", "--run", "all\nrm x", says="--run: its value has a line break")
        for seconds in ("5\n#SBATCH -G8", '5"', "-1", "soon"):
            environment = {"PARALLAX_WARN_SECONDS": seconds}
            self.refused("pelle", "l40s", environment=environment, says="PARALLAX_WARN_SECONDS is not a number")

    def test_arguments_of_the_program_without_quotes(self):
        self.refused("pelle", "l40s", "--run", "all", "--size", "tiny", says="--run 'all --size tiny', in quotes")
        words = ("--run", "all", "--size", "tiny", "--dry-run")
        self.refused("pelle", "l40s", *words, says="--run 'all --size tiny', in quotes")
        words = ("--run", "all", "--verify-only", "--dry-run")
        self.refused("pelle", "l40s", *words, says="--run 'all --verify-only', in quotes")
        self.refused("pelle", "l40s", "--size", "tiny", says="the program's own go into --run '...'")

    def test_listing_one_type(self):
        for words in (("dardel", "gh200", "--list"), ("--list", "dardel", "gh200")):
            said = submit(*words)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn("PDC Dardel", said.stdout)
            self.assertIn("gh200", said.stdout)
            self.assertNotIn("mi250x ", said.stdout)
            self.assertNotIn("Kebnekaise", said.stdout)
        self.assertIn("mi250x ", submit("--list", "dardel").stdout)
        self.refused("dardel", "gh100", "--list", says="no GPU 'gh100'")

    def test_accounts(self):
        self.refused("pelle", "l40s", "--test-only", says="which project pays?")
        for placeholder in ("<account>", "ACCOUNT", "naiss2026-x-xx", "your-project", "lu2026-y-xxx"):
            self.refused("pelle", "l40s", "-A", placeholder, "--test-only", says="is a placeholder")
        self.refused("pelle", "l40s", "-A", "a;b", "--dry-run", says="cannot be a project's name")

    def test_no_slurm(self):
        with tempfile.TemporaryDirectory() as tools:
            for name in ("bash", "env", "dirname", "basename", "grep", "id", "readlink", "sort", "timeout"):
                os.symlink(shutil.which(name), Path(tools) / name)
            said = submit("pelle", "l40s", "-A", "me", environment={"PATH": tools})
        self.assertEqual(said.returncode, 3, said)
        self.assertIn("no sbatch here: log in to UPPMAX Pelle (ssh pelle.uppmax.uu.se)", said.stderr)


if __name__ == "__main__":
    unittest.main()
