# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""add_one: a[i] += 1 for many reals, the twin of apps/add_one/lesson.hpp: read, add, write back.

One pass through memory in each direction, so every library that works in place is bound by the
same bandwidth; JAX writes a new array, which costs it the same.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform
from parallax.twins.shared.add_one import add_twins

add_one = Exercise("add_one", precisions=("f64", "f32"), memory=lambda p: p.n * p.dtype.itemsize)


@add_one.problem
def problem(p):
    before = uniform(p.seed, p.n, p.dtype)

    def judge(a):
        sums = {"sum_before": before.sum(dtype=np.float64), "sum_after": a.sum(dtype=np.float64)}
        expected = (before.astype(np.longdouble) + 1).astype(p.dtype)  # one rounding
        return check.elements("every element with its input plus 1", a, expected, **sums)

    work = Work(bytes=2 * before.nbytes, flops=p.n, items=p.n)
    return Problem(updated={"a": before}, work=work, check=judge)


add_twins(add_one, "a")
