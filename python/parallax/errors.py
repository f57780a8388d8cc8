# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What ends a program of this folder early."""

from .words import one_line


class Refusal(Exception):
    """One line and an exit status: 2 for bad usage or a file of another content, 3 where the machine could not."""

    def __init__(self, message: object, status: int = 2):
        super().__init__(one_line(message))
        self.status = status

    def _render_traceback_(self) -> list:
        """What IPython shows of it in a notebook: the line, not where in this package it was raised."""
        return [f"parallax: {self}"]
