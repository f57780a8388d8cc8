#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the page of `parallax report`: python3 python/make_report.py --help."""

from parallax import start

if __name__ == "__main__":
    start.run("parallax.report.cli")
