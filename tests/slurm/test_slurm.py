# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Batch scripts on a real Slurm: daemons on loopback, started and stopped here.

The cluster loopback has nodes on this machine and runs jobs to their end. The models of the sites,
which judge requests, are in test_requests.py.

Without Slurm, munge or the program nothing is tested: the exit status is then 77 and the reason is
printed; with PARALLAX_REQUIRE_SLURM=1 that is a failure.
"""

import json
import os
import re
import subprocess
import unittest
from collections import Counter

from model import HERE
from submitting import SUBMIT
from test_ready import READY
from world import LOOPBACK, MPI_LIBRARY, PROGRAM, main, started

here = None  # the World
# Cases of three seconds, many more of them than pass until Slurm looks at the clock, which is every half minute.
ONE_CORE = "--cpus-per-task=1"
ENDLESS = "all --size tiny --min-time 3 --max-time 3 --no-ceilings"


def setUpModule():
    global here
    here = started(LOOPBACK)
    # Both get limits that end them when there is something to save: five minutes and more before the end is then now.
    (here.warned,) = here.start_job("cpu", ENDLESS, "--time", "50", "--", ONE_CORE, PARALLAX_WARN_SECONDS="300")
    (here.cut,) = here.start_job("cpu", ENDLESS, "--time", "50", "--", ONE_CORE, "--signal=CONT@1")
    here.wait_for_a_row(here.warned)
    here.end_within(here.warned, minutes=6)
    here.wait_for_a_row(here.cut)
    here.end_within(here.cut, minutes=1)


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


if __name__ == "__main__":
    main()
