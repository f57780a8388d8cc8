# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder share: the exit statuses of docs/command-line.md, and one line for each error."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import deque
from collections.abc import Callable

from .errors import Refusal
from .words import one_line, suggestion


def say(text: str) -> None:
    """To standard output, at once."""
    try:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python tries again at its end
        raise Refusal(f"cannot write standard output: {error.strerror}", 3) from None


class _Once(argparse.Action):
    """Stores a value, and refuses a second one."""

    def __call__(self, parser, namespace, values, option_string=None):
        if option_string and getattr(namespace, self.dest) is not self.default:
            parser.error(f"{option_string}: given more than once")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """Refuses in one line what it does not understand. Options may come between the other arguments."""

    def __init__(self, **more):
        super().__init__(allow_abbrev=False, **more)
        self.register("action", None, _Once)

    def parse_args(self, args=None, namespace=None):
        """Options first, then "--" and the others: any other order, argparse's versions understand in several ways."""
        words, options, others = deque(sys.argv[1:] if args is None else args), [], []
        known = self._option_string_actions
        while words:
            word = words.popleft()
            if word == "--":
                others += words
                break
            if not re.match(r"-[^\d.]", word):  # a negative number is none
                others.append(word)
                continue
            takes = self._named(word).nargs is None and word in known
            if takes and words and not words[0].startswith("--") and words[0] not in known:
                word += "=" + words.popleft()  # which may begin with a hyphen
            options.append(word)
        return super().parse_args([*options, "--", *others], namespace)

    def _named(self, word: str) -> argparse.Action:
        """The option of "--name", "--name=value", "-n" or "-nvalue"."""
        name, known = word.partition("=")[0], self._option_string_actions
        action = known.get(name) or (None if name.startswith("--") else known.get(name[:2]))
        if action is None:
            raise Refusal(f"unknown option '{name}'{suggestion(name, [o for o in known if o.startswith('--')])}")
        return action

    def error(self, message: str):
        raise Refusal(message.removeprefix("argument "))

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
