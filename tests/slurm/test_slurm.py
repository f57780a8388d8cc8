# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Batch scripts on a real Slurm: daemons on loopback, started and stopped here.

Every site of configs/sites is there as a model, a controller with the site's partitions, nodes,
features and GPU types, which judges requests. That a model accepts a request says that the request
is valid and fits the site as its file states it; only the site itself can say that it takes it. One
more cluster, loopback, has nodes on this machine and runs jobs to their end.

Without Slurm, munge or the program nothing is tested: the exit status is then 77 and the reason is
printed; with PARALLAX_REQUIRE_SLURM=1 that is a failure.
"""

import atexit
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

from daemons import adopt
from model import HERE, missing_programs
from test_ready import READY, ready_scripts, several_scripts
from test_submit import JOBS, ROOT, SEVERAL_GPUS, SUBMIT, script_of, several_script
from world import MPI_LIBRARY, PROGRAM, World

sys.path.insert(0, str(ROOT / "tests"))
from turns import by_turn  # noqa: E402

here = None  # the World
# Cases of three seconds, many more of them than pass until Slurm looks at the clock, which is every half minute.
ONE_CORE = "--cpus-per-task=1"
ENDLESS = "all --size tiny --min-time 3 --max-time 3 --no-ceilings"


def setUpModule():
    global here
    adopt()
    here = World()
    atexit.register(here.stop)
    unittest.addModuleCleanup(here.stop)
    # Both get limits that end them when there is something to save: five minutes and more before the end is then now.
    (here.warned,) = here.start_job("cpu", ENDLESS, "--time", "50", "--", ONE_CORE, PARALLAX_WARN_SECONDS="300")
    (here.cut,) = here.start_job("cpu", ENDLESS, "--time", "50", "--", ONE_CORE, "--signal=CONT@1")
    here.wait_for_a_row(here.warned)
    here.end_within(here.warned, minutes=6)
    here.wait_for_a_row(here.cut)
    here.end_within(here.cut, minutes=1)


def types():
    """Sites and their GPU types, a third of them with each commit: each takes seconds."""
    sites = sorted(set(here.clusters) - {"loopback"})
    return by_turn(((site, gpu) for site in sites for gpu in here.clusters[site].facts["gpus"]), 3)


class Requests(unittest.TestCase):
    """What the sites' Slurm thinks of the scripts."""

    def test_every_script_is_accepted_on_its_site(self):
        for site, gpu in types():
            for job in ("pair", *JOBS):
                with self.subTest(site=site, gpu=gpu, job=job):
                    said = here.submit(site, site, gpu, job, "--build", "--from", "/tmp", "--test-only")
                    self.assertEqual(said.returncode, 0, said.stderr)
                    self.assertIn("Slurm would take it: Job ", said.stdout)

    def test_what_needs_no_gpu_takes_no_gpus_node(self):
        """Where a site has CPU nodes: small jobs fit into the cores beside a GPU, too."""
        for site, gpu in types():
            facts = here.clusters[site].facts
            if not any("features" in node for node in facts["nodes"].values()):
                continue  # nothing there tells one node from another
            plain = {name for name, node in facts["nodes"].items() if "gpus" not in node}
            for job in ("build", "build-cpu", "cpu", "report"):
                script = here.submit(site, site, gpu, job, "--from", "/tmp", "--script").stdout
                partition = re.search("--partition=(.*)", script)
                among = facts["partitions"][partition.group(1)]["nodes"].split(",") if partition else plain
                if "--gpu" in script or "--gres" in script or not plain.intersection(among):
                    continue
                with self.subTest(site=site, gpu=gpu, job=job):
                    said = here.submit(site, site, gpu, job, "--from", "/tmp", "--test-only")
                    kind = re.search(r" on nodes (\S+) ", said.stdout).group(1).rpartition("-")[0]
                    self.assertIn(kind, plain, said.stdout)

    def test_and_refused_on_another(self):
        for site, gpu in types():
            for job in ("compare", "gpu", "cpu"):
                with self.subTest(site=site, gpu=gpu, job=job):
                    # A cluster is named where there is a database that knows them: none here.
                    script = re.sub("#SBATCH --clusters=.*\n", "", script_of(site, gpu, job))
                    refused = set()
                    for other in set(here.clusters) - {site, "loopback"}:
                        said = here.clusters[other].command("sbatch", "--test-only", input=script)
                        if said.returncode != 0:
                            self.assertRegex(said.stderr, "(?i)invalid|not available|no partition", other)
                            refused.add(other)
                    # A request that names a type or a partition is understood nowhere else.
                    if job != "cpu" and re.search(r"SBATCH --(partition|constraint)|(?<!gres=gpu):1$", script, re.M):
                        self.assertEqual(refused, set(here.clusters) - {site, "loopback"})
                    self.assertTrue(refused)

    def test_several_gpus_are_accepted_where_there_are_so_many(self):
        for site, gpu, gpus, nodes, *_ in by_turn(SEVERAL_GPUS, 3):
            words = ("--gpus", str(gpus), "--nodes", str(nodes))
            per_node = gpus // nodes
            with self.subTest(site=site, gpu=gpu, words=words):
                said = here.submit(site, site, gpu, "gpu", "--build", *words, "--test-only")
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertEqual(said.stdout.count("Slurm would take it: Job "), 2)
                line = here.submit(site, site, gpu, "interactive", *words, "--dry-run").stdout.splitlines()[0].split()
                said = here.clusters[site].command("sbatch", "--test-only", "--wrap=true", *line[1:])
                self.assertEqual(said.returncode, 0, said.stderr)
                # One more on each node, which scripts/submit refuses by itself, Slurm would refuse as well.
                if per_node == int(here.clusters[site].facts["gpus"][gpu]["cards"]):
                    script = several_script(site, gpu, gpus, nodes)
                    more = script.replace(f"ntasks-per-node={per_node}\n", f"ntasks-per-node={per_node + 1}\n")
                    more = re.sub(rf"(--gpus-per-node=|--gres=)(|\w+:){per_node}\n", rf"\g<1>\g<2>{per_node + 1}\n", more)
                    self.assertNotEqual(more, script)
                    said = here.clusters[site].command("sbatch", "--test-only", input=more)
                    self.assertEqual(said.returncode, 1, said.stdout)

    def test_several_processes_on_cpu_nodes_are_accepted(self):
        for site in sorted(set(here.clusters) - {"loopback"}):
            gpu = next(iter(here.clusters[site].facts["gpus"]))
            said = here.submit(site, site, gpu, "cpu", "--build", "--ranks", "4", "--nodes", "2", "--test-only")
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual(said.stdout.count("Slurm would take it: Job "), 2)
        # How many CPU nodes there are, Slurm knows.
        said = here.submit("alvis", "alvis", "a100", "cpu", "--ranks", "5", "--nodes", "5", "--test-only")
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn("5 processes on 5 nodes, 16 cores each", said.stderr)

    def test_every_ready_script_is_accepted_on_its_site(self):
        for site, _, path in [*ready_scripts(), *several_scripts()]:
            with self.subTest(path.name):
                words = ["sbatch", "--test-only", "-A", "a-project", str(path.relative_to(ROOT))]
                said = here.clusters[site].command(*words, cwd=ROOT)
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertRegex(said.stderr, r"sbatch: Job \d+ to start at")

    def test_slurm_reads_the_options_of_a_ready_script(self):
        """In spite of the comments behind them: another cluster, too many cores, too long a time and an unknown type are refused."""
        script = (READY / "pelle-l40s.sbatch").read_text()
        for site, old, new in (
            ("alvis", "", ""),
            ("pelle", "--cpus-per-task=3 ", "--cpus-per-task=65 "),
            ("pelle", "--time=01:30:00 ", "--time=3-00:00:00 "),
            ("pelle", "--gpus=l40s:1 ", "--gpus=v100:1 "),
            ("pelle", "--output=slurm-%j.out ", "--output=slurm-%j.out --gpus=a100:1 "),
        ):
            self.assertIn(old, script)
            said = here.clusters[site].command("sbatch", "--test-only", input=script.replace(old, new) if old else script)
            self.assertEqual(said.returncode, 1, (new, said.stderr))

    def test_interactive_lines_are_accepted(self):
        for site in sorted(set(here.clusters) - {"loopback", "snowy"}):
            for gpu in here.clusters[site].facts["gpus"]:
                with self.subTest(site=site, gpu=gpu):
                    line = here.submit(site, site, gpu, "interactive", "--dry-run").stdout.splitlines()[0].split()
                    self.assertEqual(line[0], "salloc")
                    said = here.clusters[site].command("sbatch", "--test-only", "--wrap=true", *line[1:])
                    self.assertEqual(said.returncode, 0, said.stderr)

    def test_the_courses_mistakes_are_refused(self):
        """24 tasks with a GPU each, for a program that uses one: by scripts/submit, and by a node of these sites."""
        options = ("--ntasks=24", "--gpus-per-task=1", "--cpus-per-task=1")
        for site, gpu in (("tetralith", "t4"), ("pelle", "l40s")):
            said = here.submit(site, site, gpu, "gpu", "--test-only", "--", *options)
            self.assertEqual(said.returncode, 2, said.stdout)
            self.assertIn("--ntasks 24: one program is one task", said.stderr)
            said = here.clusters[site].command("sbatch", "--test-only", *options, input=script_of(site, gpu, "gpu"))
            self.assertEqual(said.returncode, 1, said.stdout)

    def test_more_cards_than_a_node_has_are_refused(self):
        for site, gpu, option in (
            ("alvis", "t4", "--gpus-per-node=T4:9"),
            ("alvis", "a100", "--gpus-per-node=A100:5"),
            ("cosmos", "a100", "--gres=gpu:2"),
        ):
            said = here.clusters[site].command("sbatch", "--test-only", option, input=script_of(site, gpu, "gpu"))
            self.assertIn("Requested node configuration is not available", said.stderr)

    def test_the_models_have_the_sites_memory(self):
        """48 cores with what a core gets there by default are more than a node of Cosmos has."""
        script = script_of("cosmos", "a100", "cpu")
        for given, fits in ((script, True), (script.replace("#SBATCH --mem-per-cpu=5200\n", ""), False)):
            said = here.clusters["cosmos"].command("sbatch", "--test-only", input=given)
            self.assertEqual(said.returncode == 0, fits, said.stderr)


