# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""scripts/check-commands and `scripts/lint prose` on pages and sources made up for them."""

import shutil
import subprocess
import sys
import unittest

from support import STAND_IN, InFolder


class Pages(InFolder):
    """scripts/check-commands sees a command that fails, one that is not there, and output that is not the page's."""

    def check(self, page):
        self.write("README.md", page, 0o644)
        return self.run_script(sys.executable, "scripts/check-commands", PYTHONDONTWRITEBYTECODE="1")

    def test_what_it_sees(self):
        self.copy_scripts()
        self.write("scripts/say", STAND_IN + 'echo "said $*"; touch "$1"; [[ $1 != wrong ]]\n')
        (self.folder / "apps/new_exercise").mkdir()
        for page, failed, run in (
            ("    scripts/say a    # a comment\n    scripts/say b\n\nText\n", 0, 2),
            ("    scripts/say wrong\n", 1, 1),
            ("    scripts/absent\n", 1, 1),
            ("    no command\n\n```text\nscripts/absent\n```\n", 0, 0),
            ("```console\n$ scripts/say 1 2 3\nsaid 1 ... 3\n$ scripts/say\nsaid\n```\n", 0, 2),
            ("```console\n$ scripts/say 1 2 3\nsaid 1 ... 4\n```\n", 1, 1),
            ("    scripts/say a -A PROJECT\n", 0, 0),
            ("    an event:   a drawing\n                1 2 3\n", 0, 0),
            ("    new_exercise --n 1\n", 1, 1),
        ):
            with self.subTest(page):
                status, out, err = self.check(page)
                self.assertEqual((status, err), (int(failed > 0), ""), out)
                self.assertIn(f"{run} commands, {failed} failed", out)
        self.assertFalse((self.folder / "a").exists())


class Prose(InFolder):
    """`scripts/lint prose` in a tree with a phrase that does not help in every kind of file, among code and right uses that pass."""

    FILES = {
        "README.md": "A sum is that of\nall ranks.\n\n```cpp\nint x;  // nobody\n```\n\n    ls alone\n\n`nobody`, [x](nobody.md)<!-- so many -->.\n",
        "src/a.cpp": 'const char* s = "nobody // alone";  // its sum, that\nint of = 1\'000;  // of those\n/// A sum of its\n/// own.\nint b;  /* as many */\n',
        "apps/x/lesson.hpp": "// Who bears it?\n// `nobody`\nint nobody = 0;\n",
        "docs/a.cu": "int so_many;  // so many\n",
        "cmake/a.cmake": 'set(X "# alone")  # X alone\n',
        "CMakeLists.txt": "# parted\n",
        "apps/x/twin.py": '"""Of which."""\nX = """nobody"""  # not as much\n\n\ndef f():\n    """It lies\n    here."""\n    return "# alone"\n',
        "configs/a.bash": "echo '# alone' \"$#\" ${x#of which}\n# wherein\n",
        "sbatch/a.sbatch": "#!/bin/bash\n#SBATCH -n 1\n# It stands in a.\n",
        "scripts/tool": "#!/usr/bin/env python3\nX = 'alone'\n# Those of X.\n",
        "apps/x/steps.json": '{"hints": ["Nobody waits."], "alone": ["only"]}\n',
        "right.md": "It stands alone. Leave the rest alone. Half as many, two times as much. A median lies between two, and stands for all.\n",
    }
    FOUND = {
        "README.md:1: 'that of'", "src/a.cpp:3: 'of its own'", "src/a.cpp:5: 'as many'", "apps/x/lesson.hpp:1: 'bears'", "docs/a.cu:1: 'so many'",
        "cmake/a.cmake:1: 'alone'", "CMakeLists.txt:1: 'parted'", "apps/x/twin.py:1: 'Of which'", "apps/x/twin.py:2: 'as much'",
        "apps/x/twin.py:6: 'lies'", "configs/a.bash:2: 'wherein'", "sbatch/a.sbatch:3: 'stands'", "scripts/tool:3: 'Those of'",
        "apps/x/steps.json:1: 'Nobody'",
    }

    def test_every_kind_of_file(self):
        self.copy_scripts()
        for script in (self.folder / "scripts").iterdir():  # of the suite's scripts only what the check itself needs
            if script.name not in ("lint", "prose", "common.bash"):
                shutil.rmtree(script) if script.is_dir() else script.unlink()
        for name, text in self.FILES.items():
            self.write(name, text, mode=0o644)
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        status, out, err = self.run_script(self.folder / "scripts" / "lint", "prose")
        self.assertEqual({": ".join(line.split(": ")[:2]) for line in out.splitlines()}, self.FOUND)
        self.assertEqual(len(out.splitlines()), len(self.FOUND))
        self.assertTrue(all(line.count(": ") >= 2 for line in out.splitlines()), out)
        self.assertEqual((status, err.splitlines()[-1]), (1, "parallax: lint: failed: prose"))
        for name in self.FILES.keys() - {"right.md"}:
            (self.folder / name).unlink()
        self.assertEqual(self.run_script(self.folder / "scripts" / "lint", "prose")[:2], (0, ""))


if __name__ == "__main__":
    unittest.main()
