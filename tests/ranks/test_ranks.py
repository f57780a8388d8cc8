# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Several ranks on this machine's processors, by the MPI that the build was given: results, refusals, and ranks that fail."""

import contextlib
import functools
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
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
)


def setUpModule():
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
                        self.assertAlmostEqual(found, value, delta=1e-5 * max(1, abs(value)), msg=key)
                    elif key != "error":
                        self.assertEqual(found, value, key)
        return verified


class Results(Same, unittest.TestCase):
    def test_any_number_of_ranks_finds_what_one_finds(self):
        for ranks in (2, 3, 4, 7):
            self.assertEqual(self.same(ranks, *sorted(DISTRIBUTED), "--size", "tiny"), DISTRIBUTED)

    def test_by_way_of_staging(self):
        staged = ("--transport", "staged")
        for ranks in (2, 3):
            self.assertEqual(self.same(ranks, *sorted(SENDING), "--size", "tiny", *staged), SENDING)
        for exercise, sizes in (  # of several pieces each
            ("uniform_sort", "n=4000003"),
            ("matmul", "m=9001,n=3,k=700"),
        ):
            self.assertEqual(self.same(3, exercise, "--size", "tiny", "--set", sizes, *staged), {exercise})

    def test_fewer_elements_than_ranks(self):
        lists, streams = sorted(ARRAYS - {"row_sum", "memory_kinds"}), ["circle_area", "mandelbrot_area"]
        self.assertEqual(self.same(4, *lists, "--size", "tiny", "--sweep", "n=1,2,5"), set(lists))
        self.assertEqual(self.same(4, "row_sum", "--size", "tiny", "--sweep", "rows=1,2,5", "--set", "columns=3"), {"row_sum"})
        self.assertEqual(self.same(4, "mandelbrot", "--size", "tiny", "--sweep", "rows=1,2,5,17"), {"mandelbrot"})
        self.assertEqual(self.same(4, *streams, "--size", "tiny", "--set", "threads=5,trials=3"), set(streams))


class Shapes(Same, unittest.TestCase):
    def test_plates_with_few_rows_on_each_rank(self):
        for ranks, sizes in (
            (2, "rows=2,columns=5,steps=6"),  # one row, the first and the last of its rank
            (3, "rows=5,columns=3,steps=1"),  # nothing to send
            (3, "rows=8,columns=67,steps=12,start=eigenmode"),
        ):
            self.assertEqual(self.same(ranks, "heat", "--size", "tiny", "--precision", "all", "--set", sizes), {"heat"})

    def test_products_of_panels(self):
        for ranks, sizes, more in (
            (4, "m=3,n=2,k=1", []),  # a rank without rows, and one without columns
            (4, "m=3,n=1,k=5", ["--transport", "staged"]),  # two of them without columns: they send none
            (6, "m=67,n=45,k=1201", ["--precision", "all"]),  # 2 x 3 ranks, panels of 512 and less; staged, one in another one's time
            (7, "m=5,n=3,k=1031,input=integers", ["--layout", "left"]),
            (4, "m=300,n=301,k=302,input=integers", []),  # large enough for Freivalds' check
            (4, "m=5,n=1537,k=13", ["--precision", "all"]),  # wide enough that one row of ranks gathers A
            (3, "m=7,n=1025,k=2,input=integers", ["--layout", "left"]),  # and one rank has no part of it
        ):
            self.assertEqual(self.same(ranks, "matmul", "--size", "tiny", "--set", sizes, *more), {"matmul"})

    def test_weak_scaling_of_products_keeps_each_ranks_work(self):
        weak = launch(6, "run", "matmul", "--size", "tiny", "--set", "m=11,n=13,k=17,input=integers", "--scaling", "weak", "--verify-only")
        one = launch(1, "run", "matmul", "--size", "tiny", "--set", "m=22,n=39,k=17,input=integers", "--verify-only")
        self.assertEqual((weak.status, one.status), (0, 0), weak.err + one.err)
        alone, found = one.rows(), {name: row for name, row in weak.rows().items() if not row.get("skipped")}
        self.assertGreater(len(found), 4)
        for name, row in found.items():
            self.assertEqual((row["result"], row["items"], row["flops"]), (alone[name]["result"], 22 * 39, alone[name]["flops"]))

    def test_groups_that_straddle_ranks(self):
        for mean in ("0", "0.001", "3"):  # one group on all ranks, some on several, none
            self.assertEqual(self.same(4, "group_sum", "--size", "tiny", "--set", f"n=1009,mean={mean}"), {"group_sum"})

    def test_keys_of_every_type_and_many_equal_ones(self):
        for more in (["--precision", "all"], ["--precision", "f32", "--set", "n=1009,low=5,high=5.000001"], ["--set", "n=1009,low=-1,high=1"]):
            self.assertEqual(self.same(3, "uniform_sort", "--size", "tiny", *more), {"uniform_sort"})

    def test_each_rank_reads_its_part_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder) / "events.h5")
            made = launch(1, "generate", "events", file, "--set", "n=1200,giant_event=70")
            self.assertEqual(made.status, 0, made.err)
            for more in (["input_slice=200"], ["n=1000"]):  # slice by slice, and at once
                self.assertEqual(self.same(3, "dilepton_mass", "--input", file, "--set", *more), {"dilepton_mass"})

    def test_weak_scaling_is_as_one_rank_with_all_of_it(self):
        weak = launch(3, "run", "histogram", "--size", "tiny", "--set", "n=1001", "--scaling", "weak", "--verify-only")
        one = launch(1, "run", "histogram", "--size", "tiny", "--set", "n=3003", "--verify-only")
        self.assertEqual((weak.status, one.status), (0, 0), weak.err + one.err)
        alone = one.rows()
        self.assertTrue(alone)
        for row in weak.results()["benchmarks"]:
            name = row["name"].replace("/weak:3", "")
            self.assertNotEqual(name, row["name"])
            self.assertEqual((row["scaling"], row["items"]), ("weak", 3003))
            self.assertEqual(row["result"], alone[name]["result"])


