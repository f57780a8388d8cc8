# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The harness of the Python twins: the same names, rules and files as the C++ program's.

A twin (apps/<name>/twin.py) needs only what is imported here. docs/python.md explains.
"""

from . import check
from .data import uniform, uniform_at
from .exercise import Exercise, Problem, Work

__all__ = ["Exercise", "Problem", "Work", "check", "uniform", "uniform_at"]
