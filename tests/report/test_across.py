# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""parallax compare --across: columns of spaces, variants, precisions and ranks."""

import sys
import unittest

import samples
from support import Comparing, row


class Across(Comparing):
    def test_across_spaces(self):
        """Cases of a CPU's file and of a GPU's, whose names differ in the space: a column for each, its device named."""

        def of(space, ns, exercise="x", **more):
            return samples.row(exercise, "range", space, ns=ns, **more)

        a = samples.results([of("openmp", 4000.0), of("openmp", 5.0, "y"), of("serial", 8000.0)])
        text = self.compare(a, [of("cuda", 1000.0), of("cuda", 1.0, "y", n=7)], "--across", "space")
        self.assertRegex(text, r"case +openmp +serial +ratio +difference +cuda +ratio +difference")
        self.assertRegex(text, r"x/range/\*/f64 +4\.00 us +8\.00 us +2\.000 +slower .* 1\.00 us +0\.250 +faster")
        self.assertRegex(text, r"y/range/\*/f64 .*other parameters")
        self.assertIn("1 of 2 cases are in every column", text)
        self.assertIn(f"openmp: {samples.HOST}, 16 threads\nserial: {samples.HOST}, 1 thread\ncuda: {samples.GPU}\n", text)
        self.assertNotIn("different devices", text)

    def test_across_spaces_that_several_files_have(self):
        text = self.compare([row()], [row(factor=2)], "--across", "space")
        self.assertRegex(text, r"case +serial \(\S+a\.json\) +serial \(\S+b\.json\) +ratio")
        self.assertRegex(text, r"x/range/\*/f64 .* 2\.000 +slower")

    def test_across_the_variants_of_one_file(self):
        """In the order of its rows; one that does other work has no ratio, and phases stay apart."""
        rows = [
            samples.row("x", variant, "serial", ns=ns, phase=phase, other_work=variant == "fewer")
            for variant, ns in (("second", 2000.0), ("first", 1000.0), ("fewer", 10.0))
            for phase in ("kernel", "end_to_end")
        ]
        skipped = rows[0] | {"name": "x/none/serial/f64", "skipped": True, "real_time": None}
        path = samples.write(self.folder / "a.json", samples.results([*rows, skipped]))
        outcome = self.run_program("compare", path, "--across", "variant")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertRegex(outcome.stdout, r"case +second +first +ratio +difference +fewer +ratio +difference")
        self.assertRegex(outcome.stdout, r"x/\*/serial/f64 +2\.00 us +1\.00 us +0\.500 +faster .* other work")
        self.assertRegex(outcome.stdout, r"x/\*/serial/f64/end_to_end +2\.00 us +1\.00 us +0\.500")
        outcome = self.run_program("compare", path, "--across", "variant", "--fail-above", "1.05")
        self.assertEqual(outcome.returncode, 2, outcome.stdout)  # the third column has nothing to compare

    def test_across_precisions(self):
        rows = [row(precision=precision, factor=k) for k, precision in enumerate(("f32", "f64"), 1)]
        text = self.compare(rows, [row("z")], "--across", "precision")
        self.assertRegex(text, r"x/range/serial/\* .* 2\.000 +slower")

    def test_across_ranks(self):
        """Four ranks that share the work of one, and four with that work each."""

        def of(end, ns):
            return samples.row("x", "range", "serial", ns=ns) | {"name": "x/range/serial/f64/n:8" + end}

        one, four = [of("", 4000.0)], [of("/ranks:4", 1250.0), of("/weak:4", 5000.0), of("/ranks:0", 1.0), of("/ranks:many", 1.0)]
        text = self.compare(one, four, "--across", "ranks")
        self.assertRegex(text, r"case +1 rank \(\S+a\.json\) +4 ranks +ratio +efficiency +difference +4 ranks, weak +ratio +efficiency +difference")
        self.assertRegex(text, r"x/range/serial/f64/n:8 +4\.00 us +1\.25 us +0\.312 +80\.0 % +faster .* 5\.00 us +1\.250 +80\.0 % +slower")
        # Of strong and weak files, each rank of the one has a fourth of the other's work.
        strong, weak = [of("/ranks:4", 1250.0)], [of("/weak:4", 4762.0), of("/weak:8", 10000.0)]
        text = self.compare(strong, weak, "--across", "ranks")
        self.assertRegex(text, r"n:8 +1\.25 us +4\.76 us +3\.810 +105\.0 % .* 10\.0 us +8\.000 +50\.0 %")
        self.assertRegex(self.compare(weak[:1], [of("/ranks:8", 625.0)], "--across", "ranks"), r" 0\.131 +95\.2 %")


if __name__ == "__main__":
    sys.exit(unittest.main())
