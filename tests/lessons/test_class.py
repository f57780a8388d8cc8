# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a teacher does with many checks: files of results, a table of a class, limits, and a board. No kernel is compiled."""

import csv
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as Xml
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lessons import board, confining, grading, judging, parts, reports  # noqa: E402


def row(name="vector_add/range/openmp/f32", verified=True, **more):
    given = {"space": "openmp", "precision": "f32", "phase": "kernel", "parameters": {"n": 100}, "items": 100, "check": {}}
    return {"name": name, "verified": verified, **given, **more}


def found(name="anna", rows=(), what="right", time=None, percent=80.0, **more):
    timed = [row(real_time=time, min_time=time)] if time else []
    made = reports.result(name, "vector_add", "range", judging.Verdict(what, "n = 1"), list(rows), ["hello"], timed, {timed[0]["name"]: time * percent / 100} if timed else {})
    return {**made, **more}


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def lesson(self, *arguments):
        done = subprocess.run([sys.executable, str(ROOT / "scripts" / "lesson"), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr


class Results(InFolder):
    def test_junit_has_a_test_for_each_case_and_one_for_the_verdict(self):
        rows = [row(), row(verified=False, check={"cause": "nothing was written", "detail": "a < b & \x07"})]
        suite = Xml.fromstring(reports.junit(found(rows=rows, what="nothing was written")).encode())
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("3", "2"))
        cases = suite.findall("testcase")
        self.assertEqual([case.find("failure") is not None for case in cases], [True, False, True])
        self.assertEqual((cases[2].find("failure").get("message"), cases[2].find("failure").text), ("nothing was written", "a < b & ?"))
        self.assertEqual(suite.find("system-out").text, "hello")

    def test_of_a_right_kernel_nothing_failed(self):
        suite = Xml.fromstring(reports.junit(found(rows=[row()])).encode())
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.findall(".//failure")), ("2", "0", []))

    def test_a_share_that_cannot_be_is_none(self):
        for percent, share in ((80.0, 80.0), (105.0, 105.0), (125.0, None)):
            self.assertEqual(found(time=2e6, percent=percent)["times"][0]["percent_of_ceiling"], share)

    def test_a_file_is_whole_or_not_there(self):
        with self.assertRaisesRegex(parts.Trouble, "cannot write '.*/no/x.json': No such file"):
            reports.write(self.folder / "no" / "x.json", "{}")
        reports.write(self.folder / "x.json", json.dumps(found()))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.json"])
        self.assertTrue(reports.read(self.folder / "x.json")["right"])

    def test_another_file_is_refused(self):
        for text, words in (("{", "is not JSON"), ('{"benchmarks": []}', "is no result of"), ("[]", "is no result of")):
            (self.folder / "r.json").write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(parts.Trouble, words):
                reports.read(self.folder / "r.json")


class Tables(InFolder):
    def test_one_line_a_folder_with_its_best_time(self):
        times = [dict(found(time=t)["times"][0], space=s) for t, s in ((9e6, "openmp"), (2e6, "cuda"))]
        line = grading.line("class/anna", found(rows=[row()], times=times))
        self.assertEqual((line["outcome"], line["space"], line["time_ns"], line["percent_of_ceiling"], line["cases"]), ("right", "cuda", 2e6, 80.0, 1))
        self.assertEqual(tuple(line), grading.COLUMNS)

    def test_what_a_spreadsheet_would_compute_is_text(self):
        lines = [grading.line("=cmd()", found(what="-1 element", rows=[row()])), grading.line('a,"b"', found())]
        read = list(csv.DictReader(io.StringIO(grading.as_csv(lines))))
        self.assertEqual([(one["folder"], one["outcome"]) for one in read], [("'=cmd()", "wrong"), ('a,"b"', "right")])
        self.assertEqual(read[0]["verdict"], "'-1 element")

    def test_the_last_line_counts(self):
        lines = [grading.line("anna", found()), grading.line("bo", found(what="two runs differ")), {**dict.fromkeys(grading.COLUMNS, ""), "folder": "c", "outcome": "not checked", "verdict": "why"}]
        said = list(grading.shown(lines))
        self.assertEqual(said[1:], ["bo    vector_add range: two runs differ", "c     not checked: why", "3 folders: 1 right, 1 wrong, 1 not checked"])

    def test_folders_are_there_and_named_once(self):
        (self.folder / "a").mkdir()
        for names, words in ((["a", "b"], "there is no folder 'b'"), (["a", "a/"], "'a/' is named twice")):
            self.assertEqual(self.lesson("grade", *names), (2, "", f"parallax: {words}\n"))


