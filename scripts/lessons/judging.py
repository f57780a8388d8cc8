# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Runs a program with a student's kernel and says one cause in the student's words: from what `run --diagnose` says of each size, space and
precision."""

import collections
import json
import os
import re
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lessons import parts, running
from lessons.parts import ROOT

SIZES = ROOT / "configs" / "sizes" / "lesson.json"
GPU_SIZES = SIZES.with_name("lesson_gpu.json")  # too large for a host
HOSTS = {"serial", "openmp", "threads"}
RACE = "two runs differ"
ONE_SEED = "right for one seed only"
NO_KERNEL = "no kernel was launched"
ANOTHER_SPACE = "a kernel ran in another space"
NO_SCRATCH = "no scratch was used"
# In this order, where a kernel shows several.
ORDER = (
    r"the kernel (stopped|does not end|ended)|out of bounds",
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
OTHER_SEED = "271828"  # than the one by default
SMALLEST = 4  # sizes, which take no time: a loop that does not end is seen there
RACY = re.compile(rf"right$|{ONE_SEED}|{RACE}|.*update|wrong values|only ")  # verdicts that a race may have

# `what`: the cause, or "right"; `detail`: where it shows.
Verdict = collections.namedtuple("Verdict", "what detail")
# `verdict`: None where no row could be run here; `races`: whether they would have been seen.
Judgement = collections.namedtuple("Judgement", "rows verdict races")


def normal(verdict):
    """A verdict with N for its numbers and PRECISION for a precision, to compare two of them."""
    verdict = re.sub(r"\b[fi](32|64)\b", "PRECISION", verdict.strip())
    verdict = verdict.replace("the last element is", "the last N elements are").replace("1 element is", "N elements are")
    verdict = verdict.replace("1 update was", "N updates were").replace("1 update ", "N updates ")
    return re.sub(r"\d+", "N", verdict)


def rows_of(command, exercise, sets, options, work, seconds, environment, printed=None):
    """The rows of a run at several sizes. Where a kernel ends the program, the sizes are run one by one, up to that one; and on, if all that
    it cannot do is nothing: a range to n - 1 is no range where n is 0, and what is wrong with it shows at other sizes."""
    rows = []
    for some in [sets, *([one] for one in sets if len(sets) > 1)]:
        limit = seconds if some is sets else seconds / 4
        with tempfile.TemporaryDirectory(dir=str(work)) as own:
            sizes = Path(own) / "sizes.json"
            sizes.write_text(json.dumps({"base": "tiny", exercise: some}), encoding="utf-8")
            status, found, said = running.run(command, [*options, "--size", str(sizes)], work, limit, environment, printed=printed)
        if status in (0, 1):
            rows += [{**row, "at": some[0]} for row in found] if len(some) == 1 else found
            if some is sets:
                break
        elif some is not sets or len(sets) == 1:
            what, why = running.stopped(status, said)
            empty = 0 in some[0].values()
            rows.append({"verified": False, "parameters": some[0], "check": {"cause": what, "detail": why}, "crash": place_of(some[0]), "empty": empty})
            if not empty:
                break
    return rows


def crashed(rows):
    """Whether a size was found at which there is something to do, and the program does not come to its end."""
    return any("crash" in row and not row["empty"] for row in rows)


def sizes_of(exercise, file=SIZES):
    return json.loads(file.read_text(encoding="utf-8")).get(exercise)


def threads(count):
    """The surroundings of a run with this number of threads, more than a small machine has cores."""
    return {"OMP_NUM_THREADS": str(count), "KOKKOS_NUM_THREADS": str(count), "OMP_THREAD_LIMIT": "64", "OMP_DYNAMIC": "false", "OMP_PROC_BIND": "false"}


def lesson_rows(suite, exercise, variant, work, environment=None):
    """The rows of the lesson's own kernel at all sizes, by the command of a program that has it."""
    options = ["--variant", variant, "--precision", "all", "--verify-only", "--diagnose"]
    return rows_of(suite, exercise, sizes_of(exercise) or [{}], options, work, 60, {**threads(4), **(environment or {})})


def in_teams(program, exercise, variant):
    about, _ = running.facts([str(program)], exercise)
    return any(v["name"] == variant and v["teams"] for v in about["variants"])


