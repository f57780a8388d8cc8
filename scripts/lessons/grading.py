# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Checks a whole class: each folder in a process that has limits, several at once, and a table of what was found."""

import csv
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lessons import confining, reports
from lessons.compiling import last_line
from lessons.parts import ROOT, Trouble

COLUMNS = ("folder", "exercise", "step", "outcome", "verdict", "detail", "cases", "space", "precision", "n", "time_ns", "lesson_time_ns", "percent_of_ceiling")
OUTCOMES = ("right", "wrong", "not checked")


def grade(folders, jobs, seconds, gigabytes, say):
    """A table's lines, as dicts by COLUMNS, in the order of `folders`. Several at once disturb each other's times: then none are taken."""
    if jobs > 1:
        say(f"{jobs} at a time, which would disturb each other's times: none are taken")
    open_why = confining.missing()
    if open_why:
        say(f"kernels can reach the network and this user's files: {open_why}")
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda folder: graded(folder, jobs == 1, seconds, gigabytes, not open_why), folders))


def graded(folder, with_times, seconds, gigabytes, confined):
    with tempfile.TemporaryDirectory(prefix="grade-") as made:
        file = Path(made) / "result.json"
        command = [sys.executable, str(ROOT / "scripts" / "lesson"), "check", str(folder), "--json", str(file), *([] if with_times else ["--no-times"])]
        why = limited(command, seconds, gigabytes, confined)
        if file.exists():
            return line(folder, reports.read(file))
    return {**dict.fromkeys(COLUMNS, ""), "folder": str(folder), "outcome": "not checked", "verdict": why or "it said nothing"}


def limited(command, seconds, gigabytes, confined):
    """Runs a check, and ends it and all that it began at the limit. Returns the last line that it said, or that it was ended."""

    def limits():
        most = int(gigabytes * 2**30)  # of memory that is written: a GPU's driver reserves far more addresses
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))

    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            preexec_fn=limits,
            start_new_session=True,
            env={**os.environ, **({confining.ASKED: "1"} if confined else {})},
        )
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"stopped after {seconds:g} s"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        said.seek(0)
        return last_line(said.read().decode(errors="replace")).replace("parallax: ", "", 1)


def line(folder, found):
    """One line of the table. Of several times the row's that took least; by the best samples, which a busy machine disturbs least."""
    best = min(found["times"], key=lambda time: time["min_time"], default={})
    return {
        "folder": str(folder),
        "exercise": found["exercise"],
        "step": found["step"],
        "outcome": "right" if found["right"] else "wrong",
        "verdict": found["verdict"],
        "detail": found["detail"],
        "cases": len(found["cases"]),
        "space": best.get("space", ""),
        "precision": best.get("precision", ""),
        "n": best.get("n", ""),
        "time_ns": best.get("min_time", ""),
        "lesson_time_ns": best.get("lesson_time") or "",
        "percent_of_ceiling": best.get("percent_of_ceiling") or "",
    }


def as_csv(lines):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for one in lines:
        # A spreadsheet takes what begins so for a formula.
        writer.writerow({key: f"'{value}" if isinstance(value, str) and value[:1] in "=+-@" and value else value for key, value in one.items()})
    return out.getvalue()


def shown(lines):
    """The lines of the table on a terminal, and how many of each outcome there are."""
    width = max(len(one["folder"]) for one in lines)
    for one in lines:
        what = f"{one['exercise']} {one['step']}: {one['verdict']}" if one["exercise"] else one["verdict"]
        share = f", {one['percent_of_ceiling']} % of the ceiling in {one['space']}" if one["percent_of_ceiling"] else ""
        yield f"{one['folder']:{width}}  {'' if one['exercise'] else 'not checked: '}{what}{share}"
    counts = [(outcome, sum(one["outcome"] == outcome for one in lines)) for outcome in OUTCOMES]
    yield f"{len(lines)} folders: " + ", ".join(f"{count} {outcome}" for outcome, count in counts if count)


def require_folders(names):
    """Each once, and there."""
    found = []
    for name in names:
        if not Path(name).is_dir():
            raise Trouble(f"there is no folder '{name}'")
        if any(os.path.samefile(name, other) for other in found):
            raise Trouble(f"'{name}' is named twice")
        found.append(name)
    return found
