# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Inputs, checks and parameters: the parts that must agree with the C++ program's."""

import math
import sys
import unittest

import numpy as np

from parallax.errors import Refusal
from parallax.twins import check, uniform, uniform_at
from parallax.twins.parameters import Parameters, parse_assignments, parse_integer, parse_real, text_of
from parallax.twins.select import load_exercises
from parallax.words import suggestion
from support import parameter


def splitmix(seed, i):
    """uniform_at of src/exercise/outputs.hpp in Python's own integers: the random 64 bits."""
    mask = 2**64 - 1
    z = (seed * 0xD1342543DE82EF95 + (i + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


class Inputs(unittest.TestCase):
    def test_every_bit_of_the_counter_generator(self):
        for seed in (0, 1, 12345, 2**62):
            for i in (0, 1, 2, 1000, 2**40, 2**63 - 1):
                z = splitmix(seed, i)
                self.assertEqual(float(uniform_at(seed, i, np.float32)), (z >> 40) / 2**24)
                self.assertEqual(float(uniform_at(seed, i, np.float64)), (z >> 11) / 2**53)

    def test_arrays_are_the_elements_one_by_one(self):
        n = (1 << 20) + 3  # more than one chunk
        x = uniform(7, n, np.float32)
        places = np.array([0, 1, (1 << 20) - 1, 1 << 20, n - 1])
        np.testing.assert_array_equal(x[places], uniform_at(7, places, np.float32))
        self.assertEqual(x.dtype, np.float32)
        self.assertEqual(uniform(7, 0).size, 0)


class Checks(unittest.TestCase):
    def setUp(self):
        self.expected = np.linspace(1, 2, 1001)

    def damaged(self, place, value):
        x = self.expected.copy()
        x[place] = value
        return check.elements("x", x, self.expected, 1e-12)

    def test_equal_arrays_pass(self):
        verdict = check.elements("x", self.expected, self.expected, sum=3)
        self.assertTrue(verdict.passed)
        self.assertEqual((verdict.error, verdict.result), (0, {"sum": 3}))

    def test_one_wrong_element_is_found_and_named(self):
        verdict = self.damaged(1000, 2.1)
        self.assertFalse(verdict.passed)
        self.assertIn("1 of 1001 wrong, the first at index 1000", verdict.compared)
        self.assertAlmostEqual(verdict.error, 0.1)

    def test_nan_and_infinity_fail(self):
        self.assertFalse(self.damaged(3, math.nan).passed)
        self.assertTrue(math.isnan(self.damaged(3, math.nan).error))
        self.assertFalse(self.damaged(3, math.inf).passed)
        self.assertFalse(check.number("x", math.nan, 1.0, math.inf).passed)

    def test_another_shape_fails(self):
        self.assertFalse(check.elements("x", self.expected[:-1], self.expected, 10).passed)
        self.assertFalse(check.elements("x", self.expected.reshape(7, 143), self.expected).passed)

    def test_a_tolerance_for_each_element(self):
        tolerance = np.full(1001, 1e-3)
        tolerance[5] = 0
        x = self.expected + 1e-4
        verdict = check.elements("x", x, self.expected, tolerance)
        self.assertIn("1 of 1001 wrong, the first at index 5", verdict.compared)

    def test_both_keeps_the_failure(self):
        good, bad = check.number("a", 1, 1, 0, a=1), check.number("b", 2, 1, 0.5, b=2)
        for pair in ((good, bad), (bad, good)):
            verdict = check.both(*pair)
            self.assertEqual((verdict.passed, verdict.compared, verdict.error), (False, "b", 1))
            self.assertEqual(verdict.result, {"a": 1, "b": 2})
        self.assertTrue(check.both(good, good).passed)


class Orbits(unittest.TestCase):
    """The reference of mandelbrot allows what rounding allows, and hardly anything else."""

    x, y = np.linspace(-1.5, 0, 151).astype(np.float32), np.linspace(-1, 0, 101).astype(np.float32)

    def exact(self, cap):
        """Counts in extended precision."""
        c = self.x.astype(np.longdouble) + 1j * self.y.astype(np.longdouble)[:, None]
        z, found = c.copy(), np.full(c.shape, cap)
        for k in range(cap):
            z = np.where(found == cap, z * z + c, 0)  # orbits that escaped end here
            found[z.real**2 + z.imag**2 > 4] = k
        return found

    def test_the_true_count_is_allowed_and_nearly_always_the_only_one(self):
        load_exercises()
        orbits = sys.modules["exercises.mandelbrot.orbits"]
        for cap in (1, 20, 300):
            for eps in (2.0**-23, 2.0**-52):
                least, most = orbits.counts(self.x.astype(float), self.y.astype(float), cap, eps)
                exact = self.exact(cap)
                self.assertTrue(((least <= exact) & (exact <= most)).all())
                self.assertLess((least != most).mean(), 1e-3 if cap <= 20 or eps < 1e-10 else 3e-2)


class ReadingParameters(unittest.TestCase):
    def test_numbers_as_people_write_them(self):
        for text, value in (("1000", 1000), ("1e6", 10**6), ("1_000", 1000), ("2.5e3", 2500), ("-3", -3)):
            self.assertEqual(parse_integer(text), value)
        for text in ("", "+1", "1.5", "abc", "1e400", str(2**63), "nan", " 1", "1e17", "0x10"):
            self.assertIsNone(parse_integer(text), text)
        for text in ("", "nan", "inf", "1e999", "1,5", "one"):
            self.assertIsNone(parse_real(text), text)
        self.assertEqual(parse_real("-2.5e-1"), -0.25)

    def test_assignments_are_split_where_a_name_begins(self):
        found = parse_assignments("n=1000,real=-2,0.5,max-iterations=3")
        self.assertEqual(found, [("n", "1000"), ("real", "-2,0.5"), ("max_iterations", "3")])
        for text in ("", "n", "=3", ",n=3"):
            with self.assertRaises(Refusal):
                parse_assignments(text)

    def test_sizes_bounds_and_kinds(self):
        spec = [
            parameter("n", "integer", "100", course_host="10", large="1e3", least=1.0),
            parameter("real", "interval", "-2,1"),
            parameter("input", "choice", "a", choices=["a", "b"]),
        ]
        self.assertEqual([Parameters(spec, "course", host)["n"] for host in (True, False)], [10, 100])
        p = Parameters(spec, "large", True)
        self.assertEqual(p, {"n": 1000, "real": (-2.0, 1.0), "input": "a"})
        self.assertEqual(p.as_json, {"n": 1000, "real": "-2,1", "input": "a"})
        p.set("real", "-2.50,1e-1")
        self.assertEqual(p.as_json["real"], "-2.5,0.1")  # as the C++ program writes it
        for name, text, words in (
            ("n", "0", "'0' is not a whole number from 1"),
            ("n", "x", "'x' is not a whole number"),
            ("real", "1,0", "low <= high"),
            ("input", "c", "one of a, b"),
            ("m", "1", "unknown parameter 'm'"),
        ):
            with self.assertRaisesRegex(Refusal, words):
                p.set(name, text)

    def test_a_value_has_one_text(self):
        values = {1000: "1000", 1e5: "100000", 1e-4: "0.0001", 1e-5: "1e-05", 0.1: "0.1", 2 / 3: "0.6666666666666666", 5e-324: "4.94066e-324"}
        for value, text in values.items():
            self.assertEqual((text_of(value), float(text)), (text, value))
        self.assertEqual(text_of((-2.0, 0.5)), "-2,0.5")
        self.assertEqual(text_of("sorted"), "sorted")

    def test_near_matches(self):
        self.assertEqual(suggestion("mandelbrod", ["mandelbrot", "vector_add"]), " (did you mean 'mandelbrot'?)")
        self.assertEqual(suggestion("zzz", ["one", "two"]), " (known: one, two)")


if __name__ == "__main__":
    unittest.main()
