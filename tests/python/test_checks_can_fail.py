# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Every check fails on a result that is wrong: a check that passes on a null kernel judges nothing."""

import unittest

import numpy as np
import support

from parallax.twins.verify import poison, verify


def null(x):
    """What a kernel that does nothing leaves."""
    return poison(x)


def zeros(x):
    """What a kernel that does nothing leaves where memory happened to be cleared."""
    return np.zeros_like(x)


def last_wrong(x):
    y = x.copy()
    last = y.reshape(-1)[-1:]
    last += 1 if x.dtype.kind in "iu" else max(1e-2 * abs(last[0]), 1e-2)
    return y


def last_nan(x):
    y = x.copy()
    y.reshape(-1)[-1] = np.nan if x.dtype.kind == "f" else np.array(-1).astype(x.dtype)
    return y


def swapped(x):
    """Its least and its greatest element in each other's place."""
    y = x.copy()
    flat = y.reshape(-1)
    i, j = int(np.argmin(flat)), int(np.argmax(flat))
    flat[i], flat[j] = flat[j], flat[i]
    return y


def update_lost(x):
    """Counts only: one of them misses one."""
    y = x.copy()
    y.reshape(-1)[x.size // 2] -= 1
    return y


def damages(x):
    """(name, function) for each damage that changes these outputs."""
    for damage in (null, zeros, last_wrong, last_nan, swapped, update_lost):
        applies = x.dtype.kind in "iu" if damage is update_lost else True
        if applies and not np.array_equal(damage(x), x):
            yield damage


class ChecksCanFail(unittest.TestCase):
    def test_of_every_exercise(self):
        numpy = [support.SPACES["numpy"]]
        for exercise in support.listed_exercises():
            for precision in exercise.precisions:
                for planned in support.planned_cases(exercise, precision, numpy):
                    for twin, prepared in support.prepared_twins(planned):
                        if not twin.expected_to_fail:
                            self.damage_each(f"{exercise.name}/{twin.variant}/{precision}", twin, prepared)

    def damage_each(self, name, twin, prepared):
        right = prepared.outputs()
        self.assertTrue(prepared.problem.judge(twin.phase, right, prepared.outputs).passed, name)
        seen = 0
        for k, output in enumerate(np.asarray(x) for x in right):
            for damage in damages(output):

                def damaged(*arguments, k=k, damage=damage):
                    outputs = [np.array(x) for x in prepared.outputs(*arguments)]
                    outputs[k] = damage(outputs[k])
                    return tuple(outputs)

                with self.subTest(f"{name}: output {k}, {damage.__name__}"):
                    self.assertFalse(prepared.problem.judge(twin.phase, damaged(), damaged).passed)
                    seen += 1
        self.assertGreaterEqual(seen, 3, f"{name}: too few damages apply")

    def test_a_twin_that_writes_nothing_or_to_its_input_fails(self):
        exercise = support.EXERCISES["vector_add"]
        (planned,) = support.planned_cases(exercise, "f32", [support.SPACES["numpy"]])
        for make in (lambda p: lambda: None, lambda p: lambda: np.add(p.a, p.b, out=p.a)):
            planned.twins = [type(planned.twins[0])("numpy", "broken", make)]
            ((twin, prepared),) = support.prepared_twins(planned)
            self.assertFalse(verify(prepared, twin.phase).passed)


if __name__ == "__main__":
    unittest.main()
