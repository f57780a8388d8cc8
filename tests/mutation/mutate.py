#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Proves that no wrong kernel gets past its exercise's own check: runs the mutants of tests/mutation/EXERCISE.txt (mutants.py).

    tests/mutation/mutate.py [EXERCISE...]    all exercises, unless some are named
        --tenth            of all exercises the tenth whose turn it is: it goes round with the number of commits
        --build FOLDER     default: the first of build/host and build/debian-openmp that is there, with tests
        --gpu              tries those that only other means show on this machine's GPU, in a build for it
        --keep             writes what killed whom into tests/mutation/README.md

All mutants of an exercise are in one program, build/.../mutation_EXERCISE. One is killed by the first of STAGES, or of RANK_STAGES where its
file is of OF_RANKS, that ends with another status than 0. The status is 1 where a mutant survives that should not, or where one is killed
that cannot be, by the file.
"""

import argparse
import collections
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from concurrent import futures

from mutants import FOLDER, ROOT, read

sys.path.insert(0, str(ROOT / "tests" / "ranks"))
import launching  # noqa: E402

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
    options = parser.parse_args()
    known = sorted(path.stem for path in FOLDER.glob("*.txt"))
    for name in options.exercise:
        if name not in known:
            parser.error(f"unknown exercise '{name}' (known: {', '.join(known)})")
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
