# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The commands in the cells of a notebook, by a stand-in for the program, and what is drawn of their results."""

import contextlib
import io
import json
import os
import sys
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]
from parallax import built  # noqa: E402
from parallax.errors import Refusal  # noqa: E402
from parallax.notebook import command, lesson, shares  # noqa: E402
from processes import InFolder  # noqa: E402


class Commands(InFolder):
    def test_parsing(self):
        found = command.parse("A=1 B_2=x scripts/parallax run gather --set n=6 --json=a.json  # 3. why")
        self.assertEqual(found, command.Command({"A": "1", "B_2": "x"}, "scripts/parallax",
                                                ("run", "gather", "--set", "n=6", "--json=a.json")))
        self.assertEqual((found.option("--json"), found.option("--set"), found.option("--space")), ("a.json", "n=6", None))
        self.assertTrue(found.measures)
        self.assertFalse(command.parse("scripts/parallax report a.json -o b.html").measures)
        self.assertTrue(command.parse("python3 python/run_twins.py gather").measures)
        for line in ("nsys profile scripts/parallax run", "rm -r x", "python3 setup.py", "", "scripts/parallax 'run"):
            with self.subTest(line), self.assertRaises(Refusal):
                command.parse(line)

    def test_sizes(self):
        def sized(line, size="tiny"):
            return " ".join(command.sized(command.parse(line), size, self.folder).arguments)

        short = "--repeat 2 --min-time 0 --max-time 0"
        for line, wanted in (
            ("scripts/parallax run a --sweep n=128:134217728:x16", "run a --sweep n=128:134217:x16 --verify-only --size tiny"),
            ("scripts/parallax run a --set n=1e8,m=512 --json a.json", f"run a --set n=100000,m=51 --json a.json {short} --size tiny"),
            ("scripts/parallax run a --real -0.78,-0.72 --sweep t=32:1024:x2",
             "run a --real -0.78,-0.72 --sweep t=32:102:x2 --verify-only --size tiny"),
            ("python3 python/run_twins.py a --json t.json", f"a --json t.json {short} --size tiny"),
            ("scripts/parallax compare a.json --across variant", "compare a.json --across variant"),
        ):
            self.assertEqual(sized(line), wanted)
        line = "scripts/parallax run a --n 1e8"
        self.assertEqual(sized(line, None), "run a --n 1e8")
        self.assertEqual(sized(line, "large"), "run a --n 1e8 --size large")
        self.assertEqual(sized(line + " --size tiny", "large"), "run a --n 1e8 --size tiny")
        file = self.folder / "tiny-circle_accuracy.json"
        self.assertEqual(sized("scripts/parallax run circle_area --size configs/sizes/circle_accuracy.json --json a.json"),
                         f"run circle_area --size {file} --json a.json --verify-only")
        small = json.loads(file.read_text())
        self.assertEqual((small["base"], max(t["trials"] for t in small["circle_area"])), ("tiny", 1048576))


