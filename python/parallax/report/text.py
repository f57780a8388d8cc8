# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Words and numbers as people read them, safe to put into HTML."""

from __future__ import annotations

import html
import math

from ..words import clean


def h(text) -> str:
    """Cleaned and escaped for HTML, attributes included."""
    return html.escape(clean(text), quote=True)


def short(text, most: int = 40) -> str:
    text = clean(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def three_digits(x: float) -> str:
    if not math.isfinite(x):
        return "–"
    if abs(x) >= 1e9:
        return f"{x:.3g}"
    if 0 < abs(x) < 0.095:
        return f"{x:.1g}"
    return f"{x:.0f}" if x >= 99.95 else f"{x:.1f}" if x >= 9.995 else f"{x:.2f}"


def scaled(x: float, steps, unit: str = "") -> str:
    """The number with the prefix that leaves it between 1 and 1000."""
    factor, prefix = next((step for step in steps if abs(x) >= step[0] * 0.9995), steps[-1])
    return f"{three_digits(x / factor)} {prefix}{unit}".rstrip()


def readable_time(ns: float) -> str:
    return scaled(ns, ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")))


def readable_rate(per_second: float, unit: str) -> str:
    return scaled(per_second, ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, "")), unit)


def readable_joules(joules: float) -> str:
    return scaled(joules, ((1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")), "J")


def readable_bytes(count: float) -> str:
    return readable_rate(count, "B")


def readable_number(x) -> str:
    """A parameter's value: 1e8 rather than 100000000, but 12345 as it is."""
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        return clean(x)
    if not math.isfinite(x):
        return str(x)
    if x != 0 and (abs(x) >= 1e6 or abs(x) < 1e-3):
        mantissa, exponent = f"{x:.6e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
        return text if float(text) == x else f"{x:g}" if float(f"{x:g}") == x else str(x)
    return str(int(x)) if float(x).is_integer() else f"{x:g}"


def plural(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
