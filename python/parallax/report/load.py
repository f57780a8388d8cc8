# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Reads results files. Whatever is not a results file, or not whole, is refused in one line that names it."""

from __future__ import annotations

import math
import re
import string
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from ..errors import Refusal
from ..intervals import Interval
from .fields import LEAST, MOST, Fields, read_json
from .model import Case, Place, Source
from .text import clean, plural, short

MARKS = {
    "d": "other work disturbed the samples",
    "c": "the clock was below 90 % of the best in that run",
    "t": "the device held its clock down",
    "f": "took less time than the work needs at least",
}
TIERS = ("lesson", "tuned", "library")
LINK_FIELDS = ("bytes", "one_way_ns", "all_reduce_ns", "all_to_all_ns")
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
# What Google Benchmark writes: all that counts in a row of another program, whose other fields may mean anything.
THEIRS = ("name", "run_type", "real_time", "time_unit", "repetitions", "error_occurred")
AGGREGATE = re.compile(r"(.+)_(mean|median|stddev|cv)")


def read_parameters(fields: Fields) -> dict:
    plain = {}
    for name, value in fields.object("parameters").items():
        if isinstance(value, float) and not math.isfinite(value):
            raise Refusal(f"{fields.where}: parameter '{name}' is not a number that is finite")
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**64:
            raise Refusal(f"{fields.where}: parameter '{name}' leaves 64 bits")
        plain[clean(name)] = value if isinstance(value, (int, float, bool)) else clean(value)
    return plain


def read_result(fields: Fields) -> dict:
    """Numbers and words; lists, such as the counts of a histogram, are no line to read."""
    plain = {}
    for name, value in fields.object("result").items():
        if isinstance(value, dict) or (isinstance(value, float) and not math.isfinite(value)):
            raise Refusal(f"{fields.where}: result '{short(name)}' is neither a number nor a word")
        if isinstance(value, (bool, int, float, str)):
            plain[clean(name)] = clean(value) if isinstance(value, str) else value
    return plain


def read_energy(f: Fields) -> dict:
    """Of all parts that were counted together."""
    energy = Fields(f.object("energy"), f.where + ": energy")
    joules = energy.quantity("joules_per_run", above_zero=True)
    interval = energy.quantities("interval")
    if interval and (len(interval) != 2 or not interval[0] <= interval[1]):
        raise Refusal(f"{energy.where}: 'interval' is not two numbers, the lower one first")
    if joules is None:
        return {}
    low, high = interval or (None, None)
    counted = " + ".join(map(clean, energy.object("parts")))
    return {"joules": joules, "joules_low": low, "joules_high": high, "joules_of": counted}


def read_counters(f: Fields) -> dict:
    """Numbers by their names; the tool, what limits the occupancy, and the shares of the first stalls."""
    counters = Fields(f.object("counters"), f.where + ": counters")
    words = ("tool", "occupancy_limited_by")
    plain: dict = {n: clean(counters.text(n)) for n in words if counters.text(n)}
    stalls = Fields(counters.object("stalls"), counters.where + ": stalls")
    if stalls.values:
        plain["stalls"] = {clean(reason): stalls.quantity(reason, 0.0) for reason in stalls.values}
    numbers = {n: counters.quantity(n) for n in counters.values if n not in (*words, "stalls")}
    return {**plain, **{clean(n): value for n, value in numbers.items() if value is not None}}


def read_interval(f: Fields, unit: float) -> Interval | None:
    """Of the median; None where there is none that can be used."""
    ends = f.values.get("interval")
    if not isinstance(ends, list) or len(ends) != 2 or not all(type(end) in (int, float) and LEAST <= end <= MOST for end in ends):
        return None
    return Interval(ends[0] * unit, ends[1] * unit) if ends[0] <= ends[1] else None


def read_messages(f: Fields) -> list[tuple[str, float]] | None:
    if f.values.get("messages") is None:
        return None
    messages = [Fields(message, f.where + ": messages") for message in f.objects("messages")]
    return [(clean(m.text("pattern")), max(m.quantity("bytes", 0.0), 0.0)) for m in messages]


def sends_from_host(f: Fields) -> bool:
    """Whether no message leaves the memory of the row's space."""
    messages = [Fields(message, f.where + ": messages") for message in f.objects("messages")]
    return bool(messages) and all(m.flag("from_host") for m in messages)


