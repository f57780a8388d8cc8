# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""scripts/lesson without a compiler: starters, hints, bugs, what is refused, and times side by side. tests/lessons compiles and runs."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, VERDICTS

sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
from lessons import judging, parts, running  # noqa: E402
from loading import script  # noqa: E402

LESSON = script("lesson")


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
