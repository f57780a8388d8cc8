# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The Python that draws."""

from .. import start


def need_matplotlib() -> None:
    """Goes on in a Python that has matplotlib."""
    start.need(
        ("matplotlib.figure",),
        "cannot draw: {python} has no usable matplotlib ({error}); install python3-matplotlib, or name a Python that has it in"
        " PARALLAX_PYTHON",
        "parallax",
    )
