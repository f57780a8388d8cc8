# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""scripts/lesson without a compiler: starters, hints, bugs, what is refused, the compiler's words, and the verdict on made-up rows.
tests/lessons compiles and runs."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lessons import compiling, judging, parts, running  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("lesson", str(ROOT / "scripts" / "lesson"))
LESSON = importlib.util.module_from_spec(importlib.util.spec_from_loader("lesson", LOADER))
LOADER.exec_module(LESSON)

VERDICTS = (
    "nothing was written|the last N elements are missing|N elements are missing|wrote beyond the end|wrote before the beginning|"
    "changed its input|N updates were lost|N updates too many|two runs differ|an old result was left|only PRECISION is right|"
    "only right up to n = N|wrong values|the kernel stopped with an error|the kernel does not end|the kernel ended the program|out of bounds|"
    "right for one seed only|no kernel was launched|a kernel ran in another space|no scratch was used|right|right, but slow"
).split("|")


class Texts(unittest.TestCase):
    TEXT = "before\n  // student: begin one\n  // begin: page\n  a;\n  // end: page\n  // student: end one\nafter\n"

    def test_a_part_is_replaced_and_no_mark_is_left(self):
        self.assertEqual(parts.replaced(self.TEXT, {"one": "  new;\n"}), "before\n  new;\nafter\n")
        self.assertEqual(parts.replaced(self.TEXT, {}), "before\n  a;\nafter\n")

    def test_marks_that_do_not_fit_are_found(self):
        for text in (self.TEXT.replace("end one", "end two"), self.TEXT + self.TEXT, self.TEXT.replace("  a;", "  // student: begin b")):
            with self.assertRaisesRegex(ValueError, "student's part 'one'"):
                parts.parts(text)

    def test_every_step_has_its_part_and_a_starter_without_it(self):
        self.assertGreater(len(parts.exercises()), 10)
        for exercise in parts.exercises():
            text, steps = parts.original(exercise), parts.steps(exercise)
            places = parts.parts(text)
            self.assertEqual(sorted(places), sorted(s.name for s in steps), exercise)
            for k, step in enumerate(steps):
                with self.subTest(exercise=exercise, step=step.name):
                    starter = parts.starter(exercise, step.name)
                    self.assertNotIn("student:", starter)
                    self.assertEqual(starter.count("// your code here: "), len(steps) - k)
                    lines = {line.strip() for line in places[step.name][3].splitlines() if len(line.strip()) > 20}
                    elsewhere = text.replace(places[step.name][3], "")
                    for line in (line for line in lines if line not in elsewhere):
                        self.assertNotIn(line, starter)
                        for hint in step.hints:
                            self.assertNotIn(line.rstrip(";"), hint)
                    self.assertIsNone(parts.refusal(exercise, starter))

    def test_every_bug_stands_in_a_part_and_expects_a_verdict(self):
        for exercise in parts.exercises():
            for bug in parts.bugs(exercise).values():
                with self.subTest(exercise=exercise, bug=bug.name):
                    self.assertIn(bug.step, [s.name for s in parts.steps(exercise)])
                    self.assertIn(judging.normal(bug.expect), VERDICTS)
                    self.assertIn(bug.only, ("", "gpu", "cpu", "threads"))
                    self.assertIn(bug.code.splitlines()[0].strip(), parts.with_bug(exercise, bug))

    def test_a_bugs_keys_may_be_long(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "far.hpp"
            lines = ["// SPDX", "// step: one", "// says: It is wrong,", "// and late.", "// expect: wrong values", "// cause: c", "", "x;"]
            path.write_text("\n".join(lines) + "\n")
            bug = parts.read_bug(path)
            self.assertEqual((bug.says, bug.expect, bug.only, bug.code), ("It is wrong, and late.", "wrong values", "", "x;"))
            path.write_text("// step: one\nx;\n")
            with self.assertRaisesRegex(ValueError, "no '// says"):
                parts.read_bug(path)


class Refused(unittest.TestCase):
    def refusal(self, new, exercise="vector_add"):
        return parts.refusal(exercise, parts.original(exercise) + new)

    def test_what_a_lesson_may_not_include(self):
        for line, what in (
            ('#include "vector_add/tuned.hpp"', '"vector_add/tuned.hpp"'),
            ('  #  include "device/pack.hpp"', '"device/pack.hpp"'),
            ("#include <vector_add/tuned.hpp>", "<vector_add/tuned.hpp>"),
            ("#include HEADER", "HEADER"),
            ("#include_next <cub/cub.cuh>", "<cub/cub.cuh>"),
            ('#inc\\\nlude "vector_add/tuned.hpp"', '"vector_add/tuned.hpp"'),
            ('/* */ %:include "vector_add/tuned.hpp"', '"vector_add/tuned.hpp"'),
            ('#include "random/fill.hpp"', '"random/fill.hpp"'),
        ):
            with self.subTest(line):
                refused = self.refusal(line + "\n")
                self.assertIsNotNone(refused)
                self.assertIn(f"includes {what}", refused[1])
        self.assertEqual(self.refusal("#include <vector>\n#include <Kokkos_Random.hpp>\n// #include <cub/cub.cuh>\n"), None)
        self.assertIsNone(self.refusal('#include "random/fill.hpp"\n', "row_sum"))  # its lesson is random numbers

    def test_another_kernel_of_the_suite(self):
        for call in ("vector_add::wide(space, a, b, c);", "kernels::vector_add::team<Space>(space, 1, a, b, c);"):
            refused = self.refusal(f"void f() {{\n  {call} }}\n")
            self.assertIn("write the kernel yourself", refused[1])
            self.assertEqual(refused[0], (parts.original("vector_add") + "void f() {\n").count("\n") + 1)
        self.assertIsNone(self.refusal('// vector_add_wide(a)\nconst char* x = "vector_add_wide(a)";\n'))
        # Members and Kokkos's own, of the same names.
        self.assertIsNone(self.refusal("auto f = [](auto team) { return team.team_scratch(0); };\n", "histogram"))


class CompilersWords(unittest.TestCase):
    COPY = Path("/build/include/vector_add/lesson.hpp")
    TEXT = "".join(f"line {k}\n" for k in range(1, 50))

    def shown(self, said):
        return compiling.first_error(textwrap.dedent(said), self.COPY, "my-work/vector_add/lesson.hpp", self.TEXT)

    def test_the_students_line(self):
        for said in (
            """\
            In file included from a.cpp:1:
            /build/include/vector_add/lesson.hpp: In function ‘void f()’:
            /build/include/vector_add/lesson.hpp:43:6: error: ‘d’ was not declared in this scope [-Wtemplate-body]
               43 |   d;
            /build/include/vector_add/lesson.hpp:44:6: error: another
            """,
            "/build/include/vector_add/lesson.hpp:43:6: fatal error: 'd' was not declared in this scope\n",
            "/build/include/vector_add/lesson.hpp(43): error #20: 'd' was not declared in this scope\n",
        ):
            self.assertEqual(self.shown(said), "my-work/vector_add/lesson.hpp:43: 'd' was not declared in this scope\n    line 43")

    def test_words_that_go_on_and_words_that_are_too_many(self):
        at = "/build/include/vector_add/lesson.hpp:43:6: error: "
        self.assertEqual(
            self.shown(f"{at}class template argument deduction failed:\n   43 |   Add{{}}\n{at}no matching function for call to ‘Add()’\n"),
            "my-work/vector_add/lesson.hpp:43: class template argument deduction failed: no matching function for call to 'Add()'\n    line 43",
        )
        lambda_ = "parallax::add<Kokkos::OpenMP, Kokkos::View<int*> >(const Kokkos::OpenMP&, const Kokkos::View<int*>&)::<lambda()>"
        self.assertEqual(
            self.shown(f"{at}no match for call to ‘(const {lambda_}) (const For<{lambda_}, Kokkos::OpenMP>::Member&)’\n"),
            "my-work/vector_add/lesson.hpp:43: no match for call to '(const <lambda()>) (const For<<lambda()>, Kokkos::OpenMP>::Member&)'\n    line 43",
        )

    def test_the_students_line_that_asked_for_it(self):
        expected = "my-work/vector_add/lesson.hpp:6: no match for call (in impl/lib.hpp:2, required from here)\n    line 6"
        for said in (
            # GCC, Clang and nvcc
            """\
            /kokkos/impl/lib.hpp: In instantiation of ‘void loop(int, const F&) [with F = Wrong]’:
            /build/include/vector_add/lesson.hpp:6:7:   required from ‘void add(const A&) [with A = B]’
                6 |   loop(a.n, w);
            /build/include/vector_add/lesson.hpp:9:7:   required from ‘void most(const A&) [with A = B]’
            a.cpp:3:17:   required from here
            /kokkos/impl/lib.hpp:2:80: error: no match for call
            /kokkos/impl/lib.hpp:9:80: error: another
            """,
            """\
            /kokkos/impl/lib.hpp:2:79: error: no match for call
            /build/include/vector_add/lesson.hpp:6:3: note: in instantiation of function template specialization 'loop<Wrong>' requested here
              loop(3, Wrong{});
            a.cpp:3:14: note: in instantiation of function template specialization 'add<B>' requested here
            /kokkos/impl/lib.hpp:9:80: error: another
            /build/include/vector_add/lesson.hpp:8:3: note: in instantiation of function template specialization
            """,
            """\
            /kokkos/impl/lib.hpp(2): error: no match for call
                      detected during:
                        instantiation of "void loop(int, const F &) [with F=Wrong]" at line 6 of /build/include/vector_add/lesson.hpp
                        instantiation of "void add(const A &) [with A=B]" at line 3 of a.cu
            """,
        ):
            self.assertEqual(self.shown(said), expected)

    def test_what_is_nobodys_line(self):
        self.assertEqual(self.shown("/suite/apps/exercise.cpp:7:1: error: no such kernel\n"), "apps/exercise.cpp:7: no such kernel")
        driver = "c++: fatal error: too many files\ncompilation terminated.\n"
        self.assertEqual(self.shown(driver), "my-work/vector_add/lesson.hpp: cannot be compiled: c++: fatal error: too many files")
        self.assertEqual(self.shown("c++: out of memory\n\n"), "my-work/vector_add/lesson.hpp: cannot be compiled: c++: out of memory")


class Commands(unittest.TestCase):
    """A made-up build with make's files, whose compiler notes what it is asked."""

    def test_all_units_of_a_build_for_a_gpu(self):
        """Each with the student's file first; one that does not compile is what is told; and all are linked in place of the build's."""
        with tempfile.TemporaryDirectory() as name:
            folder, objects = Path(name), [f"CMakeFiles/app_sums.dir/sums_{k}.cpp.o" for k in (0, 1)]
            compiler = folder / "c++"
            compiler.write_text('#!/bin/sh\ncase "$*" in *sums_1.cpp*) echo "$0: second unit"; exit $FAILS;; *program*) echo "$@" >linked;; esac\n')
            compiler.chmod(0o755)
            (folder / "apps" / "CMakeFiles" / "sums.dir").mkdir(parents=True)
            (folder / "apps" / "CMakeFiles" / "sums.dir" / "link.txt").write_text(f"{compiler} {' '.join(objects)} lib.a -o sums\n")
            (folder / "apps" / "CMakeFiles" / "app_sums.dir").mkdir()
            (folder / "apps" / "CMakeFiles" / "app_sums.dir" / "build.make").write_text("")
            commands = [f"{compiler} -I/src -o {made} -c /build/apps/sums_{k}.cpp" for k, made in enumerate(objects)]
            entries = [{"directory": name, "file": command.rpartition(" ")[2], "command": command} for command in commands]
            (folder / "compile_commands.json").write_text(json.dumps(entries))
            (folder / "mine.hpp").write_text("mine\n")
            build, work = compiling.Build(folder), folder / "work"
            with unittest.mock.patch.dict(os.environ, FAILS="0"):
                self.assertEqual(build.program("sums", folder / "mine.hpp", "mine.hpp", work), (work / "program", ""))
            self.assertEqual((folder / "apps" / "linked").read_text(), f"{work}/exercise.o {work}/exercise_1.o lib.a -o {work}/program\n")
            with unittest.mock.patch.dict(os.environ, FAILS="1"):
                self.assertIn("second unit", build.program("sums", folder / "mine.hpp", "mine.hpp", work)[1])

    def test_the_builds_own_commands_with_the_students_file_first(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            compiler = folder / "c++"
            compiler.write_text('#!/bin/sh\nprintf "%s\\n" "$PWD" $LAUNCHED "$@" >>"$0.log"\nexit 0\n')
            compiler.chmod(0o755)
            link = folder / "apps" / "CMakeFiles" / "sums.dir" / "link.txt"
            link.parent.mkdir(parents=True)
            link.write_text(f"{compiler} -O3 CMakeFiles/app_sums.dir/sums/exercise.cpp.o -o ../bin/sums ../src/lib.a -Wl,--dependency-file=d\n")
            command = "-DX -I/src -O3 -Werror -Werror=shadow -MD -MT t -MF f -o app_sums.dir/exercise.cpp.o -c /root/apps/sums/exercise.cpp"
            entries = [
                {"directory": name, "file": "/root/apps/sums/exercise.cpp", "command": "c++ -o tests/lesson_sums.dir/exercise.cpp.o"},
                {"directory": name, "file": "/root/apps/sums/exercise.cpp", "command": f"{compiler} {command}"},
            ]
            (folder / "compile_commands.json").write_text(json.dumps(entries))
            rules = folder / "apps" / "CMakeFiles" / "app_sums.dir" / "build.make"
            rules.parent.mkdir()
            rules.write_text(f"exercise.cpp.o: flags.make\n\tcd \"/x (a) y\" && /usr/bin/env LAUNCHED=launched {compiler} $(CXX_DEFINES) -c x.cpp\n")
            (folder / "mine.hpp").write_text("mine\n")
            build, work = compiling.Build(folder), folder / "work"
            program, wrong = build.program("sums", folder / "mine.hpp", "mine.hpp", work)
            self.assertEqual((program, wrong), (work / "program", ""))
            self.assertEqual((work / "include" / "sums" / "lesson.hpp").read_text(), "mine\n")
            asked = f"{folder.resolve()} launched -DX -I{work}/include -I/src -O3 -c /root/apps/sums/exercise.cpp -w -o {work}/exercise.o "
            asked += f"{folder.resolve()}/apps -O3 {work}/exercise.o ../src/lib.a -o {work}/program"
            self.assertEqual((folder / "c++.log").read_text().split(), asked.split())
            compiler.write_text('#!/bin/sh\necho "ld: undefined reference to f"\nexit 1\n')
            _, wrong = build.program("sums", folder / "mine.hpp", "mine.hpp", work)
            self.assertIn("undefined reference to f", wrong)
            with self.assertRaisesRegex(parts.Trouble, "does not build other"):
                build.program("other", folder / "mine.hpp", "mine.hpp", work)


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
            with unittest.mock.patch.object(running, "PATIENCE", 0.5):
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

        def what(launches, lesson, text="", **more):
            rows = [self.row(255, launches=launches, **more)]
            found = judging.off_the_point("increment", step, rows, text, [self.row(255, launches=lesson)])
            return found and found.what

        self.assertIsNone(what({"openmp": 2}, {"openmp": 1}))
        self.assertIsNone(what({}, {}))  # copies only
        self.assertIsNone(what({}, {"openmp": 1}, phase="h2d"))
        self.assertEqual(what({}, {"openmp": 1}), "no kernel was launched")
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
                    rows = judging.check(program, "x", "range", Path(name), seconds=12)
            self.assertEqual(judging.verdict(rows), (running.ENDLESS, "n = 7: it was stopped after 1 s of processor time"))
            self.assertEqual(len(rows), 1)  # and the large sizes are not tried


class Times(unittest.TestCase):
    """The two sentences about one pair of rows."""

    def beside(self, mine, theirs, **more):
        row = {"min_time": mine, "real_time": 9 * mine, **more}
        return LESSON.beside(row, {"min_time": theirs, "real_time": theirs}, "the lesson's own kernel")

    def test_both_are_by_the_best_samples(self):
        found = self.beside(1e6, 1.16e6)
        self.assertEqual((found.text, found.slow), ("yours is 1.16 times as fast as the lesson's own kernel", False))
        found = self.beside(3e6, 1e6)
        self.assertEqual((found.text, found.slow), ("the lesson's own kernel is 3.00 times as fast", True))
        self.assertFalse(self.beside(3e3, 1e3).slow)  # microseconds

    def test_no_verdict_on_what_was_disturbed(self):
        found = self.beside(9e6, 1e6, disturbed="other work on 2 of 2 cores")
        self.assertEqual((found.text, found.slow), ("the lesson's own kernel: too disturbed to tell which is faster (other work on 2 of 2 cores)", False))


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def lesson(self, *arguments, **environment):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "lesson", *arguments], capture_output=True, text=True, cwd=self.folder, check=False,
            env={**os.environ, **environment},
        )
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout, done.stderr

    def refused(self, status, words, *arguments, **environment):
        found = self.lesson(*arguments, **environment)
        self.assertEqual((found[0], found[1], found[2].count("\n")), (status, "", 1), found)
        self.assertIn(words, found[2])

    def test_lessons_are_listed_in_the_order_of_the_course(self):
        status, out, _ = self.lesson("list")
        names = [line for line in out.splitlines() if not line.startswith(" ")]
        self.assertEqual((status, names), (0, parts.exercises()))
        self.assertEqual(names[:3], ["increment", "vector_add", "transfer"])
        self.assertEqual(self.lesson("list", "histogram")[1].splitlines()[0], "histogram")

    def test_a_student_starts_asks_for_hints_and_goes_on(self):
        status, out, _ = self.lesson("start", "vector_add", "my work")
        self.assertEqual(status, 0)
        self.assertIn("then: scripts/parallax lesson check 'my work'", out)
        header = self.folder / "my work" / "vector_add" / "lesson.hpp"
        steps = parts.steps("vector_add")
        self.assertEqual(header.read_text(), parts.starter("vector_add", steps[0].name))
        for k, hint in enumerate(steps[0].hints, 1):
            self.assertEqual(self.lesson("hint", "my work"), (0, f"hint {k} of {len(steps[0].hints)}: {hint}\n", ""))
        self.assertIn("no more hints", self.lesson("hint", "my work")[1])
        self.refused(2, "exists and is not empty", "start", "vector_add", "my work")
        header.write_text("mine\n")
        self.assertEqual(self.lesson("start", "vector_add", "my work", "--step", steps[1].name)[0], 0)
        self.assertEqual(header.read_text(), "mine\n")  # the student's own
        self.assertIn(steps[1].hints[0], self.lesson("hint", "my work")[1])
        # Another folder that starts later has what comes before.
        self.lesson("start", "vector_add", "other", "--step", steps[1].name)
        self.assertNotIn(steps[0].task, (self.folder / "other" / "vector_add" / "lesson.hpp").read_text())

    def test_bugs(self):
        exercise = next(e for e in parts.exercises() if parts.bugs(e))
        bug = next(iter(parts.bugs(exercise).values()))
        self.assertIn(f"{exercise} {bug.name}: {bug.says}", self.lesson("bug", "list")[1])
        self.assertNotIn(bug.cause, self.lesson("bug", "show", exercise, bug.name)[1])
        self.assertIn(bug.cause, self.lesson("bug", "show", exercise, bug.name, "--solution")[1])
        self.assertEqual(self.lesson("bug", "start", exercise, bug.name, "hunt")[0], 0)
        self.assertEqual((self.folder / "hunt" / exercise / "lesson.hpp").read_text(), parts.with_bug(exercise, bug))
        self.refused(2, "a bug has no hints", "hint", "hunt")

    def test_bad_usage_is_one_line(self):
        self.refused(2, "a command is required")
        self.refused(2, "a command is required", "bug")
        self.refused(2, "invalid choice: 'chek'", "chek")
        self.refused(2, "did you mean 'histogram'?", "start", "histogramm", "x")
        self.refused(2, "unknown step of histogram 'steps'", "start", "histogram", "x", "--step", "steps")
        self.refused(2, "unknown bug of histogram", "bug", "show", "histogram", "nonesuch")
        self.refused(2, "folder", "start", "histogram")
        self.refused(2, "there is no folder 'none'", "check", "none")
        (self.folder / "empty").mkdir()
        self.refused(2, "no folder of a lesson", "check", "empty")
        (self.folder / "empty" / ".lesson.json").write_text('{"exercise": "histogram", "step": 7}')
        self.refused(2, "is damaged", "check", "empty")
        (self.folder / "file").write_text("")
        self.refused(2, "exists", "start", "histogram", "file")

    def test_without_a_build_the_machine_could_not(self):
        self.lesson("start", "vector_add", "mine")
        self.refused(3, "holds no build", "check", "mine", PARALLAX_BUILD=str(self.folder))

    def test_a_build_that_was_made_elsewhere_is_not_the_students_fault(self):
        self.lesson("start", "vector_add", "mine")
        build = self.folder / "build"
        (build / "bin").mkdir(parents=True)
        for name, text in (("bin/parallax", "#!/absent/loader\n"), ("compile_commands.json", "[]")):
            (build / name).write_text(text)
            (build / name).chmod(0o755)
        for place in (self.folder / "absent", self.folder):  # moved, copied
            (build / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={place}\n")
            self.refused(3, "was made before it was moved or copied there", "check", "mine", PARALLAX_BUILD=str(build))
        with self.assertRaisesRegex(parts.Trouble, "parallax cannot be run: No such file"):
            running.facts([str(build / "bin" / "parallax")], "vector_add")
        (build / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={build}\n")
        self.refused(3, "does not build vector_add", "check", "mine", PARALLAX_BUILD=str(build))

    def test_what_is_refused_needs_no_build(self):
        self.lesson("start", "vector_add", "mine")
        header = self.folder / "mine" / "vector_add" / "lesson.hpp"
        header.write_text(header.read_text().replace("#include <cstdint>", '#include "vector_add/tuned.hpp"'))
        status, out, _ = self.lesson("check", "mine", PARALLAX_BUILD=str(self.folder))
        self.assertEqual((status, out.count("\n")), (1, 1))
        self.assertRegex(out, r'^mine/vector_add/lesson.hpp:\d+: includes "vector_add/tuned.hpp": a lesson uses Kokkos')


if __name__ == "__main__":
    unittest.main()
