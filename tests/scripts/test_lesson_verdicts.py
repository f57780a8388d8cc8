# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The verdict on a student's kernel, by made-up rows and by programs that end early or do not end."""

import sys
import tempfile
import textwrap
import threading
import unittest
import unittest.mock
from pathlib import Path

from support import ROOT, VERDICTS

sys.path.insert(0, str(ROOT / "scripts"))
from lessons import judging, parts, running  # noqa: E402


class Verdicts(unittest.TestCase):
    @staticmethod
    def row(n, cause="", precision="f32", **more):
        name = f"x/range/openmp/{precision}/bins:7/n:{n}"
        row = {"name": name, "space": "openmp", "precision": precision, "phase": "kernel", "parameters": {"n": n, "bins": 7, "mean": 1}, "verified": not cause}
        return {**row, "check": {"cause": cause, "detail": f"at {n}"} if cause else {}, **more}

    def what(self, *rows):
        return judging.verdict(rows).what

    def test_a_race_that_showed_with_another_seed_only_is_a_race(self):
        found = judging.verdict([self.row(9), self.row(9, "two runs differ", seed="271828")])
        self.assertEqual(found.what, judging.ONE_SEED)
        self.assertRegex(found.what, judging.RACY)
        orders = [self.row(9, order=0), self.row(9, "2 updates were lost", order=1)]
        self.assertEqual(judging.verdict_on_orders(found, orders).what, "2 updates were lost")
        self.assertEqual(judging.verdict_on_orders(found, [self.row(9, order=0)]).what, judging.ONE_SEED)

    def test_copies_around_a_wrong_kernel_say_nothing(self):
        rows = [self.row(n, cause, phase=phase) for n in (1, 255) for phase, cause in (("kernel", "nothing was written"), ("end_to_end", "wrong values"))]
        self.assertEqual(self.what(*rows), "nothing was written")
        self.assertEqual(self.what(*(row for row in rows if row["phase"] == "end_to_end")), "wrong values")

    def test_right_and_nothing(self):
        self.assertEqual(judging.verdict([self.row(1), {"skipped": True}]), ("right", ""))
        self.assertIsNone(judging.verdict([{"skipped": True, "skip_message": "no bus"}]))

    def test_one_cause_for_all(self):
        missing, wrote = "the last 3 elements are missing", "wrote beyond the end"
        found = judging.verdict([self.row(1), self.row(255, missing), self.row(257, missing, "f64", teams=True, team_size=3)])
        self.assertEqual(found, (missing, "n = 255, bins = 7, openmp, f32: at 255 (wrong in 2 of 3 cases)"))
        rows = [self.row(n, missing) for n in range(9)]
        self.assertEqual(self.what(*rows, self.row(1, wrote)), wrote)
        self.assertEqual(self.what(*rows, self.row(1, "the kernel stopped with an error")), "the kernel stopped with an error")
        # Where all that is to be written is forgotten, at few sizes or at many, nothing is written.
        self.assertEqual(self.what(self.row(1, "nothing was written"), *rows), missing)
        self.assertEqual(self.what(*(self.row(n, "nothing was written") for n in range(99)), rows[0]), missing)
        self.assertEqual(self.what(*(self.row(n, "wrong values") for n in range(9)), self.row(9, "two runs differ")), "two runs differ")
        # What is seen once in many cases is no name for them.
        self.assertEqual(self.what(*(self.row(n, "1 update was lost") for n in range(9)), self.row(9, "two runs differ")), "1 update was lost")
        self.assertEqual(self.what(*(self.row(n, "nothing was written") for n in (1, 2))), "nothing was written")
        self.assertEqual(self.what(self.row(9, "1 update was lost"), self.row(9, "two runs differ")), "two runs differ")

    def test_what_wrong_values_have_in_common(self):
        wrong = "wrong values"
        self.assertEqual(self.what(self.row(1), self.row(9), self.row(9, wrong, "f64")), "only f32 is right")
        self.assertEqual(self.what(self.row(31), self.row(32, wrong), self.row(33, wrong)), "only right up to n = 31")
        self.assertEqual(self.what(self.row(31), self.row(32, wrong), self.row(33)), wrong)
        self.assertEqual(self.what(self.row(1), self.row(32, wrong)), wrong)  # one element says nothing
        self.assertEqual(self.what(self.row(31, wrong), self.row(31, wrong, "f64")), wrong)

    def test_verdicts_are_compared_without_their_numbers(self):
        for said, expected in (
            ("the last element is missing", "the last N elements are missing"),
            ("12 elements are missing", "N elements are missing"),
            ("1 element is missing", "N elements are missing"),
            ("1 update was lost", "N updates were lost"),
            ("1 update too many", "41 updates too many"),
            ("only f32 is right", "only PRECISION is right"),
            ("only right up to n = 1024", "only right up to n = N"),
        ):
            self.assertEqual(judging.normal(said), judging.normal(expected))
            self.assertIn(judging.normal(said), VERDICTS)
        self.assertNotEqual(judging.normal("12 elements are missing"), judging.normal("the last 12 elements are missing"))

    def test_a_program_that_ends_early_is_tried_size_by_size(self):
        with tempfile.TemporaryDirectory() as name:
            program = Path(name) / "program"
            program.write_text(f"#!{sys.executable}\n" + textwrap.dedent("""\
                import json, os, signal, sys, time
                time.sleep(float(os.environ.get("WAIT", 0)))
                sizes = json.load(open(sys.argv[sys.argv.index("--size") + 1]))["x"]
                for size in sizes:
                    if size["n"] in (0, 9):
                        print("a warning", file=sys.stderr)
                        sys.stderr.flush()
                        os.kill(os.getpid(), signal.SIGSEGV)
                    while size["n"] == 10:
                        pass
                    if size["n"] == 11:
                        print("a kernel's line", flush=True)
                        os._exit(0)
                rows = [{"verified": True, "parameters": size} for size in sizes]
                found = {"context": {"complete": True}, "benchmarks": rows}
                json.dump(found, open(sys.argv[sys.argv.index("--json") + 1], "w"))
                print("x f32 on openmp  time  check")
                """))
            program.chmod(0o755)

            printed = []

            def rows(*sizes, seconds=600, **environment):
                return judging.rows_of([program], "x", [{"n": n} for n in sizes], [], Path(name), seconds, environment, printed)

            self.assertEqual([r["verified"] for r in rows(1, 2)], [True, True])
            found = rows(1, 9, 2)
            self.assertEqual([r["verified"] for r in found], [True, False])
            words = "the kernel stopped with an error", "n = 9: it read or wrote memory that is not its own"
            self.assertEqual(judging.verdict(found), words)
            # One that cannot do nothing is tried further: what others say comes first.
            found = rows(0, 1, 9, 2)
            self.assertEqual([r["verified"] for r in found], [False, True, False])
            self.assertEqual(judging.verdict(found), words)
            found = rows(0, 1, 2)
            self.assertEqual(judging.verdict(found), (words[0], words[1].replace("9", "0")))
            missing = [self.row(n, "the last element is missing") for n in (1, 2)]
            self.assertEqual(self.what(*found, *missing), "the last element is missing")
            # One that ends well, but without its rows.
            words = running.LEFT, "n = 11: it called _exit, or something like it, with status 0"
            self.assertEqual((judging.verdict(rows(1, 11)), printed), (words, ["a kernel's line"] * 2))
            words = running.ENDLESS, "n = 10: it was stopped after 2 s of processor time"
            self.assertEqual(judging.verdict(rows(10, seconds=2)), words)
            # One that waits, for a core or for anything else, has more time by the clock ...
            self.assertEqual([r["verified"] for r in rows(1, seconds=2, WAIT="3")], [True])
            # ... but not without end.
            with unittest.mock.patch.multiple(running, PATIENCE=0.5, WAITED=0):
                words = running.ENDLESS, "n = 1: it was stopped after 1 s, in which it hardly computed"
                self.assertEqual(judging.verdict(rows(1, seconds=2, WAIT="600")), words)

    def test_the_size_of_a_row_that_was_run_by_itself(self):
        row = self.row(257, "wrong values", at={"n": 257})
        row["name"] = "x/range/openmp/f32"
        self.assertIn("n = 257, openmp, f32", judging.verdict([row]).detail)

    def test_another_seed(self):
        rows = [self.row(31), self.row(31, "wrong values", seed="271828")]
        self.assertEqual(judging.verdict(rows), ("right for one seed only", "n = 31, bins = 7, openmp, f32, seed 271828: at 31"))
        self.assertEqual(self.what(self.row(31, "wrong values"), rows[1]), "wrong values")

    def test_what_orders_of_the_threads_show(self):
        right, lost = judging.Verdict("right", ""), "3 updates were lost"

        def what(found, *rows):
            return judging.verdict_on_orders(judging.Verdict(found, ""), rows).what

        self.assertEqual(what("right", self.row(1), self.row(1)), "right")
        self.assertEqual(what("right", self.row(1), self.row(1, "wrong values")), "two runs differ")
        self.assertEqual(what("wrong values", self.row(1), self.row(1, "wrong values")), "two runs differ")
        self.assertEqual(what("right", self.row(1), self.row(1, lost), self.row(1, "two runs differ")), lost)
        self.assertEqual(what("right", self.row(1), self.row(1, lost), self.row(1, "wrong values")), "two runs differ")
        # What is always wrong at a size or in a precision is no race.
        self.assertEqual(what("only f32 is right", self.row(1), *[self.row(1, "wrong values", "f64")] * 2), "only f32 is right")
        self.assertEqual(what(lost, *[self.row(1, lost)] * 2, self.row(9)), lost)
        said = 'Kokkos::View ERROR: out of bounds access label=("c") with indices [3,4] but extents [3,9]'
        cause, detail = running.stopped(-6, f"a warning\n{said}\nTraceback")
        row = {"verified": False, "crash": "n = 3", "empty": False, "check": {"cause": cause, "detail": detail}}
        words = "out of bounds", "n = 3: element (3, 4) of 'c', which has 3 x 9"
        self.assertEqual(judging.verdict_on_orders(right, [self.row(1), row]), words)
        self.assertEqual(judging.verdict([row]), words)

    def test_a_right_kernel_that_misses_the_point(self):
        step = next(s for s in parts.steps("increment") if s.name == "team_scratch")

        def what(launches, lesson, text="", n=256, **more):
            rows = [self.row(n, launches=launches, **more)]
            found = judging.off_the_point("increment", step, rows, text, [self.row(n, launches=lesson)])
            return found and found.what

        self.assertIsNone(what({"openmp": 2}, {"openmp": 1}))
        self.assertIsNone(what({}, {}))  # copies only
        self.assertIsNone(what({}, {"openmp": 1}, phase="h2d"))
        self.assertEqual(what({}, {"openmp": 1}), "no kernel was launched")
        self.assertIsNone(what({}, {"openmp": 1}, n=0))  # there is nothing to do
        self.assertEqual(what({"cuda": 1}, {"openmp": 1}), "a kernel ran in another space")
        self.assertEqual(what({"openmp": 1, "serial": 1}, {"openmp": 1}), "a kernel ran in another space")
        self.assertIsNone(what({"openmp": 1}, {"openmp": 1}, parts.MARK.sub("", parts.original("increment"))))
        self.assertEqual(what({"openmp": 1}, {"openmp": 1}, parts.starter("increment", "team_scratch")), "no scratch was used")

    def test_scratch_memory_that_is_used(self):
        for exercise in parts.exercises():
            for step in parts.steps(exercise):
                text = parts.MARK.sub("", parts.original(exercise))
                self.assertFalse(parts.without_scratch(exercise, step, text), (exercise, step.name))
        step = next(s for s in parts.steps("increment") if s.name == "team_scratch")
        text = parts.MARK.sub("", parts.original("increment"))
        declared, copied = "const Scratch block(team.team_scratch(0), count);", "block(i) = data(begin + i);"
        self.assertIn(declared, text)
        self.assertIn(copied, text)
        direct = text.replace(copied, "").replace("block(i) + 1", "data(begin + i) + 1")
        self.assertTrue(parts.without_scratch("increment", step, direct))
        self.assertTrue(parts.without_scratch("increment", step, direct.replace(declared, "")))
        for more in ("auto block = Scratch(team.team_scratch(0), count); block(0) = 1;", "use(team.team_scratch(0));", "f(*(int*)team.team_shmem().get_shmem(8));"):
            self.assertFalse(parts.without_scratch("increment", step, direct.replace(declared, more)), more)
        helper = "template <class Team>\nvoid add(const Team& team) {\n  f(team.team_scratch(1));\n}\n"
        self.assertFalse(parts.without_scratch("increment", step, helper + direct))


    def test_an_endless_loop_is_seen_at_the_smallest_sizes(self):
        with tempfile.TemporaryDirectory() as name:
            program = Path(name) / "program"
            program.write_text(f"#!{sys.executable}\n" + "while True:\n    pass\n")
            program.chmod(0o755)
            about = {"variants": [{"name": "range", "teams": False}]}
            sizes = [{"n": n} for n in (7, 8, 9, 10, 11, 12)]
            with unittest.mock.patch.object(running, "facts", lambda *_: (about, ["openmp"])):
                with unittest.mock.patch.object(judging, "sizes_of", lambda _, file=judging.SIZES: sizes if file == judging.SIZES else None):
                    rows = judging.check(program, "x", "range", Path(name), [], seconds=12)
            self.assertEqual(judging.verdict(rows), (running.ENDLESS, "n = 7: it was stopped after 1 s of processor time"))
            self.assertEqual(len(rows), 1)  # and the large sizes are not tried

    def test_orders_end_when_one_is_wrong_or_none_is_wanted(self):
        def ran(enough, first_is_right):
            seen = []

            def rows_of(command, exercise, sets, options, work, seconds, environment, printed=None):
                seen.append(environment.get("PARALLAX_HANDOVER"))
                right = first_is_right or seen[-1] is None
                return [{"precision": "f64", "verified": right, "parameters": one} for one in sets]

            about = {"variants": [{"name": "range", "teams": False}]}
            with unittest.mock.patch.multiple(judging, rows_of=rows_of, sizes_of=lambda _: [{"n": 7}]), \
                    unittest.mock.patch.object(running, "facts", lambda *_: (about, ["openmp"])), \
                    unittest.mock.patch.object(judging.os, "cpu_count", lambda: 1):
                judging.orders("program", "x", "range", None, [], enough=enough)
            return seen

        self.assertEqual(ran(None, True), [None, "4", "3", "0", "1", "2"])
        self.assertEqual(ran(None, False), [None, "4"])
        enough = threading.Event()
        enough.set()
        self.assertEqual(ran(enough, True), [None])


if __name__ == "__main__":
    unittest.main()
