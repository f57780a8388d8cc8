# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a page is about: cases, the places that they ran in, and the files that they come from."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..intervals import Interval
from .text import clean, plural, readable_number, short


@dataclass(eq=False)
class Place:
    """One space on one device, as one program saw it: where cases may be set side by side."""

    program: str  # kokkos or python
    space: str
    device: str
    on_host: bool
    threads: int
    memory: float | None = None
    ceilings: dict[str, float] = field(default_factory=dict)
    levels: dict[str, float] = field(default_factory=dict)  # "L2": the best triad of arrays that it holds
    unsure: list[str] = field(default_factory=list)  # ceilings whose rounds did not agree
    sources: list[str] = field(default_factory=list)  # tags
    library: str = ""
    label: str = ""  # set once all places are known
    index: int = 0

    def described(self) -> str:
        """Device and core count spelt out."""
        if self.on_host:
            return f"{self.space} ({plural(self.threads, 'thread')} of {self.device})"
        return f"{self.space} ({self.device})"


@dataclass
class Source:
    """One results file."""

    tag: str  # A, B, C...
    path: str
    context: dict
    places: dict[str, Place] = field(default_factory=dict)
    units: set[str] = field(default_factory=set)  # of its rows' times
    ranks_a_node: int = 1
    nodes: int = 1
    links: list[dict[str, float]] = field(default_factory=list)  # what messages between its ranks' hosts took, by size
    ways: dict[str, tuple[str, list]] = field(default_factory=dict)  # by space: how its arrays were sent, and such links

    def links_of(self, space: str) -> tuple[str, list[dict[str, float]]]:
        """How arrays of a space were sent, and what that took: as from the host's memory where no other way was measured."""
        way, links = self.ways.get(space, ("", []))
        return (way, links) if links else ("host", self.links)

    def text(self, name: str) -> str:
        value = self.context.get(name, "")
        return "" if value is None else clean(value)


@dataclass
class Case:
    """One row of a results file."""

    source: Source
    place: Place
    name: str
    exercise: str
    variant: str
    precision: str
    phase: str
    parameters: dict
    threads: int = 0  # of a sweep over threads
    tier: str = ""  # lesson, tuned or library; older files and Python's do not say
    team_size: int = 0  # 0: it has no teams
    marks: dict[str, str] = field(default_factory=dict)  # letters of what makes the times doubtful, and why
    ns: float | None = None
    repetitions: int = 0
    interval: Interval | None = None  # of the median
    mhz: float | None = None  # of the processor's clock meanwhile
    event_ns: float | None = None  # by the device's own clock
    samples: list[float] = field(default_factory=list)
    low: float | None = None
    high: float | None = None
    bytes: float = 0
    flops: float = 0
    items: float = 0
    ceiling: str = ""
    percent: float | None = None
    ceiling_without_atomics: str = ""  # of a variant that atomic additions bound: what bounds the others
    percent_without_atomics: float | None = None
    unsure: bool = False  # the rounds of its ceiling did not agree
    verified: bool | None = None
    expected_to_fail: bool = False
    other_work: bool = False
    ranks: int = 0  # processes that worked together, if there were several
    weak: bool = False  # each of them did the work of one
    sends_from_host: bool = False  # whatever its space
    messages: list[tuple[str, float]] | None = None  # pattern and bytes that each rank sends; None: the file does not say
    unavailable: str = ""
    compared: str = ""
    error: float | None = None
    tolerance: float | None = None
    result: dict = field(default_factory=dict)  # the numbers and words that the exercise reports
    whole: dict = field(default_factory=dict)  # parameters of the whole problem, where only a part was timed
    joules: float | None = None  # of a run; None: not counted
    joules_low: float | None = None  # their interval
    joules_high: float | None = None
    joules_of: str = ""  # the parts of the machine that were counted
    counters: dict = field(default_factory=dict)  # of the hardware; empty: not counted
    factor: float = 1.0  # that problem over this part

    def time_by(self, clock: str) -> float:
        return self.event_ns if clock == "device" else self.ns

    @property
    def disturbed(self) -> str:
        """What is said of it in a chart; empty where nothing else ran meanwhile."""
        return f", disturbed: {self.marks['d']}" if "d" in self.marks else ""

    @property
    def failed(self) -> bool:
        return self.verified is False and not self.expected_to_fail

    @property
    def status(self) -> str:
        if self.unavailable:
            return "not available"
        if self.verified is None:
            return "not checked"
        if self.expected_to_fail:
            return "right by luck" if self.verified else "wrong, as expected"
        return "verified" if self.verified else "FAILED"

    @property
    def timed(self) -> bool:
        return self.ns is not None

    @property
    def fair(self) -> bool:
        """May be set against others: timed, right, and the same work."""
        return self.timed and not self.failed and not self.expected_to_fail and not self.other_work

    def size(self) -> tuple:
        return (self.items, self.bytes, self.flops, self.ns or 0)

    def where(self) -> str:
        """Place spelt out, with the threads of a sweep."""
        if not self.threads:
            return self.place.described()
        return f"{self.place.space} ({plural(self.threads, 'thread')} of {self.place.device})"

    def rate(self) -> tuple[float, str] | None:
        """The rate that says most, as the program's own table chooses it."""
        if not self.timed:
            return None
        seconds = self.ns * 1e-9
        if self.ceiling.startswith("fma") or (self.bytes <= 0 < self.flops):
            return (self.flops / seconds, "FLOP/s") if self.flops > 0 else None
        if self.bytes > 0:
            return self.bytes / seconds, "B/s"
        return (self.items / seconds, "/s") if self.items > 0 else None


