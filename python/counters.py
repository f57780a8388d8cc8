#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Counts for `parallax run --counters`, which starts it."""

from parallax import start

if __name__ == "__main__":
    start.run("parallax.counters.cli")
