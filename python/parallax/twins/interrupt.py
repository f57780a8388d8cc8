# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""SIGTERM and SIGINT end a run after the sample in hand, so that finished rows are kept."""

from __future__ import annotations

import signal

_received = 0


def _note(number, _frame) -> None:
    global _received
    _received = number
    signal.signal(number, signal.SIG_DFL)  # a second one ends a kernel that never does


def watch_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _note)


def interrupted() -> int:
    """The signal's number, or 0."""
    return _received
