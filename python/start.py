# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder begin with. Every Python understands it, so that one too old is told so in a line."""

import importlib
import sys


def start(module):
    """Ends with the status of the module's main()."""
    if sys.version_info < (3, 9):
        version = ".".join(map(str, sys.version_info[:3]))
        sys.stderr.write(
            "parallax: %s is Python %s; install 3.9 or newer, or name one in PARALLAX_PYTHON\n" % (sys.executable, version)
        )
        sys.exit(3)
    sys.exit(importlib.import_module(module).main())
