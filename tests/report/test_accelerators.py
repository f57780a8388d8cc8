# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""One exercise on all accelerators: which bars are drawn, their labels, and which are said to be missing."""

import sys
import unittest

import samples
from support import InFolder

WHOLE = {"rows": 2000, "columns": 3000}


def row(variant, space, ns, parameters=None, **more):
    return samples.row("mandelbrot", variant, space, ns=ns, parameters=parameters or WHOLE, **more)


def kokkos(space, speed):
    times = (("range", "lesson", 150e6), ("mdrange", "lesson", 130e6), ("simd", "tuned", 30e6))
    return [row(variant, space, ns / speed, tier=tier) for variant, tier, ns in times]


class Accelerators(InFolder):
    def setUp(self):
        super().setUp()
        self.need_matplotlib()

    def bars(self, *contents, exercise="mandelbrot"):
        files = [samples.write(self.folder / f"{k}.json", content) for k, content in enumerate(contents)]
        return self.run_report(*files, "--bars", exercise, "-o", "out.svg")

    def drawn(self, *contents):
        """The picture, the number of its bars, and the last line that was said."""
        outcome = self.bars(*contents)
        self.assertEqual((outcome.returncode, outcome.stdout), (0, ""), outcome.stderr)
        picture = (self.folder / "out.svg").read_text(encoding="utf-8")
        return picture, picture.count('class="mark"'), outcome.stderr.splitlines()[-1]

    def test_the_best_of_each_library_and_tier_grouped_by_device(self):
        part = {"rows": 200, "columns": 300}
        twins = [
            row("range", "python", 3e8, part, scaled={"parameters": {"n": 1000000, **WHOLE}, "factor": 100.0}),
            row("arrays", "numpy", 928e6),
            row("arrays", "cupy", 53e6),
            row("range", "cupy", 3e6),
        ]
        # None of these may count: another size or precision, another phase, another exercise, less work.
        others = [row("simd", "cuda", 1.0, part, tier="tuned"), row("simd", "cuda", 1.0, precision="f32"),
                  row("simd", "cuda", 1.0, phase="end_to_end"), samples.row("add_one", "range", "cuda", ns=1.0),
                  row("simd", "cuda", 1.0, tier="tuned", other_work=True)]
        ours = samples.results(kokkos("serial", 1) + kokkos("openmp", 13) + kokkos("cuda", 2000) + others)
        absent = {"jax_cpu": "No module named 'jax'", "jax_cuda": "No module named 'jax'"}
        picture, bars, said = self.drawn(ours, samples.results(twins, "python", missing_spaces=absent))
        self.assertEqual(bars, 10)
        places = [picture.index(text) for text in (
            f">CPU: {samples.HOST}<", ">Python loop · range, scaled from 200 x 300<", ">NumPy · arrays<",
            ">Kokkos Serial, lesson · mdrange<", ">Kokkos OpenMP, tuned · simd<", ">GPU: Invented GPU",
            ">CuPy · range<", ">Kokkos CUDA, lesson · mdrange<", ">Kokkos CUDA, tuned · simd<")]
        self.assertEqual(len(set(places)), 9)
        for text in ("≈ 30.0 s · 16 threads", "928 ms · 1 thread", "10.0 ms · 16 threads", ">15.0 µs<", ">estimated from a part<",
                     "mandelbrot, f64: n = 1e6, rows = 2000, columns = 3000", "100 times the time of a part"):
            self.assertIn(text, picture)
        self.assertNotIn("Serial, lesson · range", picture)
        self.assertEqual(said, "parallax: missing: Numba (one thread), Numba (all threads), PyTorch on the CPU, Numba-CUDA,"
                         " PyTorch on the GPU (not in these files); JAX on the CPU, JAX on the GPU (No module named 'jax')")
        # On the page all times are measured ones.
        outcome = self.run_report("0.json", "1.json", "-o", "out.html", "--charts", ".")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertNotIn("python", (self.folder / "times-of-mandelbrot.svg").read_text(encoding="utf-8"))

    def test_what_could_not_run_is_said(self):
        wrong = samples.failed(row("simd", "serial", 1.0, tier="tuned"))
        absent = row("arrays", "numpy", 1.0, skipped=True, skip_message="about 3 minutes a run")
        twins = samples.results([absent, row("range", "numba", 1e6, {"rows": 7, "columns": 7})], "python")
        picture, bars, said = self.drawn(samples.results([row("range", "serial", 1e6, tier="lesson"), wrong]), twins)
        self.assertEqual(bars, 1)
        for text in ("Kokkos Serial, tuned · simd (its check failed)", "NumPy · arrays (about 3 minutes a run)",
                     "Numba (all threads) (only with other parameters)", "Numba-CUDA, JAX on the GPU"):
            self.assertIn(text, said)
        self.assertEqual(said.count("Kokkos on a GPU"), 1)

    def test_refusals(self):
        good = samples.results([row("range", "serial", 1e6)])
        self.refused(self.bars(good, exercise="mandelbrott"), 2, "no verified time of 'mandelbrott'", "did you mean 'mandelbrot'?")
        self.refused(self.run_report("0.json", "--bars", "mandelbrot", "-o", "out.svg", "--charts", "."), 2, "--bars makes no page")
        for scaled in (1, {"factor": 0}, {"factor": "x"}, {"parameters": 1}):
            self.refused(self.bars(samples.results([row("range", "serial", 1e6, scaled=scaled)])), 2, "'")
        self.assertEqual(self.content(), ["0.json"])


if __name__ == "__main__":
    sys.exit(unittest.main())
