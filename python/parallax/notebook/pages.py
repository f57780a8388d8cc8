# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A lesson's page (apps/NAME/README.md) as a Jupyter notebook, of format 4.5. Needs only the standard library."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from pathlib import Path

from ..built import ROOT
from ..errors import Refusal
from ..files import read_bytes
from . import command, student

_PAGE_OF_LESSON = re.compile(r"\(\.\./apps/(\w+)/README\.md")
_BLOCK = re.compile(
    r"^<!-- code (?P<file>\S+) (?P<mark>\w+) -->\n(?:```\w*\n.*?^```\n)?"
    r"|(?P<fence>^```.*?^```\n)"
    r"|(?P<folded>^<details>.*?^</details>\n)"
    r"|^## (?P<head>[^\n]+)\n"
    r"|(?P<indented>(?:^    [^\n]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE_OR_LINK = re.compile(r"(?P<code>`+[^`]*`+)|(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<to>[^()\s]+)\)")


def read_text(path: Path) -> str:
    return read_bytes(str(path)).decode("utf-8")


def lessons(root: Path = ROOT) -> list:
    """The lessons of the path, in the order in which course/two_days.md names their pages."""
    return list(dict.fromkeys(_PAGE_OF_LESSON.findall(read_text(root / "course" / "two_days.md"))))


class Notebook:
    """Collects the cells of one lesson; `folder` is where the notebook will be, and `names` are all that have one. `graded`: with
    nbgrader's marks, and the lesson's own code as the solution."""

    def __init__(self, name: str, folder: Path, names: list, graded: bool = False, root: Path = ROOT):
        self.name, self.folder, self.names, self.graded, self.root = name, folder.resolve(), names, graded, root
        self.page = root / "apps" / name / "README.md"
        self.cells: list = []
        self._text: list = []  # of the Markdown cell that is being filled

    def _relative(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.folder)).as_posix()

    def _add(self, kind: str, source: str, **more) -> None:
        code = {"execution_count": None, "outputs": []} if kind == "code" else {}
        cell = {"cell_type": kind, "id": f"cell-{len(self.cells) + 1}", "metadata": {}, "source": source, **code, **more}
        self.cells.append(cell)

    def code(self, *lines: str, metadata: dict | None = None) -> None:
        self.end_of_text()
        self._add("code", "\n".join(lines))
        self.cells[-1]["metadata"] = metadata or {}

    def text(self, markdown: str) -> None:
        self._text.append(markdown)

    def end_of_text(self) -> None:
        markdown, self._text = "".join(self._text), []
        attachments = {}
        source = re.sub(r"\n{3,}", "\n\n", self._linked(_COMMENT.sub("", markdown), attachments)).strip()
        if source:
            self._add("markdown", source, **({"attachments": attachments} if attachments else {}))

    def _linked(self, markdown: str, attachments: dict) -> str:
        """Links lead to the other notebooks, or from this one to the repository's files; pictures come along."""

        def link(m) -> str:
            to, _, anchor = (m["to"] or "").partition("#")
            if m["code"] or not to or re.match(r"\w+:", to):
                return m[0]
            path = Path(os.path.normpath(self.page.parent / to))
            if m["image"]:
                kind = "image/svg+xml" if path.suffix == ".svg" else "image/png"
                attachments[path.name] = {kind: base64.b64encode(read_bytes(str(path))).decode("ascii")}
                return f"![{m['text']}](attachment:{path.name})"
            other = path.parent.name
            if path == self.root / "apps" / other / "README.md" and other in self.names and other != self.name and not anchor:
                return f"[{m['text']}]({other}.ipynb)"
            return f"[{m['text']}]({self._relative(path)}{'#' if anchor else ''}{anchor})"

        return _CODE_OR_LINK.sub(link, markdown)

    def steps(self, block: str) -> None:
        """A cell for each numbered step. What a notebook cannot run is left as text."""
        groups: list = []
        for line in block.splitlines():
            line, _, comment = (part.strip() for part in re.sub(r"(?<=\s)#\s*", "\0", line, count=1).partition("\0"))
            numbered = bool(re.match(r"\d", comment))
            same = groups and runs(groups[-1]) == command.runnable(line) and not (groups[-1]["numbered"] and (numbered or not comment))
            if not same:
                groups.append({"lines": [], "comments": [], "numbered": False})
            group = groups[-1]
            group["lines"].append(line)
            group["comments"] += [comment] * bool(comment)
            group["numbered"] |= numbered
        for group in groups:
            comment = "# " + " ".join(group["comments"]) if group["comments"] else None
            if runs(group):
                calls = [f"lesson.run({json.dumps(line, ensure_ascii=False)})" for line in group["lines"]]
                self.code(*filter(None, [comment, *calls]))
            else:
                lines = "\n".join(filter(None, [comment, *group["lines"]]))
                self.text(f"\nIn a terminal:\n\n```bash\n{lines}\n```\n")

    def comparison(self) -> None:
        """Not of the page: both programs at the same size, and the picture of their times."""
        self.text(
            "## Python and Kokkos on this machine\n\nThe Python twins in every library that is installed here, then the variants in"
            " Kokkos, at the same size. A twin's share of the [ceiling](../../docs/concepts/glossary.md#ceiling) is of the one that the"
            " Kokkos program measured on the same device.\n"
        )
        self.code(f'lesson.run("python3 python/run_twins.py {self.name} --json twins.json")')
        self.code(f'lesson.run("scripts/parallax run {self.name} --json kokkos.json")')
        self.code('lesson.plot("kokkos.json", "twins.json")')

    def own_parts(self) -> None:
        """For each part that students write: what it is, a cell to write it in, and its check."""
        steps = student.steps(self.name)
        if steps:
            self.text("\nOr write them here: each part in a cell, which the next cell checks with the rest of the lesson.\n")
        for step in steps:
            self.text(f"\n**`{step.name}`**: {step.task}\n\n```cpp\n{student.surroundings(self.name, step.name)}\n```\n")
            marks = (student.metadata(step.name), student.metadata(f"check-{step.name}", 1)) if self.graded else (None, None)
            self.code(student.cell(self.name, step.name, self.graded), metadata=marks[0])
            self.code(f'lesson.check("{step.name}"{", graded=True" if self.graded else ""})', metadata=marks[1])

    def neighbours(self) -> None:
        at = self.names.index(self.name)
        named = [("Before", self.names[at - 1])] * (at > 0) + [("Next", n) for n in self.names[at + 1 : at + 2]]
        if named:
            self.text("\n" + " · ".join(f"{word}: [{n}](../{n}/README.md)" for word, n in named) + "\n")

    def start(self) -> None:
        inside = self.root in (self.folder, *self.folder.parents) and not self.graded  # nbgrader moves it
        package = self.root / "python"
        where = self._relative(package) if inside else str(package)
        self.text(
            "\n*This notebook is made from the lesson's [page](README.md) by `scripts/notebooks`. Run the next cell first; a cell whose"
            " command needs what this machine lacks, such as a GPU, says so and is skipped.*\n"
        )
        self.code(
            "import sys",
            f"sys.path.insert(0, {json.dumps(where)})",
            "from parallax.notebook.lesson import Lesson",
            f'lesson = Lesson({json.dumps(self.name)})  # size="tiny" makes every run small and quick',
        )

    def build(self) -> dict:
        page, section, at = read_text(self.page), "", 0
        for block in _BLOCK.finditer(page):
            self.text(page[at : block.start()])
            at = block.end()
            if block["file"]:
                self.code(f'lesson.show("{block["file"]}", "{block["mark"]}")')
            elif block["head"]:
                self.head(section, block["head"])
                section = block["head"]
                self.text(block[0])
            elif block["folded"]:
                self.end_of_text()
                self.text(block[0])
                self.end_of_text()
            elif block["indented"] and has_steps(section) and any(command.runnable(line.strip()) for line in block["indented"].splitlines()):
                self.steps(block["indented"])
            else:
                self.text(block[0])
        self.text(page[at:])
        self.neighbours()
        self.end_of_text()
        if not self._compared():
            raise Refusal(f"'{self.page}' has neither a section 'Steps' nor numbered ideas: it is no lesson's page")
        return {
            "cells": self.cells,
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
                "parallax": {"digest": digest(self.cells)},
                "title": self.name,
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        }

    def head(self, before: str, after: str) -> None:
        """A section ends here, and another begins."""
        if not before:
            self.start()
        self.end_of_text()
        ran = any("lesson.run(" in cell["source"] for cell in self.cells)
        if before == "Do it yourself":
            self.own_parts()
        if before == "Steps" or (after == "Measured" and ran and not self._compared()):
            self.comparison()

    def _compared(self) -> bool:
        return any("lesson.plot" in cell["source"] for cell in self.cells)


def has_steps(section: str) -> bool:
    """Whether the commands of a section are for students to run: a lesson's steps, or a case study's question and ideas."""
    return section in ("Steps", "The question") or bool(re.match(r"\d+\. ", section))


def runs(group: dict) -> bool:
    return command.runnable(group["lines"][0])


def digest(cells: list) -> str:
    """Of what was made: another one says that a reader has changed something."""
    sources = [[cell["cell_type"], "".join(cell["source"]), cell.get("attachments", {})] for cell in cells]
    return hashlib.sha256(json.dumps(sources, sort_keys=True).encode()).hexdigest()


def notebook(name: str, folder: Path, names: list, graded: bool = False) -> dict:
    """The notebook of a lesson, as JSON's own types."""
    return Notebook(name, folder, names, graded).build()
