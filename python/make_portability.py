#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Does the work of `parallax portability`: python3 python/make_portability.py --help."""

import sys

from make_report import find_matplotlib, start

if __name__ == "__main__":
    start.begin(name="parallax")
    if any(word.startswith(("-o", "--output")) for word in sys.argv[1:]):
        find_matplotlib()
    from parallax.report.portability_cli import main

    sys.exit(main())
