# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The command line of convert_events.py."""

from __future__ import annotations

import argparse
import os
import sys

from ..errors import Refusal
from ..files import refuse_output
from ..program import Parser, exit_status, say
from .errors import library

FIELDS = ("pt", "eta", "phi", "charge")
MOST = 100_000_000  # of --chunk, as of parallax generate, and of --slice
FORMATS = {".root": "root", ".parquet": "parquet", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="convert_events.py",
        description="Events from NanoAOD (ROOT), Parquet or JSON to the HDF5 that dilepton_mass --input reads.",
    )
    parser.add_argument("input", metavar="INPUT", help="a .root, .parquet, .json or .jsonl file")
    parser.add_argument("output", metavar="OUT.h5", help="the file to write")
    parser.add_argument("--format", choices=("root", "parquet", "json"), help="of INPUT (default: by its name)")
    parser.add_argument("--tree", default="Events", help="of a ROOT file (default: %(default)s)")
    parser.add_argument(
        "--collection",
        metavar="NAME",
        help="whose fields are NAME_pt and so on, or a field of records (default: Muon in ROOT files, else none)",
    )
    parser.add_argument("--fields", default="", metavar="pt=A,eta=B,...", help="names, where they are others")
    parser.add_argument("--group", default="events", help="of OUT.h5 (default: %(default)s)")
    parser.add_argument("--precision", choices=("same", "f32", "f64"), default="same", help="of pt, eta and phi")
    parser.add_argument("--index", choices=("counts", "offsets"), default="counts", help="(default: %(default)s)")
    parser.add_argument("--compression", type=int, choices=range(10), default=4, help="0 (none) to 9 (default: 4)")
    parser.add_argument("--chunk", type=positive, default=65536, help="values in each (default: %(default)s)")
    parser.add_argument("--slice", type=positive, default=500_000, help="events at a time (default: %(default)s)")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else 0
    if not 1 <= value <= MOST:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a whole number from 1 to {MOST}")
    return value


def field_names(collection: str, text: str) -> dict[str, str]:
    """NAME_pt and so on, but for those that --fields names."""
    names = {field: f"{collection}_{field}" if collection else field for field in FIELDS}
    for item in filter(None, text.split(",")):
        field, equals, name = item.partition("=")
        if field not in FIELDS or not name:
            raise Refusal(f"--fields: '{item}' is not field=name, with one of {', '.join(FIELDS)}")
        names[field] = name
    return names


def convert(o: argparse.Namespace) -> int:
    kind = o.format or FORMATS.get(os.path.splitext(o.input)[1].lower())
    if kind is None:
        raise Refusal(f"'{o.input}': its name does not say what it is; give --format root, parquet or json")
    if not os.path.exists(o.input):
        raise Refusal(f"cannot read '{o.input}': No such file or directory", 3)
    if os.path.isdir(o.input):
        raise Refusal(f"cannot read '{o.input}': it is a directory", 3)
    if os.path.exists(o.output) and not o.force:
        raise Refusal(f"cannot write '{o.output}': it exists (--force replaces it)", 3)
    refuse_output(o.output, [o.input])
    if not o.group.strip("/."):
        raise Refusal(f"--group: '{o.group}' names no group")
    library("numpy", "this program", "numpy (Debian: python3-numpy)")
    from .json_source import json_events
    from .sources import parquet_events, root_events
    from .writer import write_events

    collection = o.collection if o.collection is not None else "Muon" if kind == "root" else ""
    names = field_names(collection, o.fields)
    blocks = {
        "root": lambda: root_events(o.input, o.tree, names, o.slice),
        "parquet": lambda: parquet_events(o.input, collection, names, o.slice),
        "json": lambda: json_events(o.input, collection, names, o.slice),
    }[kind]()
    events, leptons = write_events(
        o.output, blocks, o.group, o.precision, o.index == "offsets", o.compression, o.chunk
    )
    say(f"{o.output}: {events} events, {leptons} leptons\n")
    return 0


def main(arguments: list[str] | None = None) -> int:
    return exit_status("parallax", lambda: convert(parse(sys.argv[1:] if arguments is None else arguments)))
