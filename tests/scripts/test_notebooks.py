# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of the lessons follow their pages, and keep what a reader changed."""

import importlib.util
import json
import re
import unittest

from notebooks import CASES, LESSONS, ROOT, Notebooks, calls, page_of, source, texts
from parallax.errors import Refusal
from parallax.notebook import lesson, pages


class Made(Notebooks):
    def setUp(self):
        super().setUp()
        self.make()

    def test_every_lesson_of_the_course_has_one(self):
        self.assertEqual(tuple(pages.lessons()), LESSONS)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), sorted(f"{name}.ipynb" for name in LESSONS))

    def test_they_are_notebooks(self):
        for name in LESSONS:
            with self.subTest(name):
                cells = self.cells(name)
                self.assertEqual(len({cell["id"] for cell in cells}), len(cells))
                if importlib.util.find_spec("nbformat"):
                    import nbformat

                    nbformat.validate(nbformat.read(str(self.folder / "out" / f"{name}.ipynb"), as_version=4))

    def test_the_prose_is_the_pages(self):
        for name in LESSONS:
            with self.subTest(name):
                text = "\n".join(texts(self.cells(name), "markdown"))
                page = re.sub(r"<!--.*?-->", "", page_of(name), flags=re.DOTALL)
                self.assertNotIn("<!--", text)
                for head in re.findall(r"^#+ .+$", page, re.MULTILINE):
                    self.assertIn(head, text)
                self.assertEqual(text.count("<details>"), page.count("<details>"))
                self.assertEqual(re.findall(r"^\|.*\|$", re.sub(r"\[[^\]]*\]\([^)]*\)", "", text), re.MULTILINE),
                                 re.findall(r"^\|.*\|$", re.sub(r"\[[^\]]*\]\([^)]*\)", "", page), re.MULTILINE))

    def test_the_commands_are_the_pages(self):
        for name in LESSONS:
            with self.subTest(name):
                cells = self.cells(name)
                found = [line for cell in cells if cell["cell_type"] == "code" for line in calls(cell)]
                first, last = ("The question\n", "Measured\n") if name in CASES else ("Steps\n", "")
                steps = page_of(name).split(f"\n## {first}")[1].split(f"\n## {last}")[0]
                begin = "    scripts/" if name in CASES else "    "
                wanted = [re.sub(r"\s+#.*", "", line).strip() for line in steps.splitlines() if line.startswith(begin)]
                self.assertGreaterEqual(len(wanted), 4)
                left = [line for line in wanted if line not in found]
                self.assertEqual([line for line in left if not re.search(r"\bnsys |^ncu ", line)], [])
                for line in left:
                    self.assertIn(line, "\n".join(texts(cells, "markdown")))
                self.assertIn(f"scripts/parallax run {name} --json kokkos.json", found)
                self.assertIn(f"python3 python/run_twins.py {name} --json twins.json", found)
                self.assertEqual(sum("lesson.plot(" in text for text in texts(cells, "code")), 1)

    def test_code_is_what_the_page_shows(self):
        # scripts/fill-pages --check holds the pages to the sources; a notebook reads the sources when its cell runs.
        for name in LESSONS:
            cells = texts(self.cells(name), "code")
            blocks = re.findall(r"^<!-- code (\S+) (\w+) -->\n```\w*\n(.*?)^```$", page_of(name), re.MULTILINE | re.DOTALL)
            self.assertGreaterEqual(len(blocks), 1 if name in CASES else 2)
            for file, mark, text in blocks:
                with self.subTest(f"{file} {mark}"):
                    self.assertIn(f'lesson.show("{file}", "{mark}")', cells)
                    self.assertEqual(lesson.marked_code(ROOT / file, mark), text)
        # Other marks in it, a student's part's too, are not shown, and it is moved to the left.
        file = self.folder / "marked.hpp"
        file.write_text("  // begin: a\n  x;\n  // begin: b\n    // student: begin a\n    y;\n    // student: end a\n  // end: b\n  // end: a\n")
        self.assertEqual((lesson.marked_code(file, "a"), lesson.marked_code(file, "b")), ("x;\n  y;\n", "  y;\n"))
        with self.assertRaisesRegex(Refusal, "no code stands between 'begin: nonsuch'"):
            lesson.marked_code(ROOT / "apps" / "gather" / "lesson.hpp", "nonsuch")

    def test_links_lead_somewhere(self):
        count = 0
        for name in LESSONS:
            for cell in self.cells(name):
                for to in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`]*`", "", source(cell))) if cell["cell_type"] == "markdown" else ():
                    if re.match(r"https?:|#", to):
                        continue
                    count += 1
                    with self.subTest(name, to=to):
                        if to.startswith("attachment:"):
                            kind = "image/svg+xml" if to.endswith(".svg") else "image/png"
                            self.assertTrue(cell["attachments"][to[len("attachment:") :]][kind])
                        else:
                            self.assertTrue((self.folder / "out" / to.partition("#")[0]).is_file())
        self.assertGreater(count, 10 * len(LESSONS))


