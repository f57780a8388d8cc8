# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Where the page is written: odd names, links, devices and pipes; and a backend that matplotlib does not have."""

import os
import socket
import stat
import subprocess
import sys
import unittest

import samples
from support import ROOT, InFolder


class Paths(InFolder):
    def setUp(self):
        super().setUp()
        self.need_matplotlib()
        rows = [samples.row("a", "v", "serial")]
        self.good = samples.write(self.folder / "good.json", samples.results(rows))

    def make(self, output, *arguments, shell=""):
        command = [sys.executable, str(ROOT / "python" / "make_report.py"), self.good, f"--output={output}", *arguments]
        return self.start(["bash", "-c", shell + ' exec "$0" "$@"', *command] if shell else command)

    def test_a_backend_that_is_none(self):
        outcome = self.run_report(self.good, "-o", "out.html", environment={"MPLBACKEND": "nonsense"})
        self.assertEqual((outcome.returncode, self.content()), (0, ["good.json", "out.html"]), outcome.stderr)

    def test_a_name_that_begins_with_a_hyphen(self):
        for name in ("-x.html", "--help"):
            outcome = self.run_program("report", self.good, f"--output={name}")
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.assertIn(name, self.content())

    def test_outputs_that_cannot_be(self):
        os.symlink("loop", self.folder / "loop")
        os.symlink("good.json", self.folder / "link.html")
        for output, status, words in (
            ("x" * 300, 3, ("File name too long",)),
            ("x" * 300 + "/out.html", 3, ("File name too long",)),
            ("loop", 3, ("symbolic links",)),
            ("good.json/x", 3, ("Not a directory",)),
            ("./good.json", 2, ("it is an input",)),
            ("link.html", 2, ("it is an input",)),
            ("/proc/nothing.html", 3, ("cannot write",)),
        ):
            with self.subTest(output[:40]):
                self.refused(self.make(output), status, *words)
        for option in ("--charts", "--image-dir", "--image", "--kernel-timer"):
            self.refused(self.make("out.html", option, "x" * 300), 3, "x" * 300)
        for option in ("--charts", "--title"):
            self.refused(self.run_program("report", self.good, "-o", "out.html", option, ""), 2, option, "got ''")
        self.assertEqual(self.content(), ["good.json", "link.html", "loop"])

    def test_streams_are_written_and_stay(self):
        # None of /dev's own names: were the program wrong, root would lose them.
        outcome = self.make("/dev/fd/1")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertTrue(outcome.stdout.endswith("</html>\n"))
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE, text=True) as reader:
            self.assertEqual(self.make("pipe").returncode, 0)
            self.assertTrue(reader.communicate()[0].endswith("</html>\n"))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.folder / "pipe").st_mode))
        self.refused(self.make("/dev/fd/1", shell="exec >/dev/full;"), 3, "cannot write '/dev/fd/1'", "No space left")

    def test_links_and_modes_stay_and_temporary_names_are_no_trap(self):
        (self.folder / "real").mkdir()
        page, link = self.folder / "real" / "page.html", self.folder / "link.html"
        page.write_text("old")
        page.chmod(0o600)
        link.symlink_to("real/page.html")
        (self.folder / "mine").write_text("mine")
        dead = subprocess.Popen(["true"])
        dead.wait()
        stem = f"page.html.partial-{socket.gethostname()}-"
        (page.parent / f"{stem}{dead.pid}").write_text("half")
        others = [f"{stem}{os.getpid()}", f"page.html.partial-elsewhere.invalid-{dead.pid}"]
        for name in others:
            (page.parent / name).write_text("not ours")
        outcome = self.make("link.html", shell=f'ln -s "$PWD/mine" "real/{stem}$$";')
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertTrue(link.is_symlink())
        self.assertIn("</html>", page.read_text())
        self.assertEqual(stat.S_IMODE(page.stat().st_mode), 0o600)
        self.assertEqual((self.folder / "mine").read_text(), "mine")
        self.assertEqual(sorted(p.name for p in page.parent.iterdir()), sorted(["page.html", *others]))

    def test_a_name_as_long_as_can_be(self):
        name = "é" * 125 + ".html"
        self.assertEqual(self.make(name).returncode, 0)
        self.assertIn(name, self.content())


if __name__ == "__main__":
    unittest.main()
