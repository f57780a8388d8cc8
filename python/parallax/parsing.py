# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a command line as src/exercise/parameters.cpp reads them."""

from __future__ import annotations

import math
import re

_REAL = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def parse_real(text: str) -> float | None:
    """A finite real number; None where it is not one."""
    value = float(text) if _REAL.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def parse_integer(text: str) -> int | None:
    """A whole number as people write it: 1000, 1e6, 1_000_000. None where it is not one, or leaves 64 bits."""
    digits = text.replace("_", "")
    if re.fullmatch(r"-?\d+", digits):
        value = int(digits)
        return value if -(2**63) <= value < 2**63 else None
    real = parse_real(digits)
    return int(real) if real is not None and real == math.floor(real) and abs(real) <= 2.0**53 else None
