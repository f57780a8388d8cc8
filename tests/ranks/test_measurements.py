# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What is measured on several ranks, the way that messages take, and messages that are lost."""

import unittest

from launching import PROGRAMS, SENDING, WRONG, device, host_space, launch, need_several_ranks

setUpModule = need_several_ranks


class Measurements(unittest.TestCase):
    def test_what_is_measured(self):
        found = launch(2, "run", "vector_add", "tree_sum", "normalize", "group_sum", "row_sum", "heat", "memory_kinds", "matmul", "--size", "tiny", "--repeat", "5")
        self.assertEqual(found.status, 0, found.err)
        results = found.results()
        self.assertEqual(results["context"]["mpi_ranks"], 2)
        self.assertEqual(len(results["context"]["mpi"]["ranks"]), 2)
        sizes = [link["bytes"] for link in results["context"]["mpi"]["links"]]
        self.assertEqual(sizes, sorted(sizes))
        for link in results["context"]["mpi"]["links"]:
            for kind in ("one_way", "both_ways", "all_reduce", "all_to_all"):
                self.assertGreater(link[f"{kind}_ns"], 0)
        for name, row in found.rows().items():
            if "samples" not in row:
                continue
            with self.subTest(row=name):
                ranks = row["rank_samples"]
                self.assertEqual([len(own) for own in ranks], [len(row["samples"])] * 2)
                self.assertEqual([max(own) for own in zip(*ranks)], row["samples"])
                self.assertEqual("percent_of_link" in row, row["messages"] != [])
                self.assertEqual("percent_of_link" in row, row["exercise"] in ("tree_sum", "normalize", "group_sum", "heat", "memory_kinds", "matmul"))
        sent = {row["exercise"]: row["messages"] for row in found.rows().values() if "samples" in row}
        self.assertEqual(sent["tree_sum"], [{"pattern": "sum", "bytes": 4.0}])
        self.assertEqual(sent["group_sum"], [{"pattern": "sum", "bytes": 32.0, "from_host": True}])
        self.assertEqual(sent["memory_kinds"], [{"pattern": "to_neighbour", "bytes": 24.0}])
        self.assertEqual(sent["heat"], [{"pattern": "to_neighbour", "bytes": 73 * 4.0}] * 16)  # both ways before 8 of 9 steps
        self.assertEqual(sent["vector_add"], [])
        self.assertIn("ranks: 2 by ", found.out)

    def test_the_way_taken_is_recorded_and_measured(self):
        for way, arguments in (("host", []), ("staged", ["--transport", "staged"])):
            found = launch(2, "run", "tree_sum", "--size", "tiny", "--repeat", "3", "--verbose", "--space", host_space(), *arguments)
            self.assertEqual(found.status, 0, found.err)
            taken = found.results()["context"]["mpi"]["transports"]
            self.assertEqual({space: route["name"] for space, route in taken.items()}, {host_space(): way})
        self.assertEqual([link["bytes"] for link in taken[host_space()]["links"]][:2], [8, 64])
        self.assertIn(f"links of {host_space()} (staged): one way ", found.out)

    @unittest.skipIf(not (PROGRAMS / "libparallax_nccl.so").exists(), "this build has no NCCL")
    def test_nccl_sends_or_says_why_not(self):
        found = launch(2, "run", *sorted(SENDING), "--size", "tiny", "--repeat", "3", "--space", device(), "--transport", "nccl")
        if found.status == 0:  # two devices, or an NCCL that lets ranks share one
            self.assertEqual(found.results()["context"]["mpi"]["transports"][device()]["name"], "nccl")
            rows = [row for row in found.rows().values() if not row.get("skipped")]
            self.assertTrue(rows and all(row["verified"] or row["expected_to_fail"] for row in rows))
        else:
            self.assertEqual((found.status, len(found.said)), (3, 1), found.err)
            self.assertRegex(found.said[0], "--transport nccl: .*NCCL")

    def test_info_shows_the_links(self):
        found = launch(2, "info", "--ranks")
        self.assertEqual(found.status, 0, found.err)
        self.assertIn(f"from the memory of {host_space()}, host\n", found.out)
        if device() is not None:
            self.assertIn(f"from the memory of {device()}, staged\n", found.out)
        self.assertRegex(found.out, r"message +one way +both ways +all-reduce +all-to-all")
        self.assertEqual(found.out.count("rank 1: "), 1)

    def test_one_rank_of_a_launcher_is_as_none(self):
        found = launch(1, "run", "increment", "--size", "tiny", "--verify-only")
        self.assertEqual(found.status, 0, found.err)
        self.assertEqual({row["name"].count("ranks") for row in found.results()["benchmarks"]}, {0})
        self.assertNotIn("mpi", found.results()["context"])

    def test_a_message_that_is_lost_is_seen(self):
        for ranks, sending in (
            (2, ["tree_sum", "histogram", "normalize", "group_sum", "heat", "memory_kinds", "matmul"]),
            (3, ["tree_sum", "histogram", "normalize", "group_sum", "heat", "memory_kinds", "matmul"]),
            (6, ["matmul"]),
        ):
            found = launch(ranks, "run", *sending, "--size", "tiny", "--verify-only", "--space", host_space(), environment={"PARALLAX_MPI_LIBRARY": str(WRONG)})
            self.assertEqual(found.status, 1, found.err)
            rows = [row for row in found.results()["benchmarks"] if not row.get("skipped")]
            self.assertEqual({row["exercise"] for row in rows}, set(sending))
            for row in rows:
                adds_one_double = row["exercise"] == "normalize" and row["tier"] == "lesson"
                self.assertEqual(row["verified"], adds_one_double, row["name"])
                if not adds_one_double:
                    self.assertRegex(row["check"]["compared"], "^rank [0-9]: ")
                if row["exercise"] == "matmul":  # gathers; and below sends panels along rows and columns, which come in the wrong order
                    self.assertRegex(row["check"]["compared"], "^rank 0: ")

    def test_rows_that_are_computed_twice_or_never_are_seen(self):
        wrong = {"PARALLAX_MPI_LIBRARY": str(WRONG), "PARALLAX_TEST_WRONG_COUNTER": "1"}
        for ranks in (2, 3):
            found = launch(ranks, "run", "mandelbrot", "--size", "tiny", "--verify-only", environment=wrong)
            self.assertEqual(found.status, 1, found.err)
            rows = [row for row in found.results()["benchmarks"] if not row.get("skipped")]
            self.assertEqual({row["variant"] for row in rows if not row["verified"]}, {"dynamic_blocks"})
            self.assertIn("interleaved_rows", {row["variant"] for row in rows})
            for row in rows:
                if not row["verified"]:
                    # 16 rows twice, 16 never; of a device's blocks 64 and 37.
                    self.assertRegex(row["check"]["compared"], "^rank 0: how often each row was computed with 1: (32|101) of 101 wrong")


if __name__ == "__main__":
    unittest.main()