def check(program, exercise, variant, work, lesson, repeat=5, team_repeat=20, seconds=60, environment=None, printed=None):
    """The rows of a step's variant at all sizes, in every space and precision; again with teams of several threads; again with another
    seed. `lesson`: the rows of the lesson's own kernel."""
    _, spaces = running.facts([str(program)], exercise)
    sets = sizes_of(exercise) or [{}]
    surroundings = {**threads(4), **(environment or {})}
    command = [str(program), "run", exercise]
    options = ["--variant", variant, "--precision", "all", "--verify-only", "--diagnose"]
    rows = []
    for some, most in ((sets[:SMALLEST], seconds / 12), (sets[SMALLEST:], seconds)):
        if some and not crashed(rows):
            rows += rows_of(command, exercise, some, [*options, "--verify-repeat", str(repeat)], work, most, surroundings, printed)
    large, devices = sizes_of(exercise, GPU_SIZES), ",".join(space for space in spaces if space not in HOSTS)
    if large and devices and not any("crash" in row for row in rows):
        rows += rows_of(command, exercise, large, [*options, "--space", devices], work, seconds, surroundings)
    # Many rounds of what takes long, with more threads than cores, would take minutes.
    small = [one for one in sets if work_of(one, lesson) < 2e5]
    if in_teams(program, exercise, variant) and "openmp" in spaces and not any("crash" in row for row in rows):
        more = ["--space", "openmp", "--team-size", str(TEAM), "--verify-repeat", str(team_repeat)]
        again = rows_of(command, exercise, small, [*options, *more], work, seconds, {**surroundings, **threads(TEAM)})
        rows += [{**row, "teams": True} for row in again]
    if all(row.get("verified", True) for row in rows):
        again = rows_of(command, exercise, small, [*options, "--seed", OTHER_SEED], work, seconds, surroundings)
        rows += [{**row, "seed": OTHER_SEED} for row in again]
    return rows


def judge(program, exercise, step, work, lesson, seen=None, text="", **how):
    """The judgement of a student's program on a step. `lesson`: the rows of the lesson's own kernel; `seen`: returns the rows of `orders`, or
    none where this build has no program that is watched; `text`: the student's file."""
    rows = check(program, exercise, step.variant, work, lesson, **how)
    found = verdict(rows)
    races = False
    if found and seen and (RACY.match(found.what) or found.what == running.ENDED):
        ordered = seen()
        races = any(row.get("space") == "openmp" and row.get("verified") for row in ordered)
        found = verdict_on_orders(found, ordered)
    if found and found.what == "right":
        found = off_the_point(exercise, step, rows, text, lesson) or found
    return Judgement(rows, found, races)


def orders(watched, exercise, variant, work, lesson, seconds=60, environment=None, enough=None):
    """The rows of the program that is watched, which finds elements out of bounds and races (compiling.py): at all small sizes; then at some of
    them, once in each order of its threads (scripts/lessons/handover.cpp), in which one of them works at a time, until the event `enough` is
    set."""
    sets = sizes_of(exercise) or [{}]
    teams = in_teams(watched, exercise, variant)
    count = 4 if teams else 3
    surroundings = {**threads(count), "OMP_WAIT_POLICY": "passive", **(environment or {})}
    command = [str(watched), "run", exercise]
    options = ["--variant", variant, "--space", "openmp", "--verify-only", "--diagnose"]
    options += ["--verify-repeat", "3", *(["--team-size", "2"] if teams else [])]
    small = [one for one in sets if work_of(one, lesson) < 7e4] or sets[:1]
    found = []
    for some, most in ((small[:SMALLEST], seconds / 12), (small[SMALLEST:], seconds / 4)):
        if some and not crashed(found):
            found += rows_of(command, exercise, some, [*options, "--precision", "all"], work, most, surroundings)
    few = sorted((one for one in small if 0 not in one.values()), key=lambda one: work_of(one, lesson))[-4:]
    precision = next((row["precision"] for row in found if "precision" in row), None)
    enough = enough or threading.Event()

    def in_order(order):
        if enough.is_set():
            return []
        again = rows_of(command, exercise, few, [*options, "--precision", precision], work, seconds / 4, {**surroundings, "PARALLAX_HANDOVER": str(order)})
        if not all(row.get("verified", True) for row in again):
            enough.set()
        return [{**row, "order": order} for row in again]

    if few and precision and not any("crash" in row for row in found):
        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            for again in pool.map(in_order, (count + 1, count, *range(count))):
                found += again
                if not all(row.get("verified", True) for row in again):
                    break
    return found