class Refusals(unittest.TestCase):
    """Each is explained: what was asked for, what Slurm said, what that means."""

    def refused(self, site, gpu, *options, means, submit_options=(), cluster=None, **environment):
        said = here.submit(
            cluster or site, site, gpu, "gpu", "--test-only", *submit_options, "--", *options, environment=environment
        )
        self.assertEqual(said.returncode, 1, said.stdout + said.stderr)
        self.assertRegex(said.stderr, r"submit: Slurm refused the job on \w+")
        self.assertIn("asked for:", said.stderr)
        self.assertRegex(said.stderr, r"it said: +\S")
        meaning = said.stderr[said.stderr.index("meaning:") :]
        self.assertIn(means, meaning, said.stderr)

    def test_wrong_type(self):
        self.refused("pelle", "l40s", "--gpus=a100:1", means="no GPU of that type")
        self.refused("kebnekaise", "l40s", "--gpus=l40:1", means="v100 2, a40 8, a6000 2, l40s 6")

    def test_two_types_at_once(self):
        said = here.submit("pelle", "pelle", "l40s", "gpu", "--test-only", "--", "--gpus-per-node=h100:1", environment={})
        self.assertEqual(said.returncode, 2, said.stdout + said.stderr)
        self.assertIn("this job is for the GPU l40s; for the other: scripts/submit pelle h100", said.stderr)

    def test_wrong_constraint(self):
        self.refused("kebnekaise", "l40s", "--constraint=l40", means="no node has that feature")
        # Each is a feature, but no node has both.
        self.refused("kebnekaise", "l40s", "--constraint=l40s&zen3", means="no node has all of that at once")

    def test_wrong_partition(self):
        self.refused("cosmos", "a100", "--partition=gpu", means="LUNARC Cosmos has: lu48 gpua100")
        # Where the cluster has the site's name and is not the one that its file describes.
        self.refused(
            "dardel",
            "mi250x",
            cluster="tetralith",
            means="is this its login node (ssh dardel.pdc.kth.se)?",
            PARALLAX_CLUSTER="tetralith",
        )

    def test_another_cluster(self):
        for site, gpu in (("dardel", "mi250x"), ("tetralith", "t4"), ("pelle", "l40s")):
            said = here.submit("alvis", site, gpu, "gpu", "--test-only")
            self.assertEqual(said.returncode, 2, said.stdout)
            self.assertIn(f"this is the cluster 'alvis', not '{site}'", said.stderr)

    def test_too_long(self):
        self.refused("pelle", "l40s", submit_options=("--time", "3-00:00:00"), means="longer than the partition allows")

    def test_too_many_cores(self):
        self.refused("tetralith", "t4", "--cpus-per-task=64", means="t4 goes with at most 32 cores")

    def test_unknown_option(self):
        self.refused("pelle", "l40s", "--gpu-type=l40s", means="does not know an option")

    def test_a_dead_controller_is_no_refusal(self):
        conf = here.folder / "dead.conf"
        text = here.clusters["pelle"].conf.read_text()
        conf.write_text(re.sub(r"SlurmctldPort=\d+", "SlurmctldPort=1", text) + "MessageTimeout=2\n")
        self.refused("pelle", "l40s", means="was not judged", SLURM_CONF=str(conf), PARALLAX_SLURM_TIMEOUT="8")


