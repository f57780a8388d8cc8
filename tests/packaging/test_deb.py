# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The Debian package that cpack makes of this build: it is unpacked, and its program runs. scripts/image makes one to install, and an image."""

import re
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import PROGRAM, WithFolder, cache_of_build  # noqa: E402
from processes import checked as run  # noqa: E402

BUILD = PROGRAM.parent.parent
CACHE = cache_of_build()


@unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb here")
class Package(WithFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Which packages this build's libraries belong to is not asked: the Debian tree's are at another path.
        run(Path(CACHE["CMAKE_COMMAND"]).parent / "cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder,
            "-D", "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")  # fmt: skip
        (cls.package,) = cls.folder.glob("*.deb")
        run("dpkg-deb", "-x", cls.package, cls.folder / "unpacked")

    def test_its_name_and_fields(self):
        version = CACHE["CMAKE_PROJECT_VERSION"]
        fields = dict(re.findall(r"^(\S+): (.*)$", run("dpkg-deb", "-f", self.package), re.MULTILINE))
        self.assertRegex(self.package.name, rf"^parallax_{re.escape(version)}_\w+\.deb$")
        self.assertEqual((fields["Package"], fields["Version"], fields["Section"]), ("parallax", version, "science"))
        self.assertIn("python3-matplotlib", fields["Recommends"])

    def test_all_of_it_is_below_usr(self):
        self.assertEqual([path.name for path in (self.folder / "unpacked").iterdir()], ["usr"])
        for name in ("bin/parallax", "share/man/man1/parallax.1", "share/parallax/sizes/odd.json", "share/parallax/python/make_report.py"):
            self.assertTrue((self.folder / "unpacked/usr" / name).is_file(), name)

    def test_its_program_runs(self):
        program = self.folder / "unpacked/usr/bin/parallax"
        self.assertIn("vector_add", run(program, "list"))
        self.assertIn("verified", run(program, "run", "vector_add", "--size", "tiny", "--verify-only"))

    def test_a_real_one_depends_on_the_libraries_that_it_loads(self):
        config = (BUILD / "CPackConfig.cmake").read_text(encoding="utf-8")
        self.assertIn('set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS "ON")', config)


if __name__ == "__main__":
    unittest.main()
