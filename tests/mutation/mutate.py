#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Proves that no wrong kernel gets past its exercise's own check: runs the mutants of tests/mutation/EXERCISE.txt.

    tests/mutation/mutate.py [EXERCISE...]    all exercises, unless some are named
        --tenth            of all exercises the tenth whose turn it is: it goes round with the number of commits
        --build FOLDER     default: the first of build/host and build/debian-openmp that is there, with tests
        --gpu              tries those that only other means show on this machine's GPU, in a build for it
        --keep             writes what killed whom into tests/mutation/README.md

A mutant is a kernel with one mistake, of the kind that students make:

    apps/vector_add/lesson.hpp: the bounds check lets one element too many through
    - if (i < n) c(i) = a(i) + b(i);
    + if (i <= n) c(i) = a(i) + b(i);

The old text is once in the file, or a line `after: TEXT` names what is once in the file, and the old text is the
first from there on. It is a statement if it ends with `;` or `}`, else an expression; several mutants may
share it. A last line `equivalent: why` says that the mutant changes no result, `needs: what` that only
other means show it, and which. All mutants of an exercise are compiled into one program, build/.../mutation_EXERCISE; the environment's
PARALLAX_MUTANT says which is alive. It is killed by the first of STAGES, or of RANK_STAGES where its file is of OF_RANKS, that ends
with another status than 0. The status is 1
where a mutant survives that should not, or where one is killed that cannot be, by the file.
"""

import argparse
import collections
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent import futures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "ranks"))
import launching  # noqa: E402

FOLDER = ROOT / "tests" / "mutation"
THREADS = 5  # an odd number, so that levels of a tree are odd, too
ALL = ["--precision", "all"]
TINY = ["--size", "tiny"]
ODD = ["--size", str(ROOT / "configs" / "sizes" / "odd.json")]
CUDA = ["--space", "cuda"]
TEAMS = ["--space", "openmp", "--team-size", str(THREADS)]
STAGES = {
    "tiny": [*ALL, *TINY, "--verify-repeat", "2"],  # the second run begins with finite numbers, not with poison
    "odd": [*ALL, *ODD],
    "teams": [*ALL, *TINY, *TEAMS, "--verify-repeat", "20"],
    "teams, odd": [*ALL, *ODD, *TEAMS, "--verify-repeat", "3"],
}
# Several ranks of one thread, and the headers that only they use. A rank waits for one that is wrong, but not for long.
RANK_STAGES = {f"{ranks} ranks": [*ALL, *TINY, "--rank-timeout", "10"] for ranks in (2, 3, 4)}
OF_RANKS = {"ranks", "splitters", "partition"}
OFTEN = 25  # how often "teams" is tried again with what nothing else kills: few cores, or busy ones, seldom run two threads at once
GPU_STAGES = {
    "tiny": [*CUDA, *ALL, *TINY],
    "odd": [*CUDA, *ALL, *ODD],
    "repeated": [*CUDA, *ALL, *TINY, "--verify-repeat", "50"],
    "memcheck": [*CUDA, *ALL, *TINY],
    "racecheck": [*CUDA, *TINY],
}
SANITIZERS = ("memcheck", "racecheck")
FOUND = 9  # their status where they found something
MARKS = {
    False: "<!-- from here on written by mutate.py --keep -->",
    True: "<!-- from here on written by mutate.py --gpu --keep -->",
}
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


def run(program, mutant, stage, options, seconds):
    """The status of a run, None where it did not end in time, and how long it took."""
    environment = {**os.environ, "PARALLAX_MUTANT": str(mutant), "OMP_NUM_THREADS": str(THREADS), "OMP_PROC_BIND": "false"}
    before = []
    if stage in SANITIZERS:
        before = ["compute-sanitizer", "--tool", stage, "--error-exitcode", str(FOUND)]
    elif stage in RANK_STAGES:
        settings = {**launching.LAUNCHER, "PARALLAX_MPI_LIBRARY": str(library(program))}.items() - os.environ.items()
        before = [*in_way(program.parent.parent), "env", *(f"{key}={value}" for key, value in settings), "mpiexec", "-n", stage.split()[0]]
    command = [*before, program, "run", "--verify-only", "--quiet", *options]
    began = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return process.wait(seconds), time.monotonic() - began
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, seconds


def library(program):
    """What the program, of a build's tests, joins other ranks by."""
    return program.parent.parent / "bin" / "libparallax_mpi.so"


