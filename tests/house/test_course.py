# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The plans of the course (course/two_days.md, which a teacher edits, and the shorter and the longer one): the clock of each day and its
minutes agree, every lesson has a section in two_days.md, with a page, and where students write, one part of the kernel is named."""

import json
import re
import unittest
from collections import Counter
from pathlib import Path

COURSE = Path(__file__).resolve().parents[2] / "course"
WRITES = ("two_days.md", "three_hours.md", "one_week.md")  # plans in which students write kernels
PLANS = ("two_days.md", "one_hour.md", "three_hours.md", "one_week.md")
DAY = re.compile(r"## (.+): (\d+:\d\d) to (\d+:\d\d), (\d+) minutes")
ROW = re.compile(r"\| (\d+:\d\d) \| (\d+) \| ([^|]+) \|")
LESSON = re.compile(r"\[(\d+\. [^\]]+)\]\(([^)]*)\)")
SLOT = re.compile(r"^\| \d+:\d\d \| \d+ \| [^|]*\[\d+\. ([^\]]+)\][^|]*\| ([^|\n]*)\|$", re.MULTILINE)
PAGE = re.compile(r"\bPages?:(.*?)(?:\.\s|\Z)", re.DOTALL)


def minutes(clock):
    hours, rest = clock.split(":")
    return 60 * int(hours) + int(rest)


def clock(time):
    return f"{time // 60}:{time % 60:02}"


def days(text):
    """Yields the head of each day, a match of DAY, and its rows: (at, minutes, what)."""
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        head = DAY.match(part)
        if head:
            yield head, [(at, int(length), what.strip()) for at, length, what in ROW.findall(part)]


def faults_of_clock(text):
    found, number = [], 0
    for number, (head, rows) in enumerate(days(text), 1):
        name, begin, end, total = head.groups()
        time = minutes(begin)
        for at, length, what in rows:
            if minutes(at) != time:
                found.append(f"{name}: '{what}' begins at {clock(time)} if the rows before it are right, not at {at}")
                time = minutes(at)
            time += length
        if time != minutes(end):
            found.append(f"{name}: the last row ends at {clock(time)}, the day at {end}")
        if sum(length for _, length, _ in rows) != int(total):
            found.append(f"{name}: the rows have {sum(length for _, length, _ in rows)} minutes, the head says {total}")
    return found if number else ["there is no day of the form '## Day 1: 9:00 to 17:00, 480 minutes'"]


def faults_of_lessons(plan, text, two_days):
    """What is wrong with the lessons that a plan names; two_days is the text with their sections."""
    sections = dict(re.findall(r"^### (\d+\. .+)\n([\s\S]*?)(?=^##|\Z)", two_days, flags=re.MULTILINE))
    named = [lesson for _, rows in days(text) for row in rows for lesson in LESSON.findall(row[2])]
    found = []
    for title, link in named:
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        if title not in sections:
            found.append(f"{plan}: '{title}' is no lesson of two_days.md")
        elif link != f"{'' if plan == 'two_days.md' else 'two_days.md'}#{anchor}":
            found.append(f"{plan}: '{title}' links to {link}")
    for title in sorted({title for title, _ in named} & set(sections)):
        page = PAGE.search(sections[title])
        links = re.findall(r"\]\(([^)#]+)\)", page[1]) if page else []
        if not links or not all((COURSE / link).is_file() for link in links):
            found.append(f"two_days.md: '{title}' has no page, or one that is not there")
        for exercise in re.findall(r"\w+", title):
            if (COURSE.parent / "apps" / exercise).is_dir() and f"../apps/{exercise}/README.md" not in links:
                found.append(f"two_days.md: '{title}' does not name the page of {exercise}")
    return found if named else [f"{plan}: no row names a lesson"]


def faults_of_slots(plan, text):
    """Rows of lessons whose kernels students write, and that do not name one part, as `range`."""
    found = []
    for title, words in SLOT.findall(text):
        files = [COURSE.parent / "apps" / word / "steps.json" for word in re.findall(r"\w+", title)]
        steps = {step["step"] for file in files if file.exists() for step in json.loads(file.read_text(encoding="utf-8"))["steps"]}
        named = [word for word in re.findall(r"`(\w+)`", words) if word in steps]
        if steps and len(named) != 1:
            found.append(f"{plan}: the slot of '{title}' names {len(named)} parts to write")
    return found


class Plans(unittest.TestCase):
    def test_the_plans_are_sound(self):
        texts = {plan: (COURSE / plan).read_text(encoding="utf-8") for plan in PLANS}
        for plan, text in texts.items():
            with self.subTest(plan):
                self.assertEqual(faults_of_clock(text) + faults_of_lessons(plan, text, texts["two_days.md"]), [])
                if plan in WRITES:
                    self.assertGreaterEqual(len(SLOT.findall(text)), 5)
                    self.assertEqual(faults_of_slots(plan, text), [])


class Folders(unittest.TestCase):
    def test_no_two_pages_start_work_in_the_same_folder(self):
        """Who reads both would be refused: the folder is not empty."""
        pages = [path for part in ("apps", "course", "docs") for path in (COURSE.parent / part).rglob("*.md")]
        begun = Counter(name for page in pages for name in re.findall(r"^    scripts/parallax lesson start \w+ ([a-z]\S*)(?: |$)",
                        page.read_text(encoding="utf-8"), re.MULTILINE))
        self.assertGreater(len(begun), 20)
        self.assertEqual([name for name, pages_of_it in begun.items() if pages_of_it > 1], [])


class Answers(unittest.TestCase):
    STEP = re.compile(r"#\s+(\d+)\. |^(\d+)\. ", re.MULTILINE)

    def steps(self, page):
        """The numbers of the steps of a page: of commands, and of what is to be done by hand."""
        parts = re.findall(r"^## (?:Steps|More exercises[^\n]*)\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
        return sorted({int(a or b) for part in parts for a, b in self.STEP.findall(part)})

    def test_each_step_of_each_page_has_an_answer(self):
        answers = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", (COURSE / "answers.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
        pages = {path.parent.name: path.read_text(encoding="utf-8") for path in (COURSE.parent / "apps").glob("*/README.md")}
        with_steps = {name: self.steps(page) for name, page in pages.items() if "\n## Steps\n" in page}
        self.assertGreater(len(with_steps), 20)
        self.assertEqual(set(answers), set(with_steps))
        for name, numbers in with_steps.items():
            with self.subTest(name):
                self.assertEqual(sorted(map(int, re.findall(r"^(\d+)\. ", answers[name], re.MULTILINE))), numbers)
                self.assertGreaterEqual(len(numbers), 4)


class MadeUp(unittest.TestCase):
    GOOD = """## Day 1: 9:00 to 10:30, 90 minutes

