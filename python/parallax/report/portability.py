# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The performance-portability metric of Pennycook, Sewall and Lee, from verified rows of several machines (docs/performance_portability.md)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import harmonic_mean
from typing import NamedTuple

from .model import Case, Place, set_text, setting
from .text import plural, short, three_digits

METRICS = {"of_ceiling": "share of the measured ceiling", "of_best": "share of the best known time"}
TIERS = {"lesson": "Parallax lesson", "tuned": "Parallax tuned", "library": "vendor library"}
FAMILIES = {"python": "Python", "numpy": "NumPy", "numba": "Numba", "cupy": "CuPy", "jax": "JAX", "torch": "PyTorch"}
PHASES = ("kernel", "sort")  # the others move or make inputs
MOST_PERCENT = 105.0  # two rounds of a ceiling agree within 5 % (docs/measuring.md)
LEAST_NS = 1000.0  # what a ceiling must allow, to be what bounds a kernel: a launch takes longer
ABSENT = {"not available", "failed", "unverified"}  # an application that has no other rows on a platform counts as 0 there


def application(c: Case) -> str:
    if c.place.program == "kokkos":
        return TIERS.get(c.tier, "")
    family = c.place.space.split("_")[0]
    return FAMILIES.get(family, short(family))


@dataclass
class Platform:
    """A device, or a number of threads of a host, that Kokkos ran on."""

    device: str
    threads: int  # 0: a device
    spaces: list[str] = field(default_factory=list)
    complete: bool = True  # no run on it was stopped before its end

    @property
    def name(self) -> str:
        threads = f", {plural(self.threads, 'thread')}" if self.threads else ""
        return f"{short(self.device, 60)}{threads} ({', '.join(self.spaces)})"


class Excluded(NamedTuple):
    case: Case
    rule: str
    detail: str = ""


@dataclass
class Efficiency:
    """Of an application on a platform. None: not known, because its rows are excluded. 0: it does not run there."""

    of_ceiling: float | None = None
    of_best: float | None = None
    row: Case | None = None
    ns: float | None = None
    why: str = ""


@dataclass
class Problem:
    """An exercise, phase, precision and parameters, on the platforms where it can be judged."""

    one: Case
    platforms: list[Platform]
    applications: dict[str, list[Efficiency]]

    def parameters(self) -> dict:
        skipped = ("seed", "team_size", "threads") if self.one.threads else ("seed", "team_size")
        return {n: v for n, v in self.one.parameters.items() if n not in skipped and v != ""}

    @property
    def name(self) -> str:
        phase = [] if self.one.phase == "kernel" else [self.one.phase]
        return " ".join([self.one.exercise, *phase, self.one.precision, set_text(self.parameters())]).strip()

    def known(self, name: str, metric: str) -> bool:
        return name in self.applications and None not in self.score(name, metric).efficiencies

    def score(self, name: str, metric: str) -> Score:
        return Score([getattr(e, metric) for e in self.applications[name]])


@dataclass
class Score:
    efficiencies: list[float | None]
    problems: int = 1

    @property
    def metric(self) -> float | None:
        """0 where one of them is 0; none where one is not known."""
        return None if not self.efficiencies or None in self.efficiencies else harmonic_mean(self.efficiencies)

    @property
    def where_it_runs(self) -> float | None:
        running = [e for e in self.efficiencies if e]
        return harmonic_mean(running) if running else None


@dataclass
class Analysis:
    platforms: list[Platform]
    problems: list[Problem]
    excluded: list[Excluded]

    def applications(self, metric: str) -> list[str]:
        """Those with an efficiency above 0: Parallax before Python."""
        found = {n for p in self.problems for n in p.applications if p.score(n, metric).where_it_runs is not None}
        known = [*TIERS.values(), *FAMILIES.values()]
        return sorted(found, key=lambda name: (known.index(name) if name in known else len(known), name))


def judged(c: Case, platforms: dict[tuple, Platform]) -> Excluded | None:
    """What excludes a row by itself."""
    whole_threads = not c.threads or c.threads >= c.place.threads
    rules = (
        (c.unavailable, "not available", c.unavailable),
        (c.expected_to_fail, "wrong on purpose", ""),
        (c.failed, "failed", c.compared),
        (c.verified is None, "unverified", "nothing was checked"),
        (c.other_work, "other work", "an algorithm that needs less"),
        (c.ranks > 1, "several ranks", f"{c.ranks} worked together, and the platform is that of one"),
        (c.whole, "part of the problem", f"one of {c.factor:g} was timed"),
        (not c.timed, "no time", "it was only verified"),
        (not application(c), "no tier", "neither lesson, tuned nor library"),
        (not whole_threads, "some of the threads", f"{c.threads} of {c.place.threads}, and the ceiling is that of all"),
        (where(c) not in platforms, "no platform", "Kokkos has no rows there"),
    )
    return next((Excluded(c, rule, detail) for applies, rule, detail in rules if applies), None)


def where(c: Case) -> tuple:
    return c.place.device, c.place.threads


def share(c: Case, clock: str) -> float:
    """Per cent of its ceiling by this clock; 0 where it has none. Of variants, so without the atomic additions of one of them."""
    return (c.percent_without_atomics or c.percent or 0.0) * c.ns / c.time_by(clock)


