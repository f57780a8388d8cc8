#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Proves what `scripts/parallax lesson check` says: each lesson is right, each starter fails, so does a lesson that is run once and leaves that
result from then on, and each bug gets the verdict that its file expects.

    tests/lessons/programs.py PROGRAM EXERCISE            PROGRAM: build/.../tests/lesson_EXERCISE
    tests/lessons/programs.py --build BUILD EXERCISE      makes that program, if it is the exercise's turn (tests/turns.py)
    tests/lessons/programs.py --write FOLDER EXERCISE     the sources of that program; CMake asks for it

All starters and bugs of an exercise are compiled into one program, as mutants are (tests/mutation): in place of a student's part, the
environment's PARALLAX_MUTANT says which text is alive. A bug that only a GPU shows (`only: gpu`) is run where there is one, and must
compile everywhere. Status 1 where a verdict is another.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "mutation"), str(ROOT / "tests")]
sys.dont_write_bytecode = True
import mutants  # noqa: E402
from lessons import judging, parts, running  # noqa: E402
from turns import by_turn  # noqa: E402

# number: of PARALLAX_MUTANT; bug: None for a starter
Case = namedtuple("Case", "number step bug")
LESSON, OLD_RESULT = 0, -1  # no starter and no bug: the lesson itself, and the lesson that is run once for each size
PROGRAM = """#include <memory>
#include <utility>
#include "exercise/exercise.hpp"
#include "mutation.hpp"
namespace mutation {{
parallax::Plan run_once(parallax::Plan plan) {{
  for (auto& row : plan.rows)
    row.run = [run = row.run, done = std::make_shared<bool>(!row.run)] {{
      if (!std::exchange(*done, true)) run();
    }};
  return plan;
}}
bool enter(parallax::Exercise exercise) {{
  if (alive == {1})
    for (auto& specialization : exercise.specializations)
      specialization.plan = [plan = specialization.plan](const parallax::Parameters& p) {{ return run_once(plan(p)); }};
  return parallax::register_exercise(std::move(exercise));
}}
}}
#define register_exercise mutation::enter
#include "{0}/exercise.cpp"
"""


def cases(exercise):
    """All starters, then all bugs."""
    those = [(step.name, None) for step in parts.steps(exercise)]
    those += [(bug.step, bug) for bug in parts.bugs(exercise).values()]
    return [Case(number, *case) for number, case in enumerate(those, 1)]


def switched(exercise):
    """The lesson with all its starters and bugs in it."""
    new = {}
    for step, (_, _, _, own) in parts.parts(parts.original(exercise)).items():
        text = ""
        for case in cases(exercise):
            if case.step == step:
                # The marks of alternatives are no part of them.
                text += f"if (mutation::is({case.number})) {{\n{case.bug.code if case.bug else ''}\n}} else "
        new[step] = text + "{\n" + parts.MARK.sub("", own) + "}\n"
    return parts.replaced(parts.original(exercise), new).replace("#pragma once", '#pragma once\n#include "mutation.hpp"', 1)


def write(exercise, folder):
    program = PROGRAM.format(exercise, OLD_RESULT)
    mutants.write_texts(folder, {f"{exercise}/lesson.hpp": switched(exercise), "mutation.hpp": mutants.HEADER, "program.cpp": program})


def judged(program, exercise, case, work):
    """What the check says of one step with one text alive. The program is also the one that is watched."""
    step = next(s for s in parts.steps(exercise) if s.name == case.step)
    kinds = {LESSON: parts.MARK.sub("", parts.original(exercise)), OLD_RESULT: ""}
    text = parts.with_bug(exercise, case.bug) if case.bug else kinds.get(case.number, "")
    alive = {"environment": {"PARALLAX_MUTANT": str(case.number)}, "seconds": 600}
    lesson = judging.lesson_rows([program, "run", exercise], exercise, step.variant, work, {"PARALLAX_MUTANT": str(LESSON)})

    def seen():
        return judging.orders(program, exercise, step.variant, work, lesson, **alive)

    return judging.judge(program, exercise, step, work, lesson, seen, text, repeat=2, team_repeat=10, **alive).verdict


def faults(program, exercise, work):
    """A line for each verdict that is not as it should be; says all of them."""
    found = []
    _, spaces = running.facts([program], exercise)
    on_gpu = bool({"cuda", "hip"} & set(spaces))
    those = [Case(number, step.name, None) for number in (LESSON, OLD_RESULT) for step in parts.steps(exercise)] + cases(exercise)
    kinds = {LESSON: "lesson", OLD_RESULT: "old result"}
    for case in those:
        verdict = judged(program, exercise, case, work)
        what = verdict.what if verdict else "not run here"
        name = f"{exercise} {case.step} {case.bug.name if case.bug else kinds.get(case.number, 'starter')}"
        print(f"{name}: {what}" + (f"\n    {verdict.detail}" if verdict and verdict.detail else ""), flush=True)
        if case.bug and case.bug.only == "gpu" and not on_gpu:
            continue
        if not case.bug:
            wrong = verdict and (verdict.what == "right") != (case.number == LESSON)
        else:
            expected = "right" if case.bug.expect == "right, but slow" else case.bug.expect
            wrong = judging.normal(what) != judging.normal(expected)
        if wrong:
            found.append(f"{name}: '{what}'" + (f", expected '{case.bug.expect}'" if case.bug else ""))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("exercise")
    parser.add_argument("--build", help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        return write(options.exercise, options.write)
    if options.exercise not in by_turn(parts.exercises(), 6):  # each takes minutes
        print(f"{options.exercise} is tried with another commit (PARALLAX_TURN={os.environ['PARALLAX_TURN']})")
        return 0
    if options.build:
        return subprocess.run(["cmake", "--build", options.build, "--target", f"lesson_{options.exercise}"], check=False).returncode
    with tempfile.TemporaryDirectory() as folder:
        found = faults(options.program, options.exercise, Path(folder))
    for line in found:
        print(f"WRONG: {line}", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
