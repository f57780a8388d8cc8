# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Results files made by hand for the tests: the machines, times and rates in them are invented, and measured nowhere."""

import json
import random

CEILINGS = {
    "serial": (12e9, 11e9, 14e9, 9e9, 60e9, 30e9, 13e9),
    "openmp": (90e9, 86e9, 110e9, 70e9, 1900e9, 950e9, 120e9),
    "cuda": (3.0e12, 2.95e12, 3.05e12, 3.2e12, 60e12, 30e12, 3.1e12),
}
NAMES = ("copy", "triad", "read", "write")
HOST = "Invented CPU 9000"
GPU = "Invented GPU 100 (a test's, not a machine's)"


def space(name, threads=16):
    made = {
        "device": GPU if "cuda" in name or name == "cupy" else HOST,
        "on_host": not ("cuda" in name or name == "cupy"),
        "concurrency": 1 if name in ("serial", "numpy") else threads,
        "memory_total": 64e9,
    }
    if name in CEILINGS:
        values = CEILINGS[name]
        made["ceilings"] = {f"{n}_bytes_per_second": v for n, v in zip(NAMES, values)}
        made["ceilings"].update(update_bytes_per_second=values[6], fma_f32_flops_per_second=values[4], fma_f64_flops_per_second=values[5], array_bytes=1e8)
    return made


def row(exercise, variant, where, precision="f64", phase="kernel", ns=1e6, n=1000000, flops=1.0, suffix="", **more):
    scalar = 4 if precision == "f32" else 8
    made = {
        "name": "/".join([exercise, variant, where, precision] + ([phase] if phase != "kernel" else [])) + suffix,
        "run_type": "iteration",
        "exercise": exercise,
        "variant": variant,
        "space": where,
        "precision": precision,
        "phase": phase,
        "parameters": {"n": n, "seed": 12345},
        "repetitions": 10,
        "iterations": 1,
        "real_time": ns,
        "cpu_time": ns,
        "time_unit": "ns",
        "min_time": ns * 0.98,
        "max_time": ns * 1.05,
        "samples": [ns * (0.98 + 0.005 * k) for k in range(10)],
        "bytes": 3.0 * scalar * n,
        "flops": flops * n,
        "items": float(n),
        "expected_to_fail": False,
        "other_work": False,
        "verified": True,
        "check": {"compared": "every element with a serial sum", "error": 0.0, "tolerance": 0.0},
        "result": {"sum": 1.0},
    }
    if where in CEILINGS:
        made["ceiling"] = "triad"
        made["percent_of_ceiling"] = 100 * made["bytes"] / (ns * 1e-9) / CEILINGS[where][1]
    parameters = more.pop("parameters", None)
    if parameters:
        made["parameters"].update(parameters)
    made.update(more)
    return made


def failed(made, compared="every element with a serial sum"):
    for name in ("real_time", "cpu_time", "samples", "min_time", "max_time", "percent_of_ceiling", "ceiling"):
        made.pop(name, None)
    made.update(verified=False, check={"compared": compared, "error": 3.5, "tolerance": 1e-12}, error_occurred=True)
    return made


def results(rows, program="kokkos", threads=16, **context):
    spaces = {r["space"]: space(r["space"], threads) for r in rows}
    return {
        "context": {
            "date": "2026-01-02T03:04:05+00:00",
            "host_name": "invented-node",
            "num_cpus": threads,
            "executable": "parallax",
            "program": program,
            "parallax_version": "0.1.0",
            "git": "0000000",
            "kokkos_version": "5.0.2" if program == "kokkos" else "",
            "compiler": "GNU 12.2.0",
            "flags": "-O3",
            "slurm_job_id": "4711",
            "site": "invented",
            "mpi_ranks": 1,
            "complete": True,
            "spaces": spaces,
            **context,
        },
        "benchmarks": rows,
    }


