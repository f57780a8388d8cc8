# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder share: the exit statuses of docs/command-line.md, and one line for each error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from .errors import Refusal
from .words import one_line


def say(text: str) -> None:
    """To standard output, at once."""
    try:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python tries again at its end
        raise Refusal(f"cannot write standard output: {error.strerror}", 3) from None


class Parser(argparse.ArgumentParser):
    """Refuses in one line what it does not understand."""

    def error(self, message: str):
        raise Refusal(message)

    def _print_message(self, message: str, file=None) -> None:
        say(message)  # the help


def exit_status(name: str, program: Callable[[], int]) -> int:
    """Runs the program; whatever ends it early is said in one line that begins with its name."""
    try:
        return program()
    except Refusal as error:
        said, status = error, error.status
    except KeyboardInterrupt:
        said, status = "stopped", 130
    except MemoryError:
        said, status = "the machine ran out of memory", 3
    except RecursionError:
        said, status = "a file is nested too deeply", 2
    except Exception as error:  # of a library, say
        said, status = f"unexpected error: {type(error).__name__}: {error}", 3
    print(f"{name}: {one_line(said)}", file=sys.stderr)
    return status
