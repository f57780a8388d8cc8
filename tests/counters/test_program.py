# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The real program and this machine's real perf: the switch through its FIFOs, and what is refused."""

import json
import os
import re
import shutil
import unittest

import support


ROW = ("vector_add", "--variant", "range", "--precision", "f32", "--set", "n=100003", "--no-ceilings", "--repeat", "3", "--min-time", "0")
FAKE_PERF = '#!/bin/sh\nprintf "%s\\n" "$@" >>"$PERF_LOG"\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@"\n'


class Program(support.processes.InFolder):
    def run_row(self, *more, environment=None):
        return self.run_program("run", *ROW, "--space", self.host_space(), *more, environment=environment)

    def counted(self):
        data = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        return next(row["counters"] for row in data["benchmarks"] if "counters" in row)

    def need_perf(self):
        """A container may forbid perf altogether."""
        if not shutil.which("perf"):
            self.skipTest("no perf")
        works = self.start(["perf", "stat", "-x,", "-e", "task-clock", "--delay=-1", "true"])
        if works.returncode:
            self.skipTest("perf does not work here: " + (works.stderr.strip().splitlines() or ["no reason given"])[0])

    def test_perf_counts_between_the_switches_only(self):
        self.need_perf()
        done = self.run_row("--counters", "--json", "out.json")
        self.assertEqual(0, done.returncode, done.stderr)
        counters = self.counted()
        self.assertEqual("perf", counters["tool"])
        self.assertEqual(12 * 100003, counters["needed_bytes"])
        # The whole process has thousands of them, and takes far longer than this kernel.
        self.assertLess(counters["page_faults"], 2000)
        self.assertGreater(counters["seconds"], 0)
        self.assertIn("\ncounters\n", done.stdout)

    def test_the_tools_variable_wins_over_the_users(self):
        self.need_perf()
        done = self.run_row("--counters", environment={"PARALLAX_COUNTED": "neither"})
        self.assertEqual(0, done.returncode, done.stderr)

    def test_without_perf_the_run_is_the_same_but_for_its_status(self):
        (self.folder / "bin").mkdir()
        for name in filter(shutil.which, ("python3", "env", "bash", "readlink", "dirname")):  # what a Python may be started by
            os.symlink(shutil.which(name), self.folder / "bin" / name)
        done = self.run_row("--counters", "--verify", "full", "--quiet", "--json", "out.json", environment={"PATH": str(self.folder / "bin")})
        self.assertEqual(3, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r"parallax: --counters: there is no perf here: .* \(1 row\)\n$")
        self.assertNotIn("counters", done.stdout)
        text = (self.folder / "out.json").read_text(encoding="utf-8")
        self.assertNotIn('"counters"', text)
        self.assertNotIn("--counters", re.search('"command_line": "(.*)"', text)[1])

    def test_the_command_that_perf_is_given_runs_the_row(self):
        (self.folder / "bin").mkdir()
        perf = self.folder / "bin" / "perf"
        perf.write_text(FAKE_PERF)
        perf.chmod(0o755)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = self.run_row("--counters", "--quiet", environment={"PATH": path, "PERF_LOG": str(self.folder / "log")})
        self.assertIn("perf printed no counter (1 row)", done.stderr)
        words = (self.folder / "log").read_text().splitlines()
        again = self.start(words[words.index("--") + 1 :])
        self.assertEqual(0, again.returncode, again.stderr)
        self.assertIn("verified", again.stdout)

    def test_a_counted_program_ends_with_its_row(self):
        for place in (0, 1):
            with self.subTest(place=place):
                environment = {"PARALLAX_COUNTED": "device", "PARALLAX_COUNTED_PASS": str(place)}
                done = self.run_program("run", "vector_add", "--set", "n=1003", "--verify-only", "--json", "out.json", environment=environment)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertEqual(place + 1, len(json.loads((self.folder / "out.json").read_text(encoding="utf-8"))["benchmarks"]))

    def test_refusals(self):
        for more in (("--sweep", "n=1,2"), ("--verify-only",), ("--scaling", "weak"), ("--tune",), ("--dry-run",)):
            with self.subTest(more=more):
                self.refused(self.run_program("run", "vector_add", "--counters", *more), 2, "--counters", more[0])
        self.refused(self.run_program("run", "vector_add", "--counters", "--list"), 2, "--list")
        self.refused(self.run_program("run", "vector_ad", "--counters"), 2, "vector_ad")
        self.refused(self.run_program("why"), 2, "EXERCISE/VARIANT")

    def test_help_and_completion_have_them(self):
        self.assertIn("--counters", self.run_program("run", "--help").stdout)
        self.assertRegex(self.run_program("--help").stdout, r"\n +why ")


if __name__ == "__main__":
    unittest.main()
