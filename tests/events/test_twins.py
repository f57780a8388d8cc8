# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The twins make their events themselves: a file of events is refused, not passed over."""

import sys
import unittest

from support import ROOT

sys.path.insert(0, str(ROOT / "python"))

try:
    from parallax.errors import Refusal
    from parallax.twins.parameters import Parameters
    MISSING = ""
except ImportError as error:  # raised here, SkipTest would be an error for a test that is started by name
    MISSING = str(error)


@unittest.skipIf(MISSING, f"the twins cannot be imported: {MISSING}")
class Files(unittest.TestCase):
    def test_files_are_refused(self):
        empty = {"kind": "path", "tiny": "", "course": "", "course_host": "", "large": ""}
        parameters = Parameters([{"name": "input", **empty}], "course", True)
        with self.assertRaisesRegex(Refusal, "'input'.*read no files"):
            parameters.set("input", "a.h5")
        parameters.set("input", "")
        self.assertEqual(parameters["input"], "")


if __name__ == "__main__":
    unittest.main()
