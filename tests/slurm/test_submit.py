# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The site files, and what scripts/submit makes of them. No Slurm is needed here."""

import datetime
import functools
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from model import SITES, read_facts

ROOT = Path(__file__).resolve().parents[2]
SUBMIT = ROOT / "scripts" / "submit"
JOBS = ("compare", "build", "build-cpu", "cpu", "gpu", "report")

# The clusters that people asked for: site -> GPU types.
WANTED = {
    "pelle": {"l40s", "h100"},
    "snowy": {"t4"},
    "kebnekaise": {"v100", "a40", "a6000", "l40s", "a100", "h100", "mi100"},
    "cosmos": {"a100", "a100i"},
    "tetralith": {"t4"},
    "dardel": {"mi250x", "gh200"},
    "alvis": {"v100", "t4", "a100"},
}
# The cards a node of theirs has at most.
CARDS = {
    ("pelle", "l40s"): 10,
    ("pelle", "h100"): 2,
    ("kebnekaise", "v100"): 2,
    ("kebnekaise", "a40"): 8,
    ("kebnekaise", "a6000"): 2,
    ("kebnekaise", "l40s"): 6,
    ("kebnekaise", "a100"): 2,
    ("kebnekaise", "h100"): 4,
    ("kebnekaise", "mi100"): 2,
    ("cosmos", "a100"): 1,
    ("cosmos", "a100i"): 2,
    ("dardel", "mi250x"): 8,
    ("dardel", "gh200"): 4,
    ("alvis", "v100"): 4,
    ("alvis", "t4"): 8,
    ("alvis", "a100"): 4,
}
# Several GPUs: site, type, how many, on how many nodes, the request for GPUs and its cores for each.
SEVERAL_GPUS = [
    *(("pelle", "l40s", n, 1, f"--partition=gpu --gpus-per-node=l40s:{n}", 3) for n in (2, 4, 8, 10)),
    ("pelle", "l40s", 8, 2, "--partition=gpu --gpus-per-node=l40s:4", 3),
    ("pelle", "h100", 2, 1, "--partition=gpu --gpus-per-node=h100:2", 16),
    ("pelle", "h100", 4, 2, "--partition=gpu --gpus-per-node=h100:2", 16),
    *(("pelle", "t4", k, k, "--partition=haswell --gpus-per-node=t4:1", 16) for k in (2, 4, 8)),
    ("kebnekaise", "v100", 2, 1, "--gpus-per-node=2 --constraint=v100", 14),
    ("kebnekaise", "v100", 4, 2, "--gpus-per-node=2 --constraint=v100", 14),
    ("kebnekaise", "a100", 4, 2, "--gpus-per-node=2 --constraint=a100", 24),
    ("kebnekaise", "a6000", 2, 1, "--gpus-per-node=2 --constraint=a6000", 24),
    ("kebnekaise", "mi100", 2, 1, "--gpus-per-node=2 --constraint=mi100", 24),
    ("kebnekaise", "l40s", 8, 2, "--gpus-per-node=4 --constraint=l40s", 10),
    ("kebnekaise", "h100", 4, 1, "--gpus-per-node=4 --constraint=h100", 24),
    ("kebnekaise", "h100", 8, 2, "--gpus-per-node=4 --constraint=h100", 24),
    ("kebnekaise", "a40", 16, 2, "--gpus-per-node=8 --constraint=a40", 8),
    *(("cosmos", "a100", k, k, "--partition=gpua100 --gres=gpu:1", 48) for k in (2, 4, 6)),
    ("cosmos", "a100i", 2, 1, "--partition=gpua100i --gres=gpu:2", 16),
    ("cosmos", "a100i", 4, 2, "--partition=gpua100i --gres=gpu:2", 16),
    ("cosmos", "a100i", 4, 4, "--partition=gpua100i --gres=gpu:1", 16),
    *(("tetralith", "t4", k, k, "--gpus-per-task=1", 32) for k in (2, 4, 8)),
    *(("dardel", "mi250x", n, 1, "--partition=gpu --gpus-per-task=1 --gpu-bind=none", 8) for n in (2, 4, 8)),
    ("dardel", "mi250x", 16, 2, "--partition=gpu --gpus-per-task=1 --gpu-bind=none", 8),
    ("dardel", "gh200", 4, 1, "--partition=gpugh --gpus-per-task=1 --gpu-bind=none", 72),
    ("dardel", "gh200", 8, 2, "--partition=gpugh --gpus-per-task=1 --gpu-bind=none", 72),
    ("alvis", "v100", 4, 1, "--partition=alvis --gpus-per-node=V100:4", 8),
    ("alvis", "t4", 8, 1, "--partition=alvis --gpus-per-node=T4:8", 4),
    ("alvis", "a100", 4, 1, "--partition=alvis --gpus-per-node=A100:4", 16),
    ("alvis", "a100", 8, 2, "--partition=alvis --gpus-per-node=A100:4", 16),
]


