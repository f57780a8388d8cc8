# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Runs a program with a student's kernel and says one cause in the student's words: from what `run --diagnose` says of each size, space and
precision."""

import collections
import json
import math
import os
import re
import resource
import signal
import subprocess

from lessons.compiling import last_line
from lessons.parts import ROOT, Trouble

SIZES = ROOT / "configs" / "sizes" / "lesson.json"
GPU_SIZES = SIZES.with_name("lesson_gpu.json")  # too large for a host
HOSTS = {"serial", "openmp", "threads"}
ENDED = "the kernel stopped with an error"
ENDLESS = "the kernel does not end"
# In this order, where a kernel shows several.
ORDER = (
    r"the kernel (stopped|does not end)",
    r"wrote (beyond|before)",
    r"changed its input",
    r"nothing was written",
    r"(the last .*|element.*|\d+ element.*) (is|are) missing",
    r"two runs differ",
    r"an old result was left",
    r".*update.*",
)
LAST_ALWAYS = 2  # up to this one, once is enough
TEAM = 3  # threads: neither one nor a power of two
EXITED, EXIT = "a kernel ended the program", 99  # in the program's words; the status that it gets here
PATIENCE = 10  # times its limit of processor time, by the clock, for a program that waits and does not compute

# `what`: the cause, or "right"; `detail`: where it shows.
Verdict = collections.namedtuple("Verdict", "what detail")


def normal(verdict):
    """A verdict with N for its numbers and PRECISION for a precision, to compare two of them."""
    verdict = re.sub(r"\b[fi](32|64)\b", "PRECISION", verdict.strip())
    verdict = verdict.replace("the last element is", "the last N elements are").replace("1 element is", "N elements are")
    verdict = verdict.replace("1 update was", "N updates were").replace("1 update ", "N updates ")
    return re.sub(r"\d+", "N", verdict)


def run(command, options, work, seconds, environment=None, cores=1):
    """(status or None where it does not end, rows, what it said on standard error or why it was stopped).

    The limit is on processor time, for each of `cores`: on a busy machine a right kernel may wait long for a core."""
    file = work / "results.json"
    if file.exists():
        file.unlink()
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    allowed = math.ceil(seconds * cores)
    if most != resource.RLIM_INFINITY:
        allowed = min(allowed, most)

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # no dumps in a student's folder

    try:
        done = subprocess.run(
            [*map(str, command), *options, "--quiet", "--json", str(file)],
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            errors="replace",
            timeout=PATIENCE * seconds,
            preexec_fn=limited,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, [], f"it was stopped after {PATIENCE * seconds:g} s, in which it hardly computed"
    except OSError as error:
        raise Trouble(f"{command[0]} cannot be run: {error.strerror}", 3) from None
    if done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        return None, [], f"it was stopped after {allowed:g} s of processor time"
    if done.returncode == 1 and EXITED in done.stderr:
        return EXIT, [], done.stderr
    nothing_here = done.returncode == 3 and "nothing was verified" in done.stderr  # only on a GPU, say: the rows tell
    if done.returncode in (2, 3) and not nothing_here:
        raise Trouble(last_line(done.stderr).replace("parallax: ", "", 1), 3)
    rows = []
    if (done.returncode in (0, 1) or nothing_here) and file.exists():
        rows = [row for row in json.loads(file.read_text(encoding="utf-8"))["benchmarks"]]
    return 0 if nothing_here else done.returncode, rows, done.stderr


def rows_of(command, exercise, sets, options, work, seconds, environment):
    """The rows of a run at several sizes. Where a kernel ends the program, the sizes are run one by one, up to that one; and on, if all that
    it cannot do is nothing: a range to n - 1 is no range where n is 0, and what is wrong with it shows at other sizes."""
    sizes = work / "sizes.json"
    rows = []
    for some in [sets, *([one] for one in sets if len(sets) > 1)]:
        sizes.write_text(json.dumps({"base": "tiny", exercise: some}), encoding="utf-8")
        limit = seconds if some is sets else seconds / 4
        status, found, said = run(command, [*options, "--size", str(sizes)], work, limit, environment)
        if status in (0, 1):
            rows += found
            if some is sets:
                break
        elif some is not sets or len(sets) == 1:
            what = ENDED if status is not None else ENDLESS
            why = ended_by(status, said) if status is not None else said
            empty = 0 in some[0].values()
            rows.append({"verified": False, "parameters": some[0], "check": {"cause": what, "detail": why}, "crash": place_of(some[0]), "empty": empty})
            if not empty:
                break
    return rows


def ended_by(status, said):
    if status == EXIT:
        return "it called exit, or something like it"
    name = ""
    if status < 0 or status > 128:
        number = -status if status < 0 else status - 128
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    reason = re.search(r"^.*(?:\berror\b|what\(\)|bounds).*$", said, re.MULTILINE | re.IGNORECASE)
    memory = "it read or wrote memory that is not its own" if name in ("SIGSEGV", "SIGBUS") else ""
    return reason[0].strip() if reason else memory or name or f"status {status}"


def sizes_of(exercise, file=SIZES):
    return json.loads(file.read_text(encoding="utf-8")).get(exercise)


def facts(command, exercise):
    """What `list --json` says of the exercise, and the spaces that are built in."""
    # A program of one exercise is asked like any other.
    try:
        done = subprocess.run([command[0], "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    except OSError as error:  # the loader that it names is not there, say
        raise Trouble(f"{command[0]} cannot be run: {error.strerror}", 3) from None
    if done.returncode:
        raise Trouble(f"{command[0]} does not run: {last_line(done.stderr)}", 3)
    listed = json.loads(done.stdout)
    return next(e for e in listed["exercises"] if e["name"] == exercise), listed["spaces"]


def check(program, exercise, variant, work, repeat=5, team_repeat=20, seconds=60, environment=None):
    """The rows of a step's variant at all sizes, in every space and precision; again with teams of several threads."""
    about, spaces = facts([str(program)], exercise)
    sets = sizes_of(exercise) or [{}]
    # More threads than a small machine has cores, so that races show.
    surroundings = {"OMP_NUM_THREADS": "4", "OMP_PROC_BIND": "false", **(environment or {})}
    command = [str(program), "run", exercise]
    options = ["--variant", variant, "--precision", "all", "--verify-only", "--diagnose"]
    rows = rows_of(command, exercise, sets, [*options, "--verify-repeat", str(repeat)], work, seconds, surroundings)
    large, devices = sizes_of(exercise, GPU_SIZES), ",".join(space for space in spaces if space not in HOSTS)
    if large and devices and not any("crash" in row for row in rows):
        rows += rows_of(command, exercise, large, [*options, "--space", devices], work, seconds, surroundings)
    teams = any(v["name"] == variant and v["teams"] for v in about["variants"])
    if teams and "openmp" in spaces and not any("crash" in row for row in rows):
        options += ["--space", "openmp", "--team-size", str(TEAM), "--verify-repeat", str(team_repeat)]
        # Many rounds of what takes long, with more threads than cores, would take minutes.
        small = [one for one in sets if work_of(one, rows) < 2e5]
        again = rows_of(command, exercise, small, options, work, seconds, {**surroundings, "OMP_NUM_THREADS": str(TEAM)})
        rows += [{**row, "teams": True} for row in again]
    return rows


