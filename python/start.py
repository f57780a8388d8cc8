# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder begin with. Every Python understands it, so that one that is too old can say so."""

import importlib
import os
import shutil
import sys


def start(module):
    """Ends with the status of the module's main(). Some clusters call an old Python python3, and have newer ones beside it."""
    if sys.version_info < (3, 9):
        looks = sys.version_info >= (3, 3) and not os.environ.get("PARALLAX_PYTHON")
        for minor in range(20, 8, -1) if looks else ():
            newer = shutil.which("python3.%d" % minor)
            if newer:
                os.execv(newer, [newer] + sys.argv)
        version = ".".join(map(str, sys.version_info[:3]))
        sys.stderr.write(
            "parallax: %s is Python %s; install 3.9 or newer, or name one in PARALLAX_PYTHON\n" % (sys.executable, version)
        )
        sys.exit(3)
    sys.exit(importlib.import_module(module).main())
