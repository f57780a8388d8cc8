# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""One lesson as a student does it, compiled by the build that is tested: an error of the compiler's, a wrong kernel, a right one."""

import unittest
from pathlib import Path

from student import PROGRAMS, THREADS, WithALesson
from lessons import compiling, parts  # student.py adds the scripts to the path


class ALesson(WithALesson):
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
