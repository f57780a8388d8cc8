# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""`parallax compare`: the ratio of every later file's times to the first's, case by case, what follows from it, and why the files do
not match where they do not. Needs the standard library only, but for --series."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..errors import Refusal
from ..intervals import LEAST_SAMPLES, Estimate, Interval, Ratio, compared, mean_of_runs, median_interval, range_of_any, sample_range
from ..parsing import parse_integer, parse_real
from ..program import Parser, exit_status, say
from . import load
from .drawing import need_matplotlib
from .fields import Fields
from .model import Case, Source
from .text import clean, plural, readable_time

PARTS = ("variant", "space", "precision", "ranks")  # of a case's name, in its order after the exercise
BUILD = ("compiler", "flags", "kokkos_kernels_version", "kokkos_version", "library_build_type", "python_version")
SHOWN = 5  # of many names


@dataclass
class Row:
    """A case, as far as a comparison needs it."""

    time: Estimate | None  # ns; None where it was not timed
    cycles: Estimate | None  # of the clock that was measured
    parameters: dict[str, str]
    other_work: bool
    failed: bool
    by_luck: bool  # wrong on purpose: whether it is right, and so timed, changes from run to run
    doubt: str  # why its times cannot be trusted
    disturbed: bool  # something else ran meanwhile

    def did(self) -> tuple:
        return {n: v for n, v in self.parameters.items() if n != "seed"}, self.other_work


@dataclass
class Column:
    """A file, several runs of one program, or a part of the names in a file."""

    name: str
    rows: dict[str, Row]
    build: dict[str, str]
    devices: dict[str, str]  # by space
    threads: dict[str, str]
    complete: bool
    whole: bool = True  # not a part of the names in a file
    ranks: int = 1  # of `--across ranks`
    weak: bool = False  # each of them had the work of one

    def share(self) -> float:
        """Of the work of one rank, how much each rank had."""
        return 1 if self.weak else 1 / self.ranks

    def timed(self, name: str) -> Row | None:
        row = self.rows.get(name)
        return row if row and row.time else None


def time_of(c: Case) -> Estimate | None:
    """From the samples, or from what is left where a file was kept without them."""
    if c.ns is None:
        return None
    time = Estimate(c.ns, median_interval(c.samples), sample_range(c.samples))
    if not c.samples and c.repetitions >= LEAST_SAMPLES:
        if c.low and c.high and c.low <= c.high:
            time.median = Interval(c.low, c.high)  # of all samples: it holds the median, too
            time.run = range_of_any(time.median, c.ns, c.repetitions)
        time.median = c.interval or time.median
    if "d" in c.marks:
        time.run = None
    return time


def row_of(c: Case) -> Row:
    time = time_of(c)
    doubts = {"d": "disturbed: " + c.marks.get("d", "").partition("; sampled twice")[0], "c": c.marks.get("c"), "t": "throttled", "f": c.marks.get("f")}
    return Row(
        time=time,
        cycles=time.scaled(c.mhz / 1e3) if time and c.mhz and 1 <= c.mhz <= 1e6 else None,
        parameters={n: v if isinstance(v, str) else json.dumps(v) for n, v in sorted(c.parameters.items())},
        other_work=c.other_work,
        failed=c.failed and not c.unavailable,
        by_luck=c.expected_to_fail,
        doubt="; ".join(doubts[letter] for letter in c.marks),
        disturbed="d" in c.marks,
    )


def read(path: str) -> Column:
    source, cases = load.read_file(path, 0, load.Places(), foreign=True)
    rows: dict[str, Row] = {}
    for c in cases:
        if c.name in rows:
            raise Refusal(f"'{path}': the case '{c.name}' stands twice")
        rows[c.name] = row_of(c)
    if not any(row.time for row in rows.values()):
        raise Refusal(f"'{path}' holds no timed case (aggregates are none)")
    return column(source, rows)


