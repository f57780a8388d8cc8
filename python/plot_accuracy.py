#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Error against trials of circle_area, with the line 1.642/sqrt(trials) that chance allows.

    circle_area --size configs/sizes/circle_accuracy.json --json accuracy.json
    python3 python/plot_accuracy.py accuracy.json -o accuracy.png
"""

import argparse
import json
import math
import sys
from pathlib import Path

from parallax import files, words


def positive(x):
    if not 0 < (x := float(x)) < math.inf:
        raise ValueError(f"{x} is not a positive number")
    return x


def points(file):
    """(variant, trials, error) of the sampling rows in a results file."""
    for row in json.loads(Path(file).read_text("utf-8"))["benchmarks"]:
        if row.get("exercise") == "circle_area" and row.get("phase") == "kernel" and "result" in row:
            yield str(row["variant"]), positive(row["result"]["trials"]), positive(row["result"]["error"])


def draw(found, path):
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
    with files.replacing(path) as temporary:
        figure.savefig(temporary, dpi=110, format=Path(path).suffix[1:] or "png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="RESULTS.json")
    parser.add_argument("-o", "--output", required=True, metavar="PICTURE.png")
    options = parser.parse_args()

    def refuse(message, status):
        print(f"{parser.prog}: {words.one_line(message)}", file=sys.stderr)
        return status

    if files.same_file(options.output, options.files):
        return refuse(f"the output '{options.output}' is one of the inputs", 2)
    found = {}
    for file in options.files:
        try:
            for variant, trials, error in points(file):
                found.setdefault(variant, {})[trials] = error
        except OSError as error:
            return refuse(f"cannot read '{file}': {error.strerror}", 3)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            return refuse(f"'{file}' is not a results file: {error}", 2)
    if not found:
        return refuse(f"no sampling row of circle_area in {', '.join(options.files)}", 2)
    try:
        draw(found, options.output)
    except Exception as error:  # matplotlib's may be of any kind
        return refuse(f"cannot draw '{options.output}': {error}", 3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
