# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder say."""

from __future__ import annotations

import os
import sys


def one_line(message: object, most: int = 1000) -> str:
    """Without what a terminal would obey, and cut in the middle where it is very long."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(message))
    return line if len(line) <= most else line[: most // 2] + " [...] " + line[-most // 2 :]


def say(text: str) -> None:
    """To standard output, at once. Raises OSError where that cannot be written."""
    try:
        sys.stdout.write(text.encode("utf-8", "backslashreplace").decode())
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python tries again at its end
        raise OSError(error.errno, f"cannot write standard output: {error.strerror}") from None