def column(source: Source, rows: dict[str, Row]) -> Column:
    where = f"'{source.path}': context: spaces"
    spaces = Fields(Fields(source.context, f"'{source.path}': context").object("spaces"), where)
    devices, threads = {}, {}
    for name in sorted(spaces.values):
        space = Fields(spaces.object(name), f"{where}: '{clean(name)}'")
        devices[clean(name)] = clean(space.text("device"))
        if space.flag("on_host"):
            threads[clean(name)] = str(space.count("concurrency") or "")
    complete = source.context.get("complete", True) is True
    return Column(source.path, rows, {name: source.text(name) for name in BUILD}, devices, threads, complete)


def mean(runs: list[Column]) -> Column:
    """Several runs of one program: the mean of each case, with an interval that has seen how runs differ."""
    together = replace(runs[0], name=f"{runs[0].name} and {len(runs) - 1} more", rows={}, complete=all(r.complete for r in runs))
    for name in dict.fromkeys(name for run in runs for name in run.rows):
        rows = [run.rows[name] for run in runs if name in run.rows]
        for run in runs:
            if name in run.rows and run.rows[name].did() != rows[0].did():
                raise Refusal(f"--runs: '{name}' did not do the same in '{runs[0].name}' and '{run.name}'")
        times = [row.time.value for row in rows if row.time]
        cycles = [row.cycles.value for row in rows if row.cycles]
        together.rows[name] = replace(
            rows[0],
            time=mean_of_runs(times) if times else None,
            cycles=mean_of_runs(cycles) if times and len(cycles) == len(times) else None,
            failed=any(row.failed for row in rows),
        )
    return together


def ranks_of(name: str) -> tuple[str, int, bool]:
    """The name without its ranks, how many there were, and whether the work grew with them; a name of one rank has none."""
    for end in ("/weak:", "/ranks:"):
        begin, found, count = name.rpartition(end)
        ranks = parse_integer(count) if found else None
        if ranks and ranks > 0:
            return begin, ranks, end == "/weak:"
    return name, 1, False


def split(name: str, part: str) -> tuple[str, str, int, bool]:
    """The name without the part, the part's value, ranks, and whether each of them had the work of one."""
    if part == "ranks":
        rest, count, weak = ranks_of(name)
        return rest, plural(count, "rank") + (", weak" if weak else ""), count, weak
    words, k = name.split("/"), PARTS.index(part) + 1
    if k >= len(words):
        raise Refusal(f"--across {part}: the name '{name}' has no such part")
    return "/".join([*words[:k], "*", *words[k + 1 :]]), words[k], 1, False


def columns_of(files: list[Column], part: str) -> list[Column]:
    """A column for each of the part's values, in the order of the rows: vector_add/range/openmp/f32 and vector_add/range/cuda/f32
    become the case vector_add/range/*/f32 of "openmp" and of "cuda". A value that several files have gets a column for each."""
    columns: list[tuple[str, Column, Column]] = []  # its value, the file, and what is made of it
    for file in files:
        mine: dict[str, Column] = {}
        for name, row in file.rows.items():
            if not row.time and not row.failed:
                continue
            rest, value, ranks, weak = split(name, part)
            if value not in mine:
                mine[value] = replace(file, rows={}, whole=False, ranks=ranks, weak=weak)
                columns.append((value, file, mine[value]))
            mine[value].rows.setdefault(rest, row)
    values = [value for value, _, _ in columns]
    if len(columns) < 2:
        raise Refusal(f"--across {part}: the timed cases all have '{''.join(values)}': there is nothing to compare")
    for value, file, made in columns:
        made.name = value + (f" ({file.name})" if values.count(value) > 1 else "")
        if part == "space":
            made.devices, made.threads = {value: file.devices.get(value, "")}, {value: file.threads.get(value, "")}
    return [made for _, _, made in columns]


def where(columns: list[Column]) -> str:
    """What each space was: a ratio means little without."""
    text = ""
    for c in columns:
        ((space, device),) = c.devices.items()
        threads = c.threads[space] and f", {c.threads[space]} thread{'' if c.threads[space] == '1' else 's'}"
        text += f"{c.name}: {device}{threads}\n" if device else ""
    return text


