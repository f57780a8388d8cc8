# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The lesson pages of the course's path have one form (docs/adding-an-exercise.md, "The page of a lesson")."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from loading import script  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("PARALLAX_PROGRAM_DIR", ROOT / "build/debian-openmp/bin")) / "parallax"
PATH = ("increment", "vector_add", "transfer", "gather", "quadratic", "row_sum", "tree_sum", "histogram", "matmul", "mandelbrot",
        "integration2d", "circle_area", "ragged_sum", "launch", "scan", "memory_kinds", "normalize", "zero_out", "integer_power", "transpose",
        "heat")
CASES = ("dilepton_mass", "group_sum", "uniform_sort", "mandelbrot_area")  # case studies: a question, then one idea after the other
HEAD = ("Questions", "Objectives", "Minutes", "Prerequisites", "Files")
SECTIONS = ("The idea", "The kernel", "Steps", "Predict, then measure", "Do it yourself", "Common mistakes", "What tuning adds", "Measured",
            "Key points")
WRITTEN = 160  # lines of a page at most, without what scripts/fill-pages writes
CODE = re.compile(r"^```\w*\n.*?^```\n", re.MULTILINE | re.DOTALL)
# A question is HTML, where Markdown's marks are not read: code is <code>.
FOLDED = re.compile(r"^<details><summary>[^\n`]+\?</summary>\n\n(?:(?!<details>)[^\n]*\n)+?</details>$", re.MULTILINE)
MEASURED = re.compile(r"^<!-- measured: .*?<!-- end of measured -->\n", re.MULTILINE | re.DOTALL)


def steps_of(name):
    """What students write in this lesson."""
    return [step["step"] for step in json.loads((ROOT / "apps" / name / "steps.json").read_text(encoding="utf-8"))["steps"]]


def in_order(wanted, found, what):
    """A line for each wanted word that is not there, or else for a wrong order."""
    missing = [f"no {what} '{word}'" for word in wanted if word not in found]
    return missing or ([] if [word for word in found if word in wanted] == list(wanted) else [f"{what}s in another order"])


def faults(name, text):
    """What a page lacks of the form."""
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    part = dict(p.split("\n", 1) for p in parts)
    found = in_order(HEAD, re.findall(r"^- \*\*(\w+):\*\*", head, re.MULTILINE), "line")
    found += in_order(SECTIONS, [p.split("\n", 1)[0] for p in parts], "section")
    if found:
        return found
    yourself = part["Do it yourself"]
    ran = [rf"^    scripts/parallax lesson {command}\b" for command in (f"start {name} my-{name}", f"hint my-{name}", f"bug list {name}")]
    # The check of a starter fails, as it must: a block that CI does not run.
    checked = rf"^```bash\nscripts/parallax lesson check my-{name}\n```$"
    answers = FOLDED.findall(part["Predict, then measure"])
    rules = (
        (re.search(r"^- \*\*Minutes:\*\* \d+$", head, re.MULTILINE), "the minutes are no number"),
        (part["The idea"].strip().count("\n") < 3, "the idea has more than three lines"),
        (f"<!-- code apps/{name}/lesson.hpp " in part["The kernel"], "no kernel taken from lesson.hpp"),
        (re.search(r"<!-- code \S+\.py ", part["The kernel"]), "no kernel taken from a twin"),
        (re.search(rf"^    .*\b{name}\b", part["Steps"], re.MULTILINE), "no command in the steps"),
        (len(answers) >= 2 and len(answers) == text.count("<details>"), "fewer than two questions with folded answers, or one that is not HTML, or without its end"),
        (all(re.search(command, yourself, re.MULTILINE) for command in [*ran, checked]), "a command of 'lesson' is missing"),
        (all(f"`{step}`" in yourself for step in steps_of(name)), "not every step of steps.json is named"),
        (part["Common mistakes"].count("\n- **") >= 3, "fewer than three common mistakes"),
        ("How to read it" in MEASURED.sub("", part["Measured"]), "nothing says how to read the table"),
        (part["Key points"].count("\n- ") >= 3, "fewer than three key points"),
        (MEASURED.sub("", CODE.sub("", text)).count("\n") <= WRITTEN, f"more than {WRITTEN} lines are written by hand"),
    )
    return [fault for holds, fault in rules if not holds]


def faults_of_case(text):
    """What a case study lacks of its form."""
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    names = [s.split("\n", 1)[0] for s in sections]
    part = dict(s.split("\n", 1) for s in sections)
    found = in_order(HEAD[2:], re.findall(r"^- \*\*(\w+):\*\*", head, re.MULTILINE), "line")
    found += in_order(("The question", "Measured", "Key points"), names, "section")
    if found:
        return found
    ideas = [name for name in names if re.match(r"\d+\. ", name)]
    figure = r"^!\[[^\]]+\]\(|(?<=\n\n) {4}(?!scripts/)"
    rules = (
        (re.search(r"^A case study: .*\?$", head, re.MULTILINE), "the second line asks nothing"),
        (re.search(figure, part["The question"], re.MULTILINE), "the question has no figure"),
        ([name.split(".")[0] for name in ideas] == [str(k + 1) for k in range(len(ideas))] and len(ideas) >= 4, "fewer than four ideas, or in another order"),
        (sum("\n    scripts/parallax run " in part[name] for name in ideas) >= 3, "fewer than three ideas have a command"),
        (part["Key points"].count("\n- ") >= 3, "fewer than three key points"),
        ("How to read it" in MEASURED.sub("", part["Measured"]), "nothing says how to read the table"),
        (MEASURED.sub("", CODE.sub("", text)).count("\n") <= WRITTEN, f"more than {WRITTEN} lines are written by hand"),
    )
    return [fault for holds, fault in rules if not holds]


