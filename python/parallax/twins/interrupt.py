# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""SIGTERM and SIGINT end a run after the sample in hand, so that finished rows are kept."""

from __future__ import annotations

import signal

_received: list[int] = []


def _note(number, _frame) -> None:
    _received.append(number)
    if len(_received) >= 3:  # many who send one do so twice: src/platform/base/interrupt.hpp
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)


def watch_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _note)


def interrupted() -> int:
    """The number of the first signal, or 0."""
    return _received[0] if _received else 0
