# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What rocprofv3 writes with `--pmc ... --output-format csv`: FILE_counter_collection.csv, a line for each kernel and counter. Written by its
documentation, and never run."""

from __future__ import annotations

import csv
import io

from .names import COUNTERS, mean


def kernels(text: str) -> list[tuple[str, float, float]]:
    """Counter, value and seconds of the kernel, for each line."""
    found = []
    for row in csv.DictReader(io.StringIO(text)):
        try:
            seconds = (int(row["End_Timestamp"]) - int(row["Start_Timestamp"])) * 1e-9
            found.append((row["Counter_Name"], float(row["Counter_Value"]), seconds))
        except (KeyError, TypeError, ValueError):
            continue
    return found


def counters(texts: list[str]) -> dict:
    """Of the files of all passes."""
    passes = [kernels(text) for text in texts]
    lines = [line for one in passes for line in one]
    made: dict = {}
    for counter in COUNTERS:
        known = {name for name, _, _ in lines}
        if not counter.rocprof or not known.issuperset(counter.rocprof):
            continue
        mine = [(value, seconds) for name, value, seconds in lines if name in counter.rocprof]
        if counter.combine == "mean":
            made[counter.name] = mean(mine)
        else:
            made[counter.name] = sum(value for value, _ in mine) * counter.rocprof_factor
    if made:
        # Each pass runs the same kernels: one pass has the times of the run.
        made["seconds"] = sum(seconds for _, _, seconds in next(one for one in passes if one))
    return made