class Limits(InFolder):
    def test_time(self):
        why = grading.limited([sys.executable, "-c", "import time; time.sleep(1000)"], 0.5, 8, False)
        self.assertEqual(why, "stopped after 0.5 s")

    def test_what_it_began_ends_with_it(self):
        pid = self.folder / "pid"
        script = f"import subprocess; p = subprocess.Popen(['sleep', '1000']); open({str(pid)!r}, 'w').write(str(p.pid)); print('done')"
        self.assertEqual(grading.limited([sys.executable, "-c", script], 100, 8, False), "done")
        state = Path(f"/proc/{pid.read_text()}/stat")

        def runs():
            try:
                return state.read_text().rpartition(")")[2].split()[0] != "Z"
            except OSError:
                return False

        while runs():  # the system ends it in a moment; else this test never ends
            time.sleep(0.01)

    def test_memory(self):
        why = grading.limited([sys.executable, "-c", "bytearray(3 << 30)"], 100, 1, False)
        self.assertEqual(why, "MemoryError")

    def test_files_and_network(self):
        if why := confining.missing():
            self.skipTest(why)
        work, other = self.folder / "work", self.folder / "other"
        work.mkdir(), other.mkdir()
        script = """
import socket, sys
for file in sys.argv[1:]:
    try:
        open(file, "w").write("x"); print("wrote")
    except OSError as error:
        print(type(error).__name__)
try:
    socket.create_connection(("127.0.0.1", int(sys.stdin.read())), 5); print("connected")
except OSError:
    print("no network")
"""
        with socket.create_server(("127.0.0.1", 0)) as server, mock.patch.dict(os.environ, {confining.ASKED: "1"}):
            command = confining.confined([sys.executable, "-c", script, str(work / "x"), str(other / "x")], work)
            said = subprocess.run(command, input=str(server.getsockname()[1]), capture_output=True, text=True, check=False)
        lines = said.stdout.splitlines()
        self.assertEqual((lines[0], lines[1] == "wrote", lines[2]), ("wrote", False, "no network"), said.stderr)
        self.assertFalse((other / "x").exists())


class Board(InFolder):
    def test_the_best_of_each_name_first(self):
        results = [found("bo", time=4e6, percent=50), found("anna", time=2e6, percent=90), found("bo", time=3e6, percent=60), found("c", what="wrong values"), found("d")]
        page, left_out = board.page(results)
        self.assertEqual([one["name"] for one in left_out], ["c", "d"])
        self.assertLess(page.index("anna"), page.index(">bo<"))
        self.assertEqual((page.count(">bo<"), page.count("60 %"), page.count("50 %")), (1, 1, 0))

    def test_names_are_text(self):
        page, _ = board.page([found("<script>x", time=1e3)])
        self.assertNotIn("<script>", page)
        self.assertIn("&lt;script&gt;x", page)

    def test_from_files(self):
        reports.write(self.folder / "a.json", json.dumps(found(time=1e3)))
        reports.write(self.folder / "b.json", json.dumps(found("bo", what="two runs differ")))
        self.assertEqual(self.lesson("board", "a.json", "b.json"), (0, "left out: bo, vector_add range: two runs differ\nboard.html: 1 of 2 results\n", ""))
        self.assertIn("<td>anna</td>", (self.folder / "board.html").read_text())
        self.assertEqual(self.lesson("board", "no.json")[0], 2)


if __name__ == "__main__":
    unittest.main()