class Jobs(unittest.TestCase):
    """Jobs that really run. The GPU is a name here; the program's OpenMP space plays it."""

    run_short = "vector_add mandelbrot --size tiny --min-time 0.01 --no-ceilings"
    # Two samples: ranks that wait for each other keep processors busy, and a test may have few.
    run_ranks = "vector_add normalize --size tiny --repeat 2 --min-time 0 --max-time 0 --no-ceilings"

    def assert_verified(self, path):
        data = json.loads(path.read_text())
        self.assertTrue(data["context"]["complete"])
        self.assert_rows(data)
        return data

    def assert_report(self, result):
        if here.has_report:
            self.assertIn("<html", (result / "report.html").read_text().lower())
        else:
            self.assertIn("report: left out", (result / "slurm.out").read_text())

    def assert_rows(self, data):
        """All that ran are verified; the others say why they do not apply here."""
        ran = [row for row in data["benchmarks"] if "real_time" in row]
        self.assertGreater(len(ran), 0)
        for row in ran:
            self.assertTrue(row["verified"], row["name"])

    def ends(self, job, state="COMPLETED"):
        self.assertEqual(here.wait_for(job), state, here.output(job))
        return here.results / job

    def test_cpu_job(self):
        (job,) = here.start_job("cpu", self.run_short)
        result = self.ends(job)
        data = self.assert_verified(result / "cpu.json")
        self.assertEqual(data["context"]["slurm_job_id"], job)
        self.assertEqual(data["context"]["site"], "loopback")
        self.assertIn("vector_add", (result / "cpu.txt").read_text())
        self.assert_report(result)
        self.assertIn("cores      2", (result / "provenance.txt").read_text())
        self.assertIn("#SBATCH --account=a-project", (result / "job.sbatch").read_text())
        self.assertEqual((result / "slurm.out").read_text(), here.output(job))

    def test_compare_job(self):
        (job,) = here.start_job("compare", self.run_short)
        result = self.ends(job)
        for name in ("cpu.json", "gpu.json"):
            self.assert_verified(result / name)
        self.assertIn("vector_add", (result / "compare.txt").read_text())
        self.assert_report(result)
        steps = {}
        for path in here.seen.glob(f"{job}.*"):
            seen = dict(line.split("=", 1) for line in path.read_text().splitlines())
            steps["cpu" if "cpu.json" in seen["arguments"] else "gpu"] = seen
        self.assertEqual(set(steps), {"cpu", "gpu"})
        self.assertEqual(steps["cpu"]["OMP_PROC_BIND"], "spread")
        self.assertEqual(steps["cpu"]["OMP_PLACES"], "cores")
        self.assertEqual(steps["cpu"]["OMP_NUM_THREADS"], "2")
        self.assertNotIn("OMP_PROC_BIND", steps["gpu"])
        self.assertNotIn("OMP_PLACES", steps["gpu"])
        for seen in steps.values():
            self.assertEqual(seen["SRUN_CPUS_PER_TASK"], "2")

    def several(self, job, *words, **environment):
        """Runs it on several nodes; the folder, and the results of all processes together."""
        if here.why_no_ranks:
            self.skipTest(f"no several ranks: {here.why_no_ranks}")
        (job,) = here.start_job(job, self.run_ranks, *words, **environment)
        result = self.ends(job)
        alone = self.assert_verified(result / "ranks-1.json")
        self.assertNotIn("mpi", alone["context"])
        (path,) = set(result.glob("ranks-*.json")) - {result / "ranks-1.json"}
        together = self.assert_verified(path)
        compared = (result / "compare.txt").read_text()
        self.assertRegex(compared, r"(?m)^case .* 1 rank +\d ranks +ratio +efficiency ")
        names = {row["name"].split("/ranks:")[0] for row in together["benchmarks"] if "real_time" in row}
        self.assertEqual(set(re.findall(r"(?m)^(\w+/\S+) .+ [mun]?s +\d+\.\d+ +\d+\.\d %  ", compared)), names)
        self.assert_report(result)
        return result, together

    @staticmethod
    def hosts(data):
        """Of each process."""
        return [place.split(",")[0] for place in data["context"]["mpi"]["ranks"]]

    def test_four_processes_on_two_nodes(self):
        result, together = self.several("cpu", "--ranks", "4", "--nodes", "2")
        self.assertEqual({row["ranks"] for row in together["benchmarks"] if "real_time" in row}, {4})
        hosts = self.hosts(together)
        self.assertEqual(sorted(Counter(hosts).values()), [2, 2])
        self.assertLess(set(hosts), {name for name, _ in here.clusters["loopback"].nodes})
        self.assertIn("cores      1\nprocesses  4 on ", (result / "provenance.txt").read_text())
        self.assertIn("#SBATCH --ntasks-per-node=2\n", (result / "job.sbatch").read_text())

    def test_srun_starts_them_as_well(self):
        """Debian's Slurm speaks MPICH's PMI 2 and not Open MPI's PMIx: with the library of the tree's other build."""
        library = PROGRAM.parents[2] / "debian-serial" / "bin" / MPI_LIBRARY.name
        if not library.exists():
            self.skipTest("no build with MPICH here")
        result, together = self.several(
            *("cpu", "--ranks", "4", "--nodes", "2"),
            PARALLAX_TEST_MPIEXEC="srun",
            PARALLAX_MPI_LIBRARY=str(library),
            SLURM_MPI_TYPE="pmi2",
            FI_PROVIDER="tcp",
            FI_TCP_IFACE="lo",
        )
        self.assertIn("MPICH", together["context"]["mpi"]["library"])
        self.assertEqual(sorted(Counter(self.hosts(together)).values()), [2, 2])
        self.assertIn("started by srun\n", (result / "provenance.txt").read_text())

    def test_a_gpu_of_each_of_two_nodes(self):
        result, together = self.several("gpu", "--gpus", "2", "--nodes", "2")
        self.assertEqual({row["ranks"] for row in together["benchmarks"] if "real_time" in row}, {2})
        self.assertEqual(len(set(self.hosts(together))), 2)
        self.assertIn("#SBATCH --gpus-per-node=fake:1\n", (result / "job.sbatch").read_text())

    def test_pair_of_jobs_and_their_comparison(self):
        cpu, gpu, report = here.start_job("pair", self.run_short)
        self.ends(cpu)
        self.ends(gpu)
        result = self.ends(report)
        self.assertIn("vector_add", (result / "compare.txt").read_text())
        self.assert_report(result)

    def test_a_job_whose_build_is_missing_says_so_and_those_after_it_do_not_run(self):
        (before,) = here.start_job("cpu", "vector_add --size tiny --verify-only")
        cpu, gpu, report = here.start_job(
            "pair", self.run_short, "--after", before, PARALLAX_PROGRAM="/nonexistent/parallax"
        )
        self.ends(cpu, "FAILED")
        self.ends(gpu, "FAILED")
        self.assertIn("not built yet: /nonexistent/parallax. Submit build-cpu first", here.output(cpu))
        self.assertIn("Submit build first", here.output(gpu))
        self.assertEqual(here.wait_for(report), "CANCELLED")
        # Its folder was announced: it is there and says why there is nothing in it.
        self.assertIn(f"have succeeded: {cpu}:{gpu}.", (here.results / report / "waiting.txt").read_text())
        self.assertFalse((here.results / cpu / "waiting.txt").exists())

    def test_a_script_that_is_kept(self):
        """Its folder of results is new, and Slurm writes the job's output there."""
        results = here.folder / "fresh clone" / "results"
        said = here.submit(
            *("loopback", "loopback", "fake", "gpu", "--script", "--run", self.run_short),
            *("--results", str(results)),
        )
        environment = {**os.environ, "PARALLAX_PROGRAM": str(here.tools / "parallax")}
        environment.update(here.clusters["loopback"].environment())
        sent = subprocess.run(
            ["sbatch", "--parsable"], input=said.stdout, capture_output=True, text=True, timeout=600, env=environment
        )
        self.assertEqual(sent.returncode, 0, sent.stderr)
        job = sent.stdout.strip()
        self.assertEqual(here.wait_for(job), "COMPLETED")
        self.assertIn("done, status 0", (results / f"slurm-{job}.out").read_text())
        self.assert_verified(results / job / "gpu.json")

    def test_a_ready_script(self):
        """As a student uses it, in a clone; stand-ins play the module command and cmake, which brings the program."""
        clone = here.folder / "clone"
        (clone / "tools").mkdir(parents=True)
        (clone / "sbatch").symlink_to(READY)
        (clone / ".bash_profile").write_text(f'PATH="{clone}/tools:$PATH"\n')
        brought = f"""#!/bin/bash\nexec {here.tools}/parallax "${{@/serial,openmp/{'serial,' * here.has_serial}openmp}}"\n"""
        (clone / "program").write_text(brought)
        (clone / "tools" / "cmake").write_text(
            f"""#!/bin/bash\n[[ $1 != --version ]] || {{ echo "cmake version 4.1.2"; exit; }}\necho "cmake $*" >>"{clone}/words"\n"""
            """if [[ $1 == --build ]]; then mkdir -p "$2/bin"; cp program "$2/bin/parallax"; fi\n"""
        )
        for path in (clone / "program", clone / "tools" / "cmake"):
            path.chmod(0o755)
        options = ("ready", "--script", "--time", "30", "--modules", "compiler/1 gpu/2", "--run", self.run_short)
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("PARALLAX_", "SLURM_", "OMP_"))}
        environment = {**clean, "PARALLAX_SITES": str(HERE / "sites")}
        script = subprocess.run(
            [SUBMIT, "loopback", "fake", *options], capture_output=True, text=True, timeout=600, env=environment
        )
        self.assertEqual(script.returncode, 0, script.stderr)
        (clone / "mine.sbatch").write_text(script.stdout)
        environment.update(here.clusters["loopback"].environment(), HOME=str(clone), OMP_WAIT_POLICY="passive")
        environment["BASH_FUNC_module%%"] = f'() {{ echo "module $*" >>"{clone}/words"; }}'
        jobs = []
        for _ in range(2):
            sent = subprocess.run(["sbatch", "--parsable", "-A", "a-project", "mine.sbatch"], cwd=clone, env=environment,
                                  capture_output=True, text=True, timeout=600)
            self.assertEqual(sent.returncode, 0, sent.stderr)
            jobs.append(sent.stdout.strip())
        said = here.clusters["loopback"].command("scontrol", "show", "job", jobs[1]).stdout
        self.assertIn("Dependency=singleton", said)
        for job in jobs:
            state = here.wait_for(job)
            out, err = ((clone / f"slurm-{job}.{end}").read_text() for end in ("out", "err"))
            self.assertEqual(state, "COMPLETED", out + err)
            result = clone / "results" / job
            self.assertIn(f"done, status 0: see {result}\n", out)
            self.assertEqual((result / "slurm.out").read_text(), out)
            for name in ("cpu.json", "gpu.json"):
                self.assert_verified(result / name)
            self.assertIn("vector_add/range/*/f32", (result / "compare.txt").read_text())
            seen = [dict(line.split("=", 1) for line in path.read_text().splitlines()) for path in here.seen.glob(f"{job}.*")]
            bound = {("cpu" if "cpu.json" in s["arguments"] else "gpu"): s.get("OMP_PROC_BIND") for s in seen}
            self.assertEqual(bound, {"cpu": "spread", "gpu": None})
            self.assertEqual({s["SRUN_CPUS_PER_TASK"] for s in seen}, {"2"})
        words = (clone / "words").read_text().splitlines()
        self.assertEqual(words.count("module load compiler/1 gpu/2"), 2)
        self.assertEqual(sum(word.startswith("cmake --preset openmp") for word in words), 1)
        self.assertEqual(sum(word.startswith("cmake --build") for word in words), 2)

    def test_a_cancelled_job_shows_what_was_finished(self):
        (job,) = here.start_job("cpu", ENDLESS, "--", ONE_CORE)
        here.wait_for_a_row(job)
        # It does not begin anew either.
        self.assertNotEqual(here.clusters["loopback"].command("scontrol", "requeue", job).returncode, 0)
        here.clusters["loopback"].command("scancel", job)
        self.assertEqual(here.wait_for(job), "CANCELLED")
        self.assert_partial(job)
        self.assertNotIn("no results", here.output(job))

    def test_python_twins_where_python_has_what_they_need(self):
        (job,) = here.start_job("cpu", "vector_add --size tiny --min-time 0.01", "--twins")
        result = self.ends(job)
        self.assert_verified(result / "cpu.json")
        has_numpy = subprocess.run(["python3", "-c", "import numpy"], capture_output=True, timeout=600).returncode == 0
        if has_numpy:
            self.assert_verified(result / "twins.json")
            self.assertIn("numpy", (result / "compare.txt").read_text())
        else:
            self.assertIn("twins: left out", here.output(job))

    def test_a_folder_with_a_space(self):
        results = here.folder / "my results"
        (job,) = here.start_job("cpu", self.run_short, "--results", str(results))
        self.assertEqual(here.wait_for(job), "COMPLETED")
        self.assert_verified(results / job / "cpu.json")
        self.assertTrue((results / job / "slurm.out").exists())

    def test_wrong_arguments_of_the_program(self):
        (job,) = here.start_job("cpu", "vector_ad --size tiny")
        result = self.ends(job, "FAILED")
        self.assertIn("cpu ended with status 2", here.output(job))
        self.assertFalse((result / "cpu.json").exists())

    def test_interactive_allocation(self):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        said = subprocess.run(
            [SUBMIT, "loopback", "fake", "interactive", "-A", "me", "--results", str(here.results)],
            input="echo gpus=$(srun --overlap printenv SLURM_JOB_PARTITION)\nexit\n",
            capture_output=True,
            text=True,
            timeout=600,
            env={
                **clean,
                "PARALLAX_SITES": str(HERE / "sites"),
                "SHELL": "/bin/bash",
                **here.clusters["loopback"].environment(),
            },
        )
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("gpus=gpu\n", said.stdout)

    def assert_partial(self, job):
        """Results that a time limit cut off: valid, some cases, all of them verified, and marked."""
        result = here.results / job
        data = json.loads((result / "cpu.json").read_text())
        self.assertIs(data["context"]["complete"], False)
        self.assert_rows(data)
        self.assertIn("cpu: cut off; the cases finished before", here.output(job))
        self.assert_report(result)
        self.assertEqual([path.name for path in result.iterdir() if "tmp" in path.name], [])

    def test_zz_time_limit_foreseen(self):
        """Slurm warns the step before the limit: the program writes what it has, the job reports it."""
        self.assertEqual(here.wait_for(here.warned), "FAILED", here.output(here.warned))
        self.assert_partial(here.warned)

    def test_zz_time_limit_reached(self):
        """And without the warning, Slurm ends the job: what was finished is there all the same."""
        self.assertEqual(here.wait_for(here.cut), "TIMEOUT", here.output(here.cut))
        self.assert_partial(here.cut)


