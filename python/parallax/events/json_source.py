# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Events of JSON files: an array of events, or one event a line (read line by line).

An event is an object with a list for each field, {"pt": [..], "eta": [..], ...}; or an object with a
list of records, {"muons": [{"pt": .., "eta": ..}, ...]}; or that list itself."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator

import numpy as np

from ..errors import Refusal
from .block import FIELDS, Block, make_block
from .errors import missing


def json_events(path: str, collection: str, names: dict[str, str], events: int) -> Iterator[Block]:
    first = 0
    each = _each(path)
    while block := list(itertools.islice(each, events)):
        lists = [_lists(path, first + k, event, collection, names) for k, event in enumerate(block)]
        counts = {field: np.array([len(e[field]) for e in lists], np.int64) for field in FIELDS}
        columns = {field: _numbers(path, first, field, [e[field] for e in lists]) for field in FIELDS}
        yield make_block(path, first, counts, columns)
        first += len(block)


def _each(path: str) -> Iterator[object]:
    """Every event: of an array, else of the lines."""
    try:
        with open(path, encoding="utf-8") as file:
            start = file.read(1)
            while start and start.isspace():
                start = file.read(1)
            file.seek(0)
            # A line that begins with [ may be an event of records, too: an array is one whole document.
            if start == "[":
                text = file.read()
                try:
                    yield from json.loads(text)
                    return
                except json.JSONDecodeError as error:
                    if "Extra data" not in error.msg:
                        raise
                file.seek(0)
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except ValueError as error:
                        raise Refusal(f"'{path}': line {number} is not JSON: {error}") from error
    except RecursionError as error:
        raise Refusal(f"'{path}' holds no events: it is nested too deeply") from error
    except OSError as error:
        raise Refusal(f"cannot read '{path}': {error.strerror or error}", 3) from error
    except ValueError as error:
        raise Refusal(f"'{path}' is not JSON: {error}") from error


def _lists(path: str, number: int, event: object, collection: str, names: dict[str, str]) -> dict[str, list]:
    """The fields' lists of one event."""
    where = f"{path}, event {number}"
    if isinstance(event, dict) and collection and isinstance(event.get(collection), list):
        event = event[collection]
    if isinstance(event, list):
        for record in event:
            if not isinstance(record, dict):
                raise Refusal(f"'{where}': expected were records with {', '.join(FIELDS)}")
            for field in FIELDS:
                if field not in record:
                    raise missing(where, field, record)
        return {field: [record[field] for record in event] for field in FIELDS}
    if not isinstance(event, dict):
        raise Refusal(f"'{where}' is neither an object nor a list of records")
    for field, name in names.items():
        if name not in event:
            raise missing(where, name, event)
        if not isinstance(event[name], list):
            raise Refusal(f"'{where}': {name} is not a list")
    return {field: event[name] for field, name in names.items()}


def _numbers(path: str, first: int, field: str, lists: list[list]) -> np.ndarray:
    """All values in a row; null is a number that cannot be used: NaN, or charge 0."""
    for k, values in enumerate(lists):
        for value in values:
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                shown = "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else json.dumps(value)
                raise Refusal(f"'{path}', event {first + k}: {field} holds {shown}, not a number")
    flat = itertools.chain.from_iterable(lists)
    return np.array([(0 if field == "charge" else np.nan) if x is None else _float(x) for x in flat], np.float64)


def _float(x: int | float) -> float:
    """A whole number beyond a double is infinite, as 1e999 is."""
    try:
        return float(x)
    except OverflowError:
        return math.copysign(math.inf, x > 0 or -1)
