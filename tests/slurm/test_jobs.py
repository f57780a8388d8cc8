# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a job does when its run goes wrong. Stand-ins play srun and the program: neither Slurm nor a build is needed."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from model import HERE
from submitting import submit

ROW = '{"context": {"complete": %s}, "benchmarks": [{"name": "x", "real_time": 1}]}'


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.result = self.folder / "results" / "12"
        self.stand_in("srun", 'exec "${@:4}"')
        self.stand_in("scontrol", "exit 1")

    def stand_in(self, name, body):
        (self.folder / name).write_text(f"#!/bin/bash\n{body}\n")
        (self.folder / name).chmod(0o755)

    def run_job(self, job, running, *words, launch="mpirun", **environment):
        """Runs the script of a job, whose program does `running`; its results go to the file $json."""
        self.stand_in(
            "parallax",
            f"""json=${{*: -1}}
            case $1 in
              list) echo "spaces built in: openmp" ;;
              run) {running} ;;
              compare) echo "comparing $*" ;;
              report) echo "showing $2" ;;
            esac""",
        )
        script = self.folder / "job"
        said = submit(
            *("loopback", "fake", job, *words, "--script", "--results", self.folder / "results"),
            environment={"PARALLAX_SITES": str(HERE / "sites"), "PARALLAX_TEST_MPIEXEC": launch},
        )
        script.write_text(said.stdout)
        clean = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        return subprocess.run(
            ["bash", script],
            capture_output=True,
            text=True,
            timeout=600,
            env={
                **clean,
                "PATH": f"{self.folder}:{os.environ['PATH']}",
                "PARALLAX_PROGRAM": str(self.folder / "parallax"),
                "SLURM_JOB_ID": "12",
                **environment,
            },
        )

    def test_a_second_attempt_has_no_results_of_the_first(self):
        said = self.run_job("compare", f"""echo '{ROW % "true"}' >"$json" """)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertTrue((self.result / "gpu.json").exists())
        said = self.run_job("compare", "exit 1", SLURM_RESTART_COUNT="1")
        self.assertEqual(said.returncode, 1, said.stdout + said.stderr)
        self.assertIn("no results to show", said.stdout)
        self.assertFalse((self.result / "gpu.json").exists())
        self.assertTrue((self.result.with_name("12.attempt-1") / "gpu.json").exists())

    def test_the_announcement_goes_when_the_job_starts(self):
        self.result.mkdir(parents=True)
        (self.result / "waiting.txt").write_text("Job 12 starts when\n")
        self.run_job("gpu", f"""echo '{ROW % "true"}' >"$json" """)
        there = {"gpu.json", "gpu.txt", "job.sbatch", "provenance.txt", "slurm.out"}
        self.assertEqual(set(os.listdir(self.result)), there)

    def test_another_cluster(self):
        said = self.run_job("gpu", "exit 9", SLURM_CLUSTER_NAME="dardel")
        self.assertEqual(said.returncode, 3, said.stdout + said.stderr)
        self.assertIn("for the cluster 'loopback', and this is 'dardel'", said.stderr)
        self.assertFalse(self.result.exists())
        said = self.run_job("gpu", f"""echo '{ROW % "true"}' >"$json" """, SLURM_CLUSTER_NAME="Loopback2")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_cut_off_before_a_case_was_finished(self):
        said = self.run_job("gpu", """echo '{"context": {"complete": false}, "benchmarks": []}' >"$json"; exit 143""")
        self.assertEqual(said.returncode, 143, said.stdout + said.stderr)
        self.assertIn("cut off before a case was finished: the job was cancelled, or", said.stdout)

    def test_results_that_arrive_after_srun_has_ended(self):
        """As when a job is cancelled and srun does not wait for the program that it told to end."""
        self.stand_in("srun", """ "${@:4}" >/dev/null & exit 143""")
        said = self.run_job("gpu", f"""sleep 1; echo '{ROW % "false"}' >"$json.new"; mv "$json.new" "$json" """)
        self.assertEqual(said.returncode, 143, said.stdout + said.stderr)
        self.assertIn("cut off; the cases finished before are in", said.stdout)
        self.assertRegex(said.stdout, f"(?m)^showing {re.escape(str(self.result / 'gpu.json'))}")

    def test_one_process_and_then_all_by_each_launcher(self):
        note = 'echo "${0##*/} $* ($SRUN_CPUS_PER_TASK,$SLURM_CPUS_PER_TASK,$OMP_PROC_BIND)" >>"$words"'
        start = 'while [[ $1 == -* || $1 == [0-9] || $1 == none ]]; do shift; done; exec "$@"'
        for launch in ("srun", "mpirun", "mpprun"):
            self.stand_in(launch, f"{note}; {start}")
        all_of_them = {"srun": ("", "(1,1,)"), "mpprun": ("", "(1,1,)"), "mpirun": ("-n 4 --bind-to none ", "(,,)")}
        for job, options in (("cpu", ("--ranks", "4", "--nodes", "2")), ("gpu", ("--gpus", "2", "--nodes", "2"))):
            ranks = options[1]
            for launch, (words, cores) in all_of_them.items():
                with self.subTest(job=job, launch=launch):
                    notes = self.folder / f"{job}-{launch}"
                    joined = ROW.replace("complete", f'mpi_ranks": {ranks}, "complete')
                    said = self.run_job(job, f"""echo '{joined % "true"}' >"$json" """, *options, launch=launch,
                                        words=str(notes), SLURM_CPUS_PER_TASK="1")
                    self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
                    bound = job == "cpu" and launch == "srun"
                    threads = "OMP_NUM_THREADS=1 OMP_PROC_BIND=spread OMP_PLACES=cores" if bound else "-u OMP_PROC_BIND -u OMP_PLACES OMP_NUM_THREADS=1"
                    run = f"env {threads} {self.folder}/parallax run all --size course --space openmp --json {self.result}/ranks"
                    self.assertEqual(notes.read_text().splitlines(), [
                        f"srun --nodes=1 --ntasks=1 --ntasks-per-node=1 {run}-1.json (1,1,)",
                        f"{launch} {words.replace('4', ranks)}{run}-{ranks}.json {cores}",
                    ])
                    both = f"{self.result}/ranks-1.json {self.result}/ranks-{ranks}.json"
                    self.assertIn(f"comparing compare {both} --across ranks\n", said.stdout)
                    self.assertIn(f"processes  {ranks} on ", (self.result / "provenance.txt").read_text())

    def test_a_run_that_ends_by_itself_leaves_the_time_to_the_others(self):
        """No memory, a full disk, a crash: the GPU's run goes on, and no line advises more time."""
        for status, words in ((137, "for memory"), (3, ""), (139, "")):
            with self.subTest(status=status):
                said = self.run_job("compare", f"""[[ $json != *gpu.json ]] || {{ echo '{ROW % "true"}' >"$json"; exit; }}
                                    echo '{ROW % "false"}' >"$json"; exit {status}""")
                self.assertEqual(said.returncode, status, said.stdout + said.stderr)
                self.assertIn(f"cpu ended with status {status}", said.stdout)
                self.assertEqual("cpu was killed (137), most likely for memory" in said.stdout, bool(words), said.stdout)
                self.assertIn("gpu: parallax run", said.stdout)
                self.assertNotIn("--time", said.stdout)
                self.assertNotIn("left out", said.stdout)

    def test_one_process_under_a_launcher_of_several_is_not_compared(self):
        self.stand_in("mpirun", 'while [[ $1 == -* || $1 == [0-9] || $1 == none ]]; do shift; done; exec "$@"')
        said = self.run_job("gpu", f"""echo '{ROW % "true"}' >"$json" """, "--gpus", "2", "--nodes", "2")
        self.assertEqual(said.returncode, 3, said.stdout + said.stderr)
        self.assertIn("ranks-2: its results are not of 2 processes", said.stderr)
        self.assertNotIn("comparing", said.stdout)
        self.assertRegex(said.stdout, f"(?m)^showing {re.escape(str(self.result / 'ranks-1.json'))}")

    def test_results_of_one_process_where_several_fail(self):
        self.stand_in("mpirun", "exit 3")
        said = self.run_job("gpu", f"""echo '{ROW % "true"}' >"$json" """, "--gpus", "2", "--nodes", "2")
        self.assertEqual(said.returncode, 3, said.stdout + said.stderr)
        self.assertIn("ranks-2 ended with status 3", said.stdout)
        self.assertRegex(said.stdout, f"(?m)^showing {re.escape(str(self.result / 'ranks-1.json'))}")
        self.assertNotIn("comparing", said.stdout)


if __name__ == "__main__":
    unittest.main()
