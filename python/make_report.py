#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the page of `parallax report`: python3 python/make_report.py --help."""

import sys

from parallax import start


def find_matplotlib():
    """This Python, or another that has matplotlib."""
    start.need(("matplotlib.figure",), "cannot draw: {python} has no usable matplotlib ({error}); install python3-matplotlib, or name a Python"
               " that has it in PARALLAX_PYTHON", "parallax")


if __name__ == "__main__":
    # Help and refusals need no matplotlib, but one answer for all cases is simpler to rely on.
    find_matplotlib()
    from parallax.report.cli import main

    sys.exit(main())
