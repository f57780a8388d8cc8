#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the page of `parallax report`: python3 python/make_report.py --help."""

import importlib
import os
import sys

DEBIAN = "/usr/bin/python3"


def find_matplotlib():
    """This Python, else Debian's: a Python of the user's own often hides the one that the package is for."""
    os.environ.pop("MPLBACKEND", None)  # it is read on import, and a wrong one is an error; the page needs none
    try:
        importlib.import_module("matplotlib.figure")
    except Exception as error:  # a NumPy that does not fit raises others than ImportError
        own = os.environ.get("PARALLAX_PYTHON") or os.environ.get("PARALLAX_REPORT_RETRIED")
        if not own and os.path.exists(DEBIAN) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
            os.environ["PARALLAX_REPORT_RETRIED"] = "1"
            os.execv(DEBIAN, [DEBIAN, *sys.argv])
        print(
            f"parallax: cannot draw: {sys.executable} has no usable matplotlib ({error});"
            " install python3-matplotlib, or name a Python that has it in PARALLAX_PYTHON",
            file=sys.stderr,
        )
        sys.exit(3)


if __name__ == "__main__":
    # Help and refusals need no matplotlib, but one answer for all cases is simpler to rely on.
    find_matplotlib()
    from parallax.report.cli import main

    sys.exit(main())
