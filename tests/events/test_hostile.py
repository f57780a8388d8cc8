# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The converter: numbers beyond a double, deep nesting, odd options and paths."""

import contextlib
import io
import json
import os
import stat
import unittest

from test_convert import EVENTS, Converts


class InProcess(Converts):
    """The program without starting one each time."""

    def convert_here(self, content, *arguments):
        from parallax.events.cli import main

        (self.folder / "in.json").write_bytes(content if isinstance(content, bytes) else content.encode())
        said, told = io.StringIO(), io.StringIO()
        output = str(self.folder / "out.h5")
        (self.folder / "out.h5").unlink(missing_ok=True)
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(told):
            status = main([str(self.folder / "in.json"), output, "--force", *arguments])
        self.assertTrue((said.getvalue() + told.getvalue())[:-1].isprintable())
        self.assertEqual(len((said.getvalue() + told.getvalue()).splitlines()), 1, said.getvalue())
        self.assertNotIn("unexpected error", said.getvalue())  # an unforeseen error
        self.assertEqual(os.path.exists(output), status == 0, said.getvalue())
        self.assertEqual(len(self.content()), 1 + (status == 0))
        return status, said.getvalue()

    def test_numbers_beyond_a_double_cannot_be_used(self):
        huge = {"pt": [10**400, 1], "eta": [-(10**400), 1], "phi": [1, 1], "charge": [10**400, 1]}
        self.assertEqual(self.convert_here(json.dumps([huge]))[0], 0)
        found = self.read()
        self.assertEqual([list(found[f]) for f in ("pt", "eta", "charge")], [[float("inf"), 1], [-float("inf"), 1], [0, 1]])
        text = json.dumps([huge]).replace("1" + "0" * 400, "1" + "0" * 5000)
        status, said = self.convert_here(text)
        self.assertEqual(status, 2, said)

    def test_nested_deeply(self):
        for depth in (500, 950, 3000, 100_000):
            deep = "[" * depth + "]" * depth
            for text in (deep, "{}\n" + deep, '[{"pt": [%s]}]' % deep, json.dumps(EVENTS[:1])[:-2] + ', "x": %s}]' % deep):
                with self.subTest(depth=depth, text=text[:20]):
                    status, said = self.convert_here(text)
                    self.assertIn(status, (0, 2) if '"x"' in text else (2,), said)

    def test_options_that_make_no_sense(self):
        good = json.dumps(EVENTS)
        for arguments, words in (
            (("--group", ""), "--group: ''"),
            (("--group", "//"), "--group: '//'"),
            (("--group", "a\udcffb"), "--group"),
            (("--chunk", "1" + "0" * 20), "--chunk"),
            (("--chunk", "1000000000"), "--chunk"),
            (("--slice", "9" * 5000), "--slice"),
            (("--slice", "9" * 30), "--slice"),
        ):
            with self.subTest(arguments):
                status, said = self.convert_here(good, *arguments)
                self.assertEqual(status, 2, said)
                self.assertIn(words, said)
                self.assertLess(len(said), 1100)


class Paths(Converts):
    def setUp(self):
        super().setUp()
        self.write_json(EVENTS)

    def test_outputs_that_cannot_be(self):
        os.symlink("loop", self.folder / "loop")
        os.mkfifo(self.folder / "pipe")
        os.symlink("in.json", self.folder / "link.h5")
        for output, status, words in (
            ("x" * 300, 3, "File name too long"),
            ("loop", 3, "cannot write 'loop'"),
            ("in.json/x", 3, "Not a directory"),
            ("pipe", 3, "not a regular file"),
            ("/dev/fd/1", 3, "not a regular file"),
            (".", 3, "cannot write '.'"),
            ("", 2, "needs a name"),
            ("link.h5", 2, "it is an input"),
        ):
            with self.subTest(output[:20]):
                self.refused(self.convert("in.json", output, "--force"), status, words)
        self.assertEqual(self.content(), ["in.json", "link.h5", "loop", "pipe"])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.folder / "pipe").st_mode))
        self.refused(self.convert("x" * 300 + ".json", "out.h5"), 3, "cannot read")

    def test_links_and_modes_stay(self):
        target = self.folder / "target.h5"
        target.write_text("old")
        target.chmod(0o600)
        (self.folder / "link.h5").symlink_to("target.h5")
        self.assertEqual(self.convert("in.json", "link.h5", "--force").returncode, 0)
        self.assertTrue((self.folder / "link.h5").is_symlink())
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o600)
        self.assertEqual(target.read_bytes()[1:4], b"HDF")

    def test_a_disk_that_is_full_and_one_that_takes_no_words(self):
        self.write_json([EVENTS[2]] * 30_000)
        script = 'trap "" XFSZ; ulimit -f 40; exec "$@"'
        command = ["bash", "-c", script, "bash", *self.command("in.json", "out.h5", "--compression", "0")]
        self.refused(self.start(command), 3, "cannot write 'out.h5'")
        self.assertEqual(self.content(), ["in.json"])
        outcome = self.start(["bash", "-c", 'exec "$@" >/dev/full', "bash", *self.command("in.json", "out.h5")])
        self.refused(outcome, 3, "standard output")


if __name__ == "__main__":
    unittest.main()
