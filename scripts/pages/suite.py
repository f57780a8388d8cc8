# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the whole suite, for the pages of results and of concepts."""

from pages.results import (
    FOLDERS, KOKKOS, LAUNCHES, LIBRARIES, MEASURED, ON_GPU, TASKS, best, cases_once, cell, counts, digits, fastest, in_order, is_tuned,
    measured_on, named, number, rival, table, time_of, time_text, with_cases)  # fmt: skip
from parallax.report import load as results_files
from parallax.report import portability as metric
from parallax.report.portability_cli import cell as shown

TUNING = {"tile"}  # tuning parameters that are also parameters of an exercise
SCRATCH = {"tiled"}  # lessons whose point is scratch memory, under another name


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
    """Kokkos's rows on a GPU: of the newest day that has any, and those tuned for the machine."""
    ours = [row for row in rows if row["space"] in ON_GPU and row["space"] in KOKKOS]
    newest = max(row["context"]["date"][:10] for row in ours if not is_tuned(row))
    return [row for row in ours if is_tuned(row) or row["context"]["date"].startswith(newest)]


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
    """Times over the size of the team."""
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
    """The performance-portability metric of Kokkos's tiers: of the course's sizes, and of the H100 and its host."""
    lines = []
    for folder, machines_of in ((FOLDERS["--keep-course"], [""]), (MEASURED, ["h100-", "host-"])):
        paths = sorted(str(path) for prefix in machines_of for path in folder.glob(f"{prefix}*.json"))
        if not paths:
            continue
        _, places, cases, _ = results_files.load(paths)
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
    return lines[:-1] or ["Not measured yet."]


# Separate pages: what is between their markers, and from which folder.
PAGES = {
    "docs/performance.md": ("tiers", tiers, "--keep"),
    "docs/concepts/memory_kinds.md": ("scratch", scratch, "--keep"),
    "docs/concepts/team_size.md": ("teams", teams, "--keep-teams"),
    "docs/performance/course.md": ("course", course, "--keep-course"),
    "docs/performance/course_cpu.md": ("course", course, "--keep-course-cpu"),
    "docs/performance/portability_tables.md": ("portability", portability, "--keep-course"),
}
