# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Counts row after row: one run of the program under a tool for each."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from ..built import ask_list
from ..errors import Refusal
from ..words import reason
from . import names, ncu, perf, rocprof, tools, typed

SWITCH, PASS = "PARALLAX_COUNTED", "PARALLAX_COUNTED_PASS"  # src/platform/device/counted.hpp
HARDWARE = {"cycles", "instructions", "branches", "branch-misses", "cache-misses"}  # perf's events that need a processor's counters


@dataclass
class Job:
    """A row to be counted."""

    name: str
    index: int  # in the file
    exercise: str
    tool: str | None
    space: str
    command: list[str]
    place: int  # of its run in a run of the command: phases of a variant, and cases of a size file, run one after the other
    needed_bytes: float
    phases: int = 1  # rows of that command


@dataclass
class Counted:
    """Counters by the index of their row; and what went wrong, with the number of rows that it hit."""

    rows: dict[int, dict] = field(default_factory=dict)
    causes: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def miss(self, why: str) -> None:
        self.causes[why] += 1


def with_teams(program: str, words: list[str]) -> set[tuple[str, str]] | None:
    """The variants that take a team size; None where the program does not say: one of one exercise has no `list`."""
    if words[:1] != ["run"]:
        return None
    with contextlib.suppress(Refusal):
        listed = ask_list(program)["exercises"]
        return {(name, v["name"]) for name, exercise in listed.items() for v in exercise["variants"] if v["teams"]}
    return None


def jobs(data: dict, program: str, words: list[str]) -> list[Job]:
    """Of the verified rows of a results file; a cold row is the same kernel again."""
    made, seen, teams = [], defaultdict(int), with_teams(program, words)
    for index, row in enumerate(data["benchmarks"]):
        if row.get("skipped") or row.get("cold"):
            continue
        has_teams = bool(row.get("team_size")) if teams is None else (row["exercise"], row["variant"]) in teams
        command = typed.command(program, words, row, has_teams)
        place = seen[tuple(command)]
        seen[tuple(command)] += 1
        if row.get("verified") is True:
            space = data["context"]["spaces"].get(row["space"], {})
            tool = tools.of_space(row["space"], space.get("on_host") is True)
            made.append(Job(row["name"], index, row["exercise"], tool, row["space"], command, place, float(row.get("bytes") or 0)))
    for job in made:
        job.phases = seen[tuple(job.command)]
    return made


def started(command: list[str], job: Job, switch: str = "") -> subprocess.CompletedProcess:
    """Numbers as in C: 1,234.5 in one language is 1.234,5 in another."""
    surroundings = {**os.environ, "LC_ALL": "C", PASS: str(job.place)}
    if switch:
        surroundings[SWITCH] = switch
    return subprocess.run(command, env=surroundings, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)


def stopped(done: subprocess.CompletedProcess) -> str:
    """Why the program itself ended early, if it did."""
    line = next((line for line in done.stderr.splitlines() if line.startswith("parallax: ")), "") if done.returncode else ""
    return line and "a counted run stopped: " + line.removeprefix("parallax: ")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def by_ncu(tool: str, job: Job, folder: Path, counted: Counted) -> dict:
    """Metrics that this GPU has not are left out in a second try."""
    output, without = folder / "ncu", ()
    for _ in range(2):
        output.unlink(missing_ok=True)
        done = started(tools.ncu(tool, str(output), job.command, without), job, "device")
        text = text_of(output) + done.stdout + done.stderr
        found, unknown = ncu.counters(text_of(output) or done.stdout), ncu.unknown(text)
        if found or not unknown:
            break
        without = tuple(unknown)
    if without:
        counted.miss(f"ncu has no {', '.join(without)} here")
    if not found:
        counted.miss(stopped(done) or ncu.complaint(text))
    if found.get("kernels", 0) >= tools.MOST_KERNELS:
        counted.miss(f"ncu counted the first {tools.MOST_KERNELS} kernels of the run only")
        job.needed_bytes = 0  # of all of them
    return found


def by_perf(tool: str, job: Job, folder: Path, counted: Counted) -> dict:
    output, fifos = folder / "perf", (str(folder / "control"), str(folder / "acknowledge"))
    output.unlink(missing_ok=True)
    for fifo in fifos:
        if not os.path.exists(fifo):
            os.mkfifo(fifo)
    done = started(tools.perf(tool, str(output), fifos, job.command), job, ",".join(fifos))
    text = text_of(output)
    found, absent = perf.counters(text), perf.values(text)[1]
    if absent and found:
        virtual = " (a virtual machine often has no hardware counters)" if HARDWARE <= set(absent) else ""
        counted.miss(f"perf cannot count {', '.join(absent)} on this machine{virtual}{tools.likwid()}")
    if not found:
        counted.miss(stopped(done) or perf.complaint(text, done.stderr))
    return found


def by_rocprof(tool: str, job: Job, folder: Path, counted: Counted) -> dict:
    """One run for each group of counters that fits into a pass."""
    if job.phases > 1:
        counted.miss("rocprofv3 counts whole processes, and cannot tell the phases of a variant")
        return {}
    texts = []
    for k, group in enumerate(names.rocprof_groups()):
        inside = folder / f"pass{k}"
        done = started(tools.rocprof(tool, str(inside), group, job.exercise, job.command), job)
        files = sorted(inside.rglob("*counter_collection.csv"))
        texts += [text_of(file) for file in files]
        for file in files:
            file.unlink()
        if not files:
            said = (done.stderr or done.stdout).strip().splitlines()
            counted.miss(f"rocprofv3 gave no {', '.join(group)}" + (f": {said[-1]}" if said else ""))
    return rocprof.counters(texts)


BY = {"ncu": by_ncu, "perf": by_perf, "rocprofv3": by_rocprof}


def complete(found: dict, job: Job) -> dict:
    """With what follows from several counters, in the order of names.py."""
    made = {"tool": job.tool, **found}
    if job.needed_bytes > 0:
        made["needed_bytes"] = job.needed_bytes
    for what, name in (("load", "sectors_per_request"), ("store", "sectors_per_store")):
        if made.get(f"{what}_requests"):
            made[name] = made[f"{what}_sectors"] / made[f"{what}_requests"]
    if job.tool == "perf" and made.get("cycles") and "instructions" in made:
        made["instructions_per_cycle"] = made["instructions"] / made["cycles"]
    return made


def count(todo: list[Job], counted: Counted) -> None:
    with tempfile.TemporaryDirectory(prefix="parallax-counters-") as name:
        for job in todo:
            tool = tools.find(job.tool) if job.tool else None
            if job.tool is None:
                counted.miss(f"no tool counts on '{job.space}'")
            elif tool is None:
                counted.miss(tools.missing(job.tool))
            else:
                try:
                    found = BY[job.tool](tool, job, Path(name), counted)
                except OSError as error:
                    found = {}
                    counted.miss(f"cannot start {job.tool}: {reason(error)}")
                if found:
                    counted.rows[job.index] = complete(found, job)