def submit(*words, environment=None, **more):
    """Runs scripts/submit without settings of the caller's own."""
    mine = ("PARALLAX_", "SLURM_", "SBATCH_")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(mine)}
    return subprocess.run(
        [SUBMIT, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**clean, **(environment or {})},
        **more,
    )


def all_types():
    for site_file in sorted(SITES.glob("*.bash")):
        for gpu in read_facts(site_file)["gpus"]:
            yield site_file.stem, gpu


@functools.lru_cache(maxsize=None)
def script_of(site, gpu, job):
    said = submit(site, gpu, job, "--script", "--from", "/tmp", "--results", "/tmp")
    assert said.returncode == 0, said.stderr
    return said.stdout


def several_script(site, gpu, gpus, nodes):
    said = submit(site, gpu, "--gpus", gpus, "--nodes", nodes, "--script", "--results", "/tmp")
    assert said.returncode == 0, said.stderr
    return said.stdout


class SiteFiles(unittest.TestCase):
    def test_every_cluster_and_type_is_there(self):
        for site, types in WANTED.items():
            facts = read_facts(SITES / f"{site}.bash")
            self.assertLessEqual(types, set(facts["gpus"]), site)
            for gpu in types:
                if (site, gpu) in CARDS:
                    self.assertEqual(int(facts["gpus"][gpu]["cards"]), CARDS[site, gpu], (site, gpu))

    def test_each_says_when_it_was_checked_and_against_what(self):
        for site_file in SITES.glob("*.bash"):
            site = read_facts(site_file)["site"]
            checked = datetime.date.fromisoformat(site["checked"])
            self.assertLessEqual(checked, datetime.date.today(), site_file.name)
            self.assertRegex(site["source"], r"https://\S+", site_file.name)

    def test_presets_exist(self):
        presets = "".join(path.read_text() for path in (ROOT / "configs" / "presets").glob("*.json"))
        for site_file in SITES.glob("*.bash"):
            facts = read_facts(site_file)
            for name in [facts["site"]["cpu_preset"]] + [gpu["preset"] for gpu in facts["gpus"].values()]:
                self.assertIn(f'"{name}"', presets, site_file.name)
                self.assertIn(f'"{name}-mpi"', presets, site_file.name)

    def test_every_card_of_a_node_gets_its_cores(self):
        """A node fits one job for each of its cards, unless the site gives whole nodes."""
        for site_file in SITES.glob("*.bash"):
            facts = read_facts(site_file)
            whole = {
                kind
                for its in facts["partitions"].values()
                if its.get("exclusive") == "yes"
                for kind in its["nodes"].split(",")
            }
            for name, gpu in facts["gpus"].items():
                for kind, node in facts["nodes"].items():
                    gres, _, cards = node.get("gpus", "").partition(":")
                    if gres == gpu["gres"]:
                        jobs = 1 if kind in whole else int(cards)
                        self.assertLessEqual(jobs * int(gpu["cores"]), int(node["cores"]), (site_file.name, name, kind))

    def test_facts_of_a_site_stand_nowhere_else(self):
        elsewhere = "".join(path.read_text() for path in [SUBMIT, *(ROOT / "sbatch").glob("*.bash")])
        for site_file in SITES.glob("*.bash"):
            text = site_file.read_text()
            facts = read_facts(site_file)
            for word in {
                *re.findall(r"request='([^']+)'", text),
                *facts["site"].get("modules", "").split(),
                facts["site"]["login"],
                *re.findall(r"preset=(cuda-\w+|hip-\w+)", text),
            }:
                self.assertFalse(word in elsewhere, f"{word} of {site_file.name} stands elsewhere too")

    def test_no_project_and_no_graphics_cards(self):
        for site, gpu in all_types():
            for job in JOBS:
                script = script_of(site, gpu, job)
                self.assertNotRegex(script, r"#SBATCH (-A|--account)|(?i:naiss|snic|uppmax|hpc2n|lu)\d{4}-\d")
                self.assertNotIn("gpua40", script)

    def test_a_mistake_in_a_site_file_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for line, complaint in (
                ("site nam=X", "'nam=X' is not key=value"),
                ("site name=X", "site lacks checked="),
                ("cpu cores=1", "cpu lacks preset="),
                ("gpu x cores=1", "gpu x lacks request="),
                ("", 'has no line "site name=...'),
                (
                    "site name=X checked=2026-01-01 source=u login=l projects=p\ncpu cores=1 preset=zen3\n"
                    "gpu x request=-n1 cores=1 preset=cuda-a100",
                    "no line of nodes has gpus=x:N",
                ),
            ):
                (Path(folder) / "bad.bash").write_text(line + "\n")
                said = submit("bad", "x", environment={"PARALLAX_SITES": folder})
                self.assertEqual(said.returncode, 2, said)
                self.assertIn(complaint, said.stderr)
                self.assertIn("bad.bash", said.stderr)


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
