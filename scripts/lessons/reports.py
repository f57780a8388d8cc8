# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a check found, for other programs: as JSON, and as JUnit's XML, which GitHub, GitLab and Jenkins show."""

import datetime
import json
import os
import platform
import re
import tempfile
import xml.etree.ElementTree as Xml
from pathlib import Path

from lessons import judging
from lessons.parts import Trouble

FORMAT = 1


def result(folder, exercise, step, verdict, rows, printed, timed, least):
    """`rows`: of the cases that ran, as `run --json` has them; `timed`: those with a time; `least`: by their names, the least time in ns that
    each can take by its ceiling."""
    return {
        "format": FORMAT,
        "name": Path(folder).resolve().name,
        "exercise": exercise,
        "step": step,
        "right": verdict.what == "right",
        "verdict": verdict.what,
        "detail": verdict.detail,
        "cases": [case(row) for row in rows if "verified" in row],
        "printed": printed,
        "times": [time_of(row, least) for row in timed if "real_time" in row],
        "machine": platform.node(),
        "processor": processor(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }


def case(row):
    check = row.get("check", {})
    return {"where": judging.where(row), "verified": row["verified"], "cause": check.get("cause", ""), "detail": check.get("detail", "")}


def percent_of_ceiling(row, least):
    """None where there is none, or more than memory gives: a cache had some of it, or the ceiling was measured on a busy machine."""
    percent = 100 * least.get(row["name"], 0) / row["min_time"]
    return percent if 0 < percent <= 110 else None


def time_of(row, least):
    """Times in ns: the best sample's, the median, and the best of the lesson's own kernel, where it was run."""
    percent = percent_of_ceiling(row, least)
    return {
        "space": row["space"],
        "precision": row["precision"],
        "phase": row["phase"],
        "n": judging.size_of(row),
        "min_time": row["min_time"],
        "real_time": row["real_time"],
        "lesson_time": row.get("lesson_time"),
        "percent_of_ceiling": percent and round(percent, 1),
    }


def readable(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def processor():
    try:
        return re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)[1]
    except (OSError, TypeError):
        return platform.machine()


def junit(found):
    """One test for each case that ran: a size, a space and a precision; and one for the verdict, which has all of it in a line."""
    cases = found["cases"]
    wrong = [one for one in cases if not one["verified"]]
    suite = Xml.Element("testsuite", name=f"{found['exercise']} {found['step']}", tests=str(len(cases) + 1), failures=str(len(wrong) + (not found["right"])), timestamp=found["date"])  # fmt: skip
    for one in ({"where": "verdict", "verified": found["right"], "cause": found["verdict"], "detail": found["detail"]}, *cases):
        test = Xml.SubElement(suite, "testcase", classname=f"{found['exercise']}.{found['step']}", name=printable(one["where"]))
        if not one["verified"]:
            Xml.SubElement(test, "failure", message=printable(one["cause"])).text = printable(one["detail"])
    if found["printed"]:
        Xml.SubElement(suite, "system-out").text = printable("\n".join(found["printed"]))
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(suite, encoding="unicode") + "\n"


def printable(text):
    """XML has no control characters, not even escaped; a student's kernel may print some."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", text)


def write(file, text):
    """Whole or not at all."""
    path = Path(file)
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False) as made:
            made.write(text)
        os.chmod(made.name, 0o644)
        os.replace(made.name, path)
    except OSError as error:
        raise Trouble(f"cannot write '{file}': {error.strerror}", 3) from None


def read(file):
    try:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise Trouble(f"cannot read '{file}': {error.strerror}") from None
    except ValueError:
        raise Trouble(f"'{file}' is not JSON") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT or "verdict" not in found:
        raise Trouble(f"'{file}' is no result of `lesson check --json`")
    return found