def why_not():
    """The reason that nothing can be tested here, or None."""
    if missing_programs():
        return (
            f"not installed: {', '.join(missing_programs())} "
            "(apt-get install --no-install-recommends slurm-wlm munge)"
        )
    if not Path("/proc/self/stat").exists():
        return "no /proc is mounted here, and Slurm needs one"
    if not PROGRAM.exists():
        return f"the program is not built: {PROGRAM}"
    leads_to = name_on_loopback()
    if not leads_to.startswith("127."):
        return f"this machine's name leads to {leads_to}, not to loopback, and may not be changed for the test"
    return None


def name_on_loopback():
    """Slurm listens where this machine's name leads, which has to be loopback: for this test only, where it may."""
    if "PARALLAX_RENAMED" in os.environ:
        socket.sethostname("localhost")
    try:
        leads_to = socket.gethostbyname(socket.gethostname())
    except OSError:
        leads_to = "nowhere"
    if leads_to.startswith("127.") or "PARALLAX_RENAMED" in os.environ or not shutil.which("unshare"):
        return leads_to
    unshare = ["unshare", "--uts", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    if subprocess.run([*unshare, "true"], capture_output=True, timeout=600).returncode == 0:
        os.environ["PARALLAX_RENAMED"] = "yes"
        os.execvp("unshare", [*unshare, sys.executable, *sys.argv])
    return leads_to


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(1 if os.environ.get("PARALLAX_REQUIRE_SLURM") == "1" else 77)
    unittest.main(verbosity=2)
