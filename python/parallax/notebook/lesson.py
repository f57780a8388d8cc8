# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the cells of a notebook call: the page's commands run, its code shown, its results drawn."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from ..built import ROOT, ask_list, find_program
from ..errors import Refusal
from ..marked import language, marked_code
from ..words import one_line, suggestion
from . import command, shares, student

_DEVICES = ("cuda", "hip", "sycl")
# nbconvert gives code in an output the font of prose.
_STYLE = "<style>.jp-RenderedMarkdown.jp-OutputArea-output pre { font-family: var(--jp-code-font-family); }</style>"


def _display(**data) -> None:
    """The same thing in several forms: the reader's program takes the best it knows."""
    from IPython.display import display

    display({name.replace("_", "/").replace("svg", "svg+xml"): content for name, content in data.items()}, raw=True)


class Lesson:
    """A lesson of the course. Its runs work in the folder NAME beside the notebook, where their files stay.

    size: "tiny", "demo", "course" or "large" for every run that names no size; None leaves them as the page has them. The variable
    PARALLAX_NOTEBOOK_SIZE does the same for notebooks that are run by a program.
    """

    def __init__(self, name: str, size: str | None = None):
        self.name, self.size = name, size or os.environ.get("PARALLAX_NOTEBOOK_SIZE") or None
        if self.size not in (None, *command.SIZES):
            raise Refusal(f"unknown size '{self.size}'{suggestion(self.size, command.SIZES)}")
        if os.environ.get("PARALLAX_BUILD"):  # runs start in another folder
            os.environ["PARALLAX_BUILD"] = os.path.abspath(os.environ["PARALLAX_BUILD"])
        program = find_program()
        if program is None:
            raise Refusal("no program is built: scripts/run-demo builds it, or PARALLAX_BUILD names its build folder", 3)
        print(f"{program}: {', '.join(ask_list(program)['spaces'])}" + (f"; everything at size {self.size}" if self.size else ""))
        if "IPython" in sys.modules:
            _display(text_html=_STYLE, text_plain="")
        self.folder = Path(name).resolve()
        self.folder.mkdir(exist_ok=True)
        self._runs = 0
        self._last: str | None = None  # the results of the last run

    def run(self, line: str) -> None:
        """Runs a command of the page: `scripts/parallax ...` or `python3 python/FILE.py ...`. Shows the pictures that it makes.

        A failed check is an error, and so is bad usage. What this machine cannot do is skipped, in one line.
        """
        written = command.parse(line)
        asked = command.sized(written, self.size, self.folder)
        if asked != written:
            print(f"at size {self.size}: {shlex.join(asked.arguments)}")
        words, why_not = self._program(asked)
        if why_not:
            print(f"skipped: {why_not}")
            return
        json_file = asked.option("--json")
        unnamed = asked.measures and json_file is None
        if unnamed:
            json_file = f"run-{self._runs + 1}.json"
            words += ["--json", json_file]
        environment = {**os.environ, **asked.environment, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.setdefault("PARALLAX_PYTHON", sys.executable)  # `parallax report` is drawn by this Python
        with tempfile.TemporaryDirectory() as charts:
            if asked.arguments[:1] == ("report",):
                words += ["--charts", charts]
            if not self._execute(words, environment):
                return
            self._show_charts(charts)
        self._runs += unnamed
        self._last = json_file or self._last
        self._show_files(asked)

    def _program(self, asked: command.Command) -> tuple:
        """The words to execute, and why they cannot be here, or ""."""
        here = [str(ROOT / word) if "/" in word and (ROOT / word).is_file() else word for word in asked.arguments]
        if asked.program.startswith("python/"):
            return [sys.executable, str(ROOT / asked.program), *here], ""
        spaces = (asked.option("--space") or "").split(",") if asked.option("--space") else []
        program = find_program(serial=spaces == ["serial"])
        if program is None:
            raise Refusal("no program is built any more: scripts/run-demo builds it", 3)
        built_in = ask_list(program)["spaces"]
        absent = [space for space in spaces if space not in (*built_in, "all")]
        known = [space for space in absent if space in (*_DEVICES, "serial", "openmp", "threads")]
        if known:  # an unknown word is the program's to refuse
            need = ": it needs a GPU, and a build for it" if known[0] in _DEVICES else ""
            return [], f"the program has no space '{known[0]}' (built in: {', '.join(built_in)}){need}"
        return [program, *here], ""

    def _execute(self, words: list, environment: dict) -> bool:
        """Prints what the program prints, as it comes; then its diagnostics. False where the machine could not."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as diagnostics:
            try:
                process = subprocess.Popen(
                    words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=diagnostics,
                    text=True, encoding="utf-8", errors="replace",
                )  # fmt: skip
            except OSError as error:
                raise Refusal(f"cannot start '{words[0]}': {error.strerror}", 3) from None
            with process:
                for line in process.stdout:
                    print(line, end="")
            diagnostics.seek(0)
            said = [line.rstrip() for line in diagnostics]
        status = process.returncode
        last = re.sub(r"^[\w.]+: ", "", said.pop()) if status and said else f"it ended with status {status}"
        for line in said:
            print(line)
        if status == 3:  # the machine could not: no device, no memory, no library
            print(f"skipped: {one_line(last)}")
        elif status:
            raise Refusal(last, status)
        return status == 0

    def _show_files(self, asked: command.Command) -> None:
        for name in filter(None, (asked.option("--image"), asked.option("-o"))):
            path = self.folder / name
            if path.suffix == ".png" and path.is_file():
                from IPython.display import Image, display

                display(Image(filename=str(path)))
            elif path.is_file():
                _display(text_plain=f"wrote {self.name}/{name}", text_markdown=f"wrote [{name}]({self.name}/{name})")

    def _show_charts(self, folder: str, tags: bool = True) -> None:
        """The charts of a report, in the size that their letters are made for; `tags`: labels say which file a row is of."""
        for path in sorted(Path(folder).glob("*.svg"), key=lambda p: (not p.name.startswith("times-of"), p.name)):
            text = re.sub(r' (width|height)="([\d.]+)"', r' \1="\2pt"', path.read_text(encoding="utf-8"), count=2)
            text = text if tags else re.sub(r" \[[A-Z]\](?=</text>)", "", text)
            _display(image_svg=text, text_plain=re.sub(r"[\s\S]*?<title>(.*?)</title>[\s\S]*", r"\1", text))

    def show(self, file: str, mark: str) -> None:
        """Shows the part of a source that the page is about, as it is in the file now."""
        text = marked_code(ROOT / file, mark)
        _display(text_plain=text, text_markdown=f"`{file}`, `{mark}`:\n\n```{language(Path(file))}\n{text}```")

    def check(self, step: str, graded: bool = False) -> None:
        """Checks the student's part that the cell above has written, and says how fast it is once it is right."""
        student.check(self.name, step, self.folder, graded)

    def plot(self, *files: str) -> None:
        """Draws the times and the shares of the ceilings in results files; without one, of the last run."""
        names = files or tuple(filter(None, [self._last]))
        if not names:
            raise Refusal("nothing has been run yet: there is nothing to draw")
        absent = [name for name in names if not (self.folder / name).is_file()]
        if absent:
            raise Refusal(f"there is no '{absent[0]}': run the cell that writes it first")
        with tempfile.TemporaryDirectory() as charts:
            paths = shares.with_twins_shares([self.folder / name for name in names], Path(charts))
            words = [sys.executable, str(ROOT / "python" / "make_report.py"), *map(str, paths)]
            words += ["-o", str(Path(charts) / "page.html"), "--charts", charts]
            done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            if done.returncode:
                raise Refusal(student.last_said(done), done.returncode)
            if not any(Path(charts).glob("times-of-*.svg")):
                raise Refusal("no row has a time: there is nothing to draw")
            self._show_charts(charts, tags=len(shares.programs(paths)) < len(paths))
