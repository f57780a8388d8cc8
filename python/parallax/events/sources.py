# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Events of ROOT and Parquet files, block by block. Each library is imported by the function that
needs it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import Refusal
from .block import FIELDS, Block, make_block
from .errors import library, missing


def root_events(path: str, tree_name: str, names: dict[str, str], events: int) -> Iterator[Block]:
    """A TTree with one list in each entry, such as NanoAOD's Muon_pt."""
    uproot = library("uproot", "reading ROOT files", "uproot")
    ak = library("awkward", "reading ROOT files", "awkward")
    try:
        with uproot.open(path) as file:
            if tree_name not in file:
                raise missing(path, tree_name, file.keys(cycle=False))
            tree = file[tree_name]
            for name in names.values():
                if name not in tree:
                    raise missing(path, name, tree.keys())
            first = 0
            for chunk in tree.iterate(filter_name=sorted(set(names.values())), step_size=events, library="ak"):
                counts, columns = {}, {}
                for field, name in names.items():
                    if chunk[name].ndim != 2:
                        raise Refusal(f"'{path}': {name} is not a list of numbers in each event")
                    counts[field] = ak.to_numpy(ak.num(chunk[name]))
                    columns[field] = ak.to_numpy(ak.flatten(chunk[name]))
                yield make_block(path, first, counts, columns)
                first += len(chunk)
    except OSError as error:
        raise Refusal(f"cannot read '{path}': {_in_one_line(error)}", 3) from error
    except Refusal:
        raise
    except Exception as error:  # uproot has many kinds, of no common base
        raise Refusal(f"'{path}' is not a sound ROOT file: {_in_one_line(error)}") from error


def _in_one_line(error: Exception) -> str:
    """The first paragraph: uproot breaks sentences into lines, and may add what the file holds below."""
    return " ".join(str(error).strip().split("\n\n")[0].split())


def parquet_events(path: str, collection: str, names: dict[str, str], events: int) -> Iterator[Block]:
    """A table with one row for each event: a column of lists for each field, or one column
    `collection` of lists of records."""
    pa = library("pyarrow", "reading Parquet files", "pyarrow (Debian unstable: python3-pyarrow)")
    pq = library("pyarrow.parquet", "reading Parquet files", "pyarrow")
    try:
        file = pq.ParquetFile(path)
    except OSError as error:
        raise Refusal(f"cannot read '{path}': {error}", 3) from error
    except pa.ArrowInvalid as error:
        raise Refusal(f"'{path}' is not a sound Parquet file: {error}") from error
    there = file.schema_arrow.names
    records = bool(collection) and collection in there
    wanted = [collection] if records else list(names.values())
    for name in wanted:
        if name not in there:
            raise missing(path, name, there)
    first = 0
    try:
        for batch in file.iter_batches(batch_size=events, columns=wanted):
            counts, columns = {}, {}
            for field in FIELDS:
                lists = batch.column(collection if records else names[field])
                lengths, values = _flat(pa, path, lists)
                if records:
                    values = _member(pa, path, collection, values, field)
                counts[field] = lengths
                columns[field] = _numbers(values, field)
            yield make_block(path, first, counts, columns)
            first += batch.num_rows
    except (OSError, pa.ArrowInvalid) as error:
        raise Refusal(f"cannot read '{path}': {error}", 3) from error


def _flat(pa, path, lists):
    """Lengths and values of a column of lists; a null list is an empty one."""
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        raise Refusal(f"'{path}': a column holds {lists.type}, not a list in each event")
    lengths = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return lengths.astype(np.int64), lists.flatten()


def _member(pa, path, collection, values, field):
    if not pa.types.is_struct(values.type):
        raise Refusal(f"'{path}': {collection} holds lists of {values.type}, not of records")
    members = [values.type.field(k).name for k in range(values.type.num_fields)]
    if field not in members:
        raise missing(path, f"{collection}.{field}", members)
    return values.field(field)


def _numbers(values, field):
    """A null is a number that cannot be used: NaN, or charge 0."""
    if values.null_count and field == "charge":
        values = values.fill_null(0)
    return values.to_numpy(zero_copy_only=False)
