# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Time against energy: which processor needs fewer joules, and from which size on."""

import unittest

import samples
from support import InFolder, skip

from parallax.errors import Refusal
from parallax.report import load


def counted(joules, share=0.02, *parts):
    return {
        "energy": {
            "joules_per_run": joules,
            "interval": [joules * (1 - share), joules * (1 + share)],
            "parts": {part: {"joules_per_run": joules} for part in parts or ("package",)},
        }
    }


def row(space, n, joules, *parts, ns=1e6, variant="range", share=0.02, **more):
    return samples.row(
        "x", variant, space, n=n, suffix=f"/n:{n}", ns=ns, **(counted(joules, share, *parts) if joules else {}), **more
    )


class Energy(InFolder):
    def cases(self, *rows):
        _, _, cases, _ = load.load([samples.write(self.folder / "a.json", samples.results(list(rows)))])
        return cases

    def series(self, *rows):
        try:
            from parallax.report import energy
        except ImportError as error:  # by this Python, which make_report.py need not be run by
            skip(f"no matplotlib: {error}")
        self.energy = energy
        return energy.best(self.cases(*rows))

    def verdicts(self, *pairs, **more):
        rows = [
            row(space, 10**k, joules, **more)
            for k, pair in enumerate(pairs, 3)
            for space, joules in zip(("openmp", "cuda"), pair)
        ]
        series = self.series(*rows)
        return self.energy.verdicts(series)

    def test_the_gpu_is_greener_from_a_size_on(self):
        self.assertEqual(
            ["f64: the GPU is greener from n = 100000 on: 4.00 times less energy at n = 1e6; the other way round below."],
            self.verdicts((1, 9), (2, 3), (3, 2), (8, 2)),
        )

    def test_where_the_sides_change_places_more_than_once_the_last_sizes_count(self):
        self.assertEqual(
            ["f64: the GPU is greener from n = 100000 on: 4.00 times less energy at n = 100000; below, not at every size."],
            self.verdicts((9, 1), (2, 3), (8, 2)),
        )

    def test_one_side_is_greener_at_all_sizes_or_at_the_only_one(self):
        self.assertEqual(
            ["f64: the CPU is greener at all 2 sizes: 2.00 times less energy at n = 10000."], self.verdicts((1, 5), (4, 8))
        )
        self.assertEqual(["f64: the GPU is greener: 5.00 times less energy."], self.verdicts((5, 1)))

    def test_intervals_that_overlap_give_no_verdict(self):
        self.assertEqual(["f64: no clear difference."], self.verdicts((1, 1.1), share=0.2))
        self.assertEqual(["f64: no clear difference at the largest of 2 sizes."], self.verdicts((1, 5), (1, 1.01)))

    def test_the_variant_with_the_least_joules_counts_and_wrong_ones_do_not(self):
        wrong = samples.failed(row("openmp", 1000, 0.1, variant="wrong"))
        found = self.series(row("openmp", 1000, 4), row("openmp", 1000, 3, variant="wide"), wrong)
        self.assertEqual([["x/wide/openmp/f64/n:1000"]], [[c.name for c in curve] for curve in found.values()])

    def test_the_page_shows_it_only_where_joules_were_counted(self):
        def page(*rows):
            path = samples.write(self.folder / "a.json", samples.results(list(rows)))
            result = self.run_report(path, "-o", str(self.folder / "o.html"))
            self.assertEqual(0, result.returncode, result.stderr)
            return (self.folder / "o.html").read_text(encoding="utf-8")

        self.need_matplotlib()
        rows = [row("openmp", n, n * 2e-6) for n in (1000, 100000)]
        rows += [row("cuda", n, 0.01 + n * 1e-7, "gpu", "package", ns=1e4) for n in (1000, 100000)]
        text = page(*rows, {**row("serial", 1000, None), "energy": None, "energy_missing": "disturbed"})
        self.assertIn("Time against energy", text)
        self.assertIn("the GPU is greener from n = 100000 on: 10.0 times less energy at n = 100000", text)
        self.assertIn("Counted: openmp: package; cuda: gpu + package.", text)
        self.assertIn("x/range/cuda/f64/n:1000: 10.0 µs, 10.1 mJ (gpu + package)", text)
        self.assertIn("no problem with joules of both", page(*rows[:2]))
        self.assertNotIn("against energy", page(row("openmp", 1000, None), row("cuda", 1000, None)))

    def test_energy_of_another_kind_is_refused(self):
        good = counted(1.0)["energy"]
        for wrong in (3, "1 J", {"joules_per_run": "1"}, {"joules_per_run": -1}, {**good, "parts": []}):
            with self.assertRaises(Refusal, msg=wrong):
                self.cases({**row("openmp", 1000, None), "energy": wrong})
        for interval in (1, [1], [2, 1], ["a", "b"]):
            with self.assertRaises(Refusal, msg=interval):
                self.cases({**row("openmp", 1000, None), "energy": {**good, "interval": interval}})


if __name__ == "__main__":
    unittest.main()
