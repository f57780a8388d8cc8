# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""One twin made ready in one space, and judged by what it writes into poisoned arrays."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..errors import Refusal
from ..words import reason
from .check import Verdict
from .exercise import Problem, Twin
from .select import PlannedCase


def poison(x: np.ndarray) -> np.ndarray:
    """NaN, or -1 for integers: what an output holds before a verified run."""
    return np.full(x.shape, np.nan if x.dtype.kind in "fc" else np.array(-1).astype(x.dtype), x.dtype)


class Prepared:
    """One twin, made ready in one space: what it writes can be poisoned, run and read."""

    def __init__(self, twin: Twin, planned: PlannedCase, problem: Problem):
        self.space, self.problem = planned.space, problem
        self.end_to_end = twin.phase == "end_to_end"  # from host arrays to host arrays
        self.case = planned.case()
        self.case.host = SimpleNamespace(**problem.inputs, **problem.outputs)
        for name, x in problem.inputs.items():
            setattr(self.case, name, self.space.array(x))
        for name, x in self.starts():
            setattr(self.case, name, self.space.mutable(x))
        self.call = twin.make(self.case)

    def starts(self) -> Iterator[tuple[str, np.ndarray]]:
        """What each array that a twin writes holds before a verified run."""
        for name, x in self.problem.outputs.items():
            yield name, poison(x)
        yield from self.problem.updated.items()

    def fresh(self) -> None:
        """Poisons the outputs and starts the updated arrays anew, in the arrays that the twin holds."""
        for name, start in self.starts():
            setattr(self.case, name, self.space.assign(getattr(self.case, name), start))
            if self.end_to_end:
                getattr(self.case.host, name)[...] = start

    def outputs(self, *arguments: Any) -> tuple[np.ndarray, ...]:
        """Runs once from poison and returns the outputs: what the run returned, else what it wrote."""
        self.fresh()
        returned = self.call(*arguments)
        self.space.synchronize(returned)
        if returned is None:
            where = self.case.host if self.end_to_end else self.case
            returned = tuple(getattr(where, name) for name, _ in self.starts())
        elif not isinstance(returned, (tuple, list)):
            returned = (returned,)
        return tuple(self.space.to_numpy(x) for x in returned)


def verify(prepared: Prepared, phase: str) -> Verdict:
    """A twin that throws has failed."""
    try:
        return prepared.problem.judge(phase, prepared.outputs(), prepared.outputs)
    except (Refusal, MemoryError):
        raise
    except Exception as error:
        return Verdict(False, f"the run threw: {type(error).__name__}: {reason(error)}")
