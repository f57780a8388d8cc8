# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The student's part of a kernel in a notebook: a cell that writes it to a file, and the check of it (scripts/lesson)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from ..built import ROOT, find_program
from ..errors import Refusal

BEGINNING = "// your code here\n"


def _parts():
    """Which parts a lesson has: the scripts know, since students without a notebook write the same."""
    if str(ROOT / "scripts") not in sys.path:
        sys.path.insert(0, str(ROOT / "scripts"))
    from lessons import parts

    return parts


def steps(name: str) -> list:
    return _parts().steps(name) if (ROOT / "apps" / name / "steps.json").is_file() else []


def surroundings(name: str, step: str) -> str:
    """The function that the part is in, without the part."""
    text = _parts().starter(name, step, BEGINNING)
    at = re.search(rf"^[ \t]*{BEGINNING}", text, re.MULTILINE).start()
    begin = max(match.end() for match in re.finditer(r"\n\n(?=\S)", text[:at]))
    return text[begin : text.index("\n", text.index("\n}", at) + 1)]


def cell(name: str, step: str, solved: bool) -> str:
    """The cell that writes the part; `solved`: the lesson's own, for nbgrader, which takes it out."""
    parts = _parts()
    text = BEGINNING
    if solved:
        own = parts.parts(parts.original(name))[step]
        text = "// BEGIN SOLUTION\n" + re.sub(rf"^{own[2]}", "", own[3], flags=re.MULTILINE) + "// END SOLUTION\n"
    return f"%%writefile {name}/{step}.hpp\n{text}".rstrip("\n")


def metadata(grade_id: str, points: int = 0) -> dict:
    """Of a cell for nbgrader: a part, or the check that gives points for it."""
    graded = points > 0
    kind = {"schema_version": 3, "grade_id": grade_id, "solution": not graded, "grade": graded, "locked": graded, "task": False}
    return {"nbgrader": {**kind, **({"points": points} if graded else {})}}


def check(name: str, step: str, folder: Path, graded: bool) -> None:
    """Puts the part that is in FOLDER/STEP.hpp in its place in the lesson and checks that. Where it is `graded`, what is not right is an error."""
    file, work = folder / f"{step}.hpp", folder / f"my-{step}"
    if not file.is_file():
        raise Refusal(f"there is no '{name}/{step}.hpp': run the cell above, which writes it")
    own = file.read_text(encoding="utf-8")
    if own.strip() in ("", BEGINNING.strip()):
        if graded:
            raise Refusal(f"{name} {step}: there is no code in the cell above", 1)
        print(f"Write {step} in the cell above, run it, and then this one.")
        return
    if not work.exists():
        _lesson(folder, "start", name, work.name, "--step", step)
    header = work / name / "lesson.hpp"
    header.write_text(_parts().starter(name, step, own), encoding="utf-8")
    status, said = _lesson(folder, "check", work.name)
    first = _parts().starter(name, step, BEGINNING).split(BEGINNING)[0].count("\n") + 1
    last, shown = first + own.rstrip("\n").count("\n"), f"{work.name}/{name}/lesson.hpp"

    def in_cell(match) -> str:
        line = int(match[1])
        # The cell's first line says where it is written to.
        return f"line {line - first + 2} of the cell" if first <= line <= last else f"{name}/{match[0]}"

    lines = [re.sub(rf"{re.escape(shown)}:(\d+)", in_cell, line) for line in said if not line.startswith("then: ")]
    print("\n".join(lines), flush=True)
    if graded and status:
        raise Refusal(lines[0], status)


def last_said(done: subprocess.CompletedProcess) -> str:
    """The last line of a program's diagnostics, without the name that it begins with."""
    return done.stderr.strip().rpartition("\n")[2].replace("parallax: ", "", 1)


def _lesson(folder: Path, *words: str) -> tuple:
    """The status of scripts/lesson, 0 or 1, and the lines that it says. Others are refused."""
    program = find_program()
    if program is None:
        raise Refusal("no program is built any more: scripts/run-demo builds it", 3)
    environment = {**os.environ, "PARALLAX_BUILD": str(Path(program).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "lesson"), *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode not in (0, 1) or not done.stdout:
        raise Refusal(last_said(done) or f"it ended with status {done.returncode}", 3)
    return done.returncode, done.stdout.splitlines()
