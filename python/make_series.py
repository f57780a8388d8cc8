#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the chart of `parallax compare --series`: python3 python/make_series.py --help."""

import sys

from make_report import find_matplotlib

if __name__ == "__main__":
    find_matplotlib()
    from parallax.report.series import main

    sys.exit(main())