def verdict_on_orders(found, rows):
    """The verdict, with what the watched program adds to it. Its threads take their turns in orders that are rare but allowed: a kernel that
    is wrong in some of them has a race."""
    outside = next((row for row in rows if row.get("check", {}).get("cause") == running.OUTSIDE), None)
    if outside:
        return Verdict(running.OUTSIDE, f"{outside['crash']}: {outside['check']['detail']}")
    stopped = next((row for row in rows if "crash" in row), None)
    if stopped:
        return Verdict(stopped["check"]["cause"], f"{stopped['crash']}: {stopped['check']['detail']}") if found.what == "right" else found
    cases = collections.defaultdict(list)
    for row in rows:
        if "verified" in row:
            cases[row["precision"], row["phase"], json.dumps(row["parameters"])].append(row)
    # What is wrong in every order is no race.
    mixed = [case for case in cases.values() if found.what == "right" or any(row["verified"] for row in case)]
    wrong = [row for case in mixed for row in case if not row["verified"]]
    if not wrong:
        return found
    ran = sum(len(case) for case in cases.values())
    causes = [row["check"].get("cause", "") for row in wrong]
    lost = next((k for k, cause in enumerate(causes) if "update" in cause), None)
    shown = wrong[lost or 0]
    what = causes[lost] if lost is not None and all("update" in cause or cause == RACE for cause in causes) else RACE
    detail = f"{where(shown)}: {shown['check'].get('detail', '')}".rstrip(": ")
    return Verdict(what, f"{detail} (wrong in {len(wrong)} of {ran} orders of the threads)")


def off_the_point(exercise, step, rows, text, lesson):
    """The verdict on a right kernel that does not do what the step is about, by what the lesson's own kernel launches at a size in the
    middle; else None."""
    sets = sizes_of(exercise) or [{}]
    for own in rows_at(sets[len(sets) // 2], lesson):
        for row in rows:
            same = all(row.get(key) == own.get(key) for key in ("space", "precision", "phase", "parameters"))
            if not same or "launches" not in row or "launches" not in own:
                continue
            elsewhere = sorted(set(row["launches"]) - set(own["launches"]))
            if elsewhere:
                return Verdict(ANOTHER_SPACE, f"{where(row)}: in {' and '.join(elsewhere)}: the policy's first argument is `space`")
            if own["launches"] and not row["launches"]:
                return Verdict(NO_KERNEL, f"{where(row)}: the work was done by the thread that calls; the lesson launches a kernel")
    if text and parts.without_scratch(exercise, step, text):
        return Verdict(NO_SCRATCH, "nothing is written to scratch memory or read from it, which is what this step is about")
    return None


def rows_at(parameters, rows):
    def same(one, other):
        return one == other or str(one) == str(other)  # -3 and -3.0

    return [row for row in rows if all(same(row["parameters"].get(name), value) for name, value in parameters.items())]


def work_of(parameters, lesson):
    """How much is done at a size, as the lesson's rows say."""
    return max((max(row.get("items", 0), row.get("flops", 0)) for row in rows_at(parameters, lesson)), default=0)


def place_of(parameters):
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def where(row):
    """Where a row was run: size, space, precision."""
    if "crash" in row:
        return row["crash"]
    differing = {part.split(":")[0] for part in row["name"].split("/") if ":" in part} | set(row.get("at", ()))
    size = place_of({name: value for name, value in row["parameters"].items() if name in differing})
    phase = "" if row["phase"] == "kernel" else row["phase"]
    teams = f"teams of {row['team_size']}" if row.get("teams") else ""
    seed = f"seed {row['seed']}" if "seed" in row else ""
    return ", ".join(text for text in (size, row["space"], row["precision"], phase, teams, seed) if text)


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
    if all("seed" in row for row in wrong):
        return Verdict(ONE_SEED, f"{where(wrong[0])}: {wrong[0]['check'].get('detail', '')}".rstrip(": "))
    both = [(row, row["check"].get("cause", row["check"].get("compared", ""))) for row in wrong]
    # Copies around a kernel that is wrong bring back what it left in the device's memory.
    both = [item for item in both if item[0].get("phase") != "end_to_end"] or both
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