def read_mpi(source: Source) -> None:
    """Which ranks share a node, and what messages between them took."""
    where = f"'{source.path}': context: mpi"
    mpi = Fields(Fields(source.context, f"'{source.path}': context").object("mpi"), where)
    hosts = Counter(rank.split(",")[0] for rank in mpi.texts("ranks"))  # "node1, processors 0-7"
    if hosts:
        source.ranks_a_node, source.nodes = max(hosts.values()), len(hosts)
    source.links = read_links(mpi)
    transports = Fields(mpi.object("transports"), where + ": transports")
    for space in transports.values:
        way = Fields(transports.object(space), f"{transports.where}: {space}")
        source.ways[space] = (clean(way.text("name")), read_links(way))


def read_links(f: Fields) -> list[dict[str, float]]:
    """What messages took, by their size."""
    links = []
    for link in f.objects("links"):
        fields = Fields(link, f.where + ": links")
        times = {name: fields.quantity(name, above_zero=True) for name in LINK_FIELDS}
        if None in times.values():
            raise Refusal(f"{fields.where}: one of {', '.join(LINK_FIELDS)} is missing")
        links.append(times)
    return sorted(links, key=lambda link: link["bytes"])


def read_clock(f: Fields) -> Fields:
    older = isinstance(f.values.get("clock"), str)  # "wall", before clocks were measured
    return Fields({} if older else f.object("clock"), f.where + ": clock")


def read_marks(f: Fields) -> dict[str, str]:
    """The marks of the program's own table, src/run/results/doubts.hpp."""
    marks = {}
    if f.text("disturbed"):
        marks["d"] = clean(f.text("disturbed")) + ("; sampled twice" if f.flag("sampled_twice") else "")
    clock = read_clock(f)
    mhz, best = clock.number("mhz"), clock.number("best_mhz")
    if mhz and best and mhz < 0.9 * best:
        marks["c"] = f"{mhz:.0f} of {best:.0f} MHz"
    throttled = f.object("power").get("throttled") or []
    if not isinstance(throttled, list):
        raise Refusal(f"{f.where}: power: 'throttled' is not a list of reasons")
    if throttled:
        marks["t"] = ", ".join(map(clean, throttled))
    if f.text("above_ceiling"):
        marks["f"] = clean(f.text("above_ceiling"))
    return marks


def marked_rows(source: Source, rows: list[Case]) -> list[str]:
    """A line for each kind of mark in a file."""
    lines = []
    for letter, meaning in MARKS.items():
        marked = [row for row in rows if letter in row.marks]
        if marked:
            first = f"{marked[0].name}: {marked[0].marks[letter]}"
            lines.append(f"In {plural(len(marked), 'row')} of file {source.tag} {meaning} (marked {letter}). The first: {first}")
    return lines


