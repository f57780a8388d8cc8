# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters as src/harness/parameters.cpp reads them: the same spellings, the same refusals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import UsageError, suggestion

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


def parse_interval(text: str) -> tuple[float, float] | None:
    ends = [parse_real(end) for end in text.split(",")]
    if len(ends) != 2 or None in ends or ends[0] > ends[1]:
        return None
    return ends[0], ends[1]


def parse_assignments(text: str) -> list[tuple[str, str]]:
    """Splits "n=1000,bins=120,real=-2,0.5" at the commas that begin a new name."""
    found: list[tuple[str, str]] = []
    for token in text.split(","):
        name, equals, value = token.partition("=")
        if equals and name:
            found.append((name.replace("-", "_"), value))
        elif not equals and token and found:
            found[-1] = (found[-1][0], found[-1][1] + "," + token)
        else:
            raise UsageError(f"'{text}' is not name=value[,name=value...]")
    return found


def _guess(text: str) -> Any:
    """The value of a parameter whose kind nobody has stated (no catalogue)."""
    for parse in (parse_integer, parse_real, parse_interval):
        value = parse(text)
        if value is not None:
            return value
    return text


_KINDS = {
    "integer": (parse_integer, "a whole number"),
    "real": (parse_real, "a real number"),
    "interval": (parse_interval, "two real numbers low,high with low <= high"),
}


def _value(spec: dict, text: str) -> Any:
    """The text of one parameter, as its specification in the catalogue reads it."""

    def refuse(expected: str):
        raise UsageError(f"parameter '{spec['name']}': '{text}' is not {expected}")

    kind = spec["kind"]
    if kind == "choice" and text not in spec["choices"]:
        refuse("one of " + ", ".join(spec["choices"]))
    if kind not in _KINDS:
        return text
    parse, expected = _KINDS[kind]
    value = parse(text)
    # Programs that list no bounds have few parameters that may be below 1, and those refuse it themselves.
    least, most = spec.get("least", -math.inf), spec.get("most", math.inf)
    bounds = (f" from {least:g}" if least > -math.inf else "") + (f" up to {most:g}" if most < math.inf else "")
    if value is None or (kind != "interval" and not least <= value <= most):
        refuse(expected + bounds)
    return value


class Parameters(Mapping):
    """The parameters of one case by name: int, float, (low, high) or str."""

    def __init__(self, specification: list[dict] | None, size: str, on_host: bool, seed: int):
        """Takes every default of `size`; on_host chooses the course's CPU sizes. None: no catalogue."""
        self.seed = seed
        self._specs = None if specification is None else {spec["name"]: spec for spec in specification}
        self._text: dict[str, str] = {}
        for name, spec in (self._specs or {}).items():
            self._text[name] = spec["course_host" if size == "course" and on_host else size]

    def accepts(self, name: str) -> bool:
        return self._specs is None or name in self._specs

    def set(self, name: str, text: str) -> None:
        """Replaces a value; UsageError names parameter, value and what was expected."""
        if self._specs is not None:
            if name not in self._specs:
                raise UsageError(f"unknown parameter '{name}'{suggestion(name, self._specs)}")
            _value(self._specs[name], text)
            if self._specs[name]["kind"] == "path" and text:
                raise UsageError(f"parameter '{name}': the twins in Python make their own inputs and read no files")
        self._text[name] = text

    def __getitem__(self, name: str) -> Any:
        text = self._text[name]
        return _guess(text) if self._specs is None else _value(self._specs[name], text)

    def __iter__(self) -> Iterator[str]:
        return iter(self._text)

    def __len__(self) -> int:
        return len(self._text)

    def text(self) -> str:
        """For --dry-run: every parameter that has a value."""
        return " ".join(f"{name}={text}" for name, text in self._text.items() if text)

    def values_json(self) -> dict[str, Any]:
        """As the C++ program writes them: intervals as text, the seed last."""
        values = {name: self._text[name] if isinstance(self[name], tuple) else self[name] for name in self}
        return {**values, "seed": self.seed}
