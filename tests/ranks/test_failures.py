# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Ranks that are killed, crash, stop answering or get a signal: the others end, and what was finished is kept."""

import contextlib
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

from launching import PROGRAMS, Launched, launch, need_several_ranks

setUpModule = need_several_ranks


def passes_signals_on():
    """Whether the launcher passes a signal on to any program, which then ends with 3: Open MPI 4.1.6 on one machine did not."""
    run = Launched(1, "sh", "-c", "trap 'exit 3' USR1; echo ready; for i in $(seq 600); do sleep 0.1; done", program="/usr/bin/env")
    run.process.stdout.readline()
    run.process.send_signal(signal.SIGUSR1)
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.process.wait(timeout=30)
    if run.process.poll() is None:
        os.killpg(run.process.pid, signal.SIGKILL)
    return run.wait().status == 3


class Failures(unittest.TestCase):
    def begun(self, *more):
        """Some of very many rows are done."""
        run = Launched(3, "run", "vector_add", "tree_sum", "--size", "tiny", "--no-ceilings", "--sweep", "n=1000:10900:+10", *more)
        until = time.monotonic() + 300
        while not (run.json.exists() and len(run.pids()) == 3) and run.process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        self.assertIsNone(run.process.poll(), "it ended before it was to be ended")
        return run

    def ended(self, run):
        run.wait()
        self.assertNotEqual(run.status, 0)
        results = run.results()
        self.assertIs(results["context"]["complete"], False)
        self.assertGreaterEqual(len(results["benchmarks"]), 1)
        until = time.monotonic() + 300
        while run.pids() and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(run.pids(), [], "ranks are left")

    def test_killed_at_random(self):
        dice = random.Random(7)
        for _ in range(int(os.environ.get("PARALLAX_TEST_KILLS", "3"))):
            run = self.begun()
            time.sleep(dice.random())
            os.kill(dice.choice(run.pids()), signal.SIGKILL)
            self.ended(run)

    def test_one_that_crashes(self):
        for rank in range(3):
            run = self.begun()
            os.kill(run.pid_of(rank), signal.SIGSEGV)
            self.ended(run)

    def test_one_that_stops_answering(self):
        for rank, speaker in ((2, ""), (0, "rank 1: ")):
            run = self.begun("--rank-timeout", "10")
            os.kill(run.pid_of(rank), signal.SIGSTOP)
            self.ended(run)
            self.assertEqual(run.said, [f"parallax: {speaker}waited 10 s for the other ranks"], run.err)
            self.assertEqual(run.status, 3)

    def test_a_job_that_is_suspended(self):
        """As by Slurm: no rank is blamed for it, and the run goes on."""
        run = self.begun("--rank-timeout", "30")
        pids = [run.pid_of(rank) for rank in range(3)]
        os.kill(pids[0], signal.SIGSTOP)
        time.sleep(1)  # until the others wait for it
        for pid in pids[1:]:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(33)
        size = run.json.stat().st_size
        for pid in pids[1:]:
            os.kill(pid, signal.SIGCONT)
        time.sleep(1)  # they still wait
        os.kill(pids[0], signal.SIGCONT)
        until = time.monotonic() + 300
        while run.process.poll() is None and run.json.stat().st_size <= size and time.monotonic() < until:
            time.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pids[0], signal.SIGTERM)
        self.ended(run)
        self.assertRegex("\n".join(run.said), "^parallax: stopped by signal 15 after [0-9]+ rows; what was finished is kept$")

    def test_a_signal_to_one_ends_all(self):
        for ranks in ((0,), (2,), (0, 1, 2)):
            run = self.begun()
            for pid in [run.pid_of(rank) for rank in ranks]:
                os.kill(pid, signal.SIGTERM)
            self.ended(run)
            self.assertEqual(len(run.said), 1, run.err)
            self.assertRegex(run.said[0], "stopped by signal 15 after [0-9]+ rows; what was finished is kept")
            self.assertEqual(run.status, 128 + 15)
            self.assertRegex(run.out, "(tree_sum|vector_add)/")  # what was finished

    def test_a_signal_that_the_launcher_passes_on(self):
        """Open MPI kills the ranks at Ctrl-C."""
        if not passes_signals_on():
            self.skipTest("this launcher passes no signal on")
        run = self.begun()
        if any(b"PMI_RANK=0" in (Path("/proc") / str(pid) / "environ").read_bytes() for pid in run.pids()):
            os.killpg(run.process.pid, signal.SIGKILL)
            self.skipTest("MPICH's launcher passes no signal on")
        os.kill(run.process.pid, signal.SIGUSR1)
        self.ended(run)
        self.assertRegex(run.said[0], "stopped by signal 10 after [0-9]+ rows; what was finished is kept")
        self.assertRegex(run.out, "(tree_sum|vector_add)/")
        self.assertEqual(run.status, 128 + 10)

    def test_a_setting_that_only_one_has(self):
        """It fails while the others wait for it, for far longer than this takes."""
        program = (str(PROGRAMS / "parallax"), "run", "vector_add", "--size", "tiny", "--rank-timeout", "100000")
        wrong, right = ("env", "KOKKOS_NUM_THREADS=many", *program), ("env", *program)
        for rank, name in ((0, ""), (1, "rank 1: "), (2, "rank 2: ")):
            each = [wrong if rank == other else right for other in range(3)]
            run = launch(1, *each[0][1:], program="/usr/bin/env", others=(":", "-n", "1", *each[1], ":", "-n", "1", *each[2]))
            self.assertEqual(len(run.said), 1, run.err)
            self.assertRegex(run.said[0], f"^parallax: {name}KOKKOS_NUM_THREADS")
            self.assertEqual(run.status, 2)


if __name__ == "__main__":
    unittest.main()
