# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of events into an HDF5 file of the layout in apps/dilepton_mass/events.md, whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np

from ..errors import Refusal
from ..files import replacing
from .block import FIELDS, Block
from .errors import library


class _Steady(io.FileIO):
    """Keeps its first error instead of raising it: HDF5 cannot close a file that it could not write, and aborts."""

    def __init__(self, path: str):
        super().__init__(path, "r+")
        self.error: OSError | None = None

    def write(self, data):
        rest = memoryview(data).cast("B")
        try:
            while self.error is None and rest:
                rest = rest[super().write(rest) :]
        except OSError as error:
            self.error = error
        return len(data)

    def truncate(self, size=None):
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = self.error or error
            return size

    def check(self) -> None:
        if self.error is not None:
            raise self.error

    def between(self, blocks: Iterable[Block]) -> Iterable[Block]:
        """The blocks, as long as the one before could be written."""
        for block in blocks:
            self.check()
            yield block


def write_events(
    path: str, blocks: Iterable[Block], group: str, precision: str, with_offsets: bool, compression: int, chunk: int
) -> tuple[int, int]:
    """Writes under a temporary name, which then replaces `path`. Numbers of events and leptons."""
    h5py = library("h5py", "writing HDF5 files", "h5py (Debian: python3-h5py)")
    with replacing(path) as temporary, _Steady(temporary) as disk:
        with h5py.File(disk, "w") as file:
            numbers = _fill(file, disk.between(blocks), group, precision, with_offsets, compression, chunk)
        disk.check()
    return numbers


def _fill(file, blocks, group, precision, with_offsets, compression, chunk) -> tuple[int, int]:
    filters = {"compression": "gzip", "compression_opts": compression, "shuffle": True} if compression else {}
    try:
        place = file.require_group(group)
    except (ValueError, TypeError) as error:
        raise Refusal(f"--group: '{group}' cannot be the name of a group ({error})") from error

    def create(name, kind):
        # Without the time it was made at: the same input gives the same bytes.
        return place.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(chunk,), track_times=False, **filters)

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
        raise Refusal("the input has no events")
    return events, leptons
