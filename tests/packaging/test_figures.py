# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The reader that the ReFrame test uses, and the ReFrame configuration that is made from the site files. ReFrame itself is not
needed: packaging/README.md says what was tried with it."""

import runpy
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("python", "tests", "tests/report")]
import samples  # noqa: E402
from processes import InFolder  # noqa: E402

from parallax.errors import Refusal  # noqa: E402
from parallax.figures import Figure, figures  # noqa: E402


class Figures(InFolder):
    def read(self, rows, *kind, **context):
        data = samples.results(rows)
        data["context"].update(context)
        return figures(samples.write(self.folder / "r.json", data), *kind)

    def refused(self, words, *arguments, **context):
        with self.assertRaises(Refusal) as caught:
            self.read(*arguments, **context)
        self.assertIn(words, str(caught.exception))

    def test_a_row_is_a_figure_with_unit_and_direction(self):
        rows = [samples.row("vector_add", "range", "serial", "f32", ns=1e9, n=1000), samples.row("circle_area", "philox", "serial", ns=5.0)]
        self.assertEqual(
            self.read(rows), {"vector_add/range/serial/f32": Figure(1e9, "ns", True), "circle_area/philox/serial/f64": Figure(5.0, "ns", True)}
        )
        self.assertEqual(self.read(rows[:1], "rate"), {"vector_add/range/serial/f32": Figure(12000.0, "B/s", False)})
        rows[0]["percent_of_ceiling"], rows[1]["percent_of_ceiling"] = 75.0, None
        self.assertEqual(self.read(rows, "percent_of_ceiling"), {"vector_add/range/serial/f32": Figure(75.0, "%", False)})

    def test_only_verified_times_count(self):
        race = samples.row("tree_sum", "race", "serial", expected_to_fail=True)
        unchecked = samples.row("tree_sum", "tree", "serial")
        del unchecked["verified"]
        good = samples.row("tree_sum", "reduce", "serial")
        self.assertEqual(list(self.read([race, unchecked, good])), ["tree_sum/reduce/serial/f64"])
        self.refused("no time of a verified row", [race, unchecked])

    def test_what_is_wrong_is_refused(self):
        good = samples.row("tree_sum", "reduce", "serial")
        self.refused("2 checks failed, the first of a/b/serial/f64", [good, *(samples.failed(samples.row("a", v, "serial")) for v in "bc")])
        self.refused("incomplete", [good], complete=False)
        self.refused("two rows called tree_sum/reduce/serial/f64", [good, good])
        self.refused("'tmie' is no kind of figure (did you mean 'time'?)", [good], "tmie")

    def test_limits_are_on_the_side_that_is_worse(self):
        self.assertEqual(Figure(8.0, "ns", True).limits(0.1), (8.0, None, 0.1))
        self.assertEqual(Figure(8.0, "B/s", False).limits(0.1), (8.0, -0.1, None))


class Settings(unittest.TestCase):
    def test_every_site_is_a_system_and_every_gpu_a_partition(self):
        systems = {s["name"]: s for s in runpy.run_path(str(ROOT / "packaging/reframe/settings.py"))["site_configuration"]["systems"]}
        self.assertEqual({f.stem for f in (ROOT / "configs/sites").glob("*.bash")} | {"here"}, set(systems))
        for name, system in systems.items():
            text = "" if name == "here" else (ROOT / f"configs/sites/{name}.bash").read_text(encoding="utf-8")
            gpus = [line.split()[1] for line in text.splitlines() if line.startswith("gpu ")]
            self.assertEqual([p["name"] for p in system["partitions"]], ["default"] if name == "here" else ["cpu", *gpus])
        self.assertEqual(systems["pelle"]["partitions"][1]["access"], ["--partition=gpu", "--gpus=l40s:1", "--hint=nomultithread"])
        mi250x = systems["dardel"]["partitions"][1]
        self.assertEqual((mi250x["features"], mi250x["extras"]["preset"], mi250x["extras"]["cores"]), (["hip"], "hip-mi250x", "64"))
        self.assertEqual(mi250x["prepare_cmds"], ["module load PDC/26.03 rocm/7.2.1 craype-accel-amd-gfx90a"])
        self.assertTrue(mi250x["extras"]["program"].endswith("/build/dardel-mi250x/bin/parallax"))


if __name__ == "__main__":
    unittest.main()