def showcase():
    """A file of Kokkos and one of Python that together fill every section of the page."""
    rows, twins = [], []
    for where, speed in (("serial", 1.0), ("openmp", 9.0), ("cuda", 260.0)):
        for variant, factor in (("range", 1.0), ("team", 1.08), ("wide", 0.93)):
            for precision, cost in (("f32", 1.0), ("f64", 2.0)):
                ns = 1.1e6 * cost * factor / speed
                tier = "tuned" if variant == "wide" else "lesson"
                team = {"team_size": 256} if variant == "team" else {}
                rows.append(row("vector_add", variant, where, precision, ns=ns, tier=tier, **team))
        rows.append(row("integration2d", "flat", where, ns=4e9 / speed, flops=4e6, n=10000))
        rows.append(row("integration2d", "recurrence", where, ns=4e7 / speed, flops=4e4, n=10000, other_work=True))
        for bins in (1, 12, 120, 1200):
            more = {"parameters": {"bins": bins}, "suffix": f"/bins:{bins}", "flops": 0.0}
            rows.append(row("histogram", "global_atomic", where, "f32", ns=9e6 / speed * (1 + 8 / bins), **more))
            rows.append(row("histogram", "team_scratch", where, "f32", ns=5e6 / speed * (1 + 1 / bins), **more))
        race = failed(row("tree_sum", "race", where, expected_to_fail=where != "serial"))
        if where == "serial":
            race = row("tree_sum", "race", where, ns=6e5, expected_to_fail=True)
        rows += [race, row("tree_sum", "reduce", where, ns=9e5 / speed)]
    rows.append(row("vector_add", "range", "cuda", "f32", "end_to_end", ns=9e6))
    rows.append(row("vector_add", "wide", "cuda", "f32", "end_to_end", ns=3e6))
    rows.append(row("transfer", "h2d_pinned", "cuda", phase="transfer", ns=2e6, flops=0.0))
    rows.append(row("uniform_sort", "radix", "cuda", phase="sort", ns=6e6, flops=0.0))
    rows.append(row("uniform_sort", "radix", "cuda", phase="generate", ns=4e5, flops=0.0))
    absent = row("transfer", "h2d_pinned", "serial", phase="transfer")
    rows.append(
        {k: absent[k] for k in list(absent)[:8]} | {"skipped": True, "skip_message": "there is no bus to cross"}
    )
    rows.append(failed(row("normalize", "team_scratch", "cuda"), "norm and ratios with a serial sum"))
    for threads in (1, 2, 4, 8, 16):
        more = {"parameters": {"threads": threads}, "suffix": f"/threads:{threads}", "space_threads": threads}
        rows.append(row("matmul", "tiled", "openmp", ns=8e9 / threads**0.93, flops=8000.0, **more))
    for n in (10**3, 10**4, 10**5, 10**6, 10**7, 10**8):
        for where, launch, rate in (("openmp", 4e3, 80.0), ("cuda", 6e3, 2800.0)):
            rows.append(row("add_one", "range", where, ns=launch + 16 * n / rate, n=n, suffix=f"/n:{n}"))
    for team in (32, 64, 128, 256):
        more = {"tier": "lesson", "team_size": team, "suffix": f"/team_size:{team}"}
        rows.append(row("row_sum", "team_scratch", "cuda", ns=1e5 + 1e6 / team, **more))
    rows.append(row("row_sum", "kokkos_kernels", "cuda", ns=9e4, tier="library"))
    for where, ns in (("numpy", 2.4e6), ("numba", 1.6e5), ("numba_cuda", 5.2e3), ("cupy", 4.9e3)):
        twins.append(row("vector_add", "range", where, "f32", ns=ns))
        twins.append(row("integration2d", "flat", where, ns=ns * 4e3, flops=4e6, n=10000))
    return results(rows), results(twins, "python", missing_spaces={"jax": "cannot be imported (No module named 'jax')"})


def many(count, seed=1):
    """A file of `count` cases of twenty exercises."""
    random.seed(seed)
    rows = []
    while len(rows) < count:
        k = len(rows)
        exercise = f"exercise_{k % 20:02d}"
        variant = ("range", "team", "tiled", "simd")[k // 20 % 4]
        where = ("serial", "openmp", "cuda")[k // 80 % 3]
        precision = ("f32", "f64")[k // 240 % 2]
        step = k // 480
        n = 1000 * 2**step
        ns = n * random.uniform(0.5, 2) / (1, 9, 260)[k // 80 % 3] + 2000
        rows.append(row(exercise, variant, where, precision, ns=ns, n=n, flops=float(1 + k % 7), suffix=f"/n:{n}"))
    return results(rows)


def write(path, data):
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return str(path)