def counting(rows: list[Case]) -> tuple[list[Case], str, list[Excluded]]:
    """Of rows of a problem on a platform: those that count, their one clock, and those that do not count."""
    ours = [c for c in rows if c.place.program == "kokkos"]
    clock = "device" if any(c.event_ns for c in ours or rows) else "wall"
    excluded = [Excluded(c, "mixed clock", "wall time alone, beside rows by the device's clock") for c in rows if not c.time_by(clock)]
    rows = [c for c in rows if c.time_by(clock)]
    # Data that stay in a cache for one variant do so for all: none of their shares says anything of the memory.
    cached = [c for c in rows if not c.ceiling.startswith("fma") and share(c, clock) > MOST_PERCENT]
    if cached:
        most = max(cached, key=lambda c: share(c, clock))
        detail = f"{most.variant} reaches {three_digits(share(most, clock))} % of {most.ceiling_without_atomics or most.ceiling}"
        return [], clock, excluded + [Excluded(c, "cache-resident", detail) for c in rows]
    return rows, clock, excluded


def only_for_best(c: Case, clock: str) -> Excluded | None:
    """What excludes a row that counts from the shares of ceilings."""
    rules = (
        (c.percent is None, "no ceiling"),
        (c.unsure, "unsure ceiling"),
        (share(c, clock) > MOST_PERCENT, "above its ceiling"),
        (share(c, clock) / 100 * c.time_by(clock) < LEAST_NS, "too short"),
    )
    detail = f"{three_digits(share(c, clock))} % of {c.ceiling_without_atomics or c.ceiling}; " if c.percent is not None else ""
    return next((Excluded(c, rule, detail + "counts for the best time alone") for applies, rule in rules if applies), None)


def efficiency(rows: list[Case], clock: str, best: float) -> Efficiency:
    """Of an application, by its fastest row."""
    row = min(rows, key=lambda c: c.time_by(clock))
    shares = [share(c, clock) for c in rows if not only_for_best(c, clock)]
    return Efficiency(min(1.0, max(shares) / 100) if shares else None, best / row.time_by(clock), row, row.time_by(clock))


def without_rows(name: str, platform: Platform, excluded: list[Excluded]) -> Efficiency:
    """Of an application none of whose rows counts on this platform."""
    rules = list(dict.fromkeys(e.rule for e in excluded if application(e.case) == name))
    if set(rules) <= ABSENT and (rules or platform.complete):
        return Efficiency(0.0, 0.0, why=", ".join(rules) or "no row")
    return Efficiency(why=", ".join(rules) or "no row: a run was stopped")


def find_platforms(places: list[Place], cases: list[Case]) -> dict[tuple, Platform]:
    found: dict[tuple, Platform] = {}
    for place in places:
        if place.program == "kokkos":
            found.setdefault((place.device, place.threads), Platform(place.device, place.threads)).spaces.append(place.space)
    for c in cases:
        if where(c) in found and c.source.context.get("complete") is False:
            found[where(c)].complete = False
    return found


def analyse(places: list[Place], cases: list[Case]) -> Analysis:
    """Every problem of these cases."""
    platforms = find_platforms(places, cases)
    order = {key: k for k, key in enumerate(platforms)}
    analysis = Analysis(list(platforms.values()), [], [])
    groups = defaultdict(lambda: defaultdict(list))
    for c in cases:
        if c.phase in PHASES:
            groups[setting(c)][where(c)].append(c)
    for group in groups.values():
        judgeable, names = {}, {}
        for key, rows in sorted(group.items(), key=lambda item: order.get(item[0], len(order))):
            alone = {id(c): judged(c, platforms) for c in rows}
            counted, clock, excluded = counting([c for c in rows if not alone[id(c)]])
            excluded += filter(None, alone.values())
            names.update({application(c): True for c in counted})
            # Where nothing counts, and not because nothing is right there, the platform says nothing of this problem.
            if counted or {e.rule for e in excluded} <= ABSENT:
                judgeable[key] = (counted, clock, excluded)
            analysis.excluded += [*excluded, *filter(None, (only_for_best(c, clock) for c in counted if c.place.program == "kokkos"))]
        if names:
            problem = Problem(next(iter(group.values()))[0], [platforms[key] for key in judgeable], {name: [] for name in names})
            for platform, (counted, clock, excluded) in zip(problem.platforms, judgeable.values()):
                best = min((c.time_by(clock) for c in counted), default=0.0)
                for name, efficiencies in problem.applications.items():
                    mine = [c for c in counted if application(c) == name]
                    efficiencies.append(efficiency(mine, clock, best) if mine else without_rows(name, platform, excluded))
            analysis.problems.append(problem)
    return analysis


def suite(analysis: Analysis, metric: str) -> dict[str, Score]:
    """On each platform the harmonic mean over problems. These are on all platforms, and the lesson and tuned tiers are known for
    each, where the files have them; of others those count that the application is known for."""
    names = analysis.applications(metric)
    tiers = [name for name in names if name in (TIERS["lesson"], TIERS["tuned"])]
    common = [p for p in analysis.problems if len(p.platforms) == len(analysis.platforms)]
    common = [p for p in common if all(p.known(name, metric) for name in tiers)]
    scores = {}
    for name in names:
        mine = [p for p in common if p.known(name, metric)]
        by_platform = [
            harmonic_mean([p.score(name, metric).efficiencies[p.platforms.index(platform)] for p in mine])
            for platform in (analysis.platforms if mine else [])
        ]
        scores[name] = Score(by_platform, len(mine))
    return scores
