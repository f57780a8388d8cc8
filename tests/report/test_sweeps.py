# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""parallax run --sweep: which rows it makes, and what it refuses."""

import json
import sys
import unittest

from support import InFolder


class Sweeps(InFolder):
    QUICK = ("run", "vector_add", "--variant", "range", "--size", "tiny", "--verify-only")

    def names(self, *options):
        outcome = self.run_program(*self.QUICK, *options, "--json", self.folder / "s.json")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        rows = json.loads((self.folder / "s.json").read_text())["benchmarks"]
        return {r["name"]: r for r in rows if "skipped" not in r}

    def test_sizes(self):
        host = self.host_space()
        rows = self.names("--space", host, "--sweep", "n=1e1:1e3:x10")
        self.assertEqual(list(rows), [f"vector_add/range/{host}/f32/n:{n}" for n in (10, 100, 1000)])
        self.assertEqual([r["parameters"]["n"] for r in rows.values()], [10, 100, 1000])

    def test_several_sweeps_multiply(self):
        host = self.host_space()
        rows = self.names("--space", host, "--sweep", "n=5,7", "--sweep", "input=ones,indexed")
        self.assertEqual(
            [name.removeprefix(f"vector_add/range/{host}/f32") for name in rows],
            ["/n:5/input:ones", "/n:5/input:indexed", "/n:7/input:ones", "/n:7/input:indexed"],
        )

    def test_threads_of_openmp_and_of_nothing_else(self):
        spaces = self.run_program("list", "--json").stdout
        if '"openmp"' not in spaces:
            self.refused(self.run_program(*self.QUICK, "--sweep", "threads=1,2"), 2, "threads")
            return
        serial = '"serial"' in spaces
        rows = self.names("--space", "serial,openmp" if serial else "openmp", "--sweep", "threads=1,2")
        self.assertEqual(
            list(rows),
            ["vector_add/range/serial/f32"] * serial + [f"vector_add/range/openmp/f32/threads:{n}" for n in (1, 2)],
        )
        self.assertEqual([r.get("space_threads") for r in rows.values()], [None] * serial + [1, 2])
        if serial:
            self.refused(self.run_program(*self.QUICK, "--space", "serial", "--sweep", "threads=1,2"), 2, "threads")
        self.refused(self.run_program(*self.QUICK, "--sweep", "threads=1,100000"), 2, "100000")

    def test_a_size_beyond_memory_is_refused_before_the_work(self):
        out = self.folder / "s.json"
        outcome = self.run_program(*self.QUICK, "--sweep", "n=1e3:1e13:x1e5", "--json", out)
        self.refused(outcome, 3, "needs 120 TB", "n:10000000000000")
        self.assertFalse(out.exists())

    def test_bad_sweeps(self):
        for sweep, *words in (
            ("m=1,2", "unknown parameter 'm'"),
            ("n=0,1", "'0'"),
            ("n=1:2", "NAME=FIRST:LAST:xFACTOR"),
            ("input=ones,twos", "'twos'"),
        ):
            self.refused(self.run_program(*self.QUICK, "--sweep", sweep), 2, *words)
        self.refused(self.run_program(*self.QUICK, "--sweep", "n=1,2", "--set", "n=3"), 2, "both set and swept")
        self.refused(self.run_program(*self.QUICK, "--sweep", "n=1,2", "--sweep", "n=3,4"), 2, "swept twice")
        many = ["--sweep", "n=1:1000:+1", "--sweep", "input=ones,indexed"]
        outcome = self.run_program(*self.QUICK, *many, "--dry-run")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
