# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What students write in the lessons of the course's path (apps/NAME/steps.json), and the bugs that they hunt (apps/NAME/bugs): their form.
Whether each bug gets its verdict is for a program to say: tests/lessons."""

import json
import re
import sys
import unittest

from test_pages import PATH, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import lessons.parts  # noqa: E402

KEYS = ("step", "says", "expect", "cause", "only")
VERDICT = re.compile(
    r"nothing was written|the last N elements are missing|N elements are missing|wrote (beyond the end|before the beginning)"
    r"|changed its input|N updates (were lost|too many)|two runs differ|an old result was left|only [fi]\d\d is right"
    r"|only right up to n = N|wrong values|the kernel stopped with an error|right, but slow|right for one seed only|no kernel was launched"
    r"|no scratch was used|out of bounds")


def parts(text):
    """The student's parts of a lesson.hpp: step -> lines; none where the markers do not fit."""
    try:
        return {step: [line.strip() for line in own.splitlines()] for step, (_, _, _, own) in lessons.parts.parts(text).items()}
    except ValueError:
        return {}


def faults_of_steps(lesson, steps):
    """lesson: the text of lesson.hpp; steps: what steps.json says."""
    own = parts(lesson)
    found = [] if 1 <= len(steps) <= 3 else [f"{len(steps)} steps"]
    if lesson.count("// student: ") != 2 * len(own) or sorted(own) != sorted(s.get("step", "") for s in steps):
        found.append("markers and steps.json name other steps, or a marker has no partner")
    for step in steps:
        hints = step.get("hints", [])
        if set(step) != {"step", "variant", "task", "hints"} or not step["task"] or len(hints) < 2:
            found.append(f"{step.get('step')}: needs step, variant, task and two hints or more")
        # A line of some length that says it all: not a brace, not "T sum = 0;".
        given = [line for line in own.get(step.get("step"), []) if len(line) > 20 and any(line in hint for hint in [step.get("task", ""), *hints])]
        if given:
            found.append(f"{step['step']}: a hint has a whole line of the solution: {given[0]}")
    return found


def faults_of_bug(text, steps, solution):
    """text: the bug's file; steps: names of the lesson's; solution: what the bug replaces, {step: lines}."""
    head, code = re.match(r"((?://[^\n]*\n)*)(.*)", text, re.DOTALL).groups()
    keys = dict(re.findall(r"^// (\w+): (.+)$", head.split("Apache-2.0\n")[-1], re.MULTILINE))
    found = [f"no '// {key}: ...'" for key in KEYS[:4] if key not in keys] + [f"what is '{key}'?" for key in keys if key not in KEYS]
    if found:
        return found
    rules = (
        (keys["step"] in steps, f"{keys['step']} is no step"),
        (VERDICT.fullmatch(keys["expect"]), f"'{keys['expect']}' is no verdict"),
        (keys.get("only", "gpu") in ("gpu", "cpu", "threads"), "'only' is gpu, cpu or threads"),
        (keys["expect"] != "right, but slow" or keys.get("only") == "gpu", "what is slow on a GPU says so"),
        (code.strip() and [line.strip() for line in code.strip().splitlines()] != solution.get(keys["step"]), "it is the lesson's own code, or none"),
        ("#include" not in code and "student:" not in code, "a part of a function includes nothing, and has no marker"),
    )
    return [fault for holds, fault in rules if not holds]


class Bugs(unittest.TestCase):
    def test_steps_and_bugs_have_the_form(self):
        number = 0
        for name in PATH:
            folder = ROOT / "apps" / name
            lesson = (folder / "lesson.hpp").read_text(encoding="utf-8")
            steps = json.loads((folder / "steps.json").read_text(encoding="utf-8"))["steps"]
            with self.subTest(name):
                self.assertEqual(faults_of_steps(lesson, steps), [])
            bugs = sorted((folder / "bugs").glob("*"))
            number += len(bugs)
            self.assertGreaterEqual(len(bugs), 2, f"{name}: at least two bugs")
            for bug in bugs:
                with self.subTest(f"{name}/{bug.name}"):
                    self.assertEqual(bug.suffix, ".hpp")
                    self.assertEqual(faults_of_bug(bug.read_text(encoding="utf-8"), [s["step"] for s in steps], parts(lesson)), [])
        self.assertGreaterEqual(number, 24)

    def test_each_kind_of_verdict_that_a_cpu_shows_has_a_bug(self):
        texts = [bug.read_text(encoding="utf-8") for name in PATH for bug in (ROOT / "apps" / name / "bugs").glob("*.hpp")]
        expected = {re.search(r"^// expect: (.*)$", text, re.MULTILINE)[1] for text in texts if "\n// only: gpu\n" not in text}
        for verdict in ("the last N elements are missing", "N elements are missing", "wrote beyond the end", "changed its input",
                        "N updates were lost", "N updates too many", "two runs differ", "an old result was left", "only f32 is right",
                        "only right up to n = N", "wrong values", "right for one seed only", "no kernel was launched", "no scratch was used"):
            self.assertIn(verdict, expected)

    LESSON = "{\n  // student: begin add\n  sum += a(i) + b(i) + c(i);\n  // student: end add\n}\n"
    STEPS = [{"step": "add", "variant": "add", "task": "Add.", "hints": ["Which?", "All."]}]

    def test_each_rule_of_steps_can_fail(self):
        self.assertEqual(faults_of_steps(self.LESSON, self.STEPS), [])
        for change, fault in (
            ({"step": "sum"}, "name other steps"),
            ({"hints": ["Which?"]}, "two hints or more"),
            ({"task": ""}, "needs step, variant, task"),
            ({"more": 1}, "needs step, variant, task"),
            ({"hints": ["Which?", "sum += a(i) + b(i) + c(i);"]}, "a whole line of the solution"),
        ):
            with self.subTest(fault):
                self.assertIn(fault, "\n".join(faults_of_steps(self.LESSON, [{**self.STEPS[0], **change}])))
        self.assertIn("0 steps", faults_of_steps(self.LESSON, []))
        self.assertIn("no partner", "\n".join(faults_of_steps(self.LESSON.replace("end add", "end"), self.STEPS)))

    BUG = "// SPDX-License-Identifier: Apache-2.0\n// step: add\n// says: It is too small.\n// expect: wrong values\n// cause: No c.\nsum += a(i);\n"

    def test_each_rule_of_bugs_can_fail(self):
        def faults(text):
            return "\n".join(faults_of_bug(text, ["add"], parts(self.LESSON)))

        self.assertEqual(faults(self.BUG), "")
        for old, new, fault in (
            ("// says:", "// tells:", "no '// says: ...'"),
            ("// cause", "// why: none\n// cause", "what is 'why'?"),
            ("step: add", "step: sum", "sum is no step"),
            ("wrong values", "wrong", "'wrong' is no verdict"),
            ("wrong values", "right, but slow", "says so"),
            ("// cause", "// only: tpu\n// cause", "gpu, cpu or threads"),
            ("sum += a(i);", "sum += a(i) + b(i) + c(i);", "the lesson's own code"),
            ("sum += a(i);\n", "", "or none"),
            ("sum +=", "#include <sum>\nsum +=", "includes nothing"),
        ):
            with self.subTest(fault):
                self.assertIn(fault, faults(self.BUG.replace(old, new)))


if __name__ == "__main__":
    unittest.main()
