#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Feeds the readers of the Python programs with damaged files, by Hypothesis: readers.py [--seconds N].

Each takes a sound file, changes some places of it, and must end with a documented status and at most one line on standard error."""

import argparse
import contextlib
import copy
import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from parallax.events import cli as events  # noqa: E402
from parallax.report import cli as report  # noqa: E402
from parallax.report import compare, portability_cli  # noqa: E402
from parallax.twins import cli as twins  # noqa: E402
from parallax.twins import select  # noqa: E402

SOUND_RESULTS = sorted(map(str, (ROOT / "tests/fuzz/corpus/results").glob("*.json")))
RESULTS = [json.loads(Path(file).read_text()) for file in SOUND_RESULTS]
SIZES = [json.loads((ROOT / "configs/sizes" / name).read_text()) for name in ("peers.json", "lesson.json")]
EVENTS = [
    [{"pt": [40.5, 31.25], "eta": [0.5, -1.5], "phi": [3.0, -0.25], "charge": [1, -1]}, {"pt": [], "eta": [], "phi": [], "charge": []}],
    [[{"pt": 40.5, "eta": 0.5, "phi": 3.0, "charge": 1}]],
    [{"muons": [{"pt": 40.5, "eta": 0.5, "phi": 3.0, "charge": 1}]}],
]
ODD = (10**400, -(2**63), 2**64, 1e308, 1e-320, "0", "\ud800", "\x1b[2J\n", "x" * 3000, [1e308, 1e-320], {"n": [[1]]}, "ns", "s", "cuda")
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.sampled_from(ODD).map(copy.deepcopy)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=4)


accepted = [0]  # of the files of the reader in hand


def places(node, path=()):
    """The paths of all values in a document."""
    yield path
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from places(value, (*path, key))


@st.composite
def damaged(draw, sound):
    """The bytes of one of these documents with some values replaced, removed or repeated, and perhaps cut short or overwritten."""
    document = copy.deepcopy(draw(st.sampled_from(sound)))
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(list(places(document))))
        if not path:
            if draw(st.integers(0, 20)) == 0:
                document = draw(values)
            continue
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        how = draw(st.sampled_from(["replace", "remove", "repeat"]))
        if how == "replace":
            parent[path[-1]] = draw(values)
        elif how == "remove":
            del parent[path[-1]]
        elif isinstance(parent, list):
            parent.insert(draw(st.integers(0, len(parent))), copy.deepcopy(parent[path[-1]]))
        else:
            parent[draw(st.text(max_size=5))] = parent[path[-1]]
    text = json.dumps(document).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.binary(max_size=4)) + text[at + draw(st.integers(0, 4)) :]
    return text


def require_answer(program, *arguments, output=None):
    """A documented status; and where it is a refusal, one line and no file."""
    if output:
        Path(output).unlink(missing_ok=True)
    told, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(said):
        status = program([*arguments, *([output] if output else [])])
    line = said.getvalue()
    accepted[0] += status == 0
    refused = status in (2, 3) and line.count("\n") == 1 and "unexpected error" not in line and not told.getvalue()
    assert status == 0 or refused, (status, line)
    assert not output or os.path.exists(output) == (status == 0), (status, line)


def sizes(arguments):
    return twins.exit_status("run_twins", lambda: bool(select._read_sizes(arguments[0], SIZES[0])) - 1)


def compare_all(path):
    """With itself, as two runs of one program, across spaces, and with sound files."""
    for words in ([path, path], [path] * 4 + ["--runs", "2"], [path, "--across", "space"], [path, *SOUND_RESULTS]):
        require_answer(compare.main, *words)


READERS = {
    "portability": (RESULTS, lambda path: require_answer(portability_cli.main, path, *SOUND_RESULTS, "--p3", path + ".csv", "--json", output=path + ".out")),
    "compare": (RESULTS, compare_all),
    "series": (RESULTS, lambda path: require_answer(compare.main, path, *SOUND_RESULTS, "--series", output=path + ".svg")),
    "report": (RESULTS, lambda path: require_answer(report.main, path, "--output", output=path + ".html")),
    "events": (EVENTS, lambda path: require_answer(events.main, "--collection", "muons", path, output=path + ".h5")),
    "sizes": (SIZES, lambda path: require_answer(sizes, path)),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for all readers together (default: 60)")
    seconds = parser.parse_args().seconds
    examples = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MPLCONFIGDIR"] = folder
        for name, (sound, read) in READERS.items():
            path = os.path.join(folder, name + ".json")

            @settings(max_examples=50, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            @given(damaged(sound))
            def feed(content):
                nonlocal examples
                examples += 1
                with open(path, "wb") as file:
                    file.write(content)
                read(path)

            accepted[0], before = 0, examples
            end = time.monotonic() + seconds / len(READERS)
            while time.monotonic() < end:
                feed()
            print(f"{name}: {examples - before} files, {accepted[0]} of them accepted", flush=True)
            assert accepted[0], "not one was accepted: a reader that refuses all says nothing"
    print(f"all files: {examples}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
