#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The mutants of tests/mutation/EXERCISE.txt, and the program that has them all.

A mutant is a kernel with one mistake, of the kind that students make:

    apps/vector_add/lesson.hpp: the bounds check lets one element too many through
    - if (i < n) c(i) = a(i) + b(i);
    + if (i <= n) c(i) = a(i) + b(i);

The old text is once in the file, or a line `after: TEXT` names what is once in the file, and the old text is the
first from there on. It is a statement if it ends with `;` or `}`, else an expression; several mutants may
share it. A last line `equivalent: why` says that the mutant changes no result, `needs: what` that only
other means show it, and which.

    tests/mutation/mutants.py --write FOLDER EXERCISE

writes the exercise with all of its mutants; the environment's PARALLAX_MUTANT chooses one. CMake asks for it.
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "tests" / "mutation"
HEADER = """#pragma once
#include <Kokkos_Macros.hpp>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
namespace mutation {
inline const int alive = std::getenv("PARALLAX_MUTANT") ? std::atoi(std::getenv("PARALLAX_MUTANT")) : 0;
#ifdef __CUDACC__
static __device__ int alive_there;
inline void tell() { if (cudaMemcpyToSymbol(alive_there, &alive, sizeof(int)) != cudaSuccess) std::abort(); }
#else
inline const int& alive_there = alive;
inline void tell() {}
#endif
// The builtin: std::is_constant_evaluated is a host's function, which nvcc calls from a device without a word and with any outcome.
KOKKOS_FUNCTION constexpr bool is(int mutant) {
  if (__builtin_is_constant_evaluated()) return false;
  KOKKOS_IF_ON_HOST((return mutant == alive;))
  KOKKOS_IF_ON_DEVICE((return mutant == alive_there;))
}
}
"""
# The device learns which mutant is alive when an instance makes its plan: then it is initialised.
PROGRAM = """#include "mutation.hpp"
#include "exercise/exercise.hpp"
namespace mutation {{
bool enter(parallax::Exercise exercise) {{
  for (auto& specialization : exercise.specializations)
    specialization.plan = [plan = specialization.plan](const parallax::Parameters& p) {{ tell(); return plan(p); }};
  return parallax::register_exercise(std::move(exercise));
}}
}}
#define register_exercise mutation::enter
#include "{0}/exercise.cpp"
"""


@dataclasses.dataclass
class Mutant:
    number: int
    file: str
    mistake: str
    old: str = ""
    new: str = ""
    after: str = ""  # where the old text is looked for
    excuse: str = ""  # "equivalent: why" or "needs: what"


def read(exercise):
    """The mutants of an exercise."""
    mutants = []
    path = FOLDER / f"{exercise}.txt"
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        file, _, mistake = lines[0].partition(": ")
        texts = {"-": [], "+": []}
        after = excuse = ""
        for line in lines[1:]:
            if line[:1] in texts:
                texts[line[0]].append(line[2:])
            elif line.startswith("after: "):
                after = line.removeprefix("after: ")
            elif line.startswith(("equivalent: ", "needs: ")):
                excuse = line
            else:
                sys.exit(f"{path.name}: '{line}' is no line of a mutant")
        mutant = Mutant(len(mutants) + 1, file, mistake, "\n".join(texts["-"]), "\n".join(texts["+"]), after, excuse)
        if not mistake or not mutant.old or mutant.old == mutant.new:
            sys.exit(f"{path.name}: '{lines[0]}' has no mistake or no texts that differ")
        for part in (mutant.old, mutant.new):
            if why := is_no_part(part):
                sys.exit(f"{path.name}: '{part}' {why}: expected an expression or a statement")
        mutants.append(mutant)
    return mutants


def is_no_part(text):
    """Why this is neither an expression nor a statement: a choice of it and another does not compile. "" otherwise."""
    opened = []
    for letter in text:
        if letter in "([{":
            opened.append(")]}"["([{".index(letter)])
        elif letter in ")]}" and (not opened or opened.pop() != letter):
            return "has brackets without their partners"
    if opened:
        return "has brackets without their partners"
    if not text.endswith((";", "}")) and re.match(r"(const )?[\w:]+(<.*>)? \w+ = ", text):
        return "declares a variable"
    return ""


def mutated(text, mutants):
    """The file's text with all of its mutants in it."""
    sites = collections.defaultdict(list)
    for mutant in mutants:
        unique = mutant.after or mutant.old
        if text.count(unique) != 1:
            sys.exit(f"{mutant.file}: '{unique}' stands there {text.count(unique)} times, and must once")
        begin = text.find(mutant.old, text.index(unique))
        if begin < 0:
            sys.exit(f"{mutant.file}: '{mutant.old}' does not stand after '{unique}'")
        sites[begin].append(mutant)
    end = len(text)
    for begin in sorted(sites, reverse=True):
        here = sites[begin]
        if any(m.old != here[0].old for m in here) or begin + len(here[0].old) > end:
            sys.exit(f"{here[0].file}: '{here[0].old}' overlaps another mutant's text")
        new = old = here[0].old
        statement = old.endswith((";", "}"))
        for m in here:
            choice = f"mutation::is({m.number})"
            new = f"if ({choice}) {{ {m.new} }} else {{ {new} }}" if statement else f"({choice} ? ({m.new}) : ({new}))"
        text = text[:begin] + (f"{{ {new} }}" if statement else new) + text[begin + len(old) :]
        end = begin
    return text.replace("#pragma once", '#pragma once\n#include "mutation.hpp"', 1)


def write(exercise, folder):
    """The exercise's headers with all mutants, to be found before the real ones."""
    files = collections.defaultdict(list)
    for mutant in read(exercise):
        files[mutant.file].append(mutant)
    texts = {pathlib.PurePath(file).relative_to(file.split("/")[0]): mutated((ROOT / file).read_text(), m) for file, m in files.items()}
    write_texts(folder, {**texts, "mutation.hpp": HEADER, "program.cpp": PROGRAM.format(exercise)})


def write_texts(folder, texts):
    """Writes files whose text has changed: the others need not be compiled again."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path, required=True)
    parser.add_argument("exercise")
    options = parser.parse_args()
    write(options.exercise, options.write)
