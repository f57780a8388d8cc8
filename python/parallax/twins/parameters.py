# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters as src/exercise/parameters.cpp reads them: the same spellings, the same refusals."""

from __future__ import annotations

import math
from typing import Any

from ..errors import Refusal
from ..parsing import parse_integer, parse_real
from ..words import suggestion


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
            raise Refusal(f"'{text}' is not name=value[,name=value...]")
    return found


_KINDS = {
    "integer": (parse_integer, "a whole number"),
    "real": (parse_real, "a real number"),
    "interval": (parse_interval, "two real numbers low,high with low <= high"),
}


def _value(spec: dict, text: str) -> Any:
    """The text of one parameter, as its specification in the catalogue reads it."""

    def refuse(expected: str):
        raise Refusal(f"parameter '{spec['name']}': '{text}' is not {expected}")

    kind = spec["kind"]
    if kind == "choice" and text not in spec["choices"]:
        refuse("one of " + ", ".join(spec["choices"]))
    if kind == "path" and text:
        raise Refusal(f"parameter '{spec['name']}': the twins in Python make their own inputs and read no files")
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


def text_of(value: Any) -> str:
    """The text of a value in names and files, as text_of() of the C++ program: whole numbers plainly, others as short as they read back."""
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if not isinstance(value, float):
        return str(value)
    if value == math.floor(value) and abs(value) <= 2.0**53:
        return str(int(value))
    return next(text for digits in range(6, 18) if float(text := f"{value:.{digits}g}") == value)


class Parameters(dict):
    """The parameters of one case by name: int, float, (low, high) or str."""

    def __init__(self, specification: list[dict], size: str, on_host: bool):
        """Takes every default of `size`; on_host chooses the course's CPU sizes."""
        super().__init__()
        self._specs = {spec["name"]: spec for spec in specification}
        self.as_json: dict[str, Any] = {}  # as the C++ program writes them: intervals as text
        for name, spec in self._specs.items():
            self.set(name, spec["course_host" if size == "course" and on_host else size])

    def set(self, name: str, text: str) -> None:
        """Replaces a value; the refusal names parameter, value and what was expected."""
        value = self[name] = self.read(name, text)
        self.as_json[name] = text_of(value) if isinstance(value, tuple) else value

    def read(self, name: str, text: str) -> Any:
        """The value that the text says."""
        if name not in self._specs:
            raise Refusal(f"unknown parameter '{name}'{suggestion(name, self._specs)}")
        return _value(self._specs[name], text)
