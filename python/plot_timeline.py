#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Timelines of kernels, from the trace that docs/profiling/timeline.cpp writes: for each name the last N kernels that begin with it.

    python3 python/plot_timeline.py timeline.json parallax::quadratic::nine_pass::=9 parallax::quadratic::fused=1 -o timeline.svg
"""

import json
import sys
from html import escape

from parallax import start

if __name__ == "__main__":
    start.begin(name="plot_timeline.py")

from parallax.errors import Refusal
from parallax.files import read_bytes, refuse_output, replacing
from parallax.program import Parser, exit_status

WIDTH, ROW, LEFT = 760, 74, 12
COLOURS = ("#2f6db3", "#c8792b")  # in turn, so that neighbours differ


def last_kernels(events, wanted):
    """(kernels, allocations and frees between them), each kernel (name, begin, duration), of 'PREFIX=N'."""
    prefix, _, number = wanted.rpartition("=")
    if not (prefix and number.isdecimal() and int(number) > 0):
        raise Refusal(f"'{wanted}' is not NAME=NUMBER, the beginning of kernels' names and how many to draw")
    found = [(e["name"], e["ts"], e["dur"]) for e in events if e["ph"] == "X" and e["name"].startswith(prefix)][-int(number) :]
    if not found:
        raise Refusal(f"no kernel's name begins with '{prefix}'")
    begin, end = found[0][1], found[-1][1] + found[-1][2]
    return found, [(e["name"], e["ts"]) for e in events if e["ph"] == "i" and begin <= e["ts"] <= end]


def panel(kernels, marks, top):
    """One timeline, as wide as the picture; its length is in the title."""
    begin, end = kernels[0][1], kernels[-1][1] + kernels[-1][2]
    scale = (WIDTH - 2 * LEFT) / (end - begin)
    inside = sum(duration for _, _, duration in kernels)
    title = f"{kernels[0][0]} ... : {len(kernels)} kernels in {(end - begin) / 1000:.3g} ms, {100 * inside / (end - begin):.0f} % of it in kernels"
    yield f'<text x="{LEFT}" y="{top + 14}">{escape(title)}</text>'
    for k, (name, at, duration) in enumerate(kernels):
        x, width = LEFT + (at - begin) * scale, max(duration * scale, 0.5)
        box = f'x="{x:.2f}" y="{top + 22}" width="{width:.2f}" height="22" fill="{COLOURS[k % 2]}"'
        yield f"<rect {box}><title>{escape(name)}: {duration:.1f} us</title></rect>"
    for name, at in marks:
        x, down = LEFT + (at - begin) * scale, 8 if name == "free" else -8
        yield f'<path d="M{x:.2f} {top + 56}v{down}" stroke="currentColor"><title>{escape(name)}</title></path>'


def plot(arguments):
    parser = Parser(prog="plot_timeline.py", description=__doc__.splitlines()[0])
    parser.add_argument("trace", metavar="TIMELINE.json")
    parser.add_argument("kernels", nargs="+", metavar="NAME=NUMBER")
    parser.add_argument("-o", "--output", required=True, metavar="PICTURE.svg")
    options = parser.parse_args(arguments)
    refuse_output(options.output, [options.trace])
    try:
        events = [{"name": str(e["name"]), "ph": e["ph"], "ts": float(e["ts"]), "dur": float(e.get("dur", 0))} for e in json.loads(read_bytes(options.trace))["traceEvents"]]
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Refusal(f"'{options.trace}' is not a trace: {error}") from None
    drawn = []
    for k, wanted in enumerate(options.kernels):
        drawn += panel(*last_kernels(events, wanted), k * ROW)
    height = ROW * len(options.kernels)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Timelines of kernels" font-family="sans-serif" font-size="12">'
    with replacing(options.output) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write("\n".join([head, f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>', *drawn, "</svg>\n"]))
    return 0


if __name__ == "__main__":
    sys.exit(exit_status("plot_timeline.py", lambda: plot(sys.argv[1:])))
