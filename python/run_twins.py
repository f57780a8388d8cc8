#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python twins of the exercises: python3 python/run_twins.py --help."""

import sys

from parallax import start

if __name__ == "__main__":
    # Every twin needs NumPy, so its absence is said first.
    start.need(("numpy",), "NumPy cannot be imported ({error}); install python3-numpy or numpy")
    from parallax.twins.cli import main

    sys.exit(main())
