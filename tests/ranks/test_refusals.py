# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What several ranks refuse, in one line of one of them."""

import shutil
import tempfile
import unittest
from pathlib import Path

from launching import PROGRAMS, WRONG, device, host_space, launch, need_several_ranks

setUpModule = need_several_ranks


class Refusals(unittest.TestCase):
    def refused(self, status, words, *arguments, ranks=3, **options):
        found = launch(ranks, *arguments, **options)
        self.assertEqual(found.status, status, found.err)
        self.assertEqual(len(found.said), 1, found.err)
        self.assertRegex(found.said[0], words)
        self.assertEqual(found.out, "")

    def test_each_in_one_line(self):
        tiny = ("run", "vector_add", "--size", "tiny")
        for status, words, *arguments in (
            (2, "increment runs on one rank only; this run has 3 .on several: .*vector_add", "run", "increment"),
            (2, "--tune: works with one rank only", *tiny, "--tune"),
            (2, "--scaling: 'wek' is not one of its values .did you mean 'weak'", *tiny, "--scaling", "wek"),
            (2, "order=sorted", "run", "group_sum", "--size", "tiny", "--set", "order=shuffled"),
            (2, "fewer than the taps - 1", "run", "memory_kinds", "--size", "tiny", "--set", "n=17"),
            (2, "heat: 2 rows are fewer than the 3 ranks", "run", "heat", "--size", "tiny", "--set", "rows=2"),
            (2, "events=made are for one rank", "run", "dilepton_mass", "--size", "tiny", "--set", "events=made"),
            (2, "makes 3000000 rows .expected at most 1000000", "run", "mandelbrot", "--set", "rows=1000000", "--scaling", "weak"),
            (2, "threads=2 is less than the 3 ranks", "run", "circle_area", "--size", "tiny", "--set", "threads=2"),
            (2, "--transport: 'stagd' is not one of its values .did you mean 'staged'", *tiny, "--transport", "stagd"),
            (2, "--transport nccl: sends a device's memory, and this run has none", *tiny, "--space", host_space(), "--transport", "nccl"),
            (2, "--counters: works with one rank only", *tiny, "--counters"),
            (3, "needs .* of memory", *tiny, "--set", "n=1e14"),
            (3, "cannot write '/nowhere/x.csv'", *tiny, "--csv", "/nowhere/x.csv"),
        ):
            with self.subTest(words=words):
                self.refused(status, words, *arguments)

    def test_other_arguments_on_another_rank(self):
        other = (str(PROGRAMS / "parallax"), "run", "tree_sum", "--dry-run")
        self.refused(2, "rank 1 was given other arguments than rank 0", "run", "vector_add", "--dry-run", ranks=1, others=(":", "-n", "1", *other))

    def test_a_script_on_one_rank_asks_for_what_needs_no_other(self):
        file = str(Path(__file__).resolve().parents[1] / "fuzz/corpus/results/openmp.json")
        words = f"--version; {PROGRAMS}/parallax list; {PROGRAMS}/parallax run --help; {PROGRAMS}/parallax compare {file} {file}"
        script = f'case $OMPI_COMM_WORLD_RANK$PMI_RANK in 0*) {PROGRAMS}/parallax {words} || exit 1; echo all of them; esac'
        found = launch(2, "-c", script, program="/bin/sh")
        self.assertEqual((found.status, found.said), (0, []), found.err)
        self.assertTrue(found.out.endswith("all of them\n"), found.out)

    def test_a_launcher_and_no_library_to_join_by(self):
        """Each would do all of the work, and write the same file."""
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(PROGRAMS / "parallax", folder)
            late = f"case $OMPI_COMM_WORLD_RANK$PMI_RANK in 0*) sleep 1; esac; exec {program} run vector_add --size tiny"
            words = "(OMPI_COMM_WORLD|PMI)_SIZE=2: this program runs as one process, .*without MPI"
            self.refused(3, words, "-c", late, ranks=2, program="/bin/sh")

    def test_a_way_that_does_not_deliver(self):
        wrong = {"PARALLAX_MPI_LIBRARY": str(WRONG)}
        arguments = ("run", "vector_add", "--size", "tiny", "--space", device() or host_space(), "--transport", "staged")
        self.refused(3, "--transport staged: .*: what was sent did not arrive", *arguments, ranks=2, environment=wrong)

    def test_a_library_that_cannot_be_loaded(self):
        found = launch(2, "run", environment={"PARALLAX_MPI_LIBRARY": "/nowhere/mpi.so"})
        self.assertNotEqual(found.status, 0)
        self.assertIn("cannot load MPI", found.err)


if __name__ == "__main__":
    unittest.main()