class Measurements(unittest.TestCase):
    def test_what_is_measured(self):
        found = launch(2, "run", "vector_add", "tree_sum", "normalize", "group_sum", "row_sum", "heat", "memory_kinds", "matmul", "--size", "tiny", "--repeat", "5")
        self.assertEqual(found.status, 0, found.err)
        results = found.results()
        self.assertEqual(results["context"]["mpi_ranks"], 2)
        self.assertEqual(len(results["context"]["mpi"]["ranks"]), 2)
        sizes = [link["bytes"] for link in results["context"]["mpi"]["links"]]
        self.assertEqual(sizes, sorted(sizes))
        for link in results["context"]["mpi"]["links"]:
            for kind in ("one_way", "both_ways", "all_reduce", "all_to_all"):
                self.assertGreater(link[f"{kind}_ns"], 0)
        for name, row in found.rows().items():
            if "samples" not in row:
                continue
            with self.subTest(row=name):
                ranks = row["rank_samples"]
                self.assertEqual([len(own) for own in ranks], [len(row["samples"])] * 2)
                self.assertEqual([max(own) for own in zip(*ranks)], row["samples"])
                self.assertEqual("percent_of_link" in row, row["messages"] != [])
                self.assertEqual("percent_of_link" in row, row["exercise"] in ("tree_sum", "normalize", "group_sum", "heat", "memory_kinds", "matmul"))
        sent = {row["exercise"]: row["messages"] for row in found.rows().values() if "samples" in row}
        self.assertEqual(sent["tree_sum"], [{"pattern": "sum", "bytes": 4.0}])
        self.assertEqual(sent["group_sum"], [{"pattern": "sum", "bytes": 32.0, "from_host": True}])
        self.assertEqual(sent["memory_kinds"], [{"pattern": "to_neighbour", "bytes": 24.0}])
        self.assertEqual(sent["heat"], [{"pattern": "to_neighbour", "bytes": 73 * 4.0}] * 16)  # both ways before 8 of 9 steps
        self.assertEqual(sent["vector_add"], [])
        self.assertIn("ranks: 2 by ", found.out)

    def test_the_way_taken_is_recorded_and_measured(self):
        for way, arguments in (("host", []), ("staged", ["--transport", "staged"])):
            found = launch(2, "run", "tree_sum", "--size", "tiny", "--repeat", "3", "--verbose", "--space", host_space(), *arguments)
            self.assertEqual(found.status, 0, found.err)
            taken = found.results()["context"]["mpi"]["transports"]
            self.assertEqual({space: route["name"] for space, route in taken.items()}, {host_space(): way})
        self.assertEqual([link["bytes"] for link in taken[host_space()]["links"]][:2], [8, 64])
        self.assertIn(f"links of {host_space()} (staged): one way ", found.out)

    @unittest.skipIf(not (PROGRAMS / "libparallax_nccl.so").exists(), "this build has no NCCL")
    def test_nccl_sends_or_says_why_not(self):
        found = launch(2, "run", *sorted(SENDING), "--size", "tiny", "--repeat", "3", "--space", device(), "--transport", "nccl")
        if found.status == 0:  # two devices, or an NCCL that lets ranks share one
            self.assertEqual(found.results()["context"]["mpi"]["transports"][device()]["name"], "nccl")
            rows = [row for row in found.rows().values() if not row.get("skipped")]
            self.assertTrue(rows and all(row["verified"] or row["expected_to_fail"] for row in rows))
        else:
            self.assertEqual((found.status, len(found.said)), (3, 1), found.err)
            self.assertRegex(found.said[0], "--transport nccl: .*NCCL")

    def test_info_shows_the_links(self):
        found = launch(2, "info", "--ranks")
        self.assertEqual(found.status, 0, found.err)
        self.assertIn(f"from the memory of {host_space()}, host\n", found.out)
        if device() is not None:
            self.assertIn(f"from the memory of {device()}, staged\n", found.out)
        self.assertRegex(found.out, r"message +one way +both ways +all-reduce +all-to-all")
        self.assertEqual(found.out.count("rank 1: "), 1)

    def test_one_rank_of_a_launcher_is_as_none(self):
        found = launch(1, "run", "increment", "--size", "tiny", "--verify-only")
        self.assertEqual(found.status, 0, found.err)
        self.assertEqual({row["name"].count("ranks") for row in found.results()["benchmarks"]}, {0})
        self.assertNotIn("mpi", found.results()["context"])

    def test_a_message_that_is_lost_is_seen(self):
        for ranks, sending in (
            (2, ["tree_sum", "histogram", "normalize", "group_sum", "heat", "memory_kinds", "matmul"]),
            (3, ["tree_sum", "histogram", "normalize", "group_sum", "heat", "memory_kinds", "matmul"]),
            (6, ["matmul"]),
        ):
            found = launch(ranks, "run", *sending, "--size", "tiny", "--verify-only", "--space", host_space(), environment={"PARALLAX_MPI_LIBRARY": str(WRONG)})
            self.assertEqual(found.status, 1, found.err)
            rows = [row for row in found.results()["benchmarks"] if not row.get("skipped")]
            self.assertEqual({row["exercise"] for row in rows}, set(sending))
            for row in rows:
                adds_one_double = row["exercise"] == "normalize" and row["tier"] == "lesson"
                self.assertEqual(row["verified"], adds_one_double, row["name"])
                if not adds_one_double:
                    self.assertRegex(row["check"]["compared"], "^rank [0-9]: ")
                if row["exercise"] == "matmul":  # gathers; and below sends panels along rows and columns, which come in the wrong order
                    self.assertRegex(row["check"]["compared"], "^rank 0: ")

    def test_rows_that_are_computed_twice_or_never_are_seen(self):
        wrong = {"PARALLAX_MPI_LIBRARY": str(WRONG), "PARALLAX_TEST_WRONG_COUNTER": "1"}
        for ranks in (2, 3):
            found = launch(ranks, "run", "mandelbrot", "--size", "tiny", "--verify-only", environment=wrong)
            self.assertEqual(found.status, 1, found.err)
            rows = [row for row in found.results()["benchmarks"] if not row.get("skipped")]
            self.assertEqual({row["variant"] for row in rows if not row["verified"]}, {"dynamic_blocks"})
            self.assertIn("interleaved_rows", {row["variant"] for row in rows})
            for row in rows:
                if not row["verified"]:
                    # 16 rows twice, 16 never; of a device's blocks 64 and 37.
                    self.assertRegex(row["check"]["compared"], "^rank 0: how often each row was computed with 1: (32|101) of 101 wrong")