def named_as(first: Column, other: Column) -> Column:
    """The same with the first's names for cases that differ in what a sweep added to a name, but did the same."""

    def problem(name: str, row: Row) -> tuple:
        words = [word for word in name.split("/") if word.partition(":")[0] not in row.parameters]
        return tuple(words), tuple((n, v) for n, v in row.parameters.items() if n != "seed")

    def lone(a: Column, b: Column) -> dict[tuple, list[str]]:
        found = defaultdict(list)
        for name, row in a.rows.items():
            if name not in b.rows and row.parameters:
                found[problem(name, row)].append(name)
        return found

    mine, theirs = lone(first, other), lone(other, first)
    pairs = {theirs[key][0]: names[0] for key, names in mine.items() if len(names) == len(theirs.get(key, [])) == 1}
    return replace(other, rows={pairs.get(name, name): row for name, row in other.rows.items()})


def differences(a: dict[str, str], b: dict[str, str]) -> str:
    """ "n = 10 and 20, bins = 1 and 2": the fields that both sides have with another value."""
    return ", ".join(f"{n} = {a[n]} and {b[n]}" for n in a if n in b and a[n] != b[n] and n != "seed")


def readable(row: Row | None) -> str:
    return readable_time(row.time.value).replace("µ", "u") if row else "-"


def described(ratio: Ratio, disturbed: bool) -> str:
    if ratio.interval:
        return f"{ratio.difference} ({ratio.interval.low:.3f} to {ratio.interval.high:.3f})"
    return ratio.difference + (" (disturbed)" if disturbed else "")