def in_way(build):
    """What a command of a build begins with: some were made in the Debian tree."""
    way = build / "way"
    return [ROOT / "scripts" / "sandbox"] if way.exists() and way.read_text().startswith("sandbox") else []


def is_of_ranks(mutant):
    return pathlib.PurePath(mutant.file).stem in OF_RANKS


def must_die(mutant, gpu):
    """Whether one of the stages has to kill it."""
    return any(word in mutant.excuse for word in ("GPU", "device")) if gpu else not mutant.excuse


def tried(exercise, gpu):
    """The mutants that this way of trying them is for."""
    return [m for m in read(exercise) if not gpu or (m.excuse.startswith("needs") and not is_of_ranks(m))]


def tenths(exercises):
    """In ten parts with about the same number of mutants each: two of the exercises with most of them, in one part, would take CI past its time."""
    parts = [[] for _ in range(10)]
    number = {name: len(read(name)) for name in exercises}
    for name in sorted(exercises, key=lambda name: (-number[name], name)):
        min(parts, key=lambda part: sum(number[other] for other in part)).append(name)
    return parts


def judge(program, exercise, gpu, pool):
    """A list of (mutant, what killed it)."""
    stages = GPU_STAGES if gpu else {**STAGES, **RANK_STAGES}
    mutants = tried(exercise, gpu)
    if any(map(is_of_ranks, mutants)) and not library(program).exists():
        sys.exit(f"{exercise} has mutants that only several ranks run, and this build has no MPI")
    limits = {}
    lock = threading.Lock()

    def limit(stage, anew=False):
        """Seconds after which a mutant does not end: many times what a run without one takes. None where a build lacks the space that the
        stage needs, or variants with teams."""
        with lock:
            if stage not in limits or anew:
                limits[stage] = without_a_mutant(stage)
        return limits[stage]

    def without_a_mutant(stage):
        dry = subprocess.run([program, "run", "--dry-run", *stages[stage]], capture_output=True, check=False)
        if dry.returncode == 2:
            return None
        status, seconds = run(program, 0, stage, stages[stage], 600)
        if status != 0:
            sys.exit(f"{exercise} fails without a mutant ({stage})")
        return 10 + 10 * seconds

    def status_of(mutant, stage):
        """0 too where the stage is none of this build's, None where the mutant does not end. Time decides that only after a second try,
        with a limit measured anew: teams of more threads than processors wait very long where the machine has become busy."""
        seconds = limit(stage)
        if seconds is None:
            return 0
        status, _ = run(program, mutant.number, stage, stages[stage], seconds)
        if status is None:
            status, _ = run(program, mutant.number, stage, stages[stage], 2 * max(seconds, limit(stage, anew=True)))
        return status

    def killer_of(mutant):
        killer = first_killer(mutant)
        word = killer or ("SURVIVES" if must_die(mutant, gpu) else "lives")
        print(f"{exercise} {mutant.number}, {mutant.file}: {mutant.mistake}: {word}", file=sys.stderr, flush=True)
        if killer and mutant.excuse and not gpu:
            print(f"{exercise} {mutant.number} should live: '{mutant.excuse}'", file=sys.stderr, flush=True)
        return killer

    def first_killer(mutant):
        own = GPU_STAGES if gpu else RANK_STAGES if is_of_ranks(mutant) else STAGES
        for stage in [*own, *(["teams"] * OFTEN if own is STAGES and not mutant.excuse else [])]:
            status = status_of(mutant, stage)
            if status != 0:
                expected = FOUND if stage in SANITIZERS else 1
                return stage if status == expected else f"{stage}, {'never ends' if status is None else 'crash'}"
        return ""

    return list(zip(mutants, pool.map(killer_of, mutants)))


def table(counts):
    """The lines of the table: of each exercise, how many mutants were killed where."""
    head = ["mutants", "killed at tiny size", "at odd sizes", "with teams, repeated", "likewise, at odd sizes", "crash or no end"]
    head += ["on several ranks", "other means", "equivalent", "survive"]
    rows = {**dict(sorted(counts.items())), "all": [sum(column) for column in zip(*counts.values())]}
    lines = [f"| exercise | {' | '.join(head)} |", "|---|" + "--:|" * len(head)]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(map(str, row))} |" for name, row in rows.items())]) + "\n"


