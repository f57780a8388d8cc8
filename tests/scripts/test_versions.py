# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Which releases scripts/check-versions builds with, and what it says of those that it cannot reach. Repositories made here are GitHub's,
and stand-ins for CMake and ctest note how they were called."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import ROOT, InFolder

TAGS = {
    "kokkos/kokkos": ["4.4.01", "4.5.00", "4.7.01", "5.2.02", "6.0.00", "pre-formating"],
    "CLIUtils/CLI11": ["v1.9.1", "v2.0.0", "v2.1.2", "v2.9.0", "v2.10.0", "v2.11.0-rc1", "v3.0.0"],
    "nlohmann/json": ["v3.8.0", "v3.9.0", "v3.12.0"],
    "catchorg/Catch2": ["v3.0.0-preview5", "v3.0.1", "v3.11.0", "v4.0.0"],
}
OLDEST = {"Kokkos": "4.5.00", "CLI11": "v2.1.2", "nlohmann_json": "v3.9.0", "Catch2": "v3.0.1"}
NEWEST = {"Kokkos": "5.2.02", "CLI11": "v2.10.0", "nlohmann_json": "v3.12.0", "Catch2": "v3.11.0"}


@unittest.skipUnless(shutil.which("git"), "there is no git")
class Versions(InFolder):
    def setUp(self):
        super().setUp()
        for part in ("scripts/check-versions", "scripts/common.bash", "cmake/Dependencies.cmake"):
            (self.folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, self.folder / part)
        for name in ("cmake", "ctest"):
            self.stand_in(name)
        (self.folder / "gitconfig").write_text(f'[url "{self.folder}/hub/"]\n\tinsteadOf = https://github.com/\n')

    def stand_in(self, name, does=""):
        program = self.folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.folder}/calls"\n{does}\n')
        program.chmod(0o755)

    def publish(self):
        for name, tags in TAGS.items():
            hub = self.folder / "hub" / name
            hub.mkdir(parents=True)
            me = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
            commands = [("init", "-q"), (*me, "commit", "-q", "--allow-empty", "-m", name), *(("tag", tag) for tag in tags)]
            for words in commands:
                subprocess.run(["git", *words], cwd=hub, check=True)

    def check(self, *words, **environment):
        surroundings = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "PARALLAX_WAY": "fetch",
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
            **environment,
        }
        return subprocess.run(
            [str(self.folder / "scripts" / "check-versions"), *words],
            capture_output=True,
            text=True,
            timeout=600,
            env={**os.environ, **surroundings},
            check=False,
        )

    def calls(self):
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def test_the_oldest_allowed_and_the_newest_release_are_taken(self):
        self.publish()
        done = self.check("--show-only")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [f"parallax: {end} {n}: {v}" for end, all_ in (("oldest", OLDEST), ("newest", NEWEST)) for n, v in all_.items()]
        self.assertEqual(done.stderr.splitlines(), said)
        self.assertEqual(self.calls(), [])

    def test_both_ends_are_built_and_tested(self):
        self.publish()
        done = self.check("--", "-R", "run/")
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = self.folder / "build" / "versions"
        for end, releases in (("oldest", OLDEST), ("newest", NEWEST)):
            cache = (folder / f"{end}.cmake").read_text()
            for name, tag in releases.items():
                self.assertIn(f"set(FETCHCONTENT_SOURCE_DIR_{name.upper()} [[{folder}/{name}-{tag}]] ", cache)
                self.assertTrue((folder / f"{name}-{tag}" / ".git").exists())
            configured, built, tested = [call for call in self.calls() if f"versions/{end}" in call]
            self.assertIn(f" -DPARALLAX_BUILD_TESTS=ON -C build/versions/{end}.cmake", configured)
            self.assertIn(" --target all", built)
            self.assertRegex(tested, r"^ctest .* -R run/$")
        self.stand_in("ctest", "[[ $* != *oldest* ]]")
        self.assertEqual(self.check().returncode, 1)

    def test_what_cannot_be_reached_is_said_in_a_line_and_nothing_is_built(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stderr)
        names = " ".join(OLDEST)
        said = [f"parallax: {end}: skipped, as https://github.com cannot be reached: {names}" for end in ("oldest", "newest")]
        self.assertEqual(done.stderr.splitlines(), said)
        self.assertEqual(self.calls(), [])

    def test_sources_that_are_here_are_taken(self):
        done = self.check("newest", FETCHCONTENT_SOURCE_DIR_CLI11="/a folder/CLI11")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("parallax: newest CLI11: what is in /a folder/CLI11\n", done.stderr)
        self.assertIn("newest: skipped, as https://github.com cannot be reached: Kokkos nlohmann_json Catch2\n", done.stderr)
        cache = (self.folder / "build" / "versions" / "newest.cmake").read_text()
        self.assertEqual(cache, 'set(FETCHCONTENT_SOURCE_DIR_CLI11 [[/a folder/CLI11]] CACHE PATH "")\n')
        self.assertEqual(len(self.calls()), 3)

    def test_unknown_words_are_refused(self):
        done = self.check("latest")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("unknown word 'latest'", done.stderr)


if __name__ == "__main__":
    unittest.main()
