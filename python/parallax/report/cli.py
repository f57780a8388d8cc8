# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The command line of make_report.py, which `parallax report` hands over to."""

from __future__ import annotations

import argparse
import os
import sys
import warnings as python_warnings
from pathlib import Path

from . import charts, images, load, page
from .text import ReportError, plural


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ReportError(message)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="parallax report",
        description="One page of results to look at: tables, charts, pictures.",
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", metavar="A.json", help="results files")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.html", help="the page to write")
    parser.add_argument("--title", default="Parallax: results", help="of the page")
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
    return parser.parse_args(arguments)


def refuse_output(path: str) -> None:
    """Before the work: an output that could not be written, or that is one of the inputs."""
    if not path:
        raise ReportError("an output file needs a name, got ''")
    if Path(path).is_dir():
        raise ReportError(f"cannot write '{path}': it is a directory", 3)
    folder = Path(path).absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ReportError(f"cannot write '{path}': {folder} is not a folder that can be written", 3)


def write(path: str, text: str) -> None:
    """Whole or not at all."""
    partial = f"{path}.partial-{os.getpid()}"
    try:
        Path(partial).write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        Path(partial).unlink(missing_ok=True)
        raise ReportError(f"cannot write '{path}': {error.strerror or error}", 3) from None


def main(arguments: list[str] | None = None) -> int:
    # A font without a glyph is the reader's browser's affair: text stays text.
    python_warnings.filterwarnings("ignore", message="Glyph")
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        refuse_output(options.output)
        inputs = [*options.files, *options.image, *options.kernel_timer]
        if Path(options.output).resolve() in {Path(p).resolve() for p in inputs}:
            raise ReportError(f"the output '{options.output}' is one of the inputs")
        pictures = images.find(options.image, options.image_dir)
        if options.charts:
            charts.folder = Path(options.charts)
            if not charts.folder.is_dir():
                raise ReportError(f"--charts: '{options.charts}' is not a folder", 3)
        sources, places, cases, warnings = load.load(options.files)
        text = page.page(options.title, sources, places, cases, warnings, pictures, options.kernel_timer)
        write(options.output, text)
    except ReportError as error:
        print(f"parallax: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return 130
    size = f"{len(text.encode()) / 1e6:.1f} MB"
    print(
        f"parallax: wrote {options.output}: {plural(len(cases), 'case')} of {plural(len(sources), 'file')}, {size}",
        file=sys.stderr,
    )
    return 0