def is_there(value) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def read_case(source: Source, places: Places, row, number: int, foreign: bool) -> Case | None:
    """None for an aggregate, which is no time. `foreign`: other programs' rows are taken, too."""
    where = f"'{source.path}': benchmark {number}"
    if not isinstance(row, dict):
        raise Refusal(f"{where} is not an object")
    f = Fields(row, where)
    if f.text("run_type") == "aggregate" and "aggregate_name" in row:
        return None
    theirs = foreign and not f.text("exercise")
    if theirs:
        f = Fields({name: row[name] for name in THEIRS if name in row and is_there(row[name])}, where)
        if f.number("real_time", 0.0) <= 0:  # an error occurred, say
            f.values.pop("real_time", None)
    for name in ("name",) if theirs else ("name", "exercise", "variant", "space", "precision"):
        if not f.text(name):
            raise Refusal(f"{where} has no '{name}': this is not a results file of Parallax")
    f.where = f"{where} ({clean(f.text('name'))})"
    unit = f.text("time_unit", "ns")
    if unit not in UNITS:
        raise Refusal(f"{f.where}: unknown time unit '{unit}' (known: {', '.join(UNITS)})")
    scale = UNITS[unit]
    check = Fields(f.object("check"), f.where + ": check")
    scaled = Fields(f.object("scaled"), f.where + ": scaled")
    time = {n: f.quantity(n, above_zero=True) for n in ("real_time", "min_time", "max_time", "event_time")}
    ns, low, high, event_ns = (None if t is None else t * scale for t in time.values())
    unavailable = ""
    if f.flag("skipped"):
        unavailable, ns = f.text("skip_message") or "no reason is given", None
    tier = f.text("tier")
    if tier and tier not in TIERS:
        raise Refusal(f"{f.where}: unknown tier '{short(tier)}' (known: {', '.join(TIERS)})")
    level = f.text("ceiling_level")
    return Case(
        source=source,
        place=places.of(source, f.text("space")),
        name=clean(f.text("name")),
        exercise=clean(f.text("exercise")),
        variant=clean(f.text("variant")),
        precision=clean(f.text("precision")),
        # With empty caches it is a separate phase: never set against the others.
        phase=clean(f.text("phase", "kernel")) + (", cold" if f.flag("cold") else ""),
        parameters=read_parameters(f),
        threads=int(f.number("space_threads", 0)),
        tier=tier,
        team_size=f.count("team_size"),
        marks=read_marks(f) if ns is not None else {},
        ns=ns,
        repetitions=f.count("repetitions"),
        interval=read_interval(f, scale),
        mhz=read_clock(f).number("mhz") if ns is not None else None,
        event_ns=event_ns,
        samples=[sample * scale for sample in f.quantities("samples")],
        low=low,
        high=high,
        bytes=f.quantity("bytes", 0.0),
        flops=f.quantity("flops", 0.0),
        items=f.quantity("items", 0.0),
        ceiling=clean(" ".join([f.text("ceiling"), *([level] if level not in ("", "memory") else [])])),
        percent=f.quantity("percent_of_ceiling"),
        ceiling_without_atomics=clean(f.text("ceiling_without_atomics")),
        percent_without_atomics=f.quantity("percent_without_atomics"),
        unsure=f.flag("ceiling_unsure"),
        verified=False if f.flag("error_occurred") else f.flag("verified", None),
        expected_to_fail=f.flag("expected_to_fail"),
        other_work=f.flag("other_work"),
        ranks=f.count("ranks"),
        weak=f.text("scaling") == "weak",
        messages=read_messages(f),
        sends_from_host=sends_from_host(f),
        unavailable=clean(unavailable),
        compared=clean(check.text("compared")),
        error=check.number("error"),
        tolerance=check.number("tolerance"),
        result=read_result(f),
        counters=read_counters(f),
        whole=read_parameters(scaled),
        **(read_energy(f) if ns is not None else {}),
        factor=scaled.quantity("factor", 1.0, above_zero=True),
    )


def name_ranks(cases: list[Case]) -> None:
    """How many there were is a parameter, as the rows' names have it."""
    for c in cases:
        if c.ranks > 1:
            c.parameters.setdefault("weak" if c.weak else "ranks", c.ranks)


def name_swept_teams(cases: list[Case]) -> None:
    """Where a file has a case with teams of several sizes, the size is a parameter: curves and labels show it."""
    alike = defaultdict(list)
    for c in cases:
        if c.team_size:
            parameters = tuple((n, repr(v)) for n, v in c.parameters.items())
            alike[id(c.place), c.exercise, c.variant, c.precision, c.phase, parameters].append(c)
    for group in alike.values():
        if len({c.team_size for c in group}) > 1:
            for c in group:
                c.parameters["team_size"] = c.team_size


class Places:
    """All places of all files: the same device in two files is one place."""

    def __init__(self):
        self.all: dict[tuple, Place] = {}

    def of(self, source: Source, space: str) -> Place:
        if space in source.places:
            return source.places[space]
        where = f"'{source.path}': context: space '{clean(space)}'"
        context = Fields(source.context, f"'{source.path}': context")
        known = Fields(context.object("spaces"), f"'{source.path}': context: spaces").object(space)
        f = Fields(known, where)
        program = clean(context.text("program") or "kokkos")
        on_host = f.flag("on_host", True)
        threads = max(1, int(f.number("concurrency", 1))) if on_host else 0
        device = clean(f.text("device")) or "a device without a name"
        key = (program, space, device, threads)
        place = self.all.get(key)
        if place is None:
            place = Place(program, clean(space), device, on_host, threads, f.quantity("memory_total"))
            place.library = clean(f.text("library"))
            self.all[key] = place
        ceilings = Fields(f.object("ceilings"), where + ": ceilings")
        place.unsure += ceilings.texts("unsure")
        levels = Fields(Fields(ceilings.object("caches"), where + ": caches").object("levels"), where + ": levels")
        for level in levels.values:
            level_where = f"{where}: level '{clean(level)}'"
            rate = Fields(levels.object(level), level_where).quantity("triad_bytes_per_second", 0.0)
            if rate > 0:
                place.levels[clean(level)] = max(rate, place.levels.get(clean(level), 0.0))
        for name in ceilings.values.keys() - {"unsure", "unavailable", "caches", "accesses"}:
            value = ceilings.quantity(name, 0.0)
            if value > 0:
                place.ceilings[clean(name)] = max(value, place.ceilings.get(clean(name), 0.0))
        if source.tag not in place.sources:
            place.sources.append(source.tag)
        source.places[space] = place
        return place

    def labelled(self) -> list[Place]:
        """In order: host before device, Kokkos before Python. Equal names of unequal places get a number."""
        places = sorted(self.all.values(), key=lambda p: (p.program != "kokkos", not p.on_host, p.threads))
        for index, place in enumerate(places):
            twins = [p for p in places if p.space == place.space]
            place.index = index
            if len(twins) == 1:
                place.label = place.space
            elif len({p.device for p in twins}) == 1 and len({p.threads for p in twins}) == len(twins):
                place.label = f"{place.space}, {plural(place.threads, 'thread')}"  # the same cores, more or fewer of them
            else:
                place.label = f"{place.space} #{twins.index(place) + 1}"
        return places