def counted(found):
    """How many mutants there are, and how many of them end in each column of the table."""
    count = collections.Counter(k or m.excuse.partition(":")[0] or "survives" for m, k in found)
    count["crash"] = sum(count.pop(key) for key in list(count) if key.endswith((", crash", ", never ends")))
    count["ranks"] = sum(count.pop(stage, 0) for stage in RANK_STAGES)
    return [sum(count.values()), *(count[k] for k in ("tiny", "odd", "teams", "teams, odd", "crash", "ranks", "needs", "equivalent", "survives"))]


def one_by_one(results, word=""):
    """A line for each mutant whose mistake has the word in it: what catches it."""
    return [
        f"| {exercise} | {pathlib.PurePath(mutant.file).name} | {mutant.mistake} | {killer or mutant.excuse or 'nothing'} |"
        for exercise, found in results.items()
        for mutant, killer in found
        if word in mutant.mistake
    ]


def keep(results, gpu):
    """Replaces the rows of these exercises in the part of the page that this way of trying them writes; the GPU's part is last."""
    page = FOLDER / "README.md"
    head, _, rest = page.read_text(encoding="utf-8").partition(MARKS[False])
    parts = dict(zip(MARKS, rest.partition(MARKS[True])[::2]))
    rows = [line.strip("| ").split(" | ") for line in parts[gpu].splitlines() if line.startswith("| ")]
    kept = [row for row in rows if row[0] not in {"exercise", "all", *results}]
    numbers = {row[0]: [int(n) for n in row[1:]] for row in kept if row[1].isdigit()}
    numbers.update({name: counted(found) for name, found in results.items()})
    lines = sorted(["| " + " | ".join(row) + " |" for row in kept if not row[1].isdigit()] + one_by_one(results, "" if gpu else "barrier"))
    text = "" if gpu else f"{table(numbers)}\nMissing barriers:\n\n"
    parts[gpu] = "\n\n" + text + "\n".join(["| exercise | file | mistake | caught by |", "|---|---|---|---|", *lines])
    page.write_text(head + "\n\n".join(MARKS[key] + part.rstrip("\n") for key, part in parts.items()) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercise", nargs="*")
    parser.add_argument("--tenth", action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2), help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--write", type=pathlib.Path, help=argparse.SUPPRESS)  # CMake asks for it
    options = parser.parse_args()
    known = sorted(path.stem for path in FOLDER.glob("*.txt"))
    for name in options.exercise:
        if name not in known:
            parser.error(f"unknown exercise '{name}' (known: {', '.join(known)})")
    if options.write:
        return write(options.exercise[0], options.write)
    chosen = options.exercise or known
    if options.tenth:
        commits = subprocess.run(
            ["git", "-c", "safe.directory=*", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout
        chosen = tenths(chosen)[int(commits or 0) % 10]
    chosen = [name for name in chosen if tried(name, options.gpu)]
    builds = [options.build] if options.build else [ROOT / "build" / name for name in ("host", "debian-openmp")]
    build = next((folder for folder in builds if (folder / "tests").is_dir()), None)
    if not build:
        parser.error("there is no build with tests: scripts/run-tests makes one")
    targets = [f"mutation_{name}" for name in chosen]
    built = subprocess.run([*in_way(build), "cmake", "--build", build, "--target", *targets], stdout=sys.stderr, check=False)
    if built.returncode != 0:
        sys.exit("the mutants do not compile")
    with futures.ThreadPoolExecutor(options.jobs) as pool, futures.ThreadPoolExecutor(len(chosen)) as exercises:
        judged = {exercises.submit(judge, build / "tests" / f"mutation_{name}", name, options.gpu, pool): name for name in chosen}
        results = {}
        for done in futures.as_completed(judged):
            name = judged[done]
            results[name] = done.result()
            if options.keep:
                keep({name: results[name]}, options.gpu)
    print("\n".join(one_by_one(results)) if options.gpu else table({name: counted(found) for name, found in results.items()}))
    # An excuse must hold, too; whether the GPU's holds is what is tried.
    survived = [m for found in results.values() for m, killer in found if not killer and must_die(m, options.gpu)]
    excused = [m for found in results.values() for m, killer in found if killer and m.excuse]
    return int(bool(survived) or (bool(excused) and not options.gpu))


if __name__ == "__main__":
    sys.exit(main())
