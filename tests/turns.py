# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What takes too long to be tried with each commit is tried by turns."""

import os


def by_turn(cases, parts):
    """Those whose turn it is, one in `parts`; all of them unless PARALLAX_TURN is set, where .ci/run puts the number of commits."""
    turn = os.environ.get("PARALLAX_TURN")
    return [case for k, case in enumerate(cases) if not turn or (k + int(turn)) % parts == 0]
