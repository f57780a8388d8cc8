# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The text of a lesson: the student's parts of apps/EXERCISE/lesson.hpp, its steps, its bugs, and what a student's file may not do.

A part is between two comments, `// student: begin STEP` and `// student: end STEP`, each on a separate line."""

import json
import re
import textwrap
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KEYS = ("step", "says", "expect", "cause", "only")
MARK = re.compile(r"^[ \t]*// (?:student: )?(?:begin|end)(?:: | )\w+\n", re.MULTILINE)
BEGIN = re.compile(r"^([ \t]*)// student: begin (\w+)\n", re.MULTILINE)

Step = namedtuple("Step", "name variant task hints")
Bug = namedtuple("Bug", "name code " + " ".join(KEYS))


class Trouble(Exception):
    """Something that ends the command with one line and a status."""

    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status


def exercises():
    """The exercises with steps, in the order of the course."""
    course = (ROOT / "course" / "two_days.md").read_text(encoding="utf-8")
    order = re.findall(r"\.\./apps/(\w+)/README\.md", course)
    there = sorted(path.parent.name for path in (ROOT / "apps").glob("*/steps.json"))
    return sorted(there, key=lambda name: (order.index(name) if name in order else len(order), name))


def steps(exercise):
    path = ROOT / "apps" / exercise / "steps.json"
    read = json.loads(path.read_text(encoding="utf-8"))["steps"]
    return [Step(s["step"], s["variant"], s["task"], s["hints"]) for s in read]


def original(exercise):
    return (ROOT / "apps" / exercise / "lesson.hpp").read_text(encoding="utf-8")


def parts(text):
    """Of each student's part: its step -> (begin, end, indentation, its lines); offsets include the two comments."""
    found = {}
    for match in BEGIN.finditer(text):
        indent, step = match.groups()
        end = re.compile(rf"^[ \t]*// student: end {step}\n", re.MULTILINE).search(text, match.end())
        if end is None or step in found or "// student: begin" in text[match.end() : end.start()]:
            raise ValueError(f"the student's part '{step}' has no end, stands twice or holds another")
        found[step] = (match.start(), end.end(), indent, text[match.end() : end.start()])
    return found


def replaced(text, new):
    """The text with parts replaced, {step: text}, and without comments that are marks."""
    for step, (begin, end, _, _) in sorted(parts(text).items(), key=lambda item: -item[1][0]):
        if step in new:
            text = text[:begin] + new[step] + text[end:]
    return MARK.sub("", text)


def starter(exercise, step, own=None):
    """The file that a student begins with: the parts of this step and of all later ones are cut out. `own` takes this step's place."""
    text = original(exercise)
    places = parts(text)
    names = [s.name for s in steps(exercise)]
    new = {}
    for later in steps(exercise)[names.index(step) :]:
        indent = places[later.name][2]
        lead = indent + "// "
        lines = textwrap.wrap("your code here: " + later.task, 100, initial_indent=lead, subsequent_indent=lead + "  ")
        new[later.name] = "\n".join(lines) + "\n"
    if own is not None:
        new[step] = textwrap.indent(own.rstrip("\n") + "\n", places[step][2])
    return replaced(text, new)


def bugs(exercise):
    """The bugs of an exercise by name."""
    return {path.stem: read_bug(path) for path in sorted((ROOT / "apps" / exercise / "bugs").glob("*.hpp"))}


def read_bug(path):
    """A bug's file: comments with keys, then the code that replaces the student's part."""
    lines = path.read_text(encoding="utf-8").splitlines()
    keys, last = {}, ""
    while lines and lines[0].startswith("//"):
        line = lines.pop(0)[2:].strip()
        key, colon, value = line.partition(": ")
        if colon and key in KEYS:
            keys[key], last = value, key
        elif last:  # a long sentence goes on in the next line
            keys[last] += " " + line
    missing = [key for key in KEYS[:4] if key not in keys]
    if missing:
        raise ValueError(f"{path}: no '// {missing[0]}: ...'")
    return Bug(path.stem, "\n".join(lines).strip("\n"), *(keys.get(key, "") for key in KEYS))


def with_bug(exercise, bug):
    text = original(exercise)
    return replaced(text, {bug.step: textwrap.indent(textwrap.dedent(bug.code), parts(text)[bug.step][2]) + "\n"})


