# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the whole suite, for the pages of results and of concepts."""

import json

from pages import bars
from pages.results import (
    KOKKOS, LAUNCHES, LIBRARIES, ON_GPU, TASKS, best, cases_once, cell, counts, digits, fastest, files_of, in_order, is_tuned,
    measured_on, named, number, rival, table, time_of, time_text, with_cases)  # fmt: skip
from parallax.counters.names import STALLS
from parallax.report import load as results_files
from parallax.report import portability as metric
from parallax.report import ranks_model as model
from parallax.report.portability_cli import cell as shown

TUNING = {"tile"}  # tuning parameters that are also parameters of an exercise
SCRATCH = {"tiled"}  # lessons whose point is scratch memory, under another name
COURSE = ["course/*.json", "lessons/host-*.json"]  # the course's sizes on a GPU, and on the host where the lessons' first tables are from


def summary(rows):
    """The best of each exercise in a line for each precision, at its largest size on a device: ours, its percentage, and its ratio to the best
    Python twin on that device."""
    head = ["exercise", "case", "precision"]
    for device in ("GPU", "CPU, all threads"):
        head += [device, "by", "times as fast as the best Python twin"]
    lines = []
    for exercise in in_order(sorted(row["exercise"] for row in rows if row["exercise"] not in LAUNCHES)):
        mine = [row for row in rows if row["exercise"] == exercise]
        with_cases(mine)
        kokkos = [row for row in mine if row["space"] in KOKKOS]
        kokkos = [row for row in kokkos if row["phase"] == "kernel"] or kokkos
        python = [row for row in mine if row["space"] in LIBRARIES]
        for case in largest(kokkos):
            line = [f"[{exercise}](../apps/{exercise}/README.md)", *case]
            for gpu in (True, False):
                ours, found = best(kokkos, case, gpu), rival(kokkos, python, case, gpu)
                line += named(ours)
                # The page says that a GPU's ratios are by wall clock; a cell names the other one.
                clock = ", device clock" if found and gpu and found[3] == "device" else ""
                line.append(f"{digits(found[0])} ({LIBRARIES[found[2]['space']].split(', ')[0]}{clock})" if found else "")
            if any(line[3:]):
                lines.append(line)
    return table(head, lines) if lines else ["Not measured yet."]


def largest(rows):
    """The first case of the most elements for each device, phase, variant that is a task, and precision."""
    found = {}
    for row in rows:
        key = (row["space"] in ON_GPU, row["phase"], row["variant"] if row["exercise"] in TASKS else "", row["precision"])
        if key not in found or row["items"] > found[key]["items"]:
            found[key] = row
    return in_order(row["case"] for row in rows if row["case"] in [r["case"] for r in found.values()])


def kernels(rows):
    """Each exercise and case, with all parameters, and its kernel rows that count."""
    for exercise in in_order(sorted(row["exercise"] for row in rows)):
        mine = [row for row in rows if row["exercise"] == exercise and row["phase"] == "kernel" and counts(row)]
        same = with_cases(mine)
        for case in in_order(row["case"] for row in mine):
            size = ", ".join(filter(None, (same, case[0])))
            yield exercise, (size, case[1]), [row for row in mine if row["case"] == case]


def times(slow, fast):
    return f"{time_of(slow) / time_of(fast):.2f}" if slow and fast else ""


def as_untuned(row, rows):
    """A row tuned for its machine with the tuning parameters of the same variant as it comes, so that both are of one case."""
    own = [other for other in rows if other["name"] == row["name"] and not is_tuned(other)]
    parameters = {name: own[0]["parameters"][name] for name in TUNING if own and name in row["parameters"]}
    return {**row, "parameters": {**row["parameters"], **parameters}} if is_tuned(row) else row


def on_gpu(rows):
    """Kokkos's rows on a GPU, of kernels: each exercise's of the newest day that has any, and those tuned for the machine."""
    ours = [row for row in rows if row["space"] in ON_GPU and row["space"] in KOKKOS and row["phase"] == "kernel"]
    days = sorted((row["context"]["date"][:10], row["exercise"]) for row in ours if not is_tuned(row))
    newest = {exercise: day for day, exercise in days}
    return [row for row in ours if is_tuned(row) or row["context"]["date"].startswith(newest[row["exercise"]])]


