#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Error against trials of circle_area, with the line 1.642/sqrt(trials) that chance allows.

    circle_area --size configs/sizes/circle_accuracy.json --json accuracy.json
    python3 python/plot_accuracy.py accuracy.json -o accuracy.png
"""

import argparse
import json
import sys
from pathlib import Path


def points(files):
    """{variant: {trials: error}} of the sampling rows in results files."""
    found = {}
    for file in files:
        for row in json.loads(Path(file).read_text())["benchmarks"]:
            if row.get("exercise") == "circle_area" and row.get("phase") == "kernel" and "result" in row:
                found.setdefault(row["variant"], {})[row["result"]["trials"]] = row["result"]["error"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="RESULTS.json")
    parser.add_argument("-o", "--output", required=True, metavar="PICTURE.png")
    options = parser.parse_args()
    try:
        found = points(options.files)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{parser.prog}: not a results file: {error}")
    if not found:
        sys.exit(f"{parser.prog}: no sampling row of circle_area in {', '.join(options.files)}")

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for (variant, errors), marker in zip(sorted(found.items()), "osD^v"):
        trials = sorted(errors)
        axes.loglog(trials, [errors[n] for n in trials], marker, label=variant)
    ends = [min(min(e) for e in found.values()), max(max(e) for e in found.values())]
    axes.loglog(ends, [1.642 / n**0.5 for n in ends], "k-", label="1.642 / sqrt(trials)")
    axes.set_xlabel("trials")
    axes.set_ylabel("|area - pi|")
    axes.grid(True, alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(options.output, dpi=110)


if __name__ == "__main__":
    main()
