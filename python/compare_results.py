#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Does the work of `parallax compare`: python3 python/compare_results.py --help."""

from parallax import start

if __name__ == "__main__":
    start.run("parallax.report.compare")
