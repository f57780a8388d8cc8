# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""docs/coverage.md: what the courses teach, and where it is. Each row names something, and all that is named exists: files, variants,
presets, and the scripts, exercises, variants and parameters of commands."""

import json
import re
import shlex
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import ROOT, InFolder

PAGE = ROOT / "docs" / "coverage.md"
HEAD = ("| the course | here |", "|---|---|")
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`]+)`")
WANTING = re.compile(r"\b(in part|partly|not yet|to do|missing)\b", re.IGNORECASE)


def rows(text):
    """What each row of the tables says: (the course's part, ours)."""
    lines = [line for line in text.splitlines() if line.startswith("|") and line not in HEAD]
    return [tuple(line.strip("| ").split(" | ")) for line in lines]


def presets():
    files = (ROOT / "configs" / "presets").glob("*.json")
    return {p["name"] for f in files for p in json.loads(f.read_text(encoding="utf-8")).get("workflowPresets", [])}


def listed(program):
    """{exercise: (its variants, its parameters)} of `parallax list --json`."""
    return {e["name"]: ({v["name"] for v in e["variants"]}, {p["name"] for p in e["parameters"]}) for e in program["exercises"]}


def faults_of_command(words, exercises):
    """What a command names that is not there. `exercises` is None where no program is built."""
    script = words[1] if words[0] == "python3" else words[0]
    if script == "cmake":
        return [] if words[-1] in presets() else [f"no preset {words[-1]}"]
    if not (ROOT / script).is_file():
        return [f"no script {script}"]
    if exercises is None or words[:2] != ["scripts/parallax", "run"]:
        return []
    if words[2] not in exercises:
        return [f"no exercise {words[2]}"]
    variants, parameters = exercises[words[2]]
    found = []
    for option, value in zip(words, words[1:]):
        if option == "--variant":
            found += [f"no variant {words[2]}/{v}" for v in value.split(",") if v not in variants]
        if option in ("--set", "--sweep"):
            name = value.split("=")[0].replace("-", "_")
            found += [] if name in parameters | {"team_size"} else [f"{words[2]} has no parameter {name}"]
    return found


def faults(text, exercises):
    found = []
    for row in rows(text):
        if len(row) != 2:
            found.append(f"not two cells: {row[0]}")
            continue
        here = row[1]
        links, codes = LINK.findall(here), CODE.findall(here)
        if not links and not codes:
            found.append(f"'{row[0]}' names nothing")
        if WANTING.search(here):
            found.append(f"'{row[0]}' is not covered whole: {here}")
        found += [f"'{row[0]}': no file {link}" for link in links if not (PAGE.parent / link).exists()]
        for code in codes:
            exercise, slash, variant = code.partition("/")
            if re.fullmatch(r"\w+/\w+", code) and exercise != "scripts":
                if exercises is not None and variant not in exercises.get(exercise, ((), ()))[0]:
                    found.append(f"'{row[0]}': no variant {code}")
            else:
                found += [f"'{row[0]}': {fault}" for fault in faults_of_command(shlex.split(code), exercises)]
    return found


class Coverage(InFolder):
    def test_all_that_the_page_names_exists(self):
        text = PAGE.read_text(encoding="utf-8")
        self.assertGreater(len(rows(text)), 150)
        self.assertEqual(faults(text, None), [])

    def test_and_so_do_its_exercises_variants_and_parameters(self):
        program = json.loads(self.run_program("list", "--json").stdout)
        text = PAGE.read_text(encoding="utf-8")
        self.assertEqual(faults(text, listed(program)), [])
        named = {code.split("/")[0] for _, here in rows(text) for code in CODE.findall(here) if "/" in code}
        self.assertEqual(set(listed(program)) - named, set(), "exercises of which the page names no variant")


class MadeUp(unittest.TestCase):
    EXERCISES = {"sum": ({"range"}, {"n"})}

    def faults(self, here):
        return faults("\n".join((*HEAD, f"| a sum | {here} |")), self.EXERCISES)

    def test_a_sound_row_has_no_fault(self):
        for here in ("`sum/range`", "[page](concepts/profiles.md#a-timeline)", "`scripts/parallax run sum --variant range --set n=3`",
                     "`python3 python/run_twins.py sum`", "`cmake --workflow --preset openmp`", "`scripts/lint`"):
            with self.subTest(here):
                self.assertEqual(self.faults(here), [])

    def test_each_rule_can_fail(self):
        for here, fault in (
            ("by the lesson", "names nothing"),
            ("`sum/range`, in part", "is not covered whole"),
            ("[page](absent.md)", "no file absent.md"),
            ("`sum/team`", "no variant sum/team"),
            ("`scripts/absent`", "no script scripts/absent"),
            ("`python3 python/absent.py sum`", "no script python/absent.py"),
            ("`scripts/parallax run product`", "no exercise product"),
            ("`scripts/parallax run sum --variant range,team`", "no variant sum/team"),
            ("`scripts/parallax run sum --set m=3`", "has no parameter m"),
            ("`cmake --workflow --preset absent`", "no preset absent"),
            ("`sum/range` | twice", "not two cells"),
        ):
            with self.subTest(here):
                self.assertIn(fault, "\n".join(self.faults(here)))


if __name__ == "__main__":
    unittest.main()
