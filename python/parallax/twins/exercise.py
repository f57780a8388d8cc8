# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a twin is made of: an exercise, its problem, and one function for each way to write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .check import Verdict, both


@dataclass(frozen=True)
class Work:
    """The least that any implementation must move and compute for one run."""

    bytes: float = 0.0
    flops: float = 0.0
    items: float = 0.0


@dataclass
class Problem:
    """One exercise with one set of parameters: what goes in, what comes out, how it is judged.

    inputs    name -> NumPy array; read-only, the same values in every space
    outputs   name -> empty NumPy array of the shape and type of what a twin writes; poisoned before
              each verified run
    check     takes the outputs as NumPy arrays, in that order, and returns a Verdict (check.py)
    recheck   for results that one run cannot prove: takes `again`, which runs the twin once more
              with other arguments and returns its outputs
    updated   name -> NumPy array that twins change in place: an output that starts with these
              values instead of poison
    consumed  True: `updated` starts anew, untimed, before every sample, and samples are never batched
    work      a Work, or a dict of them by phase; check may be a dict by phase too
    """

    check: Callable[..., Verdict] | dict[str, Callable[..., Verdict]]
    work: Work | dict[str, Work]
    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    updated: dict[str, np.ndarray] = field(default_factory=dict)
    consumed: bool = False
    recheck: Callable[[Callable[..., tuple]], Verdict] | None = None

    def __post_init__(self):
        for array in (*self.inputs.values(), *self.updated.values()):
            array.flags.writeable = False  # a twin that writes to its input fails at once

    def work_of(self, phase: str) -> Work:
        return self.work[phase] if isinstance(self.work, dict) else self.work

    def judge(self, phase: str, outputs: tuple, again: Callable[..., tuple]) -> Verdict:
        check = self.check[phase] if isinstance(self.check, dict) else self.check
        verdict = check(*outputs)
        return verdict if self.recheck is None else both(verdict, self.recheck(again))


@dataclass(frozen=True)
class Twin:
    """One way to compute the exercise: `make(p)` allocates and compiles, and returns what is timed."""

    space: str  # numpy, python, numba, numba_serial, numba_cuda, cupy, jax, torch: a space or a family of them
    variant: str
    make: Callable[[Any], Callable[..., Any]]
    phase: str = "kernel"
    expected_to_fail: bool = False
    other_work: bool = False
    unavailable: Callable[[Any], str] | None = None  # why it is not run with these parameters, or ""
    part: dict[str, int] | None = None  # parameters at most: of a larger problem it times a part, and its row says so


class Exercise:
    """An exercise of the suite, as Python sees it. `name` and `precisions` are the C++ program's."""

    def __init__(self, name: str, precisions: tuple[str, ...], memory: Callable[[Any], float]):
        """memory(p): bytes of one copy of all inputs and outputs; checked before anything is allocated."""
        self.name, self.precisions, self.memory = name, precisions, memory
        self.twins: list[Twin] = []
        self.make_problem: Callable[[Any], Problem] | None = None

    def problem(self, function: Callable[[Any], Problem]):
        """Decorates the function that turns parameters into a Problem."""
        self.make_problem = function
        return function

    def twin(self, space: str, variant: str, phase: str = "kernel", **options):
        """Decorates one way to compute it, in one space (or family: jax, torch). Options: see Twin."""

        def add(function):
            self.twins.append(Twin(space, variant, function, phase, **options))
            return function

        return add

    def variants(self) -> list[str]:
        return list(dict.fromkeys(twin.variant for twin in self.twins))