def work_of(parameters, rows):
    """How much is done at a size, by what a row says that was run at it."""
    at = (row for row in rows if all(str(row["parameters"].get(name)) == str(value) for name, value in parameters.items()))
    return max((max(row.get("items", 0), row.get("flops", 0)) for row in at), default=0)


def place_of(parameters):
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def where(row):
    """Where a row was run: size, space, precision."""
    if "crash" in row:
        return row["crash"]
    differing = {part.split(":")[0] for part in row["name"].split("/") if ":" in part}
    size = place_of({name: value for name, value in row["parameters"].items() if name in differing})
    phase = "" if row["phase"] == "kernel" else row["phase"]
    teams = f"teams of {row['team_size']}" if row.get("teams") else ""
    return ", ".join(text for text in (size, row["space"], row["precision"], phase, teams) if text)


def size_of(row):
    """How large a row's problem is: n where it has one, else its items."""
    return row["parameters"].get("n", row.get("items", 0))


def verdict(rows):
    """One cause for all rows, and where it shows; None where no row could be run here."""
    ran = [row for row in rows if "verified" in row]
    wrong = [row for row in ran if not row["verified"]]
    if not ran:
        return None
    if not wrong:
        return Verdict("right", "")
    both = [(row, row["check"].get("cause", row["check"].get("compared", ""))) for row in wrong]
    # Where little is to be written, a kernel that forgets some writes nothing: it has to do so everywhere.
    both = [item for item in both if item[1] != "nothing was written"] or both
    both = [item for item in both if not item[0].get("empty")] or both

    def rank(item):
        return next((k for k, pattern in enumerate(ORDER) if re.match(pattern, item[1])), len(ORDER))

    often = collections.Counter(normal(item[1]) for item in both if rank(item) < len(ORDER))

    def counts(item):
        """Whether a cause speaks for the kernel: always where it touched what is not its own; else where it is seen often among those that
        say more than that values are wrong."""
        return rank(item) <= LAST_ALWAYS or often[normal(item[1])] >= sum(often.values()) / 4

    row, cause = min(filter(counts, both), key=rank, default=min(both, key=rank))
    share = "in all cases" if len(wrong) == len(ran) else f"in {len(wrong)} of {len(ran)} cases"
    detail = f"{where(row)}: {row['check'].get('detail', '')}".rstrip(": ") + ("" if "crash" in row else f" (wrong {share})")
    if rank((row, cause)) == len(ORDER):
        return Verdict(only_right(ran) or cause, detail)
    return Verdict(cause, detail)


def only_right(rows):
    """ "only f32 is right" or "only right up to n = 1024", where that is what they have in common; else ""."""
    precisions = sorted({row["precision"] for row in rows})
    right = [p for p in precisions if all(row["verified"] for row in rows if row["precision"] == p)]
    if right:
        return f"only {' and '.join(right)} {'is' if len(right) == 1 else 'are'} right"
    passed = [size_of(row) for row in rows if row["verified"]]
    failed = [size_of(row) for row in rows if not row["verified"]]
    # Nearly every kernel is right where there is next to nothing to do.
    if passed and 31 <= max(passed) < min(failed):
        return f"only right up to n = {max(passed):g}"
    return ""
