# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost: what the program does to files that are there, and to what it has found when something fails."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import processes

TOOL = os.environ.get("PARALLAX_TEST_TOOL", "")
QUICK = ("--verify-only", "--quiet")
TINY = ("--size", "tiny", *QUICK)


def quick(arguments):
    return (*(QUICK if "--size" in arguments else TINY), *arguments)


class InFolder(processes.InFolder):
    def write(self, name, text):
        (self.folder / name).write_text(text)

    def read(self, name):
        return (self.folder / name).read_text()

    def run_quickly(self, *arguments, exercises=("add_one",), status=0, **how):
        outcome = self.run_program("run", *exercises, "--space", self.host_space(), *quick(arguments), **how)
        self.assertEqual(outcome.returncode, status, outcome.stderr)
        return outcome

    def exercises_in(self, name):
        results = json.loads(self.read(name))
        self.rows = [row["exercise"] for row in results["benchmarks"]]
        return results["context"]["complete"], set(self.rows)

    def device(self, name, minor):
        """A device of the test's own in the place of /dev/null (1, 3) or /dev/full (1, 7)."""
        path = self.folder / name
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            with path.open("wb", buffering=0):
                pass
        except PermissionError:
            raise unittest.SkipTest("devices cannot be made here: no root, or a file system without them") from None
        return name

    def generate(self, *arguments, **how):
        outcome = self.run_program("generate", "events", "e.h5", "--set", "n=20000", *arguments, **how)
        if "without HDF5" in outcome.stderr:
            raise unittest.SkipTest("the program was built without HDF5")
        return outcome


class OneFileTwice(InFolder):
    """An output is never an input too, nor another output."""

    def refuse(self, *arguments, words=(), shell=""):
        before = {name: (self.folder / name).read_bytes() for name in self.content()}
        outcome = self.run_program("run", "add_one", *quick(arguments), shell=shell)
        self.refused(outcome, 2, "name another file", *words)
        self.assertEqual({name: (self.folder / name).read_bytes() for name in self.content()}, before)

    def test_the_size_file(self):
        self.write("s.json", '{"base": "tiny"}')
        (self.folder / "link").symlink_to("s.json")
        os.link(self.folder / "s.json", self.folder / "hard")
        for name in ("s.json", "./s.json", "link", "hard", f"../{self.folder.name}/s.json"):
            for option in ("--json", "--csv"):
                self.refuse("--size", "s.json", option, name, words=(f"{option}: '{name}'", "input (--size)"))

    def test_two_outputs(self):
        self.refuse("--json", "x", "--csv", "x", words=("--csv: 'x' is also an output",))
        self.refuse("--json", "x", "--csv", f"{self.folder}/./x")
        (self.folder / "link").symlink_to("x")
        self.refused(self.run_program("run", "add_one", *TINY, "--json", "link", "--csv", "x"), 2, "also an output")

    def test_standard_output(self):
        self.write("out", "")
        outcome = self.run_program("run", "add_one", *TINY, "--json", "out", shell="exec >out;")
        self.assertEqual((outcome.returncode, self.read("out")), (2, ""))
        self.assertIn("'out' is where standard output goes", outcome.stderr)

    def test_events(self):
        self.assertEqual(self.generate().returncode, 0)
        before = (self.folder / "e.h5").read_bytes()
        outcome = self.run_program("run", "dilepton_mass", "--input", "e.h5", "--json", "./e.h5")
        self.refused(outcome, 2, "--json: './e.h5' is also an input (--input)")
        self.assertEqual((self.folder / "e.h5").read_bytes(), before)

    def test_a_device_may_stand_twice(self):
        self.device("null", 3)
        self.run_quickly("--json", "null", "--csv", "null")


