# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The tools: where they are, how to get them, and the command of each."""

from __future__ import annotations

import glob
import os
import shutil

from .names import ncu_metrics, perf_events

# Where they are though no PATH says so; the newest last.
FOLDERS = {
    "ncu": ("/usr/local/cuda*/bin", "/opt/nvidia/nsight-compute/*"),
    "rocprofv3": ("/opt/rocm*/bin",),
    "perf": (),
    "likwid-perfctr": (),
}
HOW = {
    "ncu": "it comes with CUDA (Nsight Compute; on clusters often `module load nsight-compute`)",
    "rocprofv3": "it comes with ROCm 6.2 and newer (package rocprofiler-sdk)",
    "perf": "install linux-perf (Debian), linux-tools-generic (Ubuntu) or perf (Fedora, SLES)",
}
MOST_KERNELS = 200  # of a run: ncu repeats each some ten times, and an exercise may launch thousands
OF_DEVICE = {"cuda": "ncu", "hip": "rocprofv3"}  # spaces; hosts have perf


def find(name: str) -> str | None:
    places = [os.path.join(place, name) for folder in FOLDERS[name] for place in sorted(glob.glob(folder))]
    return shutil.which(name) or next((place for place in reversed(places) if os.access(place, os.X_OK)), None)


def of_space(space: str, on_host: bool) -> str | None:
    """The tool's name; None for a device that none of them knows."""
    return "perf" if on_host else OF_DEVICE.get(space)


def missing(name: str) -> str:
    return f"there is no {name} here: {HOW[name]}"


def ncu(tool: str, output: str, program: list[str], without: tuple[str, ...] = ()) -> list[str]:
    """The clock is left as it is, as in the timed runs; the program says which kernels count."""
    metrics = [metric for metric in ncu_metrics() if metric not in without]
    switches = ["--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--profile-from-start", "off"]
    switches += ["--launch-count", str(MOST_KERNELS), "--target-processes", "all"]
    return [tool, *switches, "--log-file", output, "--metrics", ",".join(metrics), *program]


def perf(tool: str, output: str, fifos: tuple[str, str], program: list[str]) -> list[str]:
    """Counting begins when the program says so in the first FIFO."""
    return [tool, "stat", "-x,", "-o", output, "--delay=-1", f"--control=fifo:{fifos[0]},{fifos[1]}", "-e", ",".join(perf_events()), "--", *program]


def rocprof(tool: str, folder: str, counters: list[str], exercise: str, program: list[str]) -> list[str]:
    """It counts whole processes: the exercise's own kernels are told by the namespace in their names."""
    which = ["--kernel-include-regex", f"kernels::{exercise}::"]
    return [tool, "--pmc", ",".join(counters), *which, "--output-format", "csv", "-d", folder, "-o", "counted", "--", *program]


def likwid() -> str:
    """A hint where perf has no hardware events: LIKWID counts a whole program, so its numbers are not a row's."""
    return "; likwid-perfctr is here, and counts whole programs" if find("likwid-perfctr") else ""
