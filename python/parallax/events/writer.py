# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of events into an HDF5 file of the layout in docs/events.md, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from .block import FIELDS, Block
from .errors import ConvertError, library


def write_events(
    path: str, blocks: Iterable[Block], group: str, precision: str, with_offsets: bool, compression: int, chunk: int
) -> tuple[int, int]:
    """Writes under a temporary name, which then replaces `path`. Numbers of events and leptons."""
    h5py = library("h5py", "writing HDF5 files", "h5py (Debian: python3-h5py)")
    temporary = f"{path}.partial-{os.getpid()}"
    try:
        with h5py.File(temporary, "w") as file:
            numbers = _fill(file, blocks, group, precision, with_offsets, compression, chunk)
        os.replace(temporary, path)
        return numbers
    except OSError as error:
        raise ConvertError(f"cannot write '{path}': {error.strerror or error}", 3) from error
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _fill(file, blocks, group, precision, with_offsets, compression, chunk) -> tuple[int, int]:
    filters = {"compression": "gzip", "compression_opts": compression, "shuffle": True} if compression else {}
    place = file.require_group(group)

    def create(name, kind):
        return place.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(chunk,), **filters)

    def append(dataset, values):
        dataset.resize(dataset.shape[0] + len(values), 0)
        if len(values):
            dataset[-len(values) :] = values

    index = create("offsets", "<i8") if with_offsets else create("counts", "<i4")
    columns = {}
    events = leptons = 0
    if with_offsets:
        append(index, [0])
    for block in blocks:
        if not columns:  # by the first block: as wide as the widest column of the source
            wide = any(block.columns[f].dtype == np.float64 for f in FIELDS[:3])
            real = {"f32": "<f4", "f64": "<f8"}.get(precision, "<f8" if wide else "<f4")
            columns = {field: create(field, "i1" if field == "charge" else real) for field in FIELDS}
        append(index, leptons + np.cumsum(block.counts) if with_offsets else block.counts)
        for field in FIELDS:
            append(columns[field], block.columns[field])
        events += len(block.counts)
        leptons += int(block.counts.sum())
    if not events:
        raise ConvertError("the input has no events")
    return events, leptons
