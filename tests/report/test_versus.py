# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The chart that the page begins with: what is set against what, and on which side of 1."""

import sys
import unittest

import samples
from support import InFolder, skip

from parallax.report import load


def row(variant, where, ns, tier="lesson", exercise="vector_add", **more):
    return samples.row(exercise, variant, where, ns=ns, tier=tier, **more)


class Pairs(InFolder):
    def pairs(self, *files):
        try:
            from parallax.report import versus
        except ImportError as error:  # by this Python, which make_report.py need not be run by
            skip(f"no matplotlib: {error}")
        paths = [samples.write(self.folder / f"{k}.json", samples.results(*of)) for k, of in enumerate(files)]
        found = versus.processors(load.load(paths)[2])
        return [(p.slow.variant, p.slow.place.label, p.fast.variant, p.fast.place.label, round(p.ratio(), 3)) for p in found]

    def test_the_best_on_all_cores_against_the_best_on_one_whichever_is_faster(self):
        serial = [row("range", "serial", 9e6), row("team", "serial", 8e6), row("range", "serial", 1e3, exercise="launch")]
        openmp = [row("range", "openmp", 2e6), row("team", "openmp", 3e6), row("range", "openmp", 4e3, exercise="launch")]
        expected = [("team", "serial", "range", "openmp", 4.0), ("range", "serial", "range", "openmp", 0.25)]
        self.assertEqual(self.pairs((serial + openmp,)), expected)

    def test_one_program_on_one_thread_and_on_all(self):
        one, two = [row("range", "openmp", 4e6)], [row("range", "openmp", 2e6)]
        expected = [("range", "openmp, 1 thread", "range", "openmp, 2 threads", 2.0)]
        self.assertEqual(self.pairs((one, "kokkos", 1), (two, "kokkos", 2)), expected)

    def test_a_sweep_over_threads_is_set_against_its_first(self):
        def threads(n):
            return row("range", "openmp", 8e6 / n, parameters={"threads": n}, suffix=f"/threads:{n}", space_threads=n)

        self.assertEqual(self.pairs((list(map(threads, (1, 2, 8))),)), [("range", "openmp", "range", "openmp", 8.0)])

    def test_what_only_one_side_has_and_what_is_not_kokkos_is_left_out(self):
        serial = [row("range", "serial", 9e6), row("kokkos_kernels", "serial", 1e5, "library"), row("native", "serial", 1.0)]
        openmp = [row("range", "openmp", 3e6), row("native", "openmp", 2.0)]
        self.assertEqual(self.pairs((serial + openmp,)), [("range", "serial", "range", "openmp", 3.0)])
        blas = row("kokkos_kernels", "openmp", 5e4, "library")
        self.assertEqual(self.pairs((serial + openmp + [blas],)), [("kokkos_kernels", "serial", "kokkos_kernels", "openmp", 2.0)])
        self.assertEqual(self.pairs(([row("range", "serial", 9e6), row("wide", "openmp", 1e6, "tuned")],)), [])

    def test_with_a_device_only_devices_are_compared(self):
        host = [row("range", "serial", 9e6), row("range", "openmp", 3e6), row("range", "serial", 4.0, exercise="x"), row("range", "openmp", 2.0, exercise="x")]
        self.assertEqual(self.pairs((host + [row("wide", "cuda", 6e6, "tuned"), row("range", "cuda", 12e6)],)), [("range", "openmp", "range", "cuda", 0.25)])

    def test_the_summary_has_the_best_and_the_median_with_their_names(self):
        self.pairs()
        from parallax.report import versus

        rows = [row("range", where, ns, exercise=e) for e, *both in (("a", 8e6, 1e6), ("b", 6e6, 3e6), ("c", 1e6, 4e6)) for where, ns in zip(("serial", "openmp"), both)]
        rows += [samples.failed(row("range", "serial", 1.0, exercise="d")), row("race", "serial", 1.0, expected_to_fail=True)]
        path = samples.write(self.folder / "x.json", samples.results(rows))
        said = ["6 of 7 rows verified", "All cores against one core: at best 8.00 times as fast (a), in the median 2.00 times as fast (b)"]
        self.assertEqual(versus.summary(load.load([path])[2]), said)
        # `a` was slow on one core because of other work: neither as the best there, nor as what lost to another variant.
        for variant in ("range", "team"):
            rows[0] = row("range", "serial", 8e6, exercise="a", **({"disturbed": "other work"} if variant == "range" else {}))
            rows[1] = row(variant, "openmp", 1e6, exercise="a")
            more = [row("team", "serial", 9e6, exercise="a", disturbed="other work")] if variant == "team" else []
            path = samples.write(self.folder / f"{variant}.json", samples.results(rows + more))
            self.assertIn("at best 2.00 times as fast (b)", versus.summary(load.load([path])[2])[1])
        for each in rows:
            each["disturbed"] = "other work"
        path = samples.write(self.folder / "all.json", samples.results(rows))
        self.assertIn("every time has a mark", versus.summary(load.load([path])[2])[1])

    def test_two_processors_are_not_set_against_each_other(self):
        other = samples.results([row("range", "openmp", 2e6)])
        other["context"]["spaces"]["openmp"]["device"] = "Another CPU"
        samples.write(self.folder / "other.json", other)
        serial = samples.write(self.folder / "serial.json", samples.results([row("range", "serial", 9e6)]))
        self.pairs()
        from parallax.report import versus

        self.assertEqual(versus.processors(load.load([serial, str(self.folder / "other.json")])[2]), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
