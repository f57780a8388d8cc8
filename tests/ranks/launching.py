# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Several ranks on this machine's processors, by the MPI that the build was given: how the tests start and end them."""

import functools
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ.get("PARALLAX_PROGRAM_DIR", "build/openmp/bin"))
LIBRARY = PROGRAMS / "libparallax_mpi.so"
MPIEXEC = os.environ.get("PARALLAX_TEST_MPIEXEC", "mpiexec")
FIXTURES = Path(os.environ.get("PARALLAX_TEST_LIBRARIES", "build/openmp/tests"))
WRONG = FIXTURES / "wrong_mpi.so"
ARRAYS = {"vector_add", "integration2d", "tree_sum", "histogram", "normalize", "row_sum", "ragged_sum", "group_sum", "dilepton_mass", "memory_kinds", "uniform_sort", "matmul"}
DISTRIBUTED = ARRAYS | {"circle_area", "heat", "mandelbrot", "mandelbrot_area"}
# Rows only for several ranks, and what one rank does instead.
SENDING = {"integration2d", "tree_sum", "histogram", "normalize", "group_sum", "heat", "memory_kinds", "uniform_sort", "matmul"}
ALONE = {"heat/overlapped/": "heat/mdrange/", "/overlapped/": "/global/", "/interleaved_rows/": "/mdrange/", "/dynamic_blocks/": "/mdrange/"}
LAUNCHER = dict(
    os.environ,
    # Open MPI refuses to be run by root, and to start more ranks than there are processors, unless it is told.
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    PRTE_ALLOW_RUN_AS_ROOT="1",
    PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
    PRTE_MCA_mapby=":oversubscribe",
    OMP_NUM_THREADS="1",
    # Ranks of one machine need no network. Open MPI looks for one at each start: 3.1 s instead of 1.6 for three ranks on two cores.
    OMPI_MCA_pml="ob1",
    OMPI_MCA_btl="^tcp,ofi,uct,usnic,openib",
)


def need_several_ranks():
    if not LIBRARY.exists():
        raise unittest.SkipTest("no several ranks: this build has no MPI")
    if not Path("/proc/self/exe").exists():
        raise unittest.SkipTest("no several ranks: no /proc here")
    for file in (FIXTURES / "mpi_works", WRONG):
        if not file.exists():
            raise AssertionError(f"{file} was not built")
    probe = subprocess.run([MPIEXEC, "-n", "3", str(FIXTURES / "mpi_works"), "3"], capture_output=True, text=True, env=LAUNCHER, timeout=300, check=False)
    if probe.returncode != 0:
        raise unittest.SkipTest(f"no several ranks: MPI does not work here: {probe.stderr[-300:]}")


@functools.cache
def spaces():
    listed = subprocess.run([str(PROGRAMS / "parallax"), "list", "--json"], capture_output=True, text=True, timeout=300, check=True)
    return json.loads(listed.stdout)["spaces"]


def host_space():
    return next(space for space in spaces() if space in ("serial", "openmp", "threads"))


def device():
    """The space whose memory is not the host's, or None."""
    return next((space for space in spaces() if space not in ("serial", "openmp", "threads")), None)


class Launched:
    """A run of `ranks` ranks of the program."""

    def __init__(self, ranks, *arguments, program="parallax", environment=None, others=()):
        self.folder = tempfile.TemporaryDirectory()
        self.json = Path(self.folder.name) / "results.json"
        command = [MPIEXEC, "-n", str(ranks), str(PROGRAMS / program), *arguments]
        if "run" in arguments[:1]:
            command += ["--json", str(self.json), "--share-devices"]
        self.process = subprocess.Popen(
            [*command, *others],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(LAUNCHER, **(environment or {})),
            start_new_session=True,
        )

    def wait(self):
        try:
            self.out, self.err = self.process.communicate(timeout=600)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.status = self.process.returncode
        self.files = {path.name: path.read_text(encoding="utf-8") for path in Path(self.folder.name).iterdir()}
        self.folder.cleanup()
        self.said = [line for line in self.err.splitlines() if line.startswith("parallax: ")]
        return self

    def results(self):
        return json.loads(self.files[self.json.name])

    def rows(self):
        """By the names that they have in a run of one rank."""
        return {r["name"].split("/ranks:")[0].split("/weak:")[0]: r for r in self.results()["benchmarks"]}

    def pids(self):
        """Of the ranks, once all have begun a case: rank 0 keeps its file then."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                mine = str(self.json).encode() in (process / "cmdline").read_bytes()
                if mine and (process / "comm").read_text() == "parallax\n" and (process / "stat").read_text().split()[2] != "Z":
                    found.append(int(process.name))
            except OSError:
                continue
        return found

    def pid_of(self, rank):
        """By what Open MPI, or MPICH, says to each."""
        says = [f"{name}={rank}".encode() for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")]
        environments = {pid: (Path("/proc") / str(pid) / "environ").read_bytes().split(b"\0") for pid in self.pids()}
        return next(pid for pid, variables in environments.items() if any(word in variables for word in says))


def launch(*arguments, **options):
    return Launched(*arguments, **options).wait()


@functools.cache
def alone_with(*arguments):
    return launch(1, "run", "--verify-only", *arguments)


class Same:
    def same(self, ranks, *arguments):
        single = alone_with(*arguments)
        several = launch(ranks, "run", "--verify-only", *arguments)
        self.assertEqual((single.status, several.status), (0, 0), single.err + several.err)
        alone, verified = single.rows(), set()
        for name, row in several.rows().items():
            if row.get("skipped"):
                continue
            with self.subTest(row=name, ranks=ranks):
                self.assertTrue(row["verified"] or row["expected_to_fail"])
                verified.add(row["exercise"])
                self.assertEqual(row["ranks"], ranks)
                one = alone[functools.reduce(lambda words, of: words.replace(*of), ALONE.items(), name)]
                self.assertEqual(row["items"], one["items"])
                if row["expected_to_fail"] or one["expected_to_fail"]:
                    continue
                for key, value in one["result"].items():
                    if key == "slices":
                        continue  # each rank has its own
                    found = row["result"][key]
                    if isinstance(value, float) and key != "error":
                        # A sum by atomics differs from run to run, by what its check allows.
                        allowed = sum(r["check"]["tolerance"] for r in (row, one)) if row["variant"] == "atomic" else 0
                        self.assertAlmostEqual(found, value, delta=max(1e-5 * max(1, abs(value)), allowed), msg=key)
                    elif key != "error":
                        self.assertEqual(found, value, key)
        return verified
