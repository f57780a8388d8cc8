#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Converts events from NanoAOD (ROOT), Parquet or JSON to the HDF5 that `dilepton_mass --input` reads:
python3 python/convert_events.py --help. apps/dilepton_mass/events.md has the layouts."""

import sys

from parallax import start

if __name__ == "__main__":
    start.begin(name="parallax")
    from parallax.events.cli import main

    sys.exit(main())
