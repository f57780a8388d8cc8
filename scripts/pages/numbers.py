# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers in sentences that name their source: what the source says of them."""

import functools
import json
import re

from pages.results import MEASURED, percent_of_ceiling, time_of, time_text

UNITS = {"": 1, "%": 0.01, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "MB": 1e6, "GB": 1e9, "GB/s": 1e9, "TFLOP/s": 1e12}
TIMES = ("ns", "us", "ms", "s")
NUMBER = re.compile(rf"(\d{{1,3}}(?: \d{{3}})+|\d+(?:\.\d+)?) ?({'|'.join(filter(None, UNITS))}|)<!-- from (.+?) -->")


@functools.cache
def results_of(file, folder):
    """A results file of a folder or of one below it; many numbers name the same one."""
    (path,) = folder.rglob(f"{file}.json")
    return json.loads(path.read_text(encoding="utf-8"))


def measured(source, unit):
    """What a number's source says: `FILE ROW`, `FILE ROW FIELD` or `FILE SPACE FACT`."""
    file, name, *field = source.split()
    results = results_of(file, MEASURED)
    facts = results["context"]["spaces"].get(name)
    (row,) = [row for row in results["benchmarks"] if row["name"] == name] if facts is None else [{**facts, **facts["ceilings"]}]
    if field == ["whole_time"]:
        return row["real_time"] * row["scaled"]["factor"]
    if field:
        return {**row, **row.get("result", {}), **row.get("counters", {})}[field[0]]
    return percent_of_ceiling(row) / 100 if unit == "%" else time_of(row)


def value_of(unit, source):
    """What the source of a number says, in this unit."""
    values = [measured(part, unit if "/" not in source.split() else "") for part in source.split(" / ")]
    return values[0] / (values[1] if len(values) > 1 else 1) / UNITS[unit]


def rounds_to(value, written):
    return abs(value - float(written.replace(" ", ""))) <= 0.50001 * 10 ** -len(written.partition(".")[2])


def wrong_numbers(text):
    """What is wrong with the numbers of a page that name their source: a value must round to what is written."""
    found = list(NUMBER.finditer(text))
    if len(found) != text.count("<!-- from "):
        yield "a source that does not follow a number on its line"
    for written, unit, source in (match.groups() for match in found):
        try:
            value = value_of(unit, source)
        except (KeyError, TypeError, ValueError) as error:
            yield f"{source}: not found ({error})"
            continue
        if not rounds_to(value, written):
            yield f"{written} {unit} is {value:.6g} in {source}"


def renewed(text):
    """The text with each number as its source has it now, to the same digit; a number without a source stays."""

    def number(match):
        written, unit, source = match.groups()
        try:
            value = value_of(unit, source)
        except (KeyError, TypeError, ValueError):
            return match[0]
        if rounds_to(value, written):
            return match[0]
        places, significant = len(written.partition(".")[2]), len(written.replace(".", "").replace(" ", "").lstrip("0"))
        if unit in TIMES and (significant == 3 or value * 10**places < 1):
            return f"{time_text(value * UNITS[unit])}<!-- from {source} -->"
        new = f"{value:,.{places}f}".replace(",", " " if value >= 10000 else "")
        return f"{new}{match[0][len(written):]}"

    return NUMBER.sub(number, text)


# Not sentences: code, what is generated, comments.
APART = re.compile(r"^<!-- (\w+): written by .*?^<!-- end of \1 -->|^<!-- code .*?$|^```.*?^```$|^ {4}.*?$", re.MULTILINE | re.DOTALL)
QUANTITY = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?\s?(?:[nuµm]?s|[GMT]B/s|[GT]FLOP/s|%|[mk]?[WJ])(?![\w-])(?!<!-- from )")
SAYS = re.compile(r"<!-- numbers: [^>]*\S -->")


def without_source(text):
    """The blocks of a page (paragraphs, items, tables) with a time, rate, share or energy that names no source, and without a comment
    "numbers: ..." that says where they are from: the beginning of each, and its first such number."""
    for block in re.split(r"\n\s*\n|\n(?=- |\d+\. )", APART.sub("", text)):
        found = QUANTITY.search(block)
        if found and not SAYS.search(block):
            yield f"'{found[0]}' names no source: {' '.join(block.split())[:60]}"
