# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Timelines of kernels: drawn, or refused in one line."""

import json
import re
import shutil
import subprocess
import sys
import unittest

from support import ROOT, InFolder

PLOT = [sys.executable, str(ROOT / "python" / "plot_timeline.py"), "in.json"]


class PlotTimeline(InFolder):
    def plot(self, content, *arguments):
        (self.folder / "in.json").write_text(content if isinstance(content, str) else json.dumps(content))
        outcome = self.start([*PLOT, *arguments])
        return outcome.returncode, outcome.stderr

    def trace(self, *kernels):
        return {"traceEvents": [{"name": "free", "ph": "i", "ts": 15.5}, *({"name": n, "ph": "X", "ts": t, "dur": d} for n, t, d in kernels)]}

    def test_the_last_kernels_and_what_is_freed_between_them(self):
        trace = self.trace(("a::x", 0, 5), ("a::x", 10, 4), ("b", 14, 1), ("a::<y>", 16, 4))
        self.assertEqual(self.plot(trace, "a::=2", "b=1", "-o", "out.svg"), (0, ""))
        picture = (self.folder / "out.svg").read_text()
        self.assertEqual(re.findall(r"<title>(.*?)</title>", picture), ["a::x: 4.0 us", "a::&lt;y&gt;: 4.0 us", "free", "b: 1.0 us"])
        self.assertIn("a::x ... : 2 kernels in 0.01 ms, 80 % of it in kernels", picture)

    def test_what_cannot_be_drawn(self):
        good = self.trace(("a", 0, 5))
        for content, wanted, said in (
            ("", "a=1", "'in.json' is not a trace"),
            ({"traceEvents": [{"name": "a", "ph": "X", "ts": None}]}, "a=1", "'in.json' is not a trace"),
            (good, "b=1", "no kernel's name begins with 'b'"),
            (good, "a=0", "'a=0' is not NAME=NUMBER"),
            (good, "a", "'a' is not NAME=NUMBER"),
        ):
            with self.subTest(said):
                status, line = self.plot(content, wanted, "-o", "out.svg")
                self.assertEqual((status, line.count("\n")), (2, 1), line)
                self.assertIn(said, line)
        self.assertEqual(self.content(), ["in.json"])

    @unittest.skipUnless(shutil.which("c++"), "no C++ compiler")
    def test_the_tool_writes_such_a_trace(self):
        tool = self.folder / "timeline.so"
        subprocess.run(["c++", "-std=c++17", "-shared", "-fPIC", str(ROOT / "docs/profiling/timeline.cpp"), "-o", str(tool)], check=True, timeout=120)
        run = ("run", "quadratic", "--variant", "nine_pass", "--size", "tiny", "--verify-only", "--space", self.host_space())
        outcome = self.run_program(*run, environment={"KOKKOS_TOOLS_LIBS": str(tool), "TIMELINE": str(self.folder / "in.json")})
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(self.start([*PLOT, "parallax::quadratic::nine_pass::=9", "-o", "out.svg"]).returncode, 0)
        picture = (self.folder / "out.svg").read_text()
        self.assertEqual([picture.count(f"::{k}_") for k in range(1, 10)], [2] + [1] * 8)  # the first is in the title, too
        self.assertIn("<title>allocate</title>", picture)


if __name__ == "__main__":
    unittest.main()
