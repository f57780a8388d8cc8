# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What is fetched is pinned and listed, an archive of a commit is always the same bytes, and no shell reads a user's words."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHELL = re.compile(r"shell=True|os\.system\(|os\.popen\(|std::system\(|\bpopen\(|^\s*eval\b", re.MULTILINE)


def started(*command, cwd=ROOT):
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)


class Bill(unittest.TestCase):
    def bill(self, change=None):
        """The bill of a copy whose Dependencies.cmake was changed."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("CMakeLists.txt", "cmake/Dependencies.cmake", "cmake/KokkosRelease.cmake", "scripts/sbom", "python/parallax/start.py"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, root / name)
            if change:
                file = root / "cmake/Dependencies.cmake"
                text = file.read_text(encoding="utf-8")
                self.assertNotEqual(change(text), text)
                file.write_text(change(text), encoding="utf-8")
            return started(sys.executable, root / "scripts/sbom", cwd=root)

    def test_it_lists_every_dependency_and_every_pin(self):
        outcome = self.bill()
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        listed = {c["name"]: c for c in json.loads(outcome.stdout)["components"]}
        text = (ROOT / "cmake/Dependencies.cmake").read_text(encoding="utf-8") + (ROOT / "cmake/KokkosRelease.cmake").read_text(encoding="utf-8")
        self.assertEqual(list(listed), re.findall(r"parallax_dependency\((\w+)", text))
        pins = {c["externalReferences"][0]["url"]: c["hashes"][0]["content"] for c in listed.values() if "hashes" in c}
        self.assertEqual(sorted(pins), sorted(re.findall(r"https://[^\s\"]+\.tar\.\w+", text)))
        for digest in pins.values():
            self.assertIn(digest, text)
        self.assertEqual({c["name"] for c in listed.values() if c["scope"] == "excluded"}, {"Catch2", "Python3"})

    def test_a_fetched_release_without_a_hash_is_refused(self):
        for change in (lambda text: re.sub(r" SHA256 17e0\w+", "", text), lambda text: text.replace(" SHA256 17e0", " SHA256 x7e0")):
            outcome = self.bill(change)
            self.assertEqual((outcome.returncode, outcome.stdout), (1, ""))
            self.assertIn("CLI11 is fetched from", outcome.stderr)


class Pins(unittest.TestCase):
    def test_whatever_is_downloaded_has_a_hash(self):
        lock = json.loads((ROOT / "tests/report/package-lock.json").read_text(encoding="utf-8"))
        for name, package in lock["packages"].items():
            self.assertTrue(not name or package["integrity"].startswith("sha512-"), name)
        actions = re.findall(r"uses: *(\S+)", "".join(f.read_text(encoding="utf-8") for f in (ROOT / ".github/workflows").glob("*.yml")))
        self.assertTrue(actions)
        for action in actions:
            self.assertRegex(action, r"@[0-9a-f]{40}$")


class Archive(unittest.TestCase):
    def test_the_same_commit_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "sources"
            (root / "scripts").mkdir(parents=True)
            for name in ("CMakeLists.txt", "scripts/archive", "scripts/common.bash"):
                shutil.copy(ROOT / name, root / name)
            me = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
            for words in (("init", "-q"), ("add", "-A"), (*me, "commit", "-q", "-m", "A commit")):
                outcome = started("git", *words, cwd=root)
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
            digests = set()
            for k in range(2):
                there = Path(folder) / str(k)
                there.mkdir()
                outcome = started(root / "scripts/archive", "HEAD", cwd=there)
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
                digest, name = outcome.stdout.split()
                self.assertEqual([f.name for f in there.iterdir()], [name])
                self.assertEqual(hashlib.sha256((there / name).read_bytes()).hexdigest(), digest)
                digests.add(digest)
                with tarfile.open(there / name) as archive:
                    commit = archive.extractfile(name.removesuffix(".tar.gz") + "/COMMIT").read()
                self.assertTrue(started("git", "rev-parse", "HEAD", cwd=root).stdout.startswith(commit.decode().strip()))
                (root / "untracked").write_text("not part of the commit", encoding="utf-8")
            self.assertEqual(len(digests), 1)
            outcome = started(root / "scripts/archive", "--output=x", cwd=folder)
            self.assertEqual((outcome.returncode, outcome.stdout), (2, ""))
            outcome = started(root / "scripts/archive", "absent", cwd=folder)
            self.assertEqual((outcome.returncode, outcome.stdout), (2, ""))
            self.assertIn("'absent' is not a commit", outcome.stderr)


class Shells(unittest.TestCase):
    def test_no_shell_reads_a_string(self):
        seen = 0
        for top in ("src", "apps", "python", "scripts", "sbatch", "docs/site", "packaging"):
            for file in (ROOT / top).rglob("*"):
                if file.is_file() and file.suffix in ("", ".cpp", ".hpp", ".py", ".bash", ".sbatch"):
                    seen += 1
                    self.assertIsNone(SHELL.search(file.read_text(encoding="utf-8", errors="replace")), file)
        self.assertGreater(seen, 200)

    def test_the_rule_can_fail(self):
        for line in ("subprocess.run(text, shell=True)", "os.system(text)", "  std::system(text)", "  eval $text"):
            self.assertIsNotNone(SHELL.search(line))


if __name__ == "__main__":
    unittest.main()