def not_in_the_table(variants, text):
    """Variants without a line in the first table of what was measured, which has all of them: (name, tier)."""
    measured = MEASURED.search(text)
    first = re.search(r"(?:^\|.*\n)+", measured[0], re.MULTILINE) if measured else None
    return [name for name, tier in variants if not first or f"\n| `{name}` | {tier} | " not in first[0]]


class Pages(unittest.TestCase):
    @unittest.skipUnless(PROGRAM.exists(), f"no {PROGRAM}")
    def test_every_variant_has_a_line_in_its_page(self):
        listed = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True, check=True).stdout)["exercises"]
        for exercise in listed:
            name = exercise["name"]
            with self.subTest(name):
                variants = [(variant["name"], variant["tier"]) for variant in exercise["variants"]]
                self.assertGreaterEqual(len(variants), 3)
                self.assertEqual(not_in_the_table(variants, (ROOT / "apps" / name / "README.md").read_text(encoding="utf-8")), [])

    def test_a_link_over_two_lines_is_found(self):
        check_links = script("check-links")
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text("# A\n\nsee [a\nlink](#a), `[no](`, and [another](https://kokkos.org).\n", encoding="utf-8")
            self.assertEqual(list(check_links.broken_links(page)), [(4, "a link must be on one line")])

    def test_every_page_has_a_form(self):
        for name in CASES:
            with self.subTest(name):
                self.assertEqual(faults_of_case((ROOT / "apps" / name / "README.md").read_text(encoding="utf-8")), [])
        # add_one is further exercises of vector_add's page.
        self.assertEqual({*PATH, *CASES, "add_one"}, {path.parent.name for path in (ROOT / "apps").glob("*/exercise.cpp")})
        self.assertIn("vector_add/README.md#more-exercises-in-place", (ROOT / "apps/add_one/README.md").read_text(encoding="utf-8"))

    def test_each_rule_of_a_case_study_can_fail(self):
        good = (ROOT / "apps" / "uniform_sort" / "README.md").read_text(encoding="utf-8")
        for old, new, fault in (
            ("- **Minutes:**", "- Minutes:", "no line 'Minutes'"),
            ("## The question", "## Questions", "no section 'The question'"),
            ("does a sort need?", "a sort needs.", "asks nothing"),
            ("    variant         what", "variant what", "has no figure"),
            ("## 2. ", "## 7. ", "in another order"),
            ("    scripts/parallax run", "    parallax run", "have a command"),
            ("\n- ", "\n* ", "no line 'Minutes'"),
            ("How to read it", "Note", "nothing says how to read the table"),
            ("\n## Key points\n", "\n" * WRITTEN + "\n## Key points\n", "lines are written by hand"),
        ):
            with self.subTest(fault):
                self.assertIn(fault, "\n".join(faults_of_case(good.replace(old, new))))

    def test_a_variant_without_a_line_is_found(self):
        page = (ROOT / "apps" / "gather" / "README.md").read_text(encoding="utf-8")
        self.assertEqual(not_in_the_table([("wrap", "lesson")], page), [])
        self.assertEqual(not_in_the_table([("wrap", "tuned"), ("wrapped", "lesson")], page), ["wrap", "wrapped"])
        self.assertEqual(not_in_the_table([("wrap", "lesson")], page.replace("| `wrap` | lesson | ", "| `wrap` | ")), ["wrap"])
        self.assertEqual(not_in_the_table([("wrap", "lesson")], MEASURED.sub("", page)), ["wrap"])

    def test_every_lesson_of_the_path_has_the_form(self):
        for name in PATH:
            with self.subTest(name):
                self.assertEqual(faults(name, (ROOT / "apps" / name / "README.md").read_text(encoding="utf-8")), [])

    def test_each_rule_can_fail(self):
        good = (ROOT / "apps" / "gather" / "README.md").read_text(encoding="utf-8")
        for old, new, fault in (
            ("- **Objectives:**", "- Objectives:", "no line 'Objectives'"),
            ("## Steps", "## Measures", "no section 'Steps'"),
            ("## Key points\n", "## Steps\n\n## Key points\n", "sections in another order"),
            ("**Minutes:** ", "**Minutes:** about ", "the minutes are no number"),
            ("## The idea\n\n", "## The idea\n\n1\n2\n3\n", "the idea has more than three lines"),
            ("<!-- code apps/gather/lesson.hpp", "<!-- code", "no kernel taken from lesson.hpp"),
            ("<!-- code apps/gather/twin.py", "<!-- code", "no kernel taken from a twin"),
            ("    scripts/parallax run gather", "scripts/parallax run gather", "no command in the steps"),
            ("?</summary>", "</summary>", "fewer than two questions"),
            ("What do NumPy", "What do `NumPy`", "or one that is not HTML"),
            ("</details>\n\n## ", "\n\n## ", "or without its end"),
            ("lesson start gather my-gather", "lesson start gather mine", "a command of 'lesson' is missing"),
            ("```bash\n", "```\n", "a command of 'lesson' is missing"),
            ("Write `unchecked`", "Write it", "not every step of steps.json is named"),
            ("## Common mistakes\n", "## Common mistakes\n\n## Others\n", "fewer than three common mistakes"),
            ("How to read it", "Note", "nothing says how to read the table"),
            ("\n## Key points\n", "\n" * WRITTEN + "\n## Key points\n", "lines are written by hand"),
        ):
            with self.subTest(fault):
                self.assertIn(fault, "\n".join(faults("gather", good.replace(old, new))))


if __name__ == "__main__":
    unittest.main()