def tiers(rows):
    """The fastest row on a GPU of each tier, exercise by exercise: what plain Kokkos gets, what tuning adds, what a library has. Where rows
    were tuned for the machine, the fastest of them, and how many times as fast it is as the same variant with its own parameters."""
    rows = on_gpu(rows)
    head = ["exercise", "case", "precision", "lesson", "by", "tuned", "by", "tuned, times as fast", "library", "by"]
    head += ["tuned for the machine", "by", "times as fast as with its own parameters"]
    lines = []
    for exercise, case, mine in kernels([as_untuned(row, rows) for row in rows]):
        own = [row for row in mine if not is_tuned(row)]
        lesson, tuned, library = (fastest(row for row in own if row["tier"] == tier) for tier in ("lesson", "tuned", "library"))
        line = [f"[{exercise}](../apps/{exercise}/README.md)", *case, *named(lesson), *named(tuned), times(lesson, tuned), *named(library)]
        machine = fastest(filter(is_tuned, mine))
        same = fastest(row for row in own if machine and row["variant"] == machine["variant"])
        lines.append([*line, *named(machine), times(same, machine)])
    return [measured_on(rows), "", *table(head, cases_once(lines, 1))]


def scratch(rows):
    """Staging in scratch memory beside the best lesson without it, on a GPU."""
    rows = on_gpu(rows)
    head = ["exercise", "case", "precision", "without", "by", "`team_scratch`", "times as fast"]
    lines = []
    for exercise, case, mine in kernels([row for row in rows if row["tier"] == "lesson" and not is_tuned(row)]):
        without = fastest(row for row in mine if "scratch" not in row["variant"] and row["variant"] not in SCRATCH)
        staged = fastest(row for row in mine if row["variant"] == "team_scratch")
        if without and staged:
            lines.append([f"[{exercise}](../../apps/{exercise}/README.md)", *case, *named(without), cell(staged), times(without, staged)])
    return [measured_on(rows), "", *table(head, cases_once(lines, 1))]


def teams(rows):
    """Times of kernels over the size of the team."""
    rows = [row for row in rows if row["phase"] == "kernel"]
    sizes = sorted({row["team_size"] for row in rows})
    lines = []
    for exercise in in_order(sorted(row["exercise"] for row in rows)):
        mine = [row for row in rows if row["exercise"] == exercise]
        for variant, precision in in_order((row["variant"], row["precision"]) for row in mine):
            found = {row["team_size"]: time_text(time_of(row)) for row in mine if (row["variant"], row["precision"]) == (variant, precision)}
            n = number(mine[0]["parameters"]["n"])
            lines.append([f"[{exercise}](../../apps/{exercise}/README.md)", n, precision, f"`{variant}`", *(found.get(size, "") for size in sizes)])
    return [measured_on(rows), "", *table(["exercise", "n", "precision", "variant", *map(str, sizes)], lines)]


def course(rows):
    """The best row of each case by one thread, all threads, a GPU, and Python's libraries."""
    if not rows:
        return ["Not measured yet."]
    head = ["exercise", "case", "precision"]
    spaces = [space for space in ("serial", "openmp", "cuda") if any(row["space"] == space for row in rows)]
    devices = [gpu for gpu in (False, True) if any(row["space"] in LIBRARIES and (row["space"] in ON_GPU) == gpu for row in rows)]
    for name in [*(KOKKOS[space] for space in spaces), *("Python, GPU" if gpu else "Python, CPU" for gpu in devices)]:
        head += [name, "by"]
    lines = []
    for exercise in in_order(sorted(row["exercise"] for row in rows)):
        mine = [row for row in rows if row["exercise"] == exercise]
        with_cases(mine)
        for case in in_order(row["case"] for row in mine if row["space"] in KOKKOS):
            line = [f"[{exercise}](../../apps/{exercise}/README.md)", *case]
            here = [row for row in mine if row["case"] == case and counts(row)]
            for space in spaces:
                row = fastest(row for row in here if row["space"] == space)
                line += [cell(row, share=False), f"`{row['variant']}`" if row else ""]
            for gpu in devices:
                row = best([row for row in here if row["space"] in LIBRARIES], case, gpu)
                line += [cell(row, share=False), LIBRARIES[row["space"]] if row else ""]
            lines.append(line)
    return [measured_on([row for row in rows if row["space"] in KOKKOS]), "", *table(head, lines)]


def per_cent(efficiency):
    """An efficiency in a table whose every number is in per cent."""
    return shown(efficiency).removesuffix(" %")


def several_platforms(score):
    """The metric, where a score is of more than one platform."""
    return per_cent(score.metric) if score and len([e for e in score.efficiencies if e is not None]) > 1 else ""


def named_after(problem, before):
    """What a table calls a problem, or the suite (None), below a line of the one before: no more than what is new."""
    if problem is None:
        return "**suite**"
    same = before and (problem.one.exercise, problem.one.phase, problem.parameters()) == (before.one.exercise, before.one.phase, before.parameters())
    return f"the same, {problem.one.precision}" if same else problem.name