def listed(what: str, names: list[str]) -> str:
    """A line that names the first of them; none where there are none."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{what}{plural(len(names), 'case')}: {', '.join(names[:SHOWN])}{more}\n" if names else ""


@dataclass
class Comparison:
    """One later column against the first."""

    first: Column
    other: Column
    limit: float | None
    threshold: float
    compared: int = 0
    only_first: list[str] = field(default_factory=list)
    only_other: list[str] = field(default_factory=list)
    mismatched: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    slowdowns: list[str] = field(default_factory=list)
    blind: Counter = field(default_factory=Counter)  # for a gate: the kinds of cases that it cannot judge
    told: int = 0  # and how many it can

    def __post_init__(self):
        both = ((row, self.other.timed(name)) for name, row in self.first.rows.items())
        self.in_cycles = any(a.cycles and b and b.cycles for a, b in both)

    def titles(self) -> list[str]:
        """Cycles have some where a case has them on both sides."""
        efficiency = ["efficiency"] if self.other.ranks > 1 else []
        return [self.other.name, "ratio", *efficiency, "difference", *(["in cycles", "difference"] if self.in_cycles else [])]

    def cells(self, name: str) -> list[str]:
        """Time, ratio, what follows from it, and the same of cycles."""
        a, b = self.first.timed(name), self.other.timed(name)
        cells = [readable(b), *self._judged(name, a, b)]
        return cells + [""] * (len(self.titles()) - len(cells))

    def _judged(self, name: str, a: Row | None, b: Row | None) -> list[str]:
        if name in self.other.rows and self.other.rows[name].failed:
            self.failed.append(name)
        gate = Counter() if a and a.by_luck else self.blind
        if not a or not b:
            (self.only_first if a else self.only_other if b else []).append(name)
            # A part of the names in a file may lack what another has.
            gate["missing"] += bool(a) and self.other.whole and name not in self.failed
            return ["-"]
        several = self.other.ranks > 1
        parameters = differences(a.parameters, b.parameters)
        if parameters or a.other_work != b.other_work:
            self.mismatched.append(f"{name} ({parameters or 'other work'})")
            gate["that did not do the same"] += self.other.whole
            return ["-", *([""] if several else []), "other parameters" if parameters else "other work"]
        if b.doubt:
            self.doubtful.append(f"{name} ({b.doubt}{'; the first file, too' if a.doubt else ''})")
        elif a.doubt:
            self.doubtful.append(f"{name} (the first file: {a.doubt})")
        self.compared += 1
        disturbed = a.disturbed or b.disturbed
        ratio = compared(a.time, b.time, self.threshold)
        if not ratio.interval:
            gate["too disturbed" if disturbed else "with too few samples"] += 1
            if not disturbed:
                self.undecided.append(name)
        elif self.limit is not None:
            if ratio.difference == "slower" and ratio.value > self.limit:
                self.slowdowns.append(name)
            told = ratio.difference != "ambiguous" or ratio.interval.high <= self.limit
            self.told += told and not a.by_luck
            gate["ambiguous above that ratio"] += not told and ratio.value > self.limit
        ideal = self.other.share() / self.first.share()
        efficiency = [f"{100 * ideal / ratio.value:.1f} %"] if several else []
        cells = [f"{ratio.value:.3f}", *efficiency, described(ratio, disturbed)]
        if a.cycles and b.cycles:
            cycles = compared(a.cycles, b.cycles, self.threshold)
            cells += [f"{cycles.value:.3f}", described(cycles, disturbed)]
        return cells

    def explained(self) -> str:
        first, other = f"'{self.first.name}'", f"'{self.other.name}'"
        text = listed(f"timed in {first} only: ", self.only_first) + listed(f"timed in {other} only: ", self.only_other)
        text += listed("not compared, they did not do the same: ", self.mismatched)
        text += listed(f"failed in {other}: ", self.failed) + listed("times to doubt: ", self.doubtful)
        text += listed("too few samples to tell (--repeat takes more): ", self.undecided)
        for what in ("devices", "threads", "build"):
            found = differences(getattr(self.first, what), getattr(self.other, what))
            text += f"different {'builds' if what == 'build' else what}: {found}\n" if found else ""
        text += "" if self.compared or self.mismatched else self.unlike()
        for c in (self.first, self.other):
            text += "" if c.complete else f"'{c.name}' is incomplete: its run was stopped\n"
        if self.limit is None or not self.compared:
            return text
        text += listed(f"slower than {self.limit:g} times in {other}: ", self.slowdowns)
        if why := self.cannot_tell():
            return text + f"--fail-above {self.limit:g} is closed, it cannot tell for {other}: {'; '.join(why)}\n"
        return text + ("" if self.slowdowns or self.failed else f"no case is slower than {self.limit:g} times in {other}\n")

    def cannot_tell(self) -> list[str]:
        """Why a gate has to stay closed, whatever the ratios that it knows."""
        why = [f"{plural(count, 'case')} {kind}" for kind, count in self.blind.items() if count]
        why += [f"the run of '{c.name}' was stopped" for c in (self.first, self.other) if not c.complete]
        return why or ["every case is ambiguous"] * (not self.told)

    def unlike(self) -> str:
        """Of files with nothing in common, the part in which their names differ."""
        for part in PARTS if self.other.whole else ():
            k = PARTS.index(part) + 1
            names = [[n for n, row in c.rows.items() if row.time and (part == "ranks" or n.count("/") >= k)] for c in (self.first, self.other)]
            a, b = ({split(name, part)[:2] for name in side} for side in names)
            common = {rest for rest, _ in a} & {rest for rest, _ in b}
            if common:
                values = (", ".join(sorted({value for rest, value in side if rest in common})) for side in (a, b))
                return f"different {part.removesuffix('s')}s: {' and '.join(values)} (--across {part} sets them side by side)\n"
        return ""


def aligned(rows: Iterable[list[str]]) -> str:
    """The first column to the left, the others to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "".join("  ".join([r[0].ljust(widths[0]), *map(str.rjust, r[1:], widths[1:])]).rstrip() + "\n" for r in rows)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="parallax compare", description="Ratios between results files, case by case: faster, slower, same or ambiguous.")
    parser.add_argument("files", nargs="+", metavar="A.json", help="results files")
    parser.add_argument("--across", metavar="PART", help=f"compare the cases that differ only in their {', '.join(PARTS[:-1])} or {PARTS[-1]}")
    parser.add_argument("--fail-above", metavar="RATIO", help="status 1 where a case is slower, and its ratio above this")
    parser.add_argument("--threshold", metavar="SHARE", help="what does not count as a difference, as a share of the time (0.02)")
    parser.add_argument("--runs", metavar="N", help="the first N files are runs of one program, the next N of another...")
    parser.add_argument("--series", metavar="OUT.svg", help="instead of the table, a chart of the times from commit to commit")
    o = parser.parse_args(arguments)
    for name in ("across", "fail_above", "threshold", "runs"):
        if o.series is not None and getattr(o, name) is not None:
            raise Refusal(f"--{name.replace('_', '-')} excludes --series")
    if not o.across and len(o.files) < 2:
        raise Refusal("compare needs two files, or --across for the cases of one")
    if o.across is not None and o.across not in PARTS:
        raise Refusal(f"--across: '{o.across}' is none of {', '.join(PARTS)}")
    typed, o.threshold = o.threshold, parse_real("0.02" if o.threshold is None else o.threshold)
    if o.threshold is None or not 0 <= o.threshold < 1:
        raise Refusal(f"--threshold: '{typed}' is not a share of the time below 1, such as 0.02")
    typed, o.runs = o.runs, parse_integer("1" if o.runs is None else o.runs)
    if o.runs is None or o.runs < 1:
        raise Refusal(f"--runs: '{typed}' is not a number from 1")
    if typed is not None and (len(o.files) % o.runs or len(o.files) < (1 if o.across else 2) * o.runs):
        raise Refusal(f"--runs {typed}: takes that many files of each program, got {len(o.files)} files")
    typed = o.fail_above
    if typed is not None:
        o.fail_above = parse_real(typed)
        if o.fail_above is None or o.fail_above < 1:
            raise Refusal(f"--fail-above: '{typed}' is not a ratio from 1, such as 1.05")
    return o


