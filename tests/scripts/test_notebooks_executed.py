# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of the lessons, executed: they run the page's commands, and draw what came out.

With PARALLAX_REQUIRE_NOTEBOOKS=1 missing tools (nbclient, ipykernel, matplotlib, NumPy, the built program) fail the tests that need
them instead of skipping those.
"""

import importlib.util
import json
import os
import re
import sys
import unittest

from notebooks import LESSONS, Notebooks, calls, source, streams
from parallax import built
from parallax.notebook import command
from processes import PROGRAM
from turns import by_turn


class Executed(Notebooks):
    def setUp(self):
        super().setUp()
        missing = [name for name in ("nbclient", "ipykernel", "matplotlib", "numpy") if not importlib.util.find_spec(name)]
        missing += [] if PROGRAM and PROGRAM.exists() else ["the built program (PARALLAX_PROGRAM_DIR)"]
        if missing and os.environ.get("PARALLAX_REQUIRE_NOTEBOOKS") == "1":
            self.fail(f"missing: {', '.join(missing)}")
        if missing:
            self.skipTest(f"missing: {', '.join(missing)}")

    def test_without_a_program(self):
        root = self.copy()
        nothing = {"PATH": "/usr/bin:/bin", "PARALLAX_PROGRAM_DIR": ""}
        done = self.script("out", "--execute", root=root, **nothing)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1), done.stderr)
        self.assertIn("--execute needs the program: scripts/run-demo builds it", done.stderr)
        # In a notebook that a reader opens.
        self.make("--lesson", "gather", root=root)
        run = "import sys, pathlib; from parallax.notebook.execute import execute; execute(pathlib.Path(sys.argv[1]))"
        done = self.start([sys.executable, "-c", run, "out/gather.ipynb"],
                          {"PYTHONPATH": str(root / "python"), "PYTHONDONTWRITEBYTECODE": "1", "PARALLAX_BUILD": "", **nothing})
        self.assertIn("Refusal: out/gather.ipynb: cell 2: no program is built: scripts/run-demo builds it", done.stderr)
        (error,) = [output for cell in self.cells("gather") for output in cell.get("outputs", [])]
        self.assertEqual([line.split(":")[:2] for line in error["traceback"]], [["parallax", " no program is built"]])

    def test_every_lesson(self):
        """At size tiny, as a student would: all cells of each, one after the other, in a separate kernel."""
        names = by_turn(LESSONS, 4)  # each takes half a minute
        # One thread: other tests run beside this one, and threads that wait for each other would take their time.
        self.make("--execute", "--lesson", ",".join(names), PARALLAX_BUILD=str(PROGRAM.parent.parent), PARALLAX_NOTEBOOK_SIZE="tiny",
                  NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="1")
        spaces = built.ask_list(str(PROGRAM))["spaces"]
        for name in names:
            with self.subTest(name):
                cells = [cell for cell in self.cells(name) if cell["cell_type"] == "code"]
                self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)))
                self.assertFalse([o for cell in cells for o in cell["outputs"] if o["output_type"] == "error"])
                self.judge_runs(name, cells, spaces)
                self.judge_shown(cells)
                self.judge_picture(name, cells)

    def judge_runs(self, name, cells, spaces):
        """Every run left results, all verified; only what this machine lacks was skipped."""
        number = verified = 0
        for cell in cells:
            lines = calls(cell)
            left_out = [line for line in lines if re.search(r"KOKKOS_TOOLS_LIBS", line)
                        or (re.search(r"--space (\w+)", line) and re.search(r"--space (\w+)", line)[1] not in spaces)]
            if "cuda" not in spaces and "hip" not in spaces:
                self.assertEqual(streams(cell).count("skipped: "), len(left_out), streams(cell))
            for asked in map(command.parse, [line for line in lines if "skipped: " not in streams(cell)]):
                if asked.measures:
                    number += asked.option("--json") is None
                    rows = self.results(name, asked.option("--json") or f"run-{number}.json")
                    for row in rows:
                        self.assertTrue(row.get("verified") or row["expected_to_fail"], row["name"])
                    verified += len(rows)
        self.assertGreaterEqual(verified, 3)

    def results(self, name, file):
        content = json.loads((self.folder / "out" / name / file).read_text(encoding="utf-8"))
        self.assertTrue(content["context"]["complete"])
        rows = [row for row in content["benchmarks"] if not row.get("skipped")]
        self.assertTrue(rows, file)
        return rows

    def judge_shown(self, cells):
        """A cell that shows code shows code, with its language."""
        for cell in cells:
            if "lesson.show(" in source(cell):
                (shown,) = cell["outputs"]
                self.assertRegex("".join(shown["data"]["text/markdown"]), r"```(python|cpp)\n(.*\n){3,}```$")

    def judge_picture(self, name, cells):
        """Both programs are in one picture, times and shares."""
        (cell,) = [cell for cell in cells if "lesson.plot(" in source(cell)]
        picture = "".join(cell["outputs"][0]["data"]["image/svg+xml"])
        for file in ("kokkos.json", "twins.json"):
            timed = [row["name"] for row in self.results(name, file) if "real_time" in row]
            self.assertTrue([row for row in timed if f"<title>{row}: " in picture], (file, timed))
        if any(row.get("percent_of_ceiling") for row in self.results(name, "kokkos.json")):
            self.assertIn("of its ceiling", picture)


if __name__ == "__main__":
    unittest.main()
