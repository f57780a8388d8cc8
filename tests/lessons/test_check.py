# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""One lesson as a student does it, compiled by the build that is tested: an error of the compiler's, a wrong kernel, a right one."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lessons import compiling, parts  # noqa: E402

PROGRAMS = os.environ.get("PARALLAX_PROGRAM_DIR")
# A build with OpenMP on a CPU has the programs of programs.py.
THREADS = bool(PROGRAMS) and (Path(PROGRAMS).parent / "tests" / "CMakeFiles" / "lesson_vector_add.dir").exists()


@unittest.skipUnless(PROGRAMS, "no build: set PARALLAX_PROGRAM_DIR to the folder that holds parallax")
class ALesson(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.assertEqual(self.lesson("start", "vector_add", "my-work")[0], 0)
        self.header = self.folder / "my-work" / "vector_add" / "lesson.hpp"

    def lesson(self, *arguments):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "lesson", *arguments],
            cwd=self.folder,
            env={**os.environ, "PARALLAX_BUILD": str(Path(PROGRAMS).parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def check_with(self, part):
        """What is said of the lesson with this text in the first student's part, whose place is marked."""
        step = parts.steps("vector_add")[0].name
        text = parts.replaced(parts.original("vector_add"), {step: part})
        self.header.write_text(text)
        return self.lesson("check", "my-work")

    def test_from_the_first_error_to_the_right_kernel(self):
        own = parts.parts(parts.original("vector_add"))["range"][3]
        self.assertIn("{a, b, c}", own)
        wrong = own.replace("{a, b, c}", "{a, b, no_such}")
        status, said = self.check_with(wrong)
        self.assertEqual((status, len(said)), (1, 2), said)
        line = self.header.read_text().splitlines().index(next(t for t in wrong.splitlines() if "no_such" in t)) + 1
        self.assertTrue(said[0].startswith(f"my-work/vector_add/lesson.hpp:{line}: "), said)
        self.assertIn("no_such", said[0])
        self.assertIn("no_such", said[1])

        self.assertIn("(space, 0, n)", own)
        status, said = self.check_with(own.replace("(space, 0, n)", "(space, 0, n > 3 ? n - 3 : 0)"))
        self.assertEqual((status, said[0]), (1, "vector_add range: the last 3 elements are missing"), said)
        self.assertRegex(said[1], r"^    n = \d+, \w+, f32: nobody wrote to element \d+ of 'c' and those after it \(wrong in \d+ of \d+ cases\)$")

        # Neither a file beside the lesson nor one by the name of a header of the suite's is compiled.
        for name in ("exercise/check.hpp", "vector_add/exercise.cpp", "vector_add/tuned.hpp"):
            (self.folder / "my-work" / name).parent.mkdir(exist_ok=True)
            (self.folder / "my-work" / name).write_text("#error not mine\n")
        status, said = self.check_with(own)
        self.assertEqual(status, 0, said)
        self.assertEqual(said[0], "vector_add range: right" + ("" if THREADS else ", but races could not show here"))
        self.assertRegex("\n".join(said), r"(% of|share of|than) the ceiling.*\n.*the lesson's own kernel.*\n.*the tuned kernel \(wide\)")
        self.assertEqual(said[-1], "then: scripts/parallax lesson start vector_add my-work --step team")

        # No file holds the reference's result, which a kernel could copy: what is written is known, and smaller than the largest of them.
        work = compiling.Build(Path(PROGRAMS).parent).work_folder(self.folder / "my-work")
        written = {str(path.relative_to(work)): path for path in work.rglob("*") if path.is_file()}
        made = {"include/vector_add/lesson.hpp", "exercise.o", "program", "handover.o", "watched.o", "watched"}
        self.assertEqual(set(written) - made, {"least.json"} & set(written))
        self.assertLess(sum(written[name].stat().st_size for name in set(written) - made), 4 * 1000003 // 10)

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

    def test_what_a_kernel_reads_beyond_the_end_and_what_it_prints(self):
        if not THREADS:
            self.skipTest("this build has no threads: it makes no program whose bounds are checked")
        element = "c(i) = a(i) + b(i);"
        text = parts.MARK.sub("", parts.original("vector_add"))
        self.assertIn(element, text)
        # Right, as it happens: what is read beyond the end is not used.
        beyond = 'if (i == 254) Kokkos::printf("here\\n");\n    const volatile T after = a(i + 1);\n    (void)after;'
        self.header.write_text(text.replace(element, f"{beyond.replace('const volatile T', 'const volatile auto')} {element}", 1))
        status, said = self.lesson("check", "my-work")
        self.assertEqual((status, said[0]), (1, "vector_add range: out of bounds"), said)
        self.assertEqual(said[1], "    n = 1: element (1) of 'a', which has 1")
        self.assertRegex(said[2], r"^    your program printed(, in its first 10 lines of \d+)?:$")
        self.assertEqual(set(said[3:]), {"    | here"})

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

    def test_a_race_between_updates(self):
        if not THREADS:
            self.skipTest("this build has no threads: races could not show")
        self.assertEqual(self.lesson("start", "histogram", "counts")[0], 0)
        update = "Kokkos::atomic_inc(&counts(binning.slot(x(i))));"
        text = parts.MARK.sub("", parts.original("histogram"))
        self.assertIn(update, text)
        (self.folder / "counts" / "histogram" / "lesson.hpp").write_text(text.replace(update, "counts(binning.slot(x(i)))++;"))
        status, said = self.lesson("check", "counts")
        self.assertEqual(status, 1, said)
        self.assertRegex(said[0], r"^histogram global_atomic: (\d+ updates were lost|1 update was lost|two runs differ)$")


if __name__ == "__main__":
    unittest.main()
