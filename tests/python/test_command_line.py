# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""run_twins as a user meets it: statuses, messages, files."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock
from pathlib import Path

import support
from parallax import built
from parallax.errors import Refusal
from parallax.twins import run as twins_run
from support import PROGRAM, ROOT, run_here, run_process

QUICK = ("--repeat", "3", "--min-time", "0")


class Refusals(support.WithCatalogue):
    """One line, the documented status, nothing left behind."""

    def refused(self, status, words, *arguments, given=("--catalogue", "list.json")):
        before = set(os.listdir())
        found, out, err = run_here(*arguments, *given)
        self.assertEqual((found, out), (status, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(words, err)
        self.assertTrue(err.startswith("run_twins: "), err)
        self.assertEqual(set(os.listdir()), before)

    def test_unknown_names(self):
        self.refused(2, "unknown exercise 'vector_ad' (did you mean 'vector_add'?)", "vector_ad")
        self.refused(2, "unknown variant 'rang' (did you mean 'range'?)", "--variant", "rang")
        self.refused(2, "unknown space 'numpi' (did you mean 'numpy'?)", "--space", "numpi")
        self.refused(2, "unknown precision 'f16'", "--precision", "f16")
        self.refused(2, "unknown size 'tine' (did you mean 'tiny'?)", "--size", "tine")
        self.refused(2, "unknown parameter 'm'", "--set", "m=3")
        self.refused(2, "unknown option '--siz' (did you mean '--size'?)", "--siz", "tiny")

    def test_values(self):
        for n in ("0", "-1", "ten", "1e400", "1.5", ""):
            self.refused(2, f"parameter 'n': '{n}' is not a whole number", "--set", f"n={n}")
        self.refused(2, "'0' is not a whole number from 1", "--repeat", "0")
        self.refused(2, "'soon' is not a number of seconds", "--min-time", "soon")
        self.refused(2, "--repeat: '' is not a whole number", "--repeat", "")
        self.refused(2, "unknown variant ''", "--variant", "")
        self.refused(2, "not name=value", "--set", "n")
        self.refused(2, "expected one argument", "--json")

    def test_what_the_machine_cannot(self):
        self.refused(3, "needs 48.0 PB of memory", "--set", "n=1e15", "--space", "numpy")
        self.refused(3, "cannot write 'none/x.json'", "--json", "none/x.json", "--space", "numpy")
        self.refused(3, "cannot write '.': it is a directory", "--json", ".", "--space", "numpy")
        self.refused(3, "cannot read 'none.json'", "--size", "none.json")

    def test_files_that_are_another(self):
        Path("sizes.json").write_text("{}")
        for output in ("./sizes.json", "list.json"):
            self.refused(2, "it is an input", "--space", "numpy", "--size", "sizes.json", "--json", output)
        self.refused(2, "an output file needs a name", "--space", "numpy", "--json", "")

    def test_size_files(self):
        for text, words in (
            ("[", "is not a JSON object"),
            ("[]", "is not a JSON object"),
            ("[" * 100_000, "is not a JSON object"),
            ('{"vector_ad": {}}', "unknown exercise 'vector_ad' (did you mean 'vector_add'?)"),
            ('{"vector_add": {"m": 1}}', "unknown parameter 'm'"),
            ('{"vector_add": {"n": -1}}', "'-1' is not a whole number"),
            ('{"vector_add": 3}', "expected an object"),
            ('{"base": "huge"}', "expected tiny, course or large"),
        ):
            Path("sizes.json").write_text(text)
            self.refused(2, words, "--size", "sizes.json")

    def test_what_was_typed_comes_back_as_one_line_that_is_safe_to_show(self):
        self.refused(2, r"unknown exercise 'a\nb\x1b[2J'", "a\nb\x1b[2J")
        self.refused(2, "[...]", "x" * 100_000)
        self.refused(3, r"cannot write 'x\n/y'", "--space", "numpy", "--json", "x\n/y")

    def test_an_error_that_nobody_foresaw(self):
        for error, words in ((ZeroDivisionError("a\nb"), r"ZeroDivisionError: a\nb"), (MemoryError(), "out of memory")):
            with unittest.mock.patch.object(support.cli, "select_cases", side_effect=error):
                self.refused(3, words)

    def test_standard_output_that_is_full(self):
        for arguments in (("--help",), (*self.GIVEN, *QUICK, "--json", "a.json")):
            with open("/dev/full", "wb") as full:
                done = run_process(*arguments, output=full)
            self.assertEqual(done.stderr, "run_twins: cannot write standard output: No space left on device\n")
            self.assertEqual(done.returncode, 3)
        self.assertTrue(json.loads(Path("a.json").read_text())["context"]["complete"])

    def test_catalogues(self):
        self.refused(3, "'/bin/false list --json' failed: exit status 1", given=("--parallax", "/bin/false"))
        Path("list.json").write_text("{}")
        self.refused(2, "does not hold what 'parallax list --json' prints")
        nowhere = unittest.mock.patch.multiple(built, ROOT=self.folder)
        with nowhere, unittest.mock.patch.dict(os.environ, PATH="", PARALLAX_BUILD=""):
            self.refused(3, "none is built: scripts/run-demo builds it", given=())

    def test_missing_libraries(self):
        missing = [space.name for space in support.SPACES.values() if space.why_missing()]
        for name in missing:
            self.refused(3, f"space '{name}' cannot be used here: ", "--space", name)
        status, out, _ = run_here("--verify-only", "--size", "tiny", "--catalogue", "list.json")
        self.assertEqual(status, 0)
        for name in missing:
            self.assertRegex(out, f"(?m)^{name}: not run: .+$")

    def test_no_numpy(self):
        # Beside a copy of the program: PYTHONPATH is given up where it holds what does not work.
        Path("numpy.py").write_text("raise ImportError('not here')")
        Path("parallax").mkdir()
        for name in ("run_twins.py", "parallax/start.py"):
            Path(name).write_text((ROOT / "python" / name).read_text())
        refused = subprocess.run([sys.executable, "run_twins.py", "--help"], capture_output=True, text=True, check=False)
        self.assertEqual((refused.returncode, refused.stdout), (3, ""))
        self.assertIn("NumPy cannot be imported (not here)", refused.stderr)
        self.assertEqual(refused.stderr.count("\n"), 1)


    def test_escape_sequences_are_for_terminals_that_take_them(self):
        for environment, shown in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            with self.subTest(environment):
                terminal, end = os.openpty()
                self.addCleanup(os.close, terminal)
                command = [sys.executable, str(ROOT / "python" / "run_twins.py"), *self.GIVEN, *QUICK, "--size", "tiny"]
                surroundings = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **environment}
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=end, env=surroundings, check=False)
                os.write(end, b".")  # or there might be nothing to read
                os.close(end)
                said = os.read(terminal, 65536)
                self.assertEqual((done.returncode, b"\x1b" in said), (0, shown), said)
                self.assertNotIn(b"\x1b", done.stdout)


