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
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path

from model import HERE, adopt, missing_programs
from test_submit import JOBS, SUBMIT, script_of
from world import PROGRAM, WHOLE_TEST, World

here = None  # the World


def setUpModule():
    global here
    adopt()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("the whole test took too long"))
    signal.alarm(WHOLE_TEST + 60)
    here = World()
    atexit.register(here.stop)
    unittest.addModuleCleanup(here.stop)
    # Cases of ten seconds, more of them than fit in the minute and a half that a limit of one minute can last.
    endless = "all --size tiny --min-time 10 --max-time 10"
    (here.warned,) = here.start_job("cpu", endless, "--time", "1", "--", "--cpus-per-task=1", PARALLAX_WARN_SECONDS="5")
    (here.cut,) = here.start_job("cpu", endless, "--time", "1", "--", "--cpus-per-task=1", "--signal=CONT@1")


class Requests(unittest.TestCase):
    """What the sites' Slurm thinks of the scripts."""

    def test_every_script_is_accepted_on_its_site(self):
        for site in sorted(set(here.clusters) - {"loopback"}):
            for gpu in here.clusters[site].facts["gpus"]:
                for job in ("pair", *JOBS):
                    with self.subTest(site=site, gpu=gpu, job=job):
                        said = here.submit(site, site, gpu, job, "--build", "--from", "/tmp", "--test-only")
                        self.assertEqual(said.returncode, 0, said.stderr)
                        self.assertIn("Slurm would take it: Job ", said.stdout)

    def test_and_refused_on_another(self):
        for site in sorted(set(here.clusters) - {"loopback"}):
            for gpu in here.clusters[site].facts["gpus"]:
                for job in ("compare", "gpu", "cpu"):
                    with self.subTest(site=site, gpu=gpu, job=job):
                        script = script_of(site, gpu, job)
                        refused = set()
                        for other in set(here.clusters) - {site, "loopback"}:
                            said = here.clusters[other].command("sbatch", "--test-only", input=script)
                            if said.returncode != 0:
                                self.assertRegex(said.stderr, "(?i)invalid|not available|no partition", other)
                                refused.add(other)
                        # A request that names a type or a partition is understood nowhere else.
                        if job != "cpu" and re.search(
                            r"SBATCH --(partition|constraint)|(?<!gres=gpu):1$", script, re.M
                        ):
                            self.assertEqual(refused, set(here.clusters) - {site, "loopback"})
                        self.assertTrue(refused)

    def test_interactive_lines_are_accepted(self):
        for site in sorted(set(here.clusters) - {"loopback", "snowy"}):
            for gpu in here.clusters[site].facts["gpus"]:
                with self.subTest(site=site, gpu=gpu):
                    line = here.submit(site, site, gpu, "interactive", "--dry-run").stdout.splitlines()[0].split()
                    self.assertEqual(line[0], "salloc")
                    said = here.clusters[site].command("sbatch", "--test-only", "--wrap=true", *line[1:])
                    self.assertEqual(said.returncode, 0, said.stderr)

    def test_the_courses_mistakes_are_refused(self):
        """24 tasks with a GPU each, for a program that uses one."""
        for site, gpu in (("tetralith", "t4"), ("pelle", "l40s")):
            said = here.submit(
                site,
                site,
                gpu,
                "gpu",
                "--test-only",
                "--",
                "--ntasks=24",
                "--gpus-per-task=1",
                "--cpus-per-task=1",
            )
            self.assertEqual(said.returncode, 1, said.stdout)


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

    def test_too_many(self):
        self.refused("alvis", "t4", "--gpus-per-node=T4:9", means="v100 4, t4 8, a100 4")
        self.refused("alvis", "a100", "--gpus-per-node=A100:5", means="a100 4")
        self.refused("cosmos", "a100", "--gres=gpu:2", means="a100 1")

    def test_two_requests_for_gpus(self):
        self.refused("pelle", "l40s", "--gpus-per-node=l40s:2", means="contradict each other")

    def test_wrong_constraint(self):
        self.refused("kebnekaise", "l40s", "--constraint=l40", means="no node has that feature")
        # Each is a feature, but no node has both.
        self.refused("kebnekaise", "l40s", "--constraint=l40s&zen3", means="no node has all of that at once")

    def test_wrong_partition_or_site(self):
        self.refused("cosmos", "a100", "--partition=gpu", means="LUNARC Cosmos has: lu48 gpua100")
        self.refused("dardel", "mi250x", cluster="tetralith", means="is this its login node (ssh dardel.pdc.kth.se)?")

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

    run_short = "vector_add mandelbrot --size tiny --min-time 0.01"

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

    def test_pair_of_jobs_and_their_comparison(self):
        cpu, gpu, report = here.start_job("pair", self.run_short)
        self.ends(cpu)
        self.ends(gpu)
        result = self.ends(report)
        self.assertIn("vector_add", (result / "compare.txt").read_text())
        self.assert_report(result)

    def test_a_job_whose_build_is_missing_says_so_and_those_after_it_do_not_run(self):
        cpu, gpu, report = here.start_job("pair", self.run_short, PARALLAX_PROGRAM="/nonexistent/parallax")
        self.ends(cpu, "FAILED")
        self.ends(gpu, "FAILED")
        self.assertIn("not built yet: /nonexistent/parallax. Submit build-cpu first", here.output(cpu))
        self.assertIn("Submit build first", here.output(gpu))
        self.assertEqual(here.wait_for(report), "CANCELLED")

    def test_python_twins_where_python_has_what_they_need(self):
        (job,) = here.start_job("cpu", "vector_add --size tiny --min-time 0.01", "--twins")
        result = self.ends(job)
        self.assert_verified(result / "cpu.json")
        has_numpy = subprocess.run(["python3", "-c", "import numpy"], capture_output=True, timeout=60).returncode == 0
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
            timeout=60,
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
    """Slurm listens where this machine's name leads, which has to be loopback: for this test alone, where it may."""
    if "PARALLAX_RENAMED" in os.environ:
        socket.sethostname("localhost")
    try:
        leads_to = socket.gethostbyname(socket.gethostname())
    except OSError:
        leads_to = "nowhere"
    if leads_to.startswith("127.") or "PARALLAX_RENAMED" in os.environ or not shutil.which("unshare"):
        return leads_to
    unshare = ["unshare", "--uts", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    if subprocess.run([*unshare, "true"], capture_output=True, timeout=20).returncode == 0:
        os.environ["PARALLAX_RENAMED"] = "yes"
        os.execvp("unshare", [*unshare, sys.executable, *sys.argv])
    return leads_to


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(1 if os.environ.get("PARALLAX_REQUIRE_SLURM") == "1" else 77)
    unittest.main(verbosity=2)