def tag(number: int) -> str:
    letters = string.ascii_uppercase
    return letters[number] if number < 26 else f"F{number + 1}"


def read_file(path: str, number: int, places: Places, foreign: bool = False) -> tuple[Source, list[Case]]:
    """The one reader of results files. `foreign`: also of other programs' in Google Benchmark's schema."""
    data = read_json(path, foreign)
    if not isinstance(data, dict) or not isinstance(data.get("benchmarks"), list):
        raise Refusal(f"'{path}' is not a results file: it has no list 'benchmarks'")
    context = data.get("context", {})
    if not isinstance(context, dict):
        raise Refusal(f"'{path}' is not a results file: its 'context' is not an object")
    source = Source(tag(number), clean(path), context)
    read_mpi(source)
    rows = [read_case(source, places, row, k, foreign) for k, row in enumerate(data["benchmarks"], 1)]
    source.units = {str(row.get("time_unit") or "ns") for row in data["benchmarks"] if "real_time" in row}
    return source, together(rows, data["benchmarks"])


def together(cases: list[Case | None], rows: list[dict]) -> list[Case]:
    """Google Benchmark's repetitions of a case are rows of one name: samples of that case. Older versions of it tell aggregates by
    their names only."""
    names = {case.name for case in cases if case}
    groups: dict[object, dict[object, Case]] = {}
    for case, row in zip(cases, rows):
        theirs = case and not case.exercise
        of = AGGREGATE.fullmatch(case.name) if theirs and "run_type" not in row else None
        if case and not (of and names & {of[1], of[1] + "_stddev"}):
            index = row.get("repetition_index")
            if not theirs or type(index) is not int:
                index = None
            group = groups.setdefault(id(case) if index is None else case.name, {})
            if index in group:
                groups[id(case)] = {index: case}
            else:
                group[index] = case
    return [as_samples(list(group.values())) for group in groups.values()]


def as_samples(repetitions: list[Case]) -> Case:
    case = repetitions[0]
    if len(repetitions) > 1:
        case.samples = [c.ns for c in repetitions if c.ns is not None]
        case.ns = median(case.samples) if case.samples else None
        case.verified = False if any(c.failed for c in repetitions) else case.verified
    return case


def load(paths: list[str]) -> tuple[list[Source], list[Place], list[Case], list[str]]:
    """Sources, places, cases, and what is worth a warning on the page."""
    places, sources, cases, warnings = Places(), [], [], []
    for number, path in enumerate(paths):
        source, rows = read_file(path, number, places)
        sources.append(source)
        if not rows:
            raise Refusal(f"'{path}' holds no benchmarks")
        name_ranks(rows)
        name_swept_teams(rows)
        warnings += marked_rows(source, rows)
        names = {}
        for row in rows:
            names[row.name] = names.get(row.name, 0) + 1
        twice = [name for name, count in names.items() if count > 1]
        if twice:
            warnings.append(
                f"{len(twice)} names stand more than once in file {source.tag}; every row is shown. The first: {twice[0]}"
            )
        if source.context.get("complete") is False:
            warnings.append(f"{Path(source.path).name} (file {source.tag}) is incomplete: its run was stopped before the end.")
        if len(source.units) > 1:
            warnings.append(
                f"File {source.tag} mixes time units ({', '.join(sorted(map(clean, source.units)))}); all are converted."
            )
        cases += rows
    for place in places.labelled():
        if place.unsure:
            names = ", ".join(dict.fromkeys(place.unsure))
            warnings.append(
                f"The ceilings {names} of {place.label} were not the same twice: something else ran on that machine, and"
                " percentages of them say little."
            )
    if len({Path(p).resolve() for p in paths}) < len(paths):
        warnings.append("The same file was given more than once.")
    return sources, places.labelled(), cases, warnings
