# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Where twins run: one class for each library, by the names that users type."""

from __future__ import annotations

from .arrays import Jax, Torch
from .base import Python, Space
from .kernels import Cupy, Numba, NumbaCuda, NumbaSerial

SPACES: dict[str, Space] = {
    space.name: space
    for space in (
        Space(), Python(), NumbaSerial(), Numba(), Jax("cpu"), Torch("cpu"),
        NumbaCuda(), Cupy(), Jax("cuda"), Torch("cuda"),
    )
}  # fmt: skip
FAMILIES = sorted({space.family for space in SPACES.values()} - set(SPACES))

__all__ = ["FAMILIES", "SPACES", "Space"]