def portability(_):
    """The performance-portability metric of Kokkos's tiers: of the course's sizes, and of large ones."""
    lines = []
    for patterns in (COURSE, ["*.json"]):
        _, places, cases, _ = results_files.load(list(map(str, files_of(patterns))))
        analysis = metric.analyse(places, cases)
        platforms = [f"P{k}" for k in range(1, len(analysis.platforms) + 1)]
        suites = {m: metric.suite(analysis, m) for m in metric.METRICS}
        names = [name for name in metric.TIERS.values() if name in suites["of_best"]]
        everywhere = [p for p in analysis.problems if len(p.platforms) == len(platforms)]
        rows, above = [], None
        for problem in [*everywhere, None]:
            scores = {m: suites[m] if problem is None else {name: problem.score(name, m) for name in problem.applications} for m in suites}
            # An application of one platform says nothing of portability.
            found = [several_platforms(scores[m].get(name)) for m in suites for name in names]
            if any(found):
                rows.append([named_after(problem, above), *found])
                above = problem
        kinds = ("ceiling", "best time")
        head = ["problem", *(f"{name.removeprefix('Parallax ')}, {kind}" for kind in kinds for name in names)]
        where = "; ".join(f"{k}: {p.name}" for k, p in zip(platforms, analysis.platforms))
        lines += [f"{where}. {max(c.source.context['date'] for c in cases)[:10]}.", "", *table(head, rows), ""]
    return lines[:-1]


def ranks_of(row):
    return row.get("ranks", 1)


def scaling(rows, kind="strong"):
    """(exercise, case, the rows of one variant by their number of GPUs), where one and several were measured."""
    rows = [row for row in rows if row.get("scaling", kind) == kind]
    for exercise in in_order(sorted(row["exercise"] for row in rows)):
        mine = [row for row in rows if row["exercise"] == exercise and row["phase"] != "end_to_end" and counts(row)]
        with_cases(mine)
        for case, variant in in_order((row["case"], row["variant"]) for row in mine):
            found = {ranks_of(row): row for row in mine if (row["case"], row["variant"]) == (case, variant)}
            if 1 in found and len(found) > 1:
                yield exercise, case, dict(sorted(found.items()))


def by_the_model(found):
    """The time of a row on most of its GPUs by docs/scaling.md's model, from one GPU's time and what links between the fewest took; None where it has none."""
    fewest, most = min(ranks for ranks in found if ranks > 1), max(found)
    links = found[fewest]["context"]["mpi"]["transports"]["cuda"]["links"]
    inside = model.Link(links[0]["one_way_ns"], links[-1]["bytes"] / links[-1]["one_way_ns"])
    sent = [(message["pattern"], message["bytes"]) for message in found[fewest].get("messages", [])]
    if any(pattern not in model.COSTS for pattern, _ in sent):
        return None
    machine = model.Machine(inside, inside, most)
    return model.Model(machine, model.Messages({fewest: sent}, weak=False), 1, found[1]["real_time"], weak=False).time(most)


def several_gpus_table(rows, kind):
    """The times on one GPU and on several, how well they are used, and of strong scaling what the model says."""
    numbers = sorted({ranks_of(row) for row in rows if row.get("scaling", kind) == kind})
    strong = kind == "strong"
    head = ["exercise", "case", "precision", "variant", "1 GPU"]
    for ranks in numbers[1:]:
        head += [f"{ranks} GPUs", "efficiency"]
    lines = []
    for exercise, case, found in scaling(rows, kind):
        row = found[1]
        line = [f"[{exercise}](../apps/{exercise}/README.md)", *case, f"`{row['variant']}`", time_text(row["real_time"])]
        for ranks in numbers[1:]:
            ns = found[ranks]["real_time"] if ranks in found else None
            line += [time_text(ns), f"{100 * row['real_time'] / ns / (ranks if strong else 1):.0f} %"] if ns else ["", ""]
        predicted = by_the_model(found) if strong else None
        lines.append([*line, time_text(predicted) if predicted else ""])
    return table([*head, "by the model"], cases_once(lines, 1))


def on_each_device(rows):
    """Each kind of GPU, and the rows that were measured on it."""
    for device in sorted({row["context"]["spaces"]["cuda"]["device"] for row in rows}):
        yield device, [row for row in rows if row["context"]["spaces"]["cuda"]["device"] == device]


