# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What pages and pictures say was measured has the names that exercises and variants have today: `parallax list` and the twins' files know them."""

import json
import re
import subprocess
import unittest
from xml.etree import ElementTree

from test_pages import PROGRAM, ROOT

SOURCE = re.compile(r"<!-- from (.+?) -->")
IN_TABLE = re.compile(r"^\| \[(\w+)\]\([^)]*apps/\w+/README\.md\) \|(.*)$", re.MULTILINE)
LABEL = re.compile(r"^(\w+)(?: \w+)? · (?:[fiu](?:32|64))$")  # of a chart's bar
NAME = re.compile(r"^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$")
NO_VARIANT = {"lesson", "tuned", "library"}  # what else such a picture says in one word


def known(exercise, listed):
    """The names of an exercise's variants, and all words in quotes of its twin: a twin's variants are keys there."""
    twin = ROOT / "apps" / exercise / "twin.py"
    return {*listed.get(exercise, ()), *re.findall(r'"(\w+)"', twin.read_text(encoding="utf-8") if twin.exists() else "")}


def unknown_sources(text, listed):
    """Rows that sentences name, of an exercise or a variant that is not there."""
    rows = [word for source in SOURCE.findall(text) for part in source.split(" / ") for word in part.split()[1:2] if word.count("/") >= 2]
    return [row for row in rows if row.split("/")[1] not in known(row.split("/")[0], listed)]


def unknown_in_tables(text, listed):
    return [f"{exercise}: {name}" for exercise, line in IN_TABLE.findall(text) for name in re.findall(r"`(\w+)`", line) if name not in known(exercise, listed)]


def texts(svg):
    return [element.text.strip() for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text") if element.text]


def unknown_in_picture(svg, exercise, listed):
    """`exercise`: whose variants a picture shows; None where its bars are labelled with exercises."""
    if exercise:
        return [text for text in texts(svg) if NAME.match(text) and text not in {*listed[exercise], *NO_VARIANT}]
    return [text for text in texts(svg) if (label := LABEL.match(text)) and label[1] not in listed]


@unittest.skipUnless(PROGRAM.exists(), f"no {PROGRAM}")
class Measured(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        exercises = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True, check=True).stdout)["exercises"]
        cls.listed = {exercise["name"]: {variant["name"] for variant in exercise["variants"]} for exercise in exercises}
        cls.pages = [ROOT / "README.md", *(page for folder in ("apps", "course", "docs") for page in sorted((ROOT / folder).rglob("*.md")))]

    def test_sentences_and_tables(self):
        for page in self.pages:
            text = page.read_text(encoding="utf-8")
            self.assertEqual([], unknown_sources(text, self.listed) + unknown_in_tables(text, self.listed), page)

    def test_kept_files(self):
        for path in sorted((ROOT / "docs" / "measured").rglob("*.json")):
            rows = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
            self.assertEqual([], [row["name"] for row in rows if row["variant"] not in known(row["exercise"], self.listed)], path)

    def test_pictures(self):
        for path in sorted((ROOT / "docs" / "images").rglob("*.svg")):
            exercise = path.stem if path.parent.name == "variants" else None
            self.assertEqual([], unknown_in_picture(path.read_text(encoding="utf-8"), exercise, self.listed), path)

    def test_what_was_measured_is_not_called_unmeasured(self):
        measured = {row["exercise"] for path in (ROOT / "docs" / "measured").glob("*.json") for row in json.loads(path.read_text(encoding="utf-8"))["benchmarks"]}
        self.assertEqual({*self.listed}, measured)
        for name in sorted(measured):
            self.assertNotRegex((ROOT / "apps" / name / "README.md").read_text(encoding="utf-8"), "(?i)not (yet )?measured", name)

    def test_each_can_fail(self):
        listed = {"add_one": {"range"}}
        self.assertEqual(["add_one/gone/cuda/f64"], unknown_sources("1<!-- from a add_one/range/cuda/f64 / b add_one/gone/cuda/f64 -->", listed))
        self.assertEqual(["nothing/range/cuda/f64"], unknown_sources("1<!-- from a nothing/range/cuda/f64 -->", listed))
        self.assertEqual(["add_one: gone"], unknown_in_tables("| [add_one](../apps/add_one/README.md) | f64 | `range` | `gone` |\n", listed))
        svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>{}</text></svg>'
        for label, exercise in (("gone_variant", "add_one"), ("gone · f32", None), ("gone end_to_end · u64", None)):
            self.assertEqual([label], unknown_in_picture(svg.format(label), exercise, listed))
        for label, exercise in (("range", "add_one"), ("1.00 ms", "add_one"), ("add_one · f32", None), ("GPU", "add_one")):
            self.assertEqual([], unknown_in_picture(svg.format(label), exercise, listed))


if __name__ == "__main__":
    unittest.main()
