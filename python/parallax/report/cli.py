# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The command line of make_report.py, which `parallax report` hands over to."""

from __future__ import annotations

import argparse
import os
import sys
import warnings as python_warnings
from pathlib import Path

from ..errors import Refusal
from ..files import refuse_output, write_text
from ..program import Parser, exit_status
from . import images, load, ranks_model
from .drawing import need_matplotlib
from .text import plural


def network(text: str | None) -> ranks_model.Link | None:
    if text is None:
        return None
    try:
        latency, rate = (float(part) for part in text.split(","))
    except ValueError:
        latency = rate = 0.0
    if not (1e-12 <= latency <= 1e3 and 1 <= rate <= 1e18):
        raise Refusal(f"--network: expected seconds and bytes per second, such as 2e-6,25e9, got '{text}'")
    return ranks_model.Link(latency * 1e9, rate * 1e-9)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="parallax report",
        description="One page of results to look at: tables, charts, pictures.",
    )
    parser.add_argument("files", nargs="+", metavar="A.json", help="results files")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.html", help="the page to write")
    parser.add_argument("--title", help="of the page")
    parser.add_argument(
        "--image", action="append", default=[], metavar="FILE.png", help="a picture to show; may be repeated"
    )
    parser.add_argument("--image-dir", action="append", default=[], metavar="FOLDER", help="every PNG in a folder")
    parser.add_argument(
        "--kernel-timer",
        action="append",
        default=[],
        metavar="FILE",
        help="output of Kokkos Tools' simple kernel timer",
    )
    parser.add_argument("--charts", metavar="FOLDER", help="write each chart as an SVG file, too, for other documents")
    parser.add_argument("--bars", metavar="EXERCISE", help="instead of the page, one picture (SVG): an exercise on all accelerators")
    parser.add_argument(
        "--network",
        metavar="LATENCY,RATE",
        help="between nodes, in s and bytes/s a node, for the model of many ranks; without it, what was measured between nodes, or 2e-6,25e9",
    )
    options = parser.parse_args(arguments)
    for name, value in (("--title", options.title), ("--charts", options.charts), ("--bars", options.bars)):
        if value == "":
            raise Refusal(f"{name}: expected a value, got ''")
    options.network = network(options.network)
    if options.bars and (options.image or options.image_dir or options.kernel_timer or options.charts):
        raise Refusal("--bars makes no page: it does not go with --image, --image-dir, --kernel-timer and --charts")
    return options


def make_report(arguments: list[str]) -> int:
    # A font without a glyph is the reader's browser's affair: text stays text.
    python_warnings.filterwarnings("ignore", message="Glyph")
    options = parse(arguments)
    need_matplotlib()
    from . import accelerators, charts, page, versus

    pictures = images.find(options.image, options.image_dir)
    inputs = [*options.files, *pictures, *options.kernel_timer]
    refuse_output(options.output, inputs)
    if options.charts:
        charts.taken = [*inputs, options.output]
        charts.folder = Path(options.charts)
        if not os.path.isdir(options.charts):
            raise Refusal(f"--charts: '{options.charts}' is not a folder", 3)
    sources, places, cases, warnings = load.load(options.files)
    if options.bars:
        title = options.title or f"{options.bars} on all accelerators"
        text, about, missing = accelerators.picture(sources, cases, options.bars, title)
        write_text(options.output, text)
        print(f"parallax: wrote {options.output}: {about}\nparallax: {missing}", file=sys.stderr)
        return 0
    text = page.page(options.title, sources, places, cases, warnings, pictures, options.kernel_timer, options.network)
    write_text(options.output, text)
    size = f"{len(text.encode()) / 1e6:.1f} MB"
    print(
        f"parallax: wrote {options.output}: {plural(len(cases), 'case')} of {plural(len(sources), 'file')}, {size}",
        file=sys.stderr,
    )
    for line in versus.summary(cases):
        print(f"parallax: {line}", file=sys.stderr)
    return 0


def main(arguments: list[str] | None = None) -> int:
    return exit_status("parallax", lambda: make_report(sys.argv[1:] if arguments is None else arguments))
