# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The rows of docs/measured: kept, read, and shown in cells of tables."""

import hashlib
import json
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "docs" / "measured"
FOLDERS = {"--keep": MEASURED, "--keep-teams": MEASURED / "teams", "--keep-course": MEASURED / "course",
           "--keep-lessons": MEASURED / "lessons", "--keep-counters": MEASURED / "counters",
           "--keep-ranks": MEASURED / "ranks", "--keep-course-cpu": MEASURED / "course_cpu"}  # fmt: skip
KOKKOS = {"cuda": "GPU", "hip": "GPU", "openmp": "CPU, all threads", "serial": "CPU, one thread"}
LIBRARIES = {
    "numba_cuda": "Numba-CUDA",
    "cupy": "CuPy",
    "jax_cuda": "JAX, GPU",
    "torch_cuda": "PyTorch, GPU",
    "numba": "Numba, CPU",
    "numba_serial": "Numba, one thread",
    "numpy": "NumPy",
    "python": "Python",
    "jax_cpu": "JAX, CPU",
    "torch_cpu": "PyTorch, CPU",
}
TASKS = {"transfer"}  # whose variants are different things to do, each a separate case
LAUNCHES = {"launch"}  # whose lesson is the launch, which the device's clock leaves out: all by wall clock
NO_KERNELS = {"ranks", "splitters", "partition", "sample", "unsorted", "reference", "edge_cases"}  # headers of exercises without a kernel that is timed on one GPU
TO_DEVICES = {"tuned_end_to_end"}  # headers that do nothing on a host
ON_GPU = {"cuda", "hip", "numba_cuda", "cupy", "jax_cuda", "torch_cuda"}


def kernels_of(exercise, python, on_device=True):
    """A short sum of the code of an exercise's kernels, or of its twin's: without comments, and however it is laid out."""
    folder, others = ROOT / "apps" / exercise, NO_KERNELS if on_device else NO_KERNELS | TO_DEVICES
    files = [folder / "twin.py"] if python else [f for f in sorted(folder.glob("*.hpp")) if f.stem not in others]
    code = "".join(re.sub(r"//.*|#.*" if python else r"//.*", "", file.read_text(encoding="utf-8")) for file in files)
    return hashlib.sha256("".join(code.split()).encode()).hexdigest()[:12]


def is_on_device(results, exercise):
    return any(row["space"] in ON_GPU for row in results["benchmarks"] if row["exercise"] == exercise)


def changed_since(path):
    """A line for each exercise of a kept file whose kernels are others by now. Files kept before that was noted say nothing of it."""
    results = json.loads(path.read_text(encoding="utf-8"))
    for name, then in results["context"].get("kernels", {}).items():
        exercise, _, language = name.partition(" ")
        if kernels_of(exercise, language == "python", is_on_device(results, exercise)) != then:
            yield f"the kernels of {name} have changed since they were measured: measure them again, and keep that"


def keep(path, folder=MEASURED):
    """Keeps a results file in docs/measured/, or in a folder of it: all but the single samples and what belongs to the machine's folders; and
    which kernels they are of."""
    results = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    for name in ("executable", "command_line", "host_name", "load_avg"):
        results["context"].pop(name, None)
    for row in results["benchmarks"]:
        row.pop("samples", None)
    names = {(row["exercise"], row["space"] in LIBRARIES) for row in results["benchmarks"]}
    kernels = {f"{exercise} {'python' if python else 'kokkos'}": kernels_of(exercise, python, is_on_device(results, exercise)) for exercise, python in sorted(names)}
    results["context"]["kernels"] = kernels
    folder.mkdir(exist_ok=True)
    lines = ",\n  ".join(json.dumps(row) for row in results["benchmarks"])
    text = f'{{\n "context": {json.dumps(results["context"])},\n "benchmarks": [\n  {lines}\n ]\n}}\n'
    (folder / pathlib.Path(path).name).write_text(text, encoding="utf-8")


def files_of(patterns, folder=MEASURED):
    return sorted(path for pattern in patterns for path in folder.glob(pattern))


def load(folder=MEASURED, patterns=("*.json",)):
    """The rows with times of whole problems, the latest of each variant, parameters and way to choose a team's size, of several ranks also on
    each device, each with the context of its file as `context`; the newest files' first."""
    rows = {}
    files = [(path.parent, json.loads(path.read_text(encoding="utf-8"))) for path in files_of(patterns, folder)]
    for parent, results in sorted(files, key=lambda file: file[1]["context"]["date"]):
        device = results["context"]["spaces"]["cuda"]["device"] if parent == FOLDERS["--keep-ranks"] else ""
        for row in results["benchmarks"]:
            if "real_time" in row and "scaled" not in row:
                # Not by parameters in the name, which say what else ran in the same job.
                name = [part for part in row["name"].split("/") if part.partition(":")[0] not in row["parameters"]]
                rows[json.dumps([name, row["parameters"]]), is_tuned(row), device] = {**row, "context": results["context"]}
    return sorted(rows.values(), key=lambda row: row["context"]["date"], reverse=True)


def of_sizes(others, rows):
    """The rows of a problem that the others have, too: of a job that ran other sizes as well."""

    def problem(row):
        return row["exercise"], json.dumps(row["parameters"], sort_keys=True)

    problems = set(map(problem, others))
    return [row for row in rows if problem(row) in problems]


def is_tuned(row):
    """True for a row with the team size, or another tuning parameter, that --tune found best for its machine."""
    return row.get("tuned_for_this_machine", False)