| at | minutes | what | |
|---|---|---|---|
| 9:00 | 50 | [0. A program](#0-a-program) | |
| 9:50 | 40 | Coffee | with cake |

## The lessons

### 0. A program

What it is. Page: [first_program](first_program/README.md), with pictures.
"""

    def faults(self, text):
        return faults_of_clock(text) + faults_of_lessons("two_days.md", text, text)

    def test_a_sound_plan_has_no_fault(self):
        self.assertEqual(self.faults(self.GOOD), [])

    def test_a_slot_names_one_part(self):
        for words, number in (("`wrap`", 1), ("", 0), ("`no_such`", 0), ("`wrap`, `unchecked`", 2)):
            with self.subTest(words):
                found = faults_of_slots("plan", f"| 9:00 | 35 | [3. gather](#3-gather) | {words} |\n".replace("  |", " |"))
                self.assertEqual(found, [] if number == 1 else [f"plan: the slot of 'gather' names {number} parts to write"])

    def test_each_rule_can_fail(self):
        for old, new, fault in (
            ("| 9:50 |", "| 9:55 |", "'Coffee' begins at 9:50"),
            ("| 50 |", "| 45 |", "'Coffee' begins at 9:45"),
            ("to 10:30", "to 10:45", "the last row ends at 10:30, the day at 10:45"),
            ("90 minutes", "95 minutes", "the rows have 90 minutes, the head says 95"),
            ("## Day 1:", "## Day 1", "there is no day"),
            ("[0. A program]", "[0. Another]", "'0. Another' is no lesson of two_days.md"),
            ("(#0-a-program)", "(#a-program)", "links to #a-program"),
            ("first_program/README.md", "first_program/absent.md", "has no page"),
            ("Page: ", "", "has no page"),
            ("A program", "A gather", "does not name the page of gather"),
            ("[0. A program](#0-a-program)", "A program", "no row names a lesson"),
        ):
            with self.subTest(new):
                self.assertIn(fault, "\n".join(self.faults(self.GOOD.replace(old, new))))


if __name__ == "__main__":
    unittest.main()
