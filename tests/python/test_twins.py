# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Every twin of every exercise gives the right answer, in every library that is installed here."""

import unittest

import support

from parallax.twins.verify import verify


class Twins(unittest.TestCase):
    def verify_all(self, exercise, precision, spaces, **changes):
        verified = 0
        for planned in support.planned_cases(exercise, precision, spaces, **changes):
            for twin, prepared in support.prepared_twins(planned):
                name = f"{exercise.name}/{twin.variant}/{planned.space.name}/{precision}/{twin.phase} {changes}"
                with self.subTest(name):
                    verdict = verify(prepared, twin.phase)
                    if not twin.expected_to_fail:
                        words = f"{name}: {verdict.compared} (error {verdict.error}, tolerance {verdict.tolerance})"
                        self.assertTrue(verdict.passed, words)
                    verified += 1
        return verified

    def test_tiny_in_every_precision_and_space(self):
        for exercise in support.listed_exercises():
            spaces = [support.SPACES[name] for name in support.spaces_of(exercise)]
            # Numba compiles a twin anew for each precision, half a second each: the default one is enough, unless no other
            # library has a twin in it.
            others = [s for s in spaces if s.module != "numba"]
            for k, precision in enumerate(exercise.precisions if spaces else ()):
                verified = (k and self.verify_all(exercise, precision, others)) or self.verify_all(exercise, precision, spaces)
                self.assertGreater(verified, 0, exercise.name)

    def test_sizes_that_fit_no_block(self):
        numpy = [support.SPACES["numpy"]]
        for exercise in support.listed_exercises():
            names = [p["name"] for p in support.CATALOGUE[exercise.name]["parameters"] if p["kind"] == "integer"]
            for n in (1, 2, 257, 1009):
                changes = {name: n for name in names if name == "n"} or {
                    name: n % 13 + 1 for name in names if name in ("rows", "columns")
                }
                if changes:
                    self.verify_all(exercise, exercise.precisions[0], numpy, **changes)

    def test_each_exercise_and_its_parameters_are_the_programs(self):
        for exercise in support.listed_exercises():
            listed = support.CATALOGUE[exercise.name]
            with self.subTest(exercise.name):
                self.assertEqual(exercise.precisions[0], listed["precisions"][0], "the default precision")
                self.assertLessEqual(set(exercise.precisions), set(listed["precisions"]))
                pairs = [(t.space, t.variant, t.phase) for t in exercise.twins]
                self.assertEqual(len(pairs), len(set(pairs)), "two twins of one name")
                known = {*support.SPACES, *(space.family for space in support.SPACES.values())}
                self.assertLessEqual({t.space for t in exercise.twins}, known)
                for file in (support.ROOT / "apps").glob("*/twin.py"):
                    self.assertIn(file.parent.name, support.EXERCISES, "a twin's room has its exercise's name")


if __name__ == "__main__":
    unittest.main()
