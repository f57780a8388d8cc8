# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The ceilings are Kokkos kernels, and so only the C++ program knows them: its rows lend theirs to the twins' rows."""

from __future__ import annotations

import json
from pathlib import Path

from ..report.fields import read_json


def _devices(results: dict) -> dict:
    """(host, device) of each space: where two programs meet."""
    context = results["context"]
    return {name: (context.get("host_name"), space.get("device")) for name, space in context.get("spaces", {}).items()}


def programs(paths: list) -> set:
    """Which programs wrote the files: Kokkos's or Python's."""
    return {read_json(str(path))["context"].get("program", "kokkos") for path in paths}


def _amount(ceiling: str) -> str:
    return "flops_per_second" if ceiling.startswith("fma") else "bytes_per_second"


def _bounds(files: list) -> dict:
    """(place, exercise, precision, phase) -> the ceiling's name and its rate, the largest of a device's spaces."""
    found: dict = {}
    for results in files:
        places = _devices(results)
        for row in results["benchmarks"]:
            if row.get("cold"):
                continue
            rate, percent = row.get(_amount(row.get("ceiling", ""))), row.get("percent_of_ceiling")
            if rate and percent:
                key = (places.get(row["space"]), row["exercise"], row["precision"], row["phase"])
                found[key] = max(found.get(key, (0.0, "")), (100 * rate / percent, row["ceiling"]))
    return found


def with_twins_shares(paths: list, folder: Path) -> list:
    """The results files; of those with rows without a ceiling, a copy in `folder` in which they have one."""
    files = [read_json(str(path)) for path in paths]
    bounds, found = _bounds(files), []
    for k, (path, results) in enumerate(zip(paths, files)):
        places, changed = _devices(results), False
        for row in results["benchmarks"]:
            bound = bounds.get((places.get(row["space"]), row["exercise"], row["precision"], row["phase"]))
            rate = bound and row.get(_amount(bound[1]))
            if rate and "ceiling" not in row and not row.get("other_work") and not row.get("expected_to_fail"):
                row["ceiling"], row["percent_of_ceiling"] = bound[1], 100 * rate / bound[0]
                changed = True
        if changed:
            path = folder / f"{k}-{path.name}"
            path.write_text(json.dumps(results), encoding="utf-8")
        found.append(path)
    return found
