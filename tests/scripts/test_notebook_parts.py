# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The student's parts in notebooks: cells that write them and check them, and the marks by which nbgrader gives points."""

import contextlib
import io
import os
import re
import sys
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts"), str(ROOT / "tests")]
import notebooks  # noqa: E402
from lessons import parts  # noqa: E402
from parallax.errors import Refusal  # noqa: E402
from parallax.notebook import lesson, student  # noqa: E402
from processes import PROGRAM, InFolder  # noqa: E402


class Cells(notebooks.Notebooks):
    def parts_of(self, name):
        """step -> (the cell that writes it, the cell that checks it)."""
        code = [cell for cell in self.cells(name) if cell["cell_type"] == "code"]
        found = {}
        for cell, following in zip(code, code[1:]):
            match = re.match(rf"%%writefile {name}/(\w+)\.hpp\n", notebooks.source(cell))
            if match:
                found[match[1]] = cell, following
        return found

    def test_each_part_has_its_cells_after_its_function(self):
        self.make()
        count = 0
        for name in notebooks.LESSONS:
            steps = [step.name for step in student.steps(name)] if "## Do it yourself\n" in notebooks.page_of(name) else []
            found = self.parts_of(name)
            self.assertEqual(list(found), steps, name)
            text = "\n".join(notebooks.texts(self.cells(name), "markdown"))
            for step, (part, check) in found.items():
                with self.subTest(name, step=step):
                    count += 1
                    self.assertEqual(notebooks.source(part), f"%%writefile {name}/{step}.hpp\n// your code here")
                    self.assertEqual(notebooks.source(check), f'lesson.check("{step}")')
                    self.assertEqual((part["metadata"], check["metadata"]), ({}, {}))
                    around = student.surroundings(name, step)
                    self.assertIn(f"```cpp\n{around}\n```", text)
                    self.assertEqual(around.count("// your code here\n"), 1)
                    self.assertEqual(around.count("{"), around.count("}"))
        self.assertGreater(count, 30)

    def test_for_nbgrader(self):
        """By nbgrader's format 3: the part is a solution, which a release has not; the check is locked, and gives a point."""
        self.make("--nbgrader", "--lesson", "vector_add,scan")
        for name in ("vector_add", "scan"):
            for step, (part, check) in self.parts_of(name).items():
                lines = notebooks.source(part).splitlines()
                self.assertEqual((lines[1], lines[-1]), ("// BEGIN SOLUTION", "// END SOLUTION"))
                own = parts.parts(parts.original(name))[step][3]
                self.assertEqual([line.strip() for line in lines[2:-1]], [line.strip() for line in own.splitlines()])
                self.assertEqual(notebooks.source(check), f'lesson.check("{step}", graded=True)')
                same = {"schema_version": 3, "task": False}
                self.assertEqual(part["metadata"]["nbgrader"], {**same, "grade_id": step, "solution": True, "grade": False, "locked": False})
                self.assertEqual(check["metadata"]["nbgrader"],
                                 {**same, "grade_id": f"check-{step}", "solution": False, "grade": True, "locked": True, "points": 1})


@unittest.skipUnless(PROGRAM and PROGRAM.exists(), "no build: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
class Checks(InFolder):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        environment = unittest.mock.patch.dict(os.environ, PARALLAX_BUILD=str(PROGRAM.parent.parent), PARALLAX_NOTEBOOK_SIZE="")
        environment.start()
        self.addCleanup(environment.stop)
        with contextlib.redirect_stdout(io.StringIO()):
            self.lesson = lesson.Lesson("increment")
        self.step = student.steps("increment")[0].name

    def check(self, text, graded=False):
        """What the check says of this part, and what it is refused with."""
        Path("increment", f"{self.step}.hpp").write_text(text)
        out, refused = io.StringIO(), ""
        with contextlib.redirect_stdout(out):
            try:
                self.lesson.check(self.step, graded=graded)
            except Refusal as error:
                refused = str(error)
        return out.getvalue().splitlines(), refused

    def test_from_an_empty_cell_to_the_right_kernel(self):
        with self.assertRaisesRegex(Refusal, rf"^there is no 'increment/{self.step}\.hpp': run the cell above, which writes it$"):
            self.lesson.check(self.step)
        nothing = "// your code here\n"
        self.assertEqual(self.check(nothing), ([f"Write {self.step} in the cell above, run it, and then this one."], ""))
        self.assertEqual(self.check(nothing, graded=True), ([], f"increment {self.step}: there is no code in the cell above"))
        # The third line of the cell, whose first says where the part is written to.
        said, refused = self.check("// mine\nno_such = 1;\n", graded=True)
        self.assertEqual(refused, said[0])
        self.assertIn("no_such", said[0])
        self.assertTrue(said[0].startswith("line 3 of the cell: "), said)
        # Another error than the student's is in the file.
        said, refused = self.check("}\n")
        self.assertEqual(refused, "")
        self.assertRegex(said[0], rf"^(line \d of the cell|increment/my-{self.step}/increment/lesson\.hpp:\d+): ")
        own = parts.parts(parts.original("increment"))[self.step][3]
        said, refused = self.check(own, graded=True)
        self.assertEqual(refused, "")
        self.assertTrue(said[0].startswith(f"increment {self.step}: right"), said)
        self.assertFalse([line for line in said if line.startswith("then: ")])


if __name__ == "__main__":
    unittest.main()
