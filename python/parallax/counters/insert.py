# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Adds an object to rows of a results file, and leaves every other byte as it is: numbers written anew would look different."""

from __future__ import annotations

import json
import re

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def row_ends(text: str) -> list[int]:
    """Where the closing braces of the objects in the list "benchmarks" are."""
    ends: list[int] = []
    depth, key, inside = 0, "", False
    for token in TOKEN.finditer(text):
        word = token[0]
        if word in "[{":
            inside = inside or (depth == 1 and word == "[" and key == '"benchmarks"')
            depth += 1
        elif word in "]}":
            depth -= 1
            if inside and depth == 2:
                ends.append(token.start())
            inside = inside and depth > 1
        elif depth == 1:
            key = word
    return ends


def with_objects(text: str, name: str, objects: dict[int, dict]) -> str:
    """`objects` by the index of their row, in the file's own indentation."""
    parts, begin = [], 0
    for index, end in enumerate(row_ends(text)):
        if index in objects:
            last = len(text[:end].rstrip())
            margin = text[last:end] + (" " if "\n" in text[last:end] else "")
            lines = json.dumps(objects[index], indent=1).splitlines()
            parts += [text[begin:last], f",{margin}{json.dumps(name)}: ", (margin if "\n" in margin else " ").join(lines)]
            begin = last
    return "".join(parts) + text[begin:]