def several_gpus(rows):
    """Strong scaling, then weak, on each kind of GPU."""
    lines = []
    for device, mine in on_each_device(rows):
        several = next(row["context"] for row in mine if ranks_of(row) > 1)
        lines += [f"{several['date'][:10]}; {device}, {several['mpi']['transports']['cuda']['by']}, Kokkos {several['kokkos_version']}.", ""]
        lines += several_gpus_table(mine, "strong")
        if any(row.get("scaling") == "weak" for row in mine):
            lines += ["", "Weak scaling: each GPU does what the one does.", "", *several_gpus_table(mine, "weak")]
        lines.append("")
    return lines[:-1]


def several_gpus_picture(rows):
    """How many times as fast several GPUs are as one: of each exercise and precision the fastest variant at the largest size, on the kind with
    most of them."""
    numbers = sorted(set(map(ranks_of, rows)))[1:]
    best_of = {}
    for exercise, case, found in (line for _, mine in on_each_device(rows) for line in scaling(mine)):
        key, row = f"{exercise} {case[1]}", found[max(found)]
        rank = -max(found), -row["items"], row["real_time"]
        if key not in best_of or rank < best_of[key][0]:
            best_of[key] = (rank, found)
    lines = []
    for key, (_, found) in best_of.items():
        speed_ups = [found[1]["real_time"] / found[ranks]["real_time"] if ranks in found else None for ranks in numbers]
        lines.append((key, found[1]["tier"], [times and (times, f"{times:.2f}") for times in speed_ups]))
    return bars.svg("Several GPUs, times as fast as one", [f"{ranks} GPUs, times as fast as one" for ranks in numbers], lines, best=max)


def counters_of(row):
    """A row's counters in cells."""
    counted = row["counters"]

    def said(name, form=digits):
        return form(counted[name]) if name in counted else ""

    ratio = digits(counted["memory_bytes"] / counted["needed_bytes"]) if counted.get("needed_bytes") and "memory_bytes" in counted else ""
    waiting = next(iter(counted.get("stalls", {}).items()), None)
    reason = f"{STALLS.get(waiting[0], waiting[0])} {100 * waiting[1]:.0f} %" if waiting else ""
    conflicts = f"{counted['bank_conflicts'] / counted['instructions']:.2f}" if "bank_conflicts" in counted and counted.get("instructions") else ""
    return [said("seconds", lambda s: time_text(1e9 * s)), ratio, said("l1_bytes", lambda b: f"{b * 1e-9:.2f}"), said("active_lanes"), said("occupancy"),
            conflicts, said("instructions_per_cycle"), reason]  # fmt: skip


def counted(rows):
    """What a profiler counted in each exercise's fastest lesson and in its fastest tuned kernel: before and after tuning."""
    rows = [row for row in rows if row.get("counters", {}).get("tool") == "ncu" and counts(row)]
    head = ["exercise", "precision", "GPU", "variant", "time", "bytes moved / needed", "GB through L1", "active lanes", "occupancy, %",
            "bank conflicts an instruction", "instructions a cycle", "waits most for"]  # fmt: skip
    lines = []

    def problem(row):
        gpu = row["context"]["spaces"][row["space"]]["device"].split()[1]
        return row["exercise"], row["precision"], gpu, json.dumps({k: v for k, v in row["parameters"].items() if k not in TUNING})

    for one in dict.fromkeys(map(problem, sorted(rows, key=problem))):
        exercise, precision, gpu, mine = *one[:3], [row for row in rows if problem(row) == one]
        before, after = (min((row for row in mine if row["tier"] == tier), key=lambda row: row["counters"]["seconds"], default=None) for tier in ("lesson", "tuned"))
        if before and after:
            for first, row in ((f"[{exercise}](../../apps/{exercise}/README.md)", before), ("", after)):
                lines.append([first, *((precision, gpu) if first else ("", "")), f"`{row['variant']}`", *counters_of(row)])
    return [measured_on(rows), "", *table(head, lines)]


# Separate pages: what is between their markers, and from which files.
PAGES = {
    "docs/performance.md": ("tiers", tiers, "*.json"),
    "docs/concepts/memory_kinds.md": ("scratch", scratch, "*.json"),
    "docs/concepts/team_size.md": ("teams", teams, "teams/*.json"),
    "docs/performance/course.md": ("course", course, *COURSE),
    "docs/performance/course_cpu.md": ("course", course, "course_cpu/*.json"),
    "docs/performance/tuning_notes.md": ("before and after", counted, "counters/*.json"),
    "docs/scaling.md": ("several GPUs", several_gpus, "ranks/*.json"),
    "docs/performance/portability_tables.md": ("portability", portability, *COURSE),
}
