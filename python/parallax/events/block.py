# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Some events as flat columns, and what is required of them whatever they come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import Refusal

FIELDS = ("pt", "eta", "phi", "charge")


@dataclass
class Block:
    """counts: leptons of each event, int64. columns: pt, eta, phi as floats, charge as int8; one
    value for each lepton."""

    counts: np.ndarray
    columns: dict[str, np.ndarray]


def make_block(where: str, first: int, counts: dict[str, np.ndarray], columns: dict[str, np.ndarray]) -> Block:
    """Judges the columns of events `first`, first + 1, ... of the file `where`: lists of one length in
    every event, real numbers, whole charges. Charges that a byte does not hold become 0, which no
    pair takes."""
    for field in FIELDS[1:]:
        different = np.flatnonzero(counts[field] != counts["pt"])
        if different.size:
            k = int(different[0])
            raise Refusal(
                f"'{where}': event {first + k} has {counts['pt'][k]} values of pt, but {counts[field][k]} of {field}"
            )
    found = {}
    for field in FIELDS:
        values = np.asarray(columns[field])
        if values.size and values.dtype.kind not in "iuf":
            raise Refusal(f"'{where}': {field} holds no numbers ({values.dtype})")
        if field == "charge":
            whole = np.where(np.isfinite(values), values, 0) if values.dtype.kind == "f" else values
            if values.dtype.kind == "f" and np.any(whole != np.round(whole)):
                raise Refusal(f"'{where}': charge holds numbers that are not whole")
            found[field] = np.where(np.abs(whole.astype(np.float64)) <= 127, whole, 0).astype(np.int8)
        else:
            found[field] = values if values.dtype == np.float32 else values.astype(np.float64)
    return Block(np.asarray(counts["pt"], np.int64), found)