class Following(Notebooks):
    def test_a_changed_page_is_a_changed_notebook(self):
        root = self.copy()
        self.assertIn(f"{len(LESSONS)} written", self.make(root=root))
        self.assertIn(f"{len(LESSONS)} up to date", self.make(root=root))
        page = root / "apps" / "gather" / "README.md"
        text = page.read_text(encoding="utf-8")
        text = text.replace("## The idea\n\n", "## The idea\n\nA new [sentence](../matmul/README.md).\n\n")
        text = text.replace("## Steps\n\n", "## Steps\n\n    scripts/parallax run gather --n 77 --quiet  # 0. a new step\n")
        page.write_text(text.replace("## Key points", "## New points"), encoding="utf-8")
        self.assertIn("1 written", self.make(root=root))
        cells = self.cells("gather")
        self.assertIn("## The idea\n\nA new [sentence](matmul.ipynb).", "\n".join(texts(cells, "markdown")))
        self.assertIn('# 0. a new step\nlesson.run("scripts/parallax run gather --n 77 --quiet")', texts(cells, "code"))
        self.assertTrue(any(t.startswith("## New points") for t in texts(cells, "markdown")))
        self.assertNotIn("## Key points", "\n".join(texts(cells, "markdown")))

    def test_a_readers_changes_are_kept_and_outputs_survive(self):
        root = self.copy()
        self.make(root=root)
        for name, part in (("gather", "source"), ("matmul", "outputs")):
            path = self.folder / "out" / f"{name}.ipynb"
            content = json.loads(path.read_text(encoding="utf-8"))
            cell = next(cell for cell in content["cells"] if cell["cell_type"] == "code")
            cell[part] = ["# mine\n", "1\n"] if part == "source" else [{"output_type": "stream", "name": "stdout", "text": "mine"}]
            path.write_text(json.dumps(content), encoding="utf-8")
        (self.folder / "out" / "row_sum.ipynb").write_text("no JSON")
        before = {p.name: p.read_bytes() for p in (self.folder / "out").iterdir()}
        said = self.make(root=root)
        self.assertEqual({p.name: p.read_bytes() for p in (self.folder / "out").iterdir()}, before)
        self.assertIn(f"{len(LESSONS) - 2} up to date, 2 kept", said)
        self.assertEqual(re.findall(r"(\w+)\.ipynb has been changed by hand", said), ["gather", "row_sum"])

    def test_refusals_are_one_line(self):
        for arguments, status, words in (
            (("--lesson", "histogramm"), 2, "unknown lesson 'histogramm' (did you mean 'histogram'?)"),
            (("/dev/null/x",), 3, "cannot make the folder '/dev/null/x'"),
            (("--nonsuch",), 2, "--nonsuch"),
        ):
            with self.subTest(arguments):
                done = self.script(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1), done.stderr)
                self.assertIn(words, done.stderr)

    def test_a_page_that_is_no_lessons(self):
        root = self.copy()
        (root / "apps" / "gather" / "README.md").write_text("# gather\n\n## Text\n")
        done = self.script("out", "--lesson", "gather", root=root)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("has neither a section 'Steps'", done.stderr)


if __name__ == "__main__":
    unittest.main()
