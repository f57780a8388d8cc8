# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Code that pages and notebooks take from the sources. Needs only the standard library."""

from __future__ import annotations

import re
from pathlib import Path

from .errors import Refusal
from .files import read_bytes

_LANGUAGES = {".py": "python", ".bash": "bash"}
_MARKS = re.compile(r"^ *(?://|#) (?:(?:begin|end):|student: (?:begin|end)) \w+\n", re.MULTILINE)


def language(path: Path) -> str:
    """What a block of code from this file is called in Markdown."""
    return _LANGUAGES.get(path.suffix, "cpp")


def marked_code(path: Path, mark: str) -> str:
    """What a source holds between the comments "begin: MARK" and "end: MARK", moved to the left by the comments' indentation. Several
    parts of one name are joined by blank lines; other marks are left out."""
    text = read_bytes(str(path)).decode("utf-8")
    parts = re.findall(rf"^( *)(?://|#) begin: {mark}\n(.*?)^ *(?://|#) end: {mark}$", text, re.MULTILINE | re.DOTALL)
    if not parts:
        raise Refusal(f"{path}: no code stands between 'begin: {mark}' and 'end: {mark}'")
    return "\n".join(re.sub(rf"^ {{0,{len(indent)}}}", "", _MARKS.sub("", part), flags=re.MULTILINE) for indent, part in parts)