class Refusals(unittest.TestCase):
    def refused(self, status, words, *arguments, ranks=3, **options):
        found = launch(ranks, *arguments, **options)
        self.assertEqual(found.status, status, found.err)
        self.assertEqual(len(found.said), 1, found.err)
        self.assertRegex(found.said[0], words)
        self.assertEqual(found.out, "")

    def test_each_in_one_line(self):
        tiny = ("run", "vector_add", "--size", "tiny")
        for status, words, *arguments in (
            (2, "increment runs on one rank only; this run has 3 .on several: .*vector_add", "run", "increment"),
            (2, "--tune: works with one rank only", *tiny, "--tune"),
            (2, "--scaling: 'wek' is not one of its values .did you mean 'weak'", *tiny, "--scaling", "wek"),
            (2, "order=sorted", "run", "group_sum", "--size", "tiny", "--set", "order=shuffled"),
            (2, "fewer than the taps - 1", "run", "memory_kinds", "--size", "tiny", "--set", "n=17"),
            (2, "heat: 2 rows are fewer than the 3 ranks", "run", "heat", "--size", "tiny", "--set", "rows=2"),
            (2, "events=made are for one rank", "run", "dilepton_mass", "--size", "tiny", "--set", "events=made"),
            (2, "makes 3000000 rows .expected at most 1000000", "run", "mandelbrot", "--set", "rows=1000000", "--scaling", "weak"),
            (2, "threads=2 is less than the 3 ranks", "run", "circle_area", "--size", "tiny", "--set", "threads=2"),
            (2, "--transport: 'stagd' is not one of its values .did you mean 'staged'", *tiny, "--transport", "stagd"),
            (2, "--transport nccl: sends a device's memory, and this run has none", *tiny, "--space", host_space(), "--transport", "nccl"),
            (3, "needs .* of memory", *tiny, "--set", "n=1e14"),
            (3, "cannot write '/nowhere/x.csv'", *tiny, "--csv", "/nowhere/x.csv"),
        ):
            with self.subTest(words=words):
                self.refused(status, words, *arguments)

    def test_other_arguments_on_another_rank(self):
        other = (str(PROGRAMS / "parallax"), "run", "tree_sum", "--dry-run")
        self.refused(2, "rank 1 was given other arguments than rank 0", "run", "vector_add", "--dry-run", ranks=1, others=(":", "-n", "1", *other))

    def test_a_script_on_one_rank_asks_for_what_needs_no_other(self):
        file = str(Path(__file__).resolve().parents[1] / "fuzz/corpus/results/openmp.json")
        words = f"--version; {PROGRAMS}/parallax list; {PROGRAMS}/parallax run --help; {PROGRAMS}/parallax info; {PROGRAMS}/parallax compare {file} {file}"
        script = f'case $OMPI_COMM_WORLD_RANK$PMI_RANK in 0*) {PROGRAMS}/parallax {words} || exit 1; echo all of them; esac'
        found = launch(2, "-c", script, program="/bin/sh")
        self.assertEqual((found.status, found.said), (0, []), found.err)
        self.assertTrue(found.out.endswith("all of them\n"), found.out)

    def test_a_launcher_and_no_library_to_join_by(self):
        """Each would do all of the work, and write the same file."""
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(PROGRAMS / "parallax", folder)
            self.refused(3, "(OMPI_COMM_WORLD|PMI)_SIZE=2: this program runs as one process, .*without MPI", "run", "vector_add", "--size", "tiny", ranks=2, program=program)

    def test_a_way_that_does_not_deliver(self):
        wrong = {"PARALLAX_MPI_LIBRARY": str(WRONG)}
        arguments = ("run", "vector_add", "--size", "tiny", "--space", device() or host_space(), "--transport", "staged")
        self.refused(3, "--transport staged: .*: what was sent did not arrive", *arguments, ranks=2, environment=wrong)

    def test_a_library_that_cannot_be_loaded(self):
        found = launch(2, "run", environment={"PARALLAX_MPI_LIBRARY": "/nowhere/mpi.so"})
        self.assertNotEqual(found.status, 0)
        self.assertIn("cannot load MPI", found.err)


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