def without_comments(text, strings=True):
    """C++ without its comments, and without the text of its strings; lines keep their numbers."""

    def blank(match):
        token = match[0]
        if token[0] in "\"'":
            return token if strings else token[0] * 2
        return " " + "\n" * token.count("\n")

    tokens = r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\''
    return re.sub(tokens, blank, text, flags=re.DOTALL)


DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*(?:include|include_next|import|embed)\b[ \t]*(.*?)[ \t]*$", re.MULTILINE)
STANDARD = re.compile(r"<([a-z_0-9]+|Kokkos_\w+\.hpp)>")


def refusal(exercise, text):
    """(line, reason) where a student's file includes what no lesson may, or calls another kernel of the suite; else None.

    There is no file with the right results that a kernel could read: the reference is computed inside the program, from the seed."""
    known = set(DIRECTIVE.findall(without_comments(original(exercise))))
    joined = without_comments(text.replace("\\\n", ""))
    for match in DIRECTIVE.finditer(joined):
        if match[1] not in known and not STANDARD.fullmatch(match[1]):
            return joined[: match.start()].count("\n") + 1, f"includes {match[1]}: a lesson uses Kokkos and the C++ library alone"
    code, own = (without_comments(t, strings=False).splitlines() for t in (text, original(exercise)))
    rows = (ROOT / "apps" / exercise / "exercise.cpp").read_text(encoding="utf-8")
    for name in sorted(set(re.findall(r"\b(?:kernels|k)::(?:\w+::)*(\w+)\s*[<(]", rows))):
        lines = calls(name, code)
        if len(lines) > len(calls(name, own)):
            line = next((k for k in lines if code[k] not in own), lines[-1])
            return line + 1, f"uses {name} of the suite: write the kernel yourself"
    return None


SCRATCH = re.compile(r"\.\s*(?:team_scratch|thread_scratch|team_shmem)\s*\(")
# A view of scratch memory and its name: `const Tile tile(team.team_scratch(0), n)`.
SCRATCH_VIEW = re.compile(r"\b(\w+)\s*(?:=\s*[\w:]+(?:<[^;(){}]*>)?\s*)?[({]\s*\w+\s*\.\s*(?:team_scratch|thread_scratch|team_shmem)\s*\(")
DECLARATION = re.compile(r"\s*(?!return\b)(?:const\s+)?[\w:]+(?:<[^;(){}]*>)?\s+\w+\s*[({=]")


def without_scratch(exercise, step, text):
    """Whether a step named team_scratch is done without scratch memory: the lesson's function has some, and in the student's no view of it
    is used. Scratch memory in what the student has written elsewhere, such as a function that is called, counts as used."""
    whole = original(exercise)
    if step.name != "team_scratch":
        return False
    heads = re.findall(r"^\w[\w:<>&,* ]*\s(\w+)\(", whole[: parts(whole)[step.name][0]], re.MULTILINE)
    own, new = (without_comments(t, strings=False) for t in (MARK.sub("", whole), text))
    if not heads or not SCRATCH.search(function(own, heads[-1])):
        return False
    body = function(new, heads[-1])
    known = {line.strip() for line in own.splitlines()}
    elsewhere = "\n".join(line for line in new.replace(body, "").splitlines() if line.strip() not in known)
    names = [match[1] for match in SCRATCH_VIEW.finditer(body)]
    statements = [re.split(r"[;{}]", body[: match.start()])[-1] for match in SCRATCH.finditer(body)]
    if not body or SCRATCH.search(elsewhere) or len(names) < len(statements) or not all(map(DECLARATION.match, statements)):
        return False  # written in another way
    return all(len(re.findall(rf"\b{name}\b", body)) < 2 for name in names)


def function(text, name):
    """The first function of that name that is not in a class, up to its last bracket; "" where there is none."""
    found = re.search(rf"^\w[\w:<>&,* ]*\s{name}\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def calls(name, lines):
    """The numbers of the lines that name this function, once for each time; neither members nor Kokkos's functions of that name."""
    found = []
    for k, line in enumerate(lines):
        for match in re.finditer(rf"\b{name}\s*[<(]", line):
            before = line[: match.start()].rstrip()
            qualified = re.search(r"(\w+)(?:\s*::\s*\w+)*\s*::$", before[-100:])
            if not before.endswith((".", "->")) and not (qualified and qualified[1] in ("Kokkos", "std")):
                found.append(k)
    return found
