# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The Python that draws."""

import importlib
import os
import sys
from pathlib import Path

from ..errors import Refusal

DEBIAN = "/usr/bin/python3"
PROGRAMS = Path(__file__).resolve().parents[2]  # this package's, which another Python can start, too


def need_matplotlib() -> None:
    """This Python, else Debian's, which begins again: a Python of the user's own often hides the one that the package is for."""
    os.environ.pop("MPLBACKEND", None)  # it is read on import, and a wrong one is an error; a page needs none
    try:
        importlib.import_module("matplotlib.figure")
    except Exception as error:  # a NumPy that does not fit raises others than ImportError
        own = os.environ.get("PARALLAX_PYTHON") or os.environ.get("PARALLAX_REPORT_RETRIED")
        other = os.path.exists(DEBIAN) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN)
        if not own and other and Path(sys.argv[0]).resolve().parent == PROGRAMS:
            os.environ["PARALLAX_REPORT_RETRIED"] = "1"
            os.execv(DEBIAN, [DEBIAN, *sys.argv])
        raise Refusal(
            f"cannot draw: {sys.executable} has no usable matplotlib ({error});"
            " install python3-matplotlib, or name a Python that has it in PARALLAX_PYTHON",
            3,
        ) from None