class KindsOfFiles(InFolder):
    def test_a_device_stays_one(self):
        self.device("null", 3)
        self.run_quickly("--json", "null")
        self.assertTrue((self.folder / "null").is_char_device())
        self.refused(self.generate("--force", shell="mv null e.h5;"), 3, "'e.h5'", "regular file")
        self.assertTrue((self.folder / "e.h5").is_char_device())

    def test_a_pipe_gets_the_results_once(self):
        os.mkfifo(self.folder / "pipe")
        taken = []
        reader = threading.Thread(target=lambda: taken.append(self.read("pipe")), daemon=True)
        reader.start()
        self.run_quickly("--json", "pipe")
        reader.join(60)
        self.assertTrue(json.loads(taken[0])["context"]["complete"])
        self.assertEqual(self.content(), ["pipe"])

    def test_standard_output_gets_results_and_table(self):
        (self.folder / "stdout").symlink_to("/proc/self/fd/1")  # as /dev/stdout is
        to_pipe = self.run_quickly("--json", "stdout").stdout
        self.run_quickly("--json", "stdout", shell="exec >out;")
        for text in (to_pipe, self.read("out")):
            results, end = json.JSONDecoder().raw_decode(text)
            self.assertTrue(results["context"]["complete"])
            self.assertIn("add_one f", text[end:])
        self.assertEqual(self.content(), ["out", "stdout"])

    def test_links_are_followed(self):
        (self.folder / "far").mkdir()
        self.write("far/old.json", "old")
        for link, target in (("a.json", "far/old.json"), ("b.json", "far/new.json"), ("c.json", "b.json")):
            (self.folder / link).symlink_to(target)
        for link in ("a.json", "b.json", "c.json"):
            self.run_quickly("--json", link)
            self.assertTrue((self.folder / link).is_symlink())
            self.assertTrue(self.exercises_in(link)[0])
        self.assertEqual(sorted(os.listdir(self.folder / "far")), ["new.json", "old.json"])

    def test_mode_and_owner_are_kept(self):
        self.write("a.json", "old")
        (self.folder / "a.json").chmod(0o600)
        if os.geteuid() == 0:
            os.chown(self.folder / "a.json", 4711, 4712)
        before = (self.folder / "a.json").stat()
        self.run_quickly("--json", "a.json", "--csv", "new.csv", shell="umask 027;")
        after = (self.folder / "a.json").stat()
        self.assertTrue(self.exercises_in("a.json")[0])
        self.assertEqual((after.st_mode, after.st_uid, after.st_gid), (before.st_mode, before.st_uid, before.st_gid))
        self.assertEqual((self.folder / "new.csv").stat().st_mode & 0o777, 0o640)

    def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(self):
        self.write("victim", "kept")
        waiting = 'for name in "a.json.partial-$$" "a.json.partial-$(uname -n)-$$"; do ln -s victim "$name"; done;'
        self.run_quickly("--json", "a.json", shell=waiting)
        self.assertEqual(self.read("victim"), "kept")

    def test_what_a_killed_process_left_is_removed(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        stem = f"a.json.partial-{socket.gethostname()}-"
        others = [f"{stem}{os.getpid()}", f"a.json.partial-elsewhere.invalid-{dead.pid}"]
        for name in (f"{stem}{dead.pid}", *others):
            self.write(name, "half")
        self.run_quickly("--json", "a.json")
        self.assertEqual(self.content(), sorted(["a.json", *others]))

    @unittest.skipUnless(TOOL, "PARALLAX_TEST_TOOL does not name the test's tool")
    def test_generate_finds_what_a_killed_one_left(self):
        how = {"KOKKOS_TOOLS_LIBS": TOOL, "COUNTING_TOOL_SIGNAL": f":{int(signal.SIGKILL)}:1"}
        self.assertEqual(self.generate(environment=how).returncode, -signal.SIGKILL)
        self.assertRegex(" ".join(self.content()), r"^e\.h5\.partial-\S+-\d+$")
        self.assertEqual(self.generate().returncode, 0)
        self.assertEqual(self.content(), ["e.h5"])

    def test_names_that_cannot_be(self):
        self.write("a.json", "{}")
        (self.folder / "loop").symlink_to("loop")
        bad = {"n" * 300 + ".json": "File name too long", "./loop": "symbolic links", "a.json/b": "Not a"}
        for name, why in bad.items():
            for arguments in (
                ("run", "add_one", "--json", name),
                ("run", "add_one", "--size", name if "/" in name else "./" + name),
                ("run", "dilepton_mass", "--input", name),
                ("compare", "a.json", name),
                ("compare", name, "a.json"),
                ("generate", "events", name),
            ):
                with self.subTest(arguments[:2] + (why,)):
                    outcome = self.run_program(*arguments)
                    if arguments[0] == "compare" and name != arguments[1]:
                        self.assertEqual(outcome.returncode, 2)  # {} is no results file
                    elif "without HDF5" not in outcome.stderr:
                        self.refused(outcome, 3, why)

    def test_folders_that_cannot_be_searched(self):
        closed = self.folder / "closed"
        closed.mkdir()
        (closed / "there.json").write_text('{"base": "tiny"}')
        closed.chmod(0o600)
        self.addCleanup(closed.chmod, 0o700)
        # Root may search every folder: with another user's number it may not.
        shell = ""
        if os.geteuid() == 0:
            self.folder.chmod(0o777)
            shell = 'exec setpriv --reuid=65534 --regid=65534 --clear-groups "$0" "$@";'
            if any(self.run_program(*words, shell=shell).returncode != 0 for words in (("list",), ("compare", "--help"))):
                self.skipTest("root, and no setpriv, or a build that no other user may run")
        for arguments in (
            ("run", "add_one", *TINY, "--json", "closed/new.json"),
            ("run", "add_one", *TINY, "--json", "closed/there.json"),
            ("run", "add_one", "--size", "closed/there.json"),
            ("run", "dilepton_mass", "--input", "closed/e.h5"),
            ("compare", "closed/there.json", "closed/there.json"),
            ("generate", "events", "closed/e.h5"),
        ):
            with self.subTest(arguments):
                outcome = self.run_program(*arguments, shell=shell)
                if "without HDF5" not in outcome.stderr:
                    self.refused(outcome, 3, arguments[-1], "Permission denied")


class WhatWasFinished(InFolder):
    """A failure at the end takes nothing from what was found before it."""

    def test_a_later_exercise_that_fails(self):
        self.assertEqual(self.generate("--set", "compression=4").returncode, 0)
        damaged = bytearray((self.folder / "e.h5").read_bytes())
        middle = len(damaged) // 2  # within the values, behind all headers
        damaged[middle : middle + 4096] = bytes(4096)
        (self.folder / "e.h5").write_bytes(damaged)
        outcome = self.run_program(
            "run", "add_one", "dilepton_mass", "--space", self.host_space(), *TINY,
            "--input", "e.h5", "--json", "a.json", "--csv", "a.csv",
        )  # fmt: skip
        self.assertEqual(outcome.returncode, 3, outcome.stderr)
        self.assertEqual(self.exercises_in("a.json"), (False, {"add_one"}))
        self.assertIn("add_one/", self.read("a.csv"))
        self.assertIn("add_one f", outcome.stdout)

    @unittest.skipUnless(TOOL, "PARALLAX_TEST_TOOL does not name the test's tool")
    def test_memory_that_runs_out_in_a_later_exercise(self):
        """The limit comes with the first exercise's kernel: before it, there was enough for the second."""
        self.write("s.json", '{"base": "tiny", "vector_add": {"n": 50000000}}')
        outcome = self.run_quickly(
            "--size", "s.json", "--precision", "f32", "--json", "a.json", "--csv", "a.csv", status=3,
            exercises=("add_one", "vector_add"),
            environment={"KOKKOS_TOOLS_LIBS": TOOL, "COUNTING_TOOL_ROOM": "parallax::add_one:134217728"},
        )  # fmt: skip
        self.assertRegex(outcome.stderr, r"^parallax: vector_add/.*\n$")
        self.assertEqual(self.exercises_in("a.json"), (False, {"add_one"}))
        self.assertIn("add_one/", self.read("a.csv"))
        self.assertIn("add_one f", outcome.stdout)

    def test_a_tile_without_room_is_refused_before_the_work(self):
        outcome = self.run_program("run", "add_one", "matmul", *TINY, "--tile", "1000", "--json", "a.json")
        self.refused(outcome, 2, "tile=1000", "scratch")
        self.assertEqual(self.content(), [])

    def test_each_file_for_itself(self):
        self.device("full", 7)
        for lost, kept in (("--json", "--csv"), ("--csv", "--json")):
            outcome = self.run_quickly(lost, "full", kept, "kept", status=3)
            self.assertIn("cannot write 'full': No space left on device", outcome.stderr)
            self.assertIn("add_one f", outcome.stdout)
            self.assertIn("add_one/", self.read("kept"))
            self.assertTrue((self.folder / "full").is_char_device())
            (self.folder / "kept").unlink()

    def test_a_picture_that_cannot_be_written(self):
        self.device("full", 7)
        picture = ("--image", "full", "--json", "a.json", "--rows", "20", "--columns", "20")
        outcome = self.run_quickly(*picture, exercises=("mandelbrot",), status=3)
        self.assertIn("cannot write 'full'", outcome.stderr)
        self.assertEqual(self.exercises_in("a.json"), (True, {"mandelbrot"}))
        self.assertIn("mandelbrot f", outcome.stdout)
        self.assertTrue((self.folder / "full").is_char_device())

    def test_standard_output_that_is_full(self):
        for arguments in (("list",), ("list", "--json"), ("--version",), ("run", "--help"), ("run", "--dry-run")):
            outcome = self.run_program(*arguments, shell="exec >/dev/full;")
            self.refused(outcome, 3, "cannot write standard output")
        outcome = self.run_quickly("--json", "a.json", shell="exec >/dev/full;", status=3)
        self.refused(outcome, 3, "standard output")
        self.assertEqual(self.exercises_in("a.json"), (True, {"add_one"}))


@unittest.skipUnless(TOOL, "PARALLAX_TEST_TOOL does not name the test's tool")
class Signals(InFolder):
    """The tool signals the process at a kernel, so that no clock decides."""

    def stopped(self, where, times, status, *arguments, exercises=("add_one", "matmul")):
        how = {"KOKKOS_TOOLS_LIBS": TOOL, "COUNTING_TOOL_SIGNAL": f"{where}:{int(signal.SIGTERM)}:{times}"}
        return self.run_quickly(*arguments, exercises=exercises, environment=how, status=status)

    def test_before_the_first_row_the_old_result_is_kept(self):
        self.write("a.json", "an old result")
        # Its inputs are filled by a kernel.
        outcome = self.stopped("", 1, 128 + signal.SIGTERM, "--json", "a.json", exercises=("vector_add",))
        self.assertEqual((self.read("a.json"), self.content()), ("an old result", ["a.json"]))
        self.assertIn("before the first row", outcome.stderr)

    def test_a_signal_that_comes_twice_is_one(self):
        outcome = self.stopped("parallax::matmul", 2, 128 + signal.SIGTERM, "--json", "a.json")
        complete, exercises = self.exercises_in("a.json")
        self.assertFalse(complete)
        self.assertIn("add_one", exercises)
        self.assertIn(f"stopped by signal 15 after {len(self.rows)} rows", outcome.stderr)

    def test_the_third_ends_the_process(self):
        self.stopped("parallax::matmul", 3, -signal.SIGTERM)


class Words(InFolder):
    """What was typed comes back as one line that is safe to show."""

    def test_controls_are_escaped(self):
        for word, shown in (("a\nb", r"'a\nb'"), ("\x1b[2J", r"'\x1b[2J'"), ("\x9b2J", r"\x9b2J"), ("é", "'é'")):
            outcome = self.run_program("run", word)
            self.refused(outcome, 2, "unknown exercise", shown)
            self.assertEqual(outcome.stderr.count("\n"), 1)

    def test_long_words_are_cut(self):
        outcome = self.run_program("run", "é" * 50_000)
        self.refused(outcome, 2, "unknown exercise", "bytes ...]")
        self.assertLess(len(outcome.stderr), 3000)

    def test_names_in_a_file(self):
        row = {"name": "a\x1b[2J\nb", "real_time": 1.0, "time_unit": "ns"}
        self.write("a.json", json.dumps({"benchmarks": [row]}))
        outcome = self.run_program("compare", "a.json", "a.json")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn(r"a\x1b[2J\nb", outcome.stdout)

    def test_empty_values_are_refused(self):
        for option in ("--seed", "--repeat", "--warmup", "--min-time", "--max-time"):
            self.refused(self.run_program("run", "add_one", "--dry-run", option, ""), 2, option, "''")
        self.refused(self.run_program("compare", "a", "b", "--fail-above", ""), 2, "--fail-above", "''")
        self.refused(self.run_program("generate", "events", "a.h5", "--seed", ""), 2, "--seed", "''")
        self.assertEqual(self.content(), [])

    def test_arguments_where_there_are_none(self):
        for arguments in (("list", "foo"), ("info", "foo"), ("generate", "events", "a.h5", "foo")):
            self.refused(self.run_program(*arguments), 2, "unexpected argument 'foo'")

    def test_all_excuses_no_other_name(self):
        self.refused(self.run_program("run", "--dry-run", "--precision", "all,f33"), 2, "unknown precision 'f33'")

    def test_the_greatest_seed(self):
        exercises = ("matmul", "quadratic", "vector_add", "zero_out")
        self.run_quickly("--seed", str(2**63 - 1), "--json", "a.json", exercises=exercises)
        self.assertEqual(self.exercises_in("a.json"), (True, set(exercises)))


class SizeFiles(InFolder):
    def names(self, *arguments):
        return [line.split()[0] for line in self.run_quickly("--dry-run", *arguments).stdout.splitlines()[1:]]

    def test_what_set_decides_is_in_no_name(self):
        self.write("s.json", '{"add_one": [{"n": 5}, {"n": 7}]}')
        given = ("--size", "s.json", "--variant", self.names()[0].split("/")[1])
        self.assertEqual([name.rpartition("/")[2] for name in self.names(*given)], ["n:5", "n:7"])
        self.assertEqual([name.rpartition("/")[2] for name in self.names(*given, "--set", "n=10")], ["f64"])

    def test_equal_sizes_run_once(self):
        self.write("s.json", '{"add_one": [{"n": 5}, {"n": "5"}, {"n": 7}]}')
        names = self.names("--size", "s.json")
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
