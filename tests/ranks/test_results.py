# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Several ranks find what one rank finds, by every way of sending and with fewer elements than ranks."""

import unittest

from launching import ARRAYS, DISTRIBUTED, SENDING, Same, need_several_ranks

setUpModule = need_several_ranks


class Results(Same, unittest.TestCase):
    def test_any_number_of_ranks_finds_what_one_finds(self):
        for ranks in (2, 3, 4, 7):
            self.assertEqual(self.same(ranks, *sorted(DISTRIBUTED), "--size", "tiny"), DISTRIBUTED)

    def test_by_way_of_staging(self):
        staged = ("--transport", "staged")
        for ranks in (2, 3):
            self.assertEqual(self.same(ranks, *sorted(SENDING), "--size", "tiny", *staged), SENDING)
        for exercise, sizes in (  # of several pieces each
            ("uniform_sort", "n=4000003"),
            ("matmul", "m=9001,n=3,k=700"),
        ):
            self.assertEqual(self.same(3, exercise, "--size", "tiny", "--set", sizes, *staged), {exercise})

    def test_fewer_elements_than_ranks(self):
        lists, streams = sorted(ARRAYS - {"row_sum", "memory_kinds"}), ["circle_area", "mandelbrot_area"]
        self.assertEqual(self.same(4, *lists, "--size", "tiny", "--sweep", "n=1,2,5"), set(lists))
        self.assertEqual(self.same(4, "row_sum", "--size", "tiny", "--sweep", "rows=1,2,5", "--set", "columns=3"), {"row_sum"})
        self.assertEqual(self.same(4, "mandelbrot", "--size", "tiny", "--sweep", "rows=1,2,5,17"), {"mandelbrot"})
        self.assertEqual(self.same(4, *streams, "--size", "tiny", "--set", "threads=5,trials=3"), set(streams))


if __name__ == "__main__":
    unittest.main()
