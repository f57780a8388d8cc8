# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Several ranks and arrays of odd shapes: few rows on a rank, panels of matrices, groups that straddle ranks, weak scaling."""

import tempfile
import unittest
from pathlib import Path

from launching import Same, launch, need_several_ranks

setUpModule = need_several_ranks


class Shapes(Same, unittest.TestCase):
    def test_plates_with_few_rows_on_each_rank(self):
        for ranks, sizes in (
            (2, "rows=2,columns=5,steps=6"),  # one row, the first and the last of its rank
            (3, "rows=5,columns=3,steps=1"),  # nothing to send
            (3, "rows=8,columns=67,steps=12,start=eigenmode"),
        ):
            self.assertEqual(self.same(ranks, "heat", "--size", "tiny", "--precision", "all", "--set", sizes), {"heat"})

    def test_products_of_panels(self):
        for ranks, sizes, more in (
            (4, "m=3,n=2,k=1", []),  # a rank without rows, and one without columns
            (4, "m=3,n=1,k=5", ["--transport", "staged"]),  # two of them without columns: they send none
            (6, "m=67,n=45,k=1201", ["--precision", "all"]),  # 2 x 3 ranks, panels of 512 and less; staged, one in another one's time
            (7, "m=5,n=3,k=1031,input=integers", ["--layout", "left"]),
            (4, "m=300,n=301,k=302,input=integers", []),  # large enough for Freivalds' check
            (4, "m=5,n=1537,k=13", ["--precision", "all"]),  # wide enough that one row of ranks gathers A
            (3, "m=7,n=1025,k=2,input=integers", ["--layout", "left"]),  # and one rank has no part of it
        ):
            self.assertEqual(self.same(ranks, "matmul", "--size", "tiny", "--set", sizes, *more), {"matmul"})

    def test_weak_scaling_of_products_keeps_each_ranks_work(self):
        weak = launch(6, "run", "matmul", "--size", "tiny", "--set", "m=11,n=13,k=17,input=integers", "--scaling", "weak", "--verify-only")
        one = launch(1, "run", "matmul", "--size", "tiny", "--set", "m=22,n=39,k=17,input=integers", "--verify-only")
        self.assertEqual((weak.status, one.status), (0, 0), weak.err + one.err)
        alone, found = one.rows(), {name: row for name, row in weak.rows().items() if not row.get("skipped")}
        self.assertGreater(len(found), 4)
        for name, row in found.items():
            self.assertEqual((row["result"], row["items"], row["flops"]), (alone[name]["result"], 22 * 39, alone[name]["flops"]))

    def test_groups_that_straddle_ranks(self):
        for mean in ("0", "0.001", "3"):  # one group on all ranks, some on several, none
            self.assertEqual(self.same(4, "group_sum", "--size", "tiny", "--set", f"n=1009,mean={mean}"), {"group_sum"})

    def test_keys_of_every_type_and_many_equal_ones(self):
        for more in (["--precision", "all"], ["--precision", "f32", "--set", "n=1009,low=5,high=5.000001"], ["--set", "n=1009,low=-1,high=1"]):
            self.assertEqual(self.same(3, "uniform_sort", "--size", "tiny", *more), {"uniform_sort"})

    def test_each_rank_reads_its_part_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder) / "events.h5")
            made = launch(1, "generate", "events", file, "--set", "n=1200,giant_event=70")
            self.assertEqual(made.status, 0, made.err)
            for more in (["input_slice=200"], ["n=1000"]):  # slice by slice, and at once
                self.assertEqual(self.same(3, "dilepton_mass", "--input", file, "--set", *more), {"dilepton_mass"})

    def test_weak_scaling_is_as_one_rank_with_all_of_it(self):
        weak = launch(3, "run", "histogram", "--size", "tiny", "--set", "n=1001", "--scaling", "weak", "--verify-only")
        one = launch(1, "run", "histogram", "--size", "tiny", "--set", "n=3003", "--verify-only")
        self.assertEqual((weak.status, one.status), (0, 0), weak.err + one.err)
        alone = one.rows()
        self.assertTrue(alone)
        for row in weak.results()["benchmarks"]:
            name = row["name"].replace("/weak:3", "")
            self.assertNotEqual(name, row["name"])
            self.assertEqual((row["scaling"], row["items"]), ("weak", 3003))
            self.assertEqual(row["result"], alone[name]["result"])


if __name__ == "__main__":
    unittest.main()
