#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the chart of `parallax compare --series`: python3 python/make_series.py --help."""

import sys

from start import start

if __name__ == "__main__":
    from parallax.program import exit_status
    from parallax.report.drawing import need_matplotlib

    status = exit_status("parallax", lambda: need_matplotlib() or 0)
    if status:
        sys.exit(status)
    start("parallax.report.series")