def set_text(parameters: dict) -> str:
    """Without those that are empty, which mean "not used"."""
    return ", ".join(f"{name} = {readable_number(value)}" for name, value in parameters.items() if value != "")


def setting(c: Case) -> tuple:
    """The same problem: exercise, phase, precision and parameters. Threads of a sweep are the place's affair, and team sizes
    the variant's."""
    skipped = ("seed", "team_size", "threads") if c.threads else ("seed", "team_size")
    return (
        c.exercise,
        c.phase,
        c.precision,
        tuple(sorted((n, repr(v)) for n, v in c.parameters.items() if n not in skipped)),
    )


def differing(cases: list[Case]) -> list[str]:
    """Parameters in which cases differ, the ones with most values first; the seed is none of them."""
    names = list(dict.fromkeys(name for c in cases for name in c.parameters if name != "seed"))
    values = {n: len({repr(c.parameters[n]) for c in cases if n in c.parameters}) for n in names}
    return sorted((n for n in names if values[n] > 1), key=lambda n: -values[n])


def brief(value) -> str:
    """A parameter in a chart: four digits will do."""
    text = readable_number(value)
    return text if len(text) <= 7 or not isinstance(value, (int, float)) else readable_number(float(f"{value:.3e}"))


def label(case: Case, parameters: list[str], sources: bool = False, most: int = 50) -> str:
    """A case in a chart: what tells it from the others there."""
    parts = [case.variant, case.place.label]
    if case.phase != "kernel":
        parts.append(case.phase)
    parts.append(case.precision)
    parts += [f"{n}={brief(case.parameters[n])}" for n in parameters if case.parameters.get(n, "") != ""]
    if case.other_work:
        parts.append("other work")
    if case.expected_to_fail:
        parts.append("wrong on purpose")
    text = short(" · ".join(map(clean, parts)), most)
    return f"{text} [{case.source.tag}]" if sources else text


def labels(cases: list[Case], parameters: list[str], most: int = 50) -> list[str]:
    """Of all cases in a chart: with the letters of their files only where several would be called the same."""
    texts = [label(c, parameters, False, most) for c in cases]
    alike = len(set(texts)) < len(texts) and len({c.source.tag for c in cases}) > 1
    return [label(c, parameters, True, most) for c in cases] if alike else texts
