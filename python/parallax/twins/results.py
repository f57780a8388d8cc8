# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The results file: Google Benchmark's JSON with our own fields, as src/run/results/results.cpp writes it.

From a GPU, both have `seen_time` and `event_time` (timing.py). Only there: `ceiling` and `percent_of_ceiling`, since
ceilings are Kokkos kernels.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import socket
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..intervals import median_interval
from . import host
from .catalogue import ROOT
from .check import Verdict
from .exercise import Twin, Work
from .select import PlannedCase
from .spaces import Space
from .timing import Samples


@dataclass
class CaseResult:
    """What became of one twin."""

    planned: PlannedCase
    twin: Twin
    work: Work
    samples: Samples = field(default_factory=Samples)
    verdict: Verdict | None = None
    unavailable: str = ""

    def name(self) -> str:
        return self.planned.name(self.twin)

    @property
    def expected_to_fail(self) -> bool:
        return self.twin.expected_to_fail

    def failed(self) -> bool:
        """An unexpected failure."""
        return self.verdict is not None and not self.verdict.passed and not self.expected_to_fail


@dataclass
class Results:
    """Everything one run found."""

    command_line: str
    spaces: list[Space]
    missing: dict[str, str]
    cases: list[CaseResult] = field(default_factory=list)
    complete: bool = False


def version() -> str:
    """Stated once, in the project's CMakeLists.txt."""
    found = re.search(r"^\s*VERSION\s+([\d.]+)", host.read(ROOT / "CMakeLists.txt"), re.MULTILINE)
    return found.group(1) if found else "unknown"


def _git() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _space_json(space: Space) -> dict:
    return {
        "device": space.device(),
        "on_host": space.on_host,
        "concurrency": space.concurrency(),
        "memory_total": space.memory()[1],
        "library": space.version(),
    }


def context_json(results: Results) -> dict:
    environment = os.environ.get
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "host_name": socket.gethostname(),
        "executable": sys.executable,
        "num_cpus": os.cpu_count(),
        "mhz_per_cpu": 0,
        "cpu_scaling_enabled": False,
        "caches": [],
        "load_avg": list(os.getloadavg()) if hasattr(os, "getloadavg") else [],
        "library_version": f"parallax {version()}",
        "library_build_type": "Release",
        "json_schema_version": 1,
        "program": "python",
        "parallax_version": version(),
        "git": _git(),
        "command_line": results.command_line,
        "kokkos_version": "",
        "kokkos_kernels_version": "",
        "compiler": f"{platform.python_implementation()} {platform.python_version()}",
        "flags": "",
        "slurm_job_id": environment("SLURM_JOB_ID", ""),
        "site": environment("PARALLAX_SITE") or environment("SLURM_CLUSTER_NAME", ""),
        "mpi_ranks": 1,
        "complete": results.complete,
        "spaces": {space.name: _space_json(space) for space in results.spaces},
        "missing_spaces": results.missing,
    }


def _finite(x: float) -> float | None:
    """JSON has no NaN and no infinity: null says that there is no number."""
    return float(x) if math.isfinite(x) else None


def _plain(value: Any) -> Any:
    """What checks report, as JSON's own types: NumPy's numbers and arrays included."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return _finite(value) if isinstance(value, float) else value


def _times(result: CaseResult) -> dict:
    samples, work = result.samples, result.work
    seconds = samples.median_ns() * 1e-9
    row = {
        "repetitions": len(samples.real_ns),
        "repetition_index": 0,
        "threads": 1,
        "iterations": samples.iterations,
        "real_time": samples.median_ns(),
        "cpu_time": statistics.median(samples.cpu_ns),
        "time_unit": "ns",
        "min_time": min(samples.real_ns),
        "max_time": max(samples.real_ns),
        "samples": samples.real_ns,
        "interval": median_interval(samples.real_ns),
        "bytes_per_second": _finite(work.bytes / seconds),
        "flops_per_second": _finite(work.flops / seconds),
        "items_per_second": _finite(work.items / seconds),
    }
    if samples.seen_ns:
        row["seen_time"] = statistics.median(samples.seen_ns)
    if samples.event_ns:
        row["event_time"] = statistics.median(samples.event_ns)
    state = {"disturbed": samples.disturbed, "hit_samples": samples.hit, "sampled_twice": samples.twice}
    return row | {name: value for name, value in state.items() if value}


def row_json(result: CaseResult, index: int) -> dict:
    row = {
        "name": result.name(),
        "family_index": index,
        "per_family_instance_index": 0,
        "run_name": result.name(),
        # as the C++ program: what has no times is left out by Google Benchmark's compare.py
        "run_type": "iteration" if result.samples.real_ns else "aggregate",
        "time_unit": None,
        "exercise": result.planned.exercise.name,
        "variant": result.twin.variant,
        "space": result.planned.space.name,
        "precision": result.planned.precision,
        "phase": result.twin.phase,
        "parameters": {**result.planned.parameters.as_json, "seed": result.planned.seed},
    }
    if result.planned.whole is not None:
        row["scaled"] = {"parameters": result.planned.whole.as_json, "factor": result.planned.factor()}
    if result.unavailable:
        return {**row, "skipped": True, "skip_message": result.unavailable}
    if result.samples.real_ns:
        row.update(_times(result))
    row.update(
        bytes=float(result.work.bytes),
        flops=float(result.work.flops),
        items=float(result.work.items),
        expected_to_fail=result.expected_to_fail,
        other_work=result.twin.other_work,
    )
    verdict = result.verdict
    if verdict is not None:
        row.update(
            verified=bool(verdict.passed),
            check={
                "compared": verdict.compared,
                "error": _finite(verdict.error),
                "tolerance": _finite(verdict.tolerance),
            },
            result={name: _plain(value) for name, value in verdict.result.items()},
            error_occurred=result.failed(),
        )
        if result.failed():
            row["error_message"] = "check failed: " + verdict.compared
    return row


def to_json(results: Results) -> str:
    rows = [row_json(result, index) for index, result in enumerate(results.cases)]
    return json.dumps({"context": context_json(results), "benchmarks": rows}, indent=1, allow_nan=False) + "\n"