def compare(arguments: list[str]) -> int:
    o = parse(arguments)
    if o.series is not None:
        need_matplotlib()
        from .series import make_series

        return make_series(o.files, o.series)
    columns = [read(path) for path in o.files]
    if o.runs > 1:
        columns = [mean(columns[k : k + o.runs]) for k in range(0, len(columns), o.runs)]
    if o.across:
        columns = columns_of(columns, o.across)
    else:
        columns[1:] = [named_as(columns[0], other) for other in columns[1:]]
    first, *others = columns
    comparisons = [Comparison(first, other, o.fail_above, o.threshold) for other in others]
    rows = [["case", first.name, *(title for c in comparisons for title in c.titles())]]
    common = 0
    for name in sorted({name for c in columns for name in c.rows}):
        present = sum(c.timed(name) is not None for c in columns)
        cells = [name, readable(first.timed(name)), *(cell for c in comparisons for cell in c.cells(name))]
        if present:
            rows.append(cells)
        common += present == len(columns)
    what = "column" if o.across else "file"
    alike = any(c.compared or c.mismatched for c in comparisons)
    say((aligned(rows) if alike else "") + f"{common} of {len(rows) - 1} cases are in every {what}; ratio: time over the first {what}'s\n")
    say((where(columns) if o.across == "space" else "") + "".join(c.explained() for c in comparisons))
    if o.fail_above is None:
        return 0
    for c in comparisons:
        if not c.compared:
            raise Refusal(f"--fail-above: '{first.name}' and '{c.other.name}' have no case to compare")
    return int(any(c.slowdowns or c.failed or c.cannot_tell() for c in comparisons))


def main(arguments: list[str] | None = None) -> int:
    return exit_status("parallax", lambda: compare(sys.argv[1:] if arguments is None else arguments))
