# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A lesson that is checked in a job, in a class, and of an exercise that runs two kernels."""

import csv
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from student import PROGRAMS, ROOT, THREADS, WithALesson
from lessons import parts  # student.py adds the scripts to the path


class ALesson(WithALesson):
    def test_a_step_of_an_exercise_that_runs_another_kernel_itself(self):
        """gather runs `checked` to learn what it refuses."""
        self.assertEqual(self.lesson("start", "gather", "other", "--step", "wrap")[0], 0)
        (self.folder / "other" / "gather" / "lesson.hpp").write_text(parts.original("gather"))
        status, said = self.lesson("check", "other", "--no-times")
        self.assertEqual((status, said[0]), (0, "gather wrap: right" + ("" if THREADS else ", but races could not show here")), said)

    def test_the_sheet_for_a_check_in_a_job(self):
        """course/check_in_a_job.md: the script that it makes of a cluster's ready one, with stand-ins for srun and module."""
        for name in ("apps", "configs", "python", "sbatch", "scripts"):
            (self.folder / name).symlink_to(ROOT / name)
        made = re.search(r"```bash\n(.*?)```", (ROOT / "course" / "check_in_a_job.md").read_text(encoding="utf-8"), re.DOTALL)[1]
        subprocess.run(["bash", "-c", made], cwd=self.folder, check=True)
        script = self.folder / "check.sbatch"
        text = script.read_text(encoding="utf-8")
        self.assertEqual(text.count("scripts/parallax lesson check "), 1)
        # Without a look at whether the build is up to date, as self.lesson does.
        script.write_text(text.replace("scripts/parallax lesson", f"{sys.executable} scripts/lesson"), encoding="utf-8")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "srun").write_text('#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n')
        (self.folder / "bin" / "srun").chmod(0o755)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", "module() { :; }; export -f module; bash check.sbatch my-work"],
            cwd=self.folder,
            env={**os.environ, "PATH": path, "PARALLAX_BUILD": str(Path(PROGRAMS).parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        # The starter, which writes nothing: the check says so, and the job has its status.
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("\nvector_add range: nothing was written\n", "\n" + done.stdout)

    def test_a_class(self):
        """A right kernel and a starter; and what is kept of each."""
        if not THREADS:
            self.skipTest("another build tries it")
        self.assertEqual(self.lesson("start", "vector_add", "starter")[0], 0)
        self.header.write_text(parts.MARK.sub("", parts.original("vector_add")))
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "lesson", "grade", "my-work", "starter", ".", "-o", "class.csv", "--jobs", "2"],
            cwd=self.folder,
            env={**os.environ, "PARALLAX_BUILD": str(Path(PROGRAMS).parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        said = [line.split("  ", 1)[1].strip() for line in done.stdout.splitlines()[:-1]]
        self.assertEqual(said[:2], ["vector_add range: right", "vector_add range: nothing was written"], done.stdout + done.stderr)
        self.assertTrue(said[2].startswith("not checked: "), said)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (3, "3 folders: 1 right, 1 wrong, 1 not checked"))
        self.assertIn("none are taken", done.stderr)
        with open(self.folder / "class.csv", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual([line["outcome"] for line in lines], ["right", "wrong", "not checked"])
        self.assertGreater(int(lines[0]["cases"]), 10)

        status, said = self.lesson("run", "my-work", "--size", "tiny", "--verify-only", "--json", "row.json")
        self.assertEqual(status, 0, said)
        rows = json.loads((self.folder / "row.json").read_text(encoding="utf-8"))["benchmarks"]
        self.assertEqual({(row["exercise"], row["variant"], row["verified"]) for row in rows if "verified" in row}, {("vector_add", "range", True)})


if __name__ == "__main__":
    unittest.main()
