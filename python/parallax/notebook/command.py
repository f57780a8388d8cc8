# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A command line of a page: what a notebook runs for it, and how it is made small."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from ..built import ROOT
from ..errors import Refusal
from ..files import read_bytes

SIZES = ("tiny", "demo", "course", "large")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e\d+)?(?![\w.])")
_CUTS = ((1e5, 1000), (500, 10))  # at size tiny: numbers above the first are divided by the second


@dataclass(frozen=True)
class Command:
    """`environment` is what precedes the program; `program` is scripts/parallax or a script of python/."""

    environment: dict
    program: str
    arguments: tuple

    @property
    def measures(self) -> bool:
        """Whether it runs exercises, in C++ or in Python."""
        return self.program == "python/run_twins.py" or (self.program == "scripts/parallax" and self.arguments[:1] == ("run",))

    def option(self, name: str) -> str | None:
        """The value of an option, given as `--name value` or `--name=value`; the last one counts."""
        found = None
        for word, following in zip(self.arguments, (*self.arguments[1:], None)):
            if word == name:
                found = following
            elif word.startswith(name + "="):
                found = word[len(name) + 1 :]
        return found

    def with_options(self, *words: str) -> Command:
        return replace(self, arguments=(*self.arguments, *words))


def parse(line: str) -> Command:
    """Reads a command line as a shell would, without its comment. Refuses what is not a program of this repository."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise Refusal(f"'{line}' is not a command line: {error}") from None
    environment = {}
    while words and _ASSIGNMENT.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    if words[:1] == ["python3"] and len(words) > 1 and re.fullmatch(r"python/\w+\.py", words[1]):
        words.pop(0)
    elif words[:1] != ["scripts/parallax"]:
        raise Refusal(f"a notebook runs 'scripts/parallax ...' and 'python3 python/FILE.py ...', not '{line}'")
    return Command(environment, words[0], tuple(words[1:]))


def runnable(line: str) -> bool:
    try:
        parse(line)
    except Refusal:
        return False
    return True


def _smaller(text: str) -> str:
    def cut(number) -> str:
        value = float(number[0])
        divisor = next((divisor for limit, divisor in _CUTS if value > limit), None)
        return str(int(value / divisor)) if divisor else number[0]

    return _NUMBER.sub(cut, text)


def _smaller_sizes(path: Path) -> str:
    """A size file at base tiny with every large number divided by ten thousand."""
    content = {**json.loads(read_bytes(str(path))), "base": "tiny"}
    return re.sub(r"\b\d{5,}\b", lambda m: str(int(m[0]) // 10000), json.dumps(content)) + "\n"


def sized(command: Command, size: str | None, folder: Path) -> Command:
    """The command at a size. Tiny is for tests: numbers are cut, and times are taken, twice, only where they go to a file; not with
    a size file, for which the program measures ceilings in all of the memory."""
    if size is None or not command.measures:
        return command
    if size == "tiny":
        sizes = command.option("--size") or ""
        small = replace(command, arguments=tuple(map(_smaller, command.arguments)))
        if sizes.endswith(".json"):
            target = folder / f"tiny-{Path(sizes).name}"
            target.write_text(_smaller_sizes(ROOT / sizes), encoding="utf-8")
            small = replace(small, arguments=tuple(word.replace(sizes, str(target)) for word in small.arguments))
        times = ("--repeat", "2", "--min-time", "0", "--max-time", "0")
        command = small.with_options(*times if small.option("--json") and not sizes else ("--verify-only",))
    return command if command.option("--size") else command.with_options("--size", size)
