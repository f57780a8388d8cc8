# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of merit of a results file, for engines that keep and compare them (packaging/reframe): a number for each row that was
timed and verified, with its unit and which way is better."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Refusal
from .report import load
from .report.model import Case
from .words import suggestion

KINDS = ("time", "rate", "percent_of_ceiling")


@dataclass(frozen=True)
class Figure:
    value: float
    unit: str
    lower_is_better: bool

    def limits(self, tolerance: float) -> tuple[float, float | None, float | None]:
        """This figure as a reference: itself, and the shares of it by which another may be below and above."""
        return (self.value, None, tolerance) if self.lower_is_better else (self.value, -tolerance, None)


def figure(case: Case, kind: str) -> Figure | None:
    if kind == "time":
        return Figure(case.ns, "ns", True)
    if kind == "percent_of_ceiling":
        return None if case.percent is None else Figure(case.percent, "%", False)
    rate = case.rate()
    return Figure(*rate, False) if rate else None


def figures(path: str, kind: str = "time") -> dict[str, Figure]:
    """By the row's name. A row that is wrong on purpose, cannot run there or was not timed has none; a check that failed, or a run
    that was stopped, is refused: its figures are not the program's."""
    if kind not in KINDS:
        raise Refusal(f"'{kind}' is no kind of figure{suggestion(kind, KINDS)}")
    sources, _, cases, _ = load.load([path])
    if sources[0].context.get("complete") is False:
        raise Refusal(f"'{path}' is incomplete: its run was stopped before the end")
    failed = [c.name for c in cases if c.failed]
    if failed:
        raise Refusal(f"'{path}': {len(failed)} checks failed, the first of {failed[0]}")
    found = {}
    for case in cases:
        one = figure(case, kind) if case.timed and case.verified and not case.expected_to_fail else None
        if one is not None:
            if case.name in found:
                raise Refusal(f"'{path}' has two rows called {case.name}")
            found[case.name] = one
    if not found:
        raise Refusal(f"'{path}' has no {kind} of a verified row")
    return found
