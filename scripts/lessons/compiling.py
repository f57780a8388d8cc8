# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Compiles an exercise's own program with a student's lesson.hpp: by the commands of the build that is there, which is only read, so that
many students can share it."""

import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lessons.parts import ROOT, Trouble

BUILDS = ("host", "debian-openmp", "debian-serial")
HANDOVER = ROOT / "scripts" / "lessons" / "handover.cpp"
# Only the student's file: what is linked to it is the suite's own, and ThreadSanitizer's library is left out.
WATCHED = ("-O1", "-fsanitize=thread", "-DKOKKOS_ENABLE_DEBUG_BOUNDS_CHECK")
DEVICE = re.compile(r"(?:^|/)(?:nvcc|hipcc)[\w.-]*$|^(?:cu|hip|-x(?:cu|hip)|--offload-arch.*)$")  # compiles for a GPU


def find_build():
    """The build folder, by the rule of scripts/parallax."""
    named = os.environ.get("PARALLAX_BUILD")
    folders = [Path(named).resolve()] if named else [ROOT / "build" / name for name in BUILDS]
    for folder in folders:
        if (folder / "compile_commands.json").exists() and any((folder / "bin").glob("*")):
            if not made_here(folder):
                raise Trouble(f"{folder} was made before it was moved or copied there: scripts/run-demo makes it anew", 3)
            return Build(folder)
    if named:
        raise Trouble(f"PARALLAX_BUILD is '{named}', which holds no build", 3)
    raise Trouble("there is no build: scripts/run-demo makes one", 3)


def made_here(folder):
    """Whether the commands of a build folder are for this place, as in scripts/common.bash."""
    cache = folder / "CMakeCache.txt"
    place = re.search(r"^CMAKE_CACHEFILE_DIR:INTERNAL=(.+)$", cache.read_text(encoding="utf-8"), re.MULTILINE) if cache.exists() else None
    return not place or (os.path.exists(place[1]) and os.path.samefile(place[1], str(folder)))


class Build:
    def __init__(self, folder):
        self.folder = folder
        # Made in the Debian tree (scripts/common.bash), and this is not the tree itself.
        way, tree = folder / "way", ROOT / "build" / "sandbox"
        made_there = way.exists() and way.read_text().startswith("sandbox")
        self.in_tree = made_there and not (tree.exists() and tree.samefile("/"))

    def suite(self, exercise):
        """A program of the suite that has the exercise, and the arguments that run it."""
        for command in ([self.folder / "bin" / "parallax", "run", exercise], [self.folder / "bin" / exercise]):
            if command[0].exists():
                return [str(word) for word in command]
        raise Trouble(f"{self.folder} is not built: scripts/parallax list builds it", 3)

    def work_folder(self, folder):
        """Where files of a check go. The Debian tree sees no folder outside of the repository, and not all in it."""
        return self.folder / "lessons" / str(folder.resolve()).strip("/").replace("/", "-") if self.in_tree else folder / ".work"

    def call(self, words, folder):
        """Runs a compiler where it is."""
        words = [str(ROOT / "scripts" / "sandbox"), *words] if self.in_tree else words
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                env={**os.environ, "LC_ALL": "C"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                universal_newlines=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise Trouble(f"{words[0]} cannot be run: {error.strerror}", 3) from None
        if self.in_tree and done.returncode == 3:
            raise Trouble(last_line(done.stdout).replace("parallax: ", "", 1), 3)
        return done

    def units(self, exercise):
        """(folder, words, file) of each command that makes an object of the exercise, with a launcher where there is one (Kokkos's for nvcc), which
        compile_commands.json leaves out. A build for a GPU compiles a long exercise in several units (cmake/Exercises.cmake)."""
        found = []
        for entry in json.loads((self.folder / "compile_commands.json").read_text(encoding="utf-8")):
            words = entry.get("arguments") or shlex.split(entry["command"])
            if not any(f"app_{exercise}.dir" in word for word in words):
                continue
            if (self.folder / "build.ninja").exists():
                folder, words = self.folder, self.last_command(words[words.index("-o") + 1], f"{exercise} is compiled")
            else:
                rules = self.folder / "apps" / "CMakeFiles" / f"app_{exercise}.dir" / "build.make"
                line = re.search(r"^\t(?:cd .+? && )?(\S.*) \$\(CXX_DEFINES\)", rules.read_text(encoding="utf-8"), re.MULTILINE)
                folder, words = entry["directory"], [*(shlex.split(line[1])[:-1] if line else []), *words]
            found.append((folder, words, entry["file"]))
        if not found:
            raise Trouble(f"{self.folder} does not build {exercise}", 3)
        return found

    def link_command(self, exercise):
        """(folder, words) of the command that links the exercise's program: CMake's file for make, or what ninja says."""
        text = self.folder / "apps" / "CMakeFiles" / f"{exercise}.dir" / "link.txt"
        if text.exists():
            return text.parent.parent.parent, shlex.split(text.read_text(encoding="utf-8"))
        return self.folder, self.last_command(exercise, f"{exercise} is linked")

    def last_command(self, target, what):
        """The words of the last command by which ninja makes a target."""
        cache = (self.folder / "CMakeCache.txt").read_text(encoding="utf-8")
        ninja = re.search(r"^CMAKE_MAKE_PROGRAM:\w+=(.+)$", cache, re.MULTILINE)
        said = self.call([ninja[1] if ninja else "ninja", "-t", "commands", target], self.folder)
        if said.returncode:
            raise Trouble(f"ninja does not say how {what}: {last_line(said.stdout)}", 3)
        command = said.stdout.splitlines()[-1]
        # ": && COMMAND && :"
        return shlex.split(re.sub(r"^: && | && :$", "", command))

    def program(self, exercise, header, shown, work, variant=None):
        """Compiles and links; returns the program, or a text that says what is wrong with the student's file `header`, called `shown`. Where
        a variant is named, most of what others run is left out (src/exercise/rows.hpp): half the time."""
        copy = copied(exercise, header, work)
        only = (f'-DPARALLAX_ONLY="{variant}"',) if variant else ()
        done, made = self.compile(exercise, work, "exercise", only)
        if done.returncode:
            return None, first_error(done.stdout, copy, shown, header.read_text(encoding="utf-8", errors="replace"))
        done = self.link(exercise, work, made, "program")
        if done.returncode:
            wrong = re.search(r"undefined reference to .*|ld: .*|.*error.*", done.stdout)
            return None, f"{shown}: cannot be linked: {wrong[0] if wrong else last_line(done.stdout)}"
        return work.resolve() / "program", ""

    def watched(self, exercise, header, work, variant, about, spaces):
        """A second program with the student's file, in which Kokkos checks the bounds of views and scripts/lessons/handover.cpp sees each
        access to memory; None where this build has no threads of a host, or its compiler cannot do that. It is run in one space and precision, and
        no others are compiled, nor other variants: `about` and `spaces` are what running.facts says."""
        copied(exercise, header, work)
        _, words, _ = self.units(exercise)[0]
        if "openmp" not in spaces or not any(word.startswith("-") and "openmp" in word for word in words) or any(DEVICE.search(word) for word in words):
            return None
        program, made = work.resolve() / "watched", work.resolve() / "handover.o"
        if program.exists():
            program.unlink()
        if not made.exists() or made.stat().st_mtime < HANDOVER.stat().st_mtime:
            if self.compile(exercise, work, made.stem, file=HANDOVER)[0].returncode:
                return None
        count = len(about["precisions"])  # of src/exercise/registration.hpp's units
        unit = f"-DPARALLAX_UNITS={len(spaces) * count}", f"-DPARALLAX_UNIT={spaces.index('openmp') * count}", f'-DPARALLAX_ONLY="{variant}"'
        done, objects = self.compile(exercise, work, "watched", (*WATCHED, *unit))
        done = done if done.returncode else self.link(exercise, work, [*objects, made.name], program.name)
        return None if done.returncode else program

    def compile(self, exercise, work, made, more=(), file=None):
        """Compiles the exercise with the copy of the student's file, its units side by side, or another file as the exercise is compiled. Returns
        what the compiler said, of the first unit that failed where one did, and the names of the objects."""
        work = work.resolve()  # the compiler runs elsewhere

        def one(unit, name):
            folder, words, own = unit
            words = [str(file) if file and word == own else word for word in words]
            # Without precompiled headers: other definitions and sanitizers would not fit them.
            words = without(words, ("-o", "-MT", "-MF", "-include"), ("-MD", "-MMD", "-Winvalid-pch"), r"-Werror.*")
            first = next(k for k, word in enumerate(words) if word.startswith(("-I", "-isystem")))
            return self.call([*words[:first], f"-I{work / 'include'}", *words[first:], "-w", *more, "-o", str(work / name)], folder)

        units = self.units(exercise)[: 1 if file else None]
        names = [f"{made}.o" if k == 0 else f"{made}_{k}.o" for k in range(len(units))]
        with ThreadPoolExecutor(min(len(units), os.cpu_count() or 1)) as threads:
            done = list(threads.map(one, units, names))
        return max(done, key=lambda each: each.returncode != 0), names

    def link(self, exercise, work, made, program):
        work = work.resolve()
        folder, words = self.link_command(exercise)
        kept, own = [], [str(work / name) for name in made]
        for word in without(words, ("-o",), (), "-Wl,--dependency-file=.*"):
            if f"app_{exercise}.dir" in word:
                kept, own = kept + own, []  # in place of the first of its units
            else:
                kept.append(word)
        return self.call([*kept, "-o", str(work / program)], folder)


def copied(exercise, header, work):
    """A copy of this one file: nothing else in the student's folder can take the place of the suite's."""
    copy = work.resolve() / "include" / exercise / "lesson.hpp"
    copy.parent.mkdir(parents=True, exist_ok=True)
    if not copy.exists() or copy.read_bytes() != header.read_bytes():
        copy.write_bytes(header.read_bytes())
    return copy


def without(words, with_value, alone, pattern):
    """A command's words without some options."""
    kept, skip = [], False
    for word in words:
        if skip or word in with_value:
            skip = not skip
        elif word not in alone and not re.fullmatch(pattern, word):
            kept.append(word)
    return kept


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it says nothing"


# FILE:LINE:COLUMN: error: TEXT (GCC, Clang) and FILE(LINE): error #NUMBER: TEXT (nvcc)
ERROR = re.compile(r"^(.+?)(?::(\d+)(?::\d+)?|\((\d+)\)): (?:fatal |catastrophic )?error(?: #[\w-]+)?: (.*)$", re.MULTILINE)


# A lambda's name begins with the name of the function around it, with all its types (up to three levels of brackets).
BRACKETS = r"<[^<>()']*>"
for _ in range(2):
    BRACKETS = rf"<(?:[^<>()']|{BRACKETS})*>"
AROUND = re.compile(rf"(?:\w+::)*\w+(?:{BRACKETS})?\([^'()]*\)::(?=<lambda)")


def plain(words):
    """The compiler's words without the warning's name, its quotation marks, and the functions around a lambda."""
    words = re.sub(r" \[-W[\w=-]+\]$", "", words.strip()).translate({0x2018: "'", 0x2019: "'"})
    return AROUND.sub("", words)


def first_error(said, copy, shown, text):
    """The compiler's first error in one or two lines: the student's line, and the words. Templates are left out, but for the line of the
    student's that asked for them."""
    error = ERROR.search(said)
    if not error:
        other = re.search(r"^.*\berror: .*$", said, re.MULTILINE)  # the driver's, which has no line
        return f"{shown}: cannot be compiled: {other[0].strip() if other else last_line(said)}"
    file, line = error[1], int(error[2] or error[3])
    following = ERROR.search(said, error.end())
    words = plain(error[4])
    if words.endswith(":") and following:  # "class template argument deduction failed:"
        words += " " + plain(following[4])
    if not file.endswith(copy.name) or Path(file).name != copy.name or copy.parent.name != Path(file).parent.name:
        # The student's line that asked for it: before the error (GCC) or after it (Clang, nvcc), up to the next one.
        after = said[error.end() : following.start() if following else len(said)]
        name = re.escape(f"{copy.parent.name}/{copy.name}")
        places = re.findall(rf"{name}:(\d+)(?::\d+)?:.*required (?:from|by)", said[: error.start()])
        places += re.findall(rf"{name}:(\d+)(?::\d+)?: note: in instantiation", after)
        places += re.findall(rf"at line (\d+) of .*{name}", after)
        where = f"{'/'.join(Path(file).parts[-2:])}:{line}"
        if not places:
            return f"{where}: {words}"
        line, words = int(places[0]), f"{words} (in {where}, required from here)"
    lines = text.splitlines()
    source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return f"{shown}:{line}: {words}\n    {source}"
