#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python twins of the exercises: python3 python/run_twins.py --help."""

import importlib
import sys

try:
    importlib.import_module("numpy")  # every twin needs it, so its absence is said first
except ImportError as error:
    print(f"run_twins: NumPy cannot be imported ({error}); install python3-numpy or numpy", file=sys.stderr)
    sys.exit(3)

from parallax.twins.cli import main

if __name__ == "__main__":
    sys.exit(main())
