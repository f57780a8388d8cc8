# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The lists of mutants (tests/mutation): every exercise has one, and each mutant still fits its header."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutation"))
import mutants  # noqa: E402
from mutate import tenths  # noqa: E402

TEXT = "#pragma once\nif (i < n) c(i) = a(i);\n"


def mutant(number, old, new):
    return mutants.Mutant(number, "apps/x/lesson.hpp", "wrong", old, new)


class Mutants(unittest.TestCase):
    def test_every_exercise_has_ten_that_fit(self):
        for file in sorted((ROOT / "apps").glob("*/exercise.cpp")):
            name = file.parent.name
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.assertGreaterEqual(len(mutants.read(name)), 10)
                mutants.write(name, Path(folder))
                self.assertTrue((Path(folder) / "mutation.hpp").exists())

    def test_expressions_and_statements_are_switched(self):
        text = mutants.mutated(TEXT, [mutant(1, "i < n", "i <= n"), mutant(2, "c(i) = a(i);", ";")])
        self.assertIn("if ((mutation::is(1) ? (i <= n) : (i < n))) ", text)
        self.assertIn("{ if (mutation::is(2)) { ; } else { c(i) = a(i); } }", text)
        self.assertIn('#include "mutation.hpp"', text)

    def test_a_text_that_is_not_there_once_is_rejected(self):
        for old in ("(i)", "j < n"):
            with self.assertRaisesRegex(SystemExit, "stands there [02] times"):
                mutants.mutated(TEXT, [mutant(1, old, "k")])
        with self.assertRaisesRegex(SystemExit, "overlaps"):
            mutants.mutated(TEXT, [mutant(1, "i < n", "true"), mutant(2, "if (i < n) c(i) = a(i);", ";")])

    def test_what_cannot_be_chosen_between_is_rejected(self):
        for text in ("n)", "{0, n", "std::int64_t last = n - 1", "const int i = 0"):
            self.assertTrue(mutants.is_no_part(text), text)
        for text in ("n - 1", "{0, n}", "const int i = 0;", "x[i] = 0", "if (i < n) { i = 0; }"):
            self.assertEqual(mutants.is_no_part(text), "", text)

    def test_each_exercise_has_its_turn_in_one_of_ten_even_parts(self):
        names = [file.stem for file in mutants.FOLDER.glob("*.txt")]
        parts = tenths(names)
        self.assertEqual(len(parts), 10)
        self.assertEqual(sorted(name for part in parts for name in part), sorted(names))
        numbers = [sum(len(mutants.read(name)) for name in part) for part in parts]
        self.assertLess(max(numbers), 2 * min(numbers))


if __name__ == "__main__":
    unittest.main()
