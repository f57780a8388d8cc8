# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Pictures that go into the page as they are: PNG files, checked to be such."""

from __future__ import annotations

import base64
import os
import struct
from pathlib import Path

from ..errors import Refusal
from ..files import read_bytes
from .text import h

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_BYTES = 16 << 20


def size(path: str, data: bytes) -> tuple[int, int]:
    """Columns and rows, of the header."""
    if data[:8] != SIGNATURE or data[12:16] != b"IHDR" or len(data) < 45 or b"IEND" not in data[-16:]:
        raise Refusal(f"'{path}' is not a PNG picture, or was cut short")
    if len(data) > MOST_BYTES:
        raise Refusal(
            f"'{path}' is too large for a page: {len(data) >> 20} MB, where {MOST_BYTES >> 20} are allowed"
        )
    return struct.unpack(">II", data[16:24])


def find(files: list[str], folders: list[str]) -> list[str]:
    found = list(files)
    for folder in folders:
        if not os.path.isdir(folder):
            raise Refusal(f"--image-dir: '{folder}' is not a folder", 3)
        found += sorted(map(str, Path(folder).glob("*.png")))
    return list(dict.fromkeys(found))


def figures(paths: list[str], exercises: list[str]) -> str:
    """Each with its name, its size and, where the name begins with an exercise's, what drew it."""
    out = []
    for path in paths:
        data = read_bytes(path)
        columns, rows = size(path, data)
        stem = Path(path).stem
        by = max(
            (e for e in exercises if stem == e or stem.startswith((e + "_", e + "-", e + "."))), key=len, default=""
        )
        about = f"{Path(path).name}: {columns} × {rows} pixels" + (f", drawn by {by}" if by else "")
        source = "data:image/png;base64," + base64.b64encode(data).decode("ascii")
        out.append(
            f'<figure class="picture"><img src="{source}" alt="{h("Picture " + about)}" width="{columns}" height="{rows}">'
            f"<figcaption>{h(about)}</figcaption></figure>"
        )
    return '<div class="pictures">' + "".join(out) + "</div>"
