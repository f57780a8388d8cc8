# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Kokkos Tools: the program loads a library that it is told of, and the report reads the simple kernel timer."""

import json
import os
import struct
import sys
import unittest
from pathlib import Path

import samples
from support import InFolder

from parallax.report import profile
from parallax.errors import Refusal

TOOL = os.environ.get("PARALLAX_TEST_TOOL", "")


@unittest.skipUnless(TOOL and Path(TOOL).exists(), "the test's tool is not built: PARALLAX_TEST_TOOL names it")
class Tool(InFolder):
    RUN = ("run", "vector_add", "--variant", "range", "--size", "tiny", "--verify-only")

    def counted(self, *options, **environment):
        environment["COUNTING_TOOL_OUTPUT"] = str(self.folder / "counts")
        outcome = self.run_program(*self.RUN, "--space", self.host_space(), *options, environment=environment)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        lines = [line.split(" ", 2) for line in (self.folder / "counts").read_text().splitlines()]
        return {(kind, name): int(count) for count, kind, name in lines}

    def test_by_option(self):
        counts = self.counted(f"--kokkos-tools-libs={TOOL}")
        self.assertEqual(counts["for", "parallax::vector_add::range"], 1)

    def test_by_environment(self):
        counts = self.counted(KOKKOS_TOOLS_LIBS=TOOL)
        self.assertEqual(counts["for", "parallax::vector_add::range"], 1)

    def test_every_kernel_that_a_user_would_see_has_a_name_of_ours(self):
        counts = self.counted(KOKKOS_TOOLS_LIBS=TOOL)
        ours = [name for _, name in counts if name.startswith("parallax::")]
        self.assertEqual(sorted(n for n in ours if "::vector_add" in n), ["parallax::vector_add::range"])


def dat(total, kernels):
    data = struct.pack("=d", total)
    for name, kind, calls, seconds in kernels:
        text = name.encode()
        record = struct.pack("=I", len(text)) + text + struct.pack("=QddI", calls, seconds, seconds**2, kind)
        data += struct.pack("=I", len(record)) + record
    return data


KERNELS = [("parallax::a", 0, 10, 0.5), ("parallax::<b>", 1, 2, 0.25), ("setup", 3, 1, 1.5)]
AS_JSON = {
    "kokkos-kernel-data": {
        "total-app-time": 2.0,
        "total-kernel-times": 2.25,
        "region-perf-info": [
            {"kernel-name": "setup", "call-count": 1, "total-time": 1.5, "kernel-type": "PARALLEL-SCAN"}
        ],
        "kernel-perf-info": [
            {"kernel-name": "parallax::a", "call-count": 10, "total-time": 0.5, "kernel-type": "PARALLEL-FOR"},
            {"kernel-name": "parallax::<b>", "call-count": 2, "total-time": 0.25, "kernel-type": "PARALLEL-REDUCE"},
        ],
    }
}
AS_TEXT = """ (Type)   Total Time, Call Count, Avg. Time per Call, %Total Time in Kernels, %Total Program Time
-------------------------------------------------------------------------

Regions:

- setup
 (REGION)   1.500000 1 1.500000 200.000000 75.000000

-------------------------------------------------------------------------
Kernels:

- parallax::a
 (ParFor)   0.500000 10 0.050000 66.666667 25.000000
- parallax::<b>
 (ParRed)   0.250000 2 0.125000 33.333333 12.500000

-------------------------------------------------------------------------
Summary:

Total Execution Time (incl. Kokkos + non-Kokkos):                   2.00000 seconds
"""


class KernelTimer(InFolder):
    def write(self, content):
        path = self.folder / "timer"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def test_times_that_no_machine_measures_are_refused(self):
        for seconds in ("1e308", "1e999", "-1.0", "1" + "0" * 5000):
            for content in (
                json.dumps(AS_JSON).replace('"total-time": 0.5', f'"total-time": {seconds}'),
                AS_TEXT.replace("0.500000 10", f"{seconds} 10"),
                dat(2.0, [("a", 0, 1, float(seconds))]) if len(seconds) < 9 and seconds != "1e308" else b"",
            ):
                with self.subTest(seconds=seconds[:9], content=content[:20]), self.assertRaises(Refusal) as caught:
                    profile.section(self.write(content))
                self.assertLess(len(str(caught.exception)), 1100)

    def test_what_only_looks_like_a_number_is_none(self):
        with self.assertRaises(Refusal) as caught:
            profile.read(self.write(AS_TEXT.replace("0.5", "-.E+").replace("0.25", "E").replace("1.5", "..")))
        self.assertIn("names no kernels", str(caught.exception))

    def test_all_three_forms_say_the_same(self):
        for content in (dat(2.0, KERNELS), json.dumps(AS_JSON), AS_TEXT):
            total, kernels = profile.read(self.write(content))
            self.assertEqual(total, 2.0)
            found = [(k.name, k.kind, k.calls, k.seconds) for k in kernels]
            self.assertEqual(
                found,
                [
                    ("setup", "region", 1, 1.5),
                    ("parallax::a", "parallel_for", 10, 0.5),
                    ("parallax::<b>", "parallel_reduce", 2, 0.25),
                ],
            )

    def test_the_section_escapes_names_and_leaves_regions_out_of_the_shares(self):
        text = profile.section(self.write(dat(2.0, KERNELS)))
        self.assertIn("parallax::&lt;b&gt;", text)
        self.assertIn("66.7 %", text)
        self.assertIn("750 ms in kernels of 2.00 s in all", text)

    def test_broken_files_are_refused(self):
        whole = dat(2.0, KERNELS)
        contents = [
            b"",
            b"1234567",
            whole[:-1],
            whole[:20],
            whole + b"\x01",
            b"\xff" * 64,
            "{",
            "{}",
            "(Type)\n",
            "[1]",
        ]
        contents.append(dat(float("nan"), KERNELS))
        contents.append(dat(1.0, [("a", 9, 1, 1.0)]))
        contents.append(json.dumps({"kokkos-kernel-data": {"kernel-perf-info": 3}}))
        contents.append(json.dumps({"kokkos-kernel-data": {"kernel-perf-info": [{"total-time": "long"}]}}))
        for content in contents:
            with self.subTest(content[:40]), self.assertRaises(Refusal) as caught:
                profile.section(self.write(content))
            self.assertIn("timer'", str(caught.exception))

    def test_the_page_has_it(self):
        self.need_matplotlib()
        results = samples.write(self.folder / "r.json", samples.results([samples.row("a", "b", "serial")]))
        timer = self.write(dat(2.0, KERNELS))
        outcome = self.run_report(results, "-o", self.folder / "o.html", "--kernel-timer", timer)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("parallax::&lt;b&gt;", (self.folder / "o.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(unittest.main())
