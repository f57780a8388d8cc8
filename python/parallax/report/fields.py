# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""JSON files, and the fields of their objects, each judged when it is asked for."""

from __future__ import annotations

import json
import math

from ..errors import Refusal
from ..files import read_bytes
from .text import clean, short

# What a chart can show: products and ratios of such numbers stay far from the ends of a double.
LEAST, MOST = 1e-60, 1e60


def read_json(path: str, foreign: bool = False):
    """`foreign`: with NaN and Infinity, as Google Benchmark writes its counters."""

    def constant(word):
        if foreign:
            return float(word)
        raise ValueError(f"{word} is no number of JSON")

    try:
        return json.loads(read_bytes(path).decode("utf-8-sig"), parse_constant=constant)
    except UnicodeDecodeError:
        raise Refusal(f"'{path}' is not JSON: it is not text in UTF-8") from None
    except RecursionError:
        raise Refusal(f"'{path}' is not a results file: it is nested too deeply") from None
    except ValueError as error:
        raise Refusal(f"'{path}' is not JSON, or was cut short: {error}") from None


class Fields:
    """The fields of an object of a file, each judged when it is asked for."""

    def __init__(self, values: dict, where: str):
        self.values, self.where = values, where

    def _get(self, name, kinds, what, default):
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
            raise Refusal(f"{self.where}: '{name}' is not {what}")
        return value

    def text(self, name, default=""):
        return self._get(name, str, "a text", default)

    def flag(self, name, default=False):
        return self._get(name, bool, "true or false", default)

    def object(self, name):
        return self._get(name, dict, "an object", {})

    def number(self, name, default=None, above_zero=False):
        value = self._get(name, (int, float), "a number", default)
        if value is None or value is default:
            return default
        try:
            value = float(value)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value) or (above_zero and value <= 0):
            raise Refusal(
                f"{self.where}: '{name}' is not a number{' above 0' if above_zero else ' that is finite'}"
            )
        return value

    def quantity(self, name, default=None, above_zero=False):
        """A number that is drawn."""
        value = self.number(name, default, above_zero)
        if value and not LEAST <= abs(value) <= MOST:
            raise Refusal(f"{self.where}: '{name}' is {value:g}, which no measurement gives")
        return value

    def count(self, name):
        """A whole number of threads or ranks; 0 where there is none."""
        value = self._get(name, int, "a whole number", 0)
        if not 0 <= value < 2**31:
            raise Refusal(f"{self.where}: '{name}' is {short(value)}, which no number of them is")
        return value

    def objects(self, name):
        values = self._get(name, list, "a list of objects", [])
        if not all(isinstance(value, dict) for value in values):
            raise Refusal(f"{self.where}: '{name}' is not a list of objects")
        return values

    def texts(self, name):
        values = self._get(name, list, "a list of texts", [])
        if not all(isinstance(value, str) for value in values):
            raise Refusal(f"{self.where}: '{name}' is not a list of texts")
        return [clean(value) for value in values]

    def quantities(self, name):
        values = self._get(name, list, "a list of numbers", [])
        if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in values):
            raise Refusal(f"{self.where}: '{name}' is not a list of numbers")
        return [Fields({name: value}, self.where).quantity(name) for value in values]