class Runs(support.WithCatalogue):
    def run_here(self, *arguments):
        return run_here(*self.GIVEN, *QUICK, *arguments)

    def rows(self):
        return json.loads(Path("a.json").read_text())["benchmarks"]

    def test_file_and_table(self):
        done = run_process("vector_add", *self.GIVEN, *QUICK, "--set", "n=1009", "--json", "a.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir()), ["a.json", "list.json"])
        (row,) = self.rows()
        self.assertEqual((row["name"], row["verified"]), ("vector_add/range/numpy/f32", True))
        self.assertEqual(row["parameters"], {"n": 1009, "input": "indexed", "seed": 12345})
        self.assertGreaterEqual(row["repetitions"], 3)
        self.assertRegex(done.stdout, r"vector_add/range/numpy/f32 .* verified")

    def test_pipes_links_and_modes_stay(self):
        os.mkfifo("pipe")
        self.addCleanup(os.close, pipe := os.open("pipe", os.O_RDONLY | os.O_NONBLOCK))
        Path("a.json").touch(0o600)
        os.symlink("a.json", "link.json")
        for output in ("link.json", "pipe"):
            status, _, err = self.run_here("--json", output)
            self.assertEqual((status, err), (0, ""))
        self.assertTrue(os.path.islink("link.json"))
        self.assertEqual(Path("a.json").stat().st_mode & 0o777, 0o600)
        self.assertTrue(self.rows())
        self.assertTrue(Path("pipe").is_fifo())
        self.assertIn(b"vector_add/range/numpy/f32", os.read(pipe, 1 << 16))

    def test_ones_give_two(self):
        status, _, _ = self.run_here("--set", "n=1009,input=ones", "--verify-only", "--json", "a.json")
        (row,) = self.rows()
        self.assertEqual((status, row["result"]), (0, {"sum": 2018.0, "first": 2.0, "last": 2.0}))
        self.assertNotIn("real_time", row)

    def test_sets_of_parameters_have_names_of_their_own(self):
        Path("sizes.json").write_text('{"vector_add": [{"n": "5e0", "input": "ones"}, {"n": 7.0, "input": "ones"}]}')
        given = ("--verify-only", "--size", "sizes.json", "--json", "a.json")
        self.run_here(*given)
        self.assertEqual([r["name"].split("/")[4:] for r in self.rows()], [["n:5"], ["n:7"]])
        self.assertEqual([r["result"]["sum"] for r in self.rows()], [10, 14])
        self.run_here(*given, "--set", "n=9")
        self.assertEqual([r["name"] for r in self.rows()], ["vector_add/range/numpy/f32"])

    def test_a_twin_times_a_part_and_its_row_says_so(self):
        listed = [support.parameter(n, "integer", v) for n, v in (("rows", "1000"), ("columns", "3"), ("max_iterations", "20"))]
        listed += [support.parameter(n, "interval", v) for n, v in (("real", "-1.5,0"), ("imag", "-1,0"))]
        exercise = {"name": "mandelbrot", "precisions": ["f64", "f32"], "parameters": listed}
        Path("list.json").write_text(json.dumps({"exercises": [exercise]}))
        given = ("mandelbrot", "--catalogue", "list.json", "--space", "numpy,python", "--json", "a.json", *QUICK)
        status, out, err = run_here(*given)
        self.assertEqual((status, err), (0, ""))
        whole, part = self.rows()
        self.assertNotIn("scaled", whole)
        self.assertEqual(part["name"], "mandelbrot/range/python/f64/rows:200/columns:3")
        self.assertEqual(part["scaled"]["factor"], 5)
        self.assertEqual({**part["scaled"]["parameters"], "seed": 12345}, whole["parameters"])
        self.assertEqual(part["parameters"], {**whole["parameters"], "rows": 200})
        self.assertRegex(out, r"rows:200/columns:3 .*verified; the whole problem is 5 times this part")
        run_here(*given, "--set", "rows=200")
        self.assertEqual([("scaled" in row, row["parameters"]["rows"]) for row in self.rows()], [(False, 200)] * 2)

    def test_a_failed_check_is_status_1(self):
        exercise = support.EXERCISES["vector_add"]
        twins = exercise.twins
        self.addCleanup(setattr, exercise, "twins", twins)
        Twin = type(twins[0])
        exercise.twins = [
            Twin("numpy", "null", lambda p: lambda: None),
            Twin("numpy", "thrown", lambda p: lambda: 1 / 0),
        ]
        exercise.twins.append(Twin("numpy", "race", lambda p: lambda: None, expected_to_fail=True))
        found = {"vector_add": exercise}
        with unittest.mock.patch.object(support.cli, "load_exercises", lambda: found):
            status, out, err = self.run_here("--set", "n=1009", "--json", "a.json")
        self.assertEqual((status, err), (1, "run_twins: 2 of 3 checks failed\n"))
        self.assertRegex(out, r"vector_add/null/numpy/f32 .*FAILED: every element .*1009 of 1009 wrong")
        self.assertRegex(out, r"vector_add/thrown/numpy/f32 .*FAILED: the run threw: ZeroDivisionError")
        self.assertRegex(out, r"vector_add/race/numpy/f32 .*wrong, as expected")
        rows = self.rows()
        self.assertEqual([r["error_occurred"] for r in rows], [True, True, False])
        self.assertNotIn("real_time", rows[0])
        self.assertIsNone(rows[0]["check"]["error"])

    @unittest.skipIf(PROGRAM is None, "PARALLAX_PROGRAM_DIR does not name the folder that holds parallax")
    def test_a_late_failure_takes_nothing_from_what_was_found(self):
        def refused(*_):
            raise Refusal("too late", 3)

        exercises = {name: support.EXERCISES[name] for name in ("increment", "vector_add")}
        with (
            unittest.mock.patch.object(support.cli, "load_exercises", lambda: exercises),
            unittest.mock.patch.object(exercises["vector_add"], "make_problem", refused),
        ):
            given = ("--space", "numpy", "--verify-only", "--size", "tiny", "--json", "a.json", "--parallax", PROGRAM)
            status, out, err = run_here(*given)
            self.assertEqual((status, err), (3, "run_twins: too late\n"))
            results = json.loads(Path("a.json").read_text())
            self.assertFalse(results["context"]["complete"])
            self.assertEqual({row["exercise"] for row in results["benchmarks"]}, {"increment"})
            self.assertIn("increment/", out)
            before = Path("a.json").read_text()
            run_here("vector_add", *given)
            self.assertEqual(Path("a.json").read_text(), before)

    def test_a_file_that_cannot_be_written_in_the_end_takes_no_table(self):
        full = Refusal("cannot write 'a.json': No space left on device", 3)
        with unittest.mock.patch.object(twins_run, "write_text", side_effect=full):
            status, out, err = self.run_here("--json", "a.json")
        self.assertEqual((status, err), (3, "run_twins: cannot write 'a.json': No space left on device\n"))
        self.assertIn("vector_add/", out)

    def test_a_signal_that_comes_twice_is_one_and_the_third_ends_the_process(self):
        script = "import signal, sys; from parallax.twins import interrupt as i; i.watch_signals();"
        script += "[signal.raise_signal(15) for _ in range(int(sys.argv[1]))]; print(i.interrupted())"
        for times, ends in ((0, (0, "0\n")), (1, (0, "15\n")), (2, (0, "15\n")), (3, (-15, ""))):
            done = subprocess.run(
                [sys.executable, "-c", script, str(times)],
                env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual((done.returncode, done.stdout), ends, done.stderr)

    def test_a_signal_keeps_what_is_finished(self):
        # A minute of rows; the first is written after a second.
        Path("sizes.json").write_text(json.dumps({"vector_add": [{"n": n, "input": "ones"} for n in range(1, 61)]}))
        command = [sys.executable, str(ROOT / "python" / "run_twins.py"), *self.GIVEN]
        command += ["--size", "sizes.json", "--min-time", "1", "--json", "a.json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not Path("a.json").exists() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        results = json.loads(Path("a.json").read_text())
        self.assertFalse(results["context"]["complete"])
        self.assertIn("vector_add/range/numpy/f32/n:1", [row["name"] for row in results["benchmarks"]])
        self.assertIn("stopped by signal 15", err)
        self.assertIn("vector_add/range/numpy/f32", out)
        self.assertEqual(sorted(os.listdir()), ["a.json", "list.json", "sizes.json"])


if __name__ == "__main__":
    unittest.main()
