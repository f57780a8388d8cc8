#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Error against trials of circle_area, with the line 1.642/sqrt(trials) that chance allows.

    circle_area --size configs/sizes/circle_accuracy.json --json accuracy.json
    python3 python/plot_accuracy.py accuracy.json -o accuracy.png
"""

import json
import math
import sys
from pathlib import Path

from parallax import start

if __name__ == "__main__":
    start.begin(name="plot_accuracy.py")

from parallax.errors import Refusal
from parallax.files import read_bytes, refuse_output, replacing
from parallax.program import Parser, exit_status


def positive(x):
    x = float(x)
    if not 0 < x < math.inf:
        raise ValueError(f"{x} is not a positive number")
    return x


def points(file):
    """(variant, trials, error) of the sampling rows in a results file."""
    for row in json.loads(read_bytes(file))["benchmarks"]:
        if row.get("exercise") == "circle_area" and row.get("phase") == "kernel" and "result" in row:
            yield str(row["variant"]), positive(row["result"]["trials"]), positive(row["result"]["error"])


def draw(found, path):
    start.need(("matplotlib.figure",), "{python} has no usable matplotlib ({error}); install python3-matplotlib", "plot_accuracy.py")
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
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=110, format=Path(path).suffix[1:] or "png")


def plot(arguments):
    parser = Parser(prog="plot_accuracy.py", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="RESULTS.json")
    parser.add_argument("-o", "--output", required=True, metavar="PICTURE.png")
    options = parser.parse_args(arguments)
    refuse_output(options.output, options.files)
    found = {}
    for file in options.files:
        try:
            for variant, trials, error in points(file):
                found.setdefault(variant, {})[trials] = error
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise Refusal(f"'{file}' is not a results file: {error}") from None
    if not found:
        raise Refusal(f"no sampling row of circle_area in {', '.join(options.files)}")
    draw(found, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(exit_status("plot_accuracy.py", lambda: plot(sys.argv[1:])))