class StandIn(InFolder):
    """A lesson with a program that says what it was asked for."""

    PROGRAM = """#!/bin/sh
case "$1 $2" in
  "list --json") echo '{"exercises": [], "spaces": ["openmp"]}' ;;
  "run wrong") echo "a table"; echo "parallax: 1 of 2 checks failed" >&2; exit 1 ;;
  "run absent") echo "parallax: unknown exercise 'absent'" >&2; exit 2 ;;
  "run large") echo "parallax: large needs 9 TB of memory" >&2; exit 3 ;;
  *) echo "$X ran $*" ;;
esac
"""

    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        program = Path("made/bin/parallax")
        program.parent.mkdir(parents=True)
        program.write_text(self.PROGRAM)
        program.chmod(0o755)
        environment = unittest.mock.patch.dict(os.environ, PARALLAX_BUILD="made", PARALLAX_NOTEBOOK_SIZE="", X="")
        environment.start()
        self.addCleanup(environment.stop)
        self.said = ""
        self.lesson = self.call(lesson.Lesson, "gather")

    def call(self, function, *arguments):
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                return function(*arguments)
        finally:
            self.said = out.getvalue()

    def test_where_and_what_runs(self):
        self.assertEqual(self.said, f"{self.folder / 'made/bin/parallax'}: openmp\n")
        self.call(self.lesson.run, "X=1 scripts/parallax run gather --space openmp")
        self.assertEqual(self.said, "1 ran run gather --space openmp --json run-1.json\n")
        self.call(self.lesson.run, "scripts/parallax run gather --json a.json")
        self.assertEqual(self.said, " ran run gather --json a.json\n")
        self.call(self.lesson.run, "scripts/parallax compare configs/sizes/peers.json a.json")
        self.assertEqual(self.said, f" ran compare {ROOT}/configs/sizes/peers.json a.json\n")

    def test_what_this_machine_cannot_is_skipped_in_one_line(self):
        self.call(self.lesson.run, "scripts/parallax run gather --space cuda --sweep team-size=32,64")
        self.assertEqual(self.said, "skipped: the program has no space 'cuda' (built in: openmp): it needs a GPU, and a build for it\n")
        self.call(self.lesson.run, "scripts/parallax run gather --space serial")
        self.assertEqual(self.said, "skipped: the program has no space 'serial' (built in: openmp)\n")
        self.call(self.lesson.run, "scripts/parallax run large")
        self.assertEqual(self.said, "skipped: large needs 9 TB of memory\n")

    def test_a_size_is_said(self):
        small = self.call(lesson.Lesson, "gather", "tiny")
        self.call(small.run, "scripts/parallax run gather --n 1e6")
        asked = "run gather --n 1000 --verify-only --size tiny"
        self.assertEqual(self.said, f"at size tiny: {asked}\n ran {asked} --json run-1.json\n")

    def test_failures_are_errors_of_one_line(self):
        for line, words in (
            ("scripts/parallax run wrong", "1 of 2 checks failed"),
            ("scripts/parallax run absent", "unknown exercise 'absent'"),
            ("ls", "a notebook runs 'scripts/parallax ...' and 'python3 python/FILE.py ...', not 'ls'"),
        ):
            with self.subTest(line), self.assertRaises(Refusal) as refused:
                self.call(self.lesson.run, line)
            self.assertEqual(str(refused.exception), words)
            self.assertEqual(refused.exception._render_traceback_(), [f"parallax: {words}"])
        self.call(self.lesson.run, "scripts/parallax run gather --space cudda")  # the program refuses what it does not know
        self.assertIn("ran run gather --space cudda", self.said)
        with self.assertRaisesRegex(Refusal, "there is no 'kokkos.json': run the cell that writes it first"):
            self.lesson.plot("kokkos.json", "twins.json")
        with self.assertRaisesRegex(Refusal, r"unknown size 'tinny' \(did you mean 'tiny'\?\)"):
            lesson.Lesson("gather", size="tinny")

    def test_no_program(self):
        with unittest.mock.patch.multiple(built, ROOT=self.folder), unittest.mock.patch.dict(os.environ, PATH="", PARALLAX_BUILD=""):
            with self.assertRaisesRegex(Refusal, "^no program is built: scripts/run-demo builds it") as refused:
                lesson.Lesson("gather")
            self.assertEqual(len(refused.exception._render_traceback_()), 1)


class Shares(InFolder):
    def results(self, name, space, rows, **context):
        content = {"context": {"host_name": "h", "spaces": {space: {"device": "CPU"}}, **context}, "benchmarks": [
            {"name": row.get("name", "x"), "space": space, "exercise": "x", "precision": "f64", "phase": "kernel", **row} for row in rows]}
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path

    def shares(self, *paths):
        (self.folder / "made").mkdir(exist_ok=True)
        found = [json.loads(p.read_text())["benchmarks"] for p in shares.with_twins_shares(list(paths), self.folder / "made")]
        return [[row.get("percent_of_ceiling") for row in rows] for rows in found]

    def test_a_twin_has_the_ceiling_of_its_device(self):
        kokkos = self.results("k.json", "openmp", [{"ceiling": "read", "percent_of_ceiling": 50.0, "bytes_per_second": 1e11}])
        twins = [{"bytes_per_second": 1e11}, {"bytes_per_second": 4e10}, {"bytes_per_second": 1e11, "other_work": True}, {},
                 {"bytes_per_second": 1e11, "phase": "end_to_end"}]
        self.assertEqual(self.shares(kokkos, self.results("t.json", "numpy", twins)), [[50], [50, 20, None, None, None]])
        # Another machine has other ceilings.
        self.assertEqual(self.shares(kokkos, self.results("o.json", "numpy", twins[:1], host_name="o")), [[50], [None]])
        row = {"ceiling": "fma_f64", "percent_of_ceiling": 10.0, "flops_per_second": 1e10, "bytes_per_second": 1}
        flops = self.results("f.json", "openmp", [row])
        self.assertEqual(self.shares(flops, self.results("u.json", "numba", [{"flops_per_second": 2e10, "bytes_per_second": 1}])), [[10], [20]])


if __name__ == "__main__":
    unittest.main()
