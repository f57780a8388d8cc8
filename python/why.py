#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Says for `parallax why` what bounds a row: python3 python/why.py --help."""

from parallax import start

if __name__ == "__main__":
    start.run("parallax.counters.why_cli")