def digits(value):
    """Three of them."""
    places = max(0, 2 - math.floor(math.log10(float(f"{value:.3g}")))) if value > 0 else 3
    return f"{value:.{places}f}"


def time_text(ns):
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= 0.9995 * size:
            return f"{digits(ns / size)} {unit}"
    return f"{digits(ns)} ns"


def event_time(row):
    """Nanoseconds by the device's own clock (docs/python.md), or None."""
    return None if row["exercise"] in LAUNCHES else row.get("event_time")


def time_of(row, clock="device"):
    """Nanoseconds: by the device's own clock where there is one, else wall time over batches."""
    return (event_time(row) if clock == "device" else None) or row["real_time"]


def number(value):
    """A parameter as people write it: 1e8, 4096, shuffled."""
    if isinstance(value, (int, float)) and value >= 1e5 and float(f"{value:.0e}") == value:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e")
    return f"{value:g}" if isinstance(value, float) else str(value)


def with_cases(rows):
    """Gives each row its `case`: the parameters that are not the same in all rows, the phase, and the precision."""
    # An older file lacks parameters that its exercise has by now, and was measured with what is their default.
    values = {}
    for row in rows:
        for name, value in row["parameters"].items():
            if name != "seed":
                values.setdefault(name, []).append(str(number(value)))
    varying = [name for name, found in values.items() if len(set(found)) > 1]
    for row in rows:
        words = [f"{name} = {number(row['parameters'][name])}" for name in varying if name in row["parameters"]]
        if row["exercise"] in TASKS:
            words.append(row["variant"])
        elif row["phase"] != "kernel":
            words.append(row["phase"].replace("_", " "))
        row["case"] = (", ".join(words), row["precision"])
    same = [f"{name} = {found[0]}" for name, found in values.items() if name not in varying and found[0] != ""]
    return ", ".join(same)


def counts(row):
    """True for a row that may be set against others."""
    return row.get("verified") and not row["other_work"] and not row["expected_to_fail"]


def percent_of_ceiling(row):
    return row["percent_of_ceiling"] * row["real_time"] / time_of(row)


def cell(row, share=True):
    """A row's time, the share of its ceiling, and what is to be known of it."""
    if row is None:
        return ""
    text = time_text(time_of(row))
    percent = percent_of_ceiling(row) if share and row.get("percent_of_ceiling") is not None else None
    # As in the program: what takes less time than a launch is not bounded by one.
    if percent is not None and not (row["ceiling"] == "launch" and percent > 105):
        text += f", {percent:.0f} %" if percent >= 0.95 else f", {percent:.2g} %"
        text += f" {row['ceiling']}"
    if row.get("disturbed"):
        text += " (disturbed)"
    return text if row.get("verified") else text + " (wrong)"


def in_order(items):
    return list(dict.fromkeys(items))


def table(head, lines):
    """A table in Markdown, without empty columns."""
    full = [k for k in range(len(head)) if any(line[k] for line in lines)]
    text = [[line[k] for k in full] for line in (head, ["---"] * len(head), *lines)]
    return ["| " + " | ".join(line) + " |" for line in text]


def cases_once(lines, place):
    """Lines with their case at this place: it is not said again in the line below, where all before it is the same, too."""
    return [
        [*line[:place], "the same" if line[place] and above[: place + 1] == line[: place + 1] else line[place], *line[place + 1 :]]
        for above, line in zip([[], *lines], lines)
    ]


def fair(rows, case, gpu):
    """The rows of a case on a GPU, or on a CPU, that count."""
    return [row for row in rows if row["case"] == case and (row["space"] in ON_GPU) == gpu and counts(row)]


def best(rows, case, gpu):
    return fastest(fair(rows, case, gpu))


def fastest(rows):
    return min(rows, key=time_of, default=None)


def named(row):
    return [cell(row), f"`{row['variant']}`" if row else ""]


def rival(kokkos, python, case, gpu):
    """Our best variant and the Python twin that comes nearest to it: how many times as fast ours is, its row, the twin's, and the clock.

    Both are on one clock: the device's where both have it, else wall time."""
    ours, rivals = fair(kokkos, case, gpu), []
    for row in fair(python, case, gpu) if ours else []:
        with_clock = [mine for mine in ours if event_time(mine) and event_time(row)]
        clock = "device" if with_clock else "wall"
        mine = min(with_clock or ours, key=lambda r: time_of(r, clock))
        rivals.append((time_of(row, clock) / time_of(mine, clock), mine, row, clock))
    return min(rivals, default=None, key=lambda found: found[0])


def measured_on(rows):
    """When and where: the date once, or with each machine."""
    found, dates = {}, {}
    for row in rows:
        facts = row["context"]["spaces"][row["space"]]
        threads = f", {facts['concurrency']} threads" if row["space"] == "openmp" else ""
        machine = row["space"], facts["device"]
        found.setdefault(machine, f"{KOKKOS[row['space']]}: {facts['device']}{threads}")
        dates.setdefault(machine, set()).add(row["context"]["date"][:10])
    latest = max(max(of_machine) for of_machine in dates.values())
    others = {machine: " to ".join(dict.fromkeys((min(of), max(of)))) for machine, of in dates.items() if of != {latest}}
    where = [text + (f" ({others[machine]})" if machine in others else "") for machine, text in found.items()]
    return f"{latest}; {'; '.join(where)}. Kokkos {rows[0]['context']['kokkos_version']}."
