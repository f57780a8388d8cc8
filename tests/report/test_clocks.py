# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Kokkos and the Python libraries are set against each other on one clock."""

import json
import pathlib
import sys
import unittest

import samples
from support import ROOT, InFolder, skip

from parallax.report import load

sys.path.insert(0, str(ROOT / "scripts"))
from pages import lessons, results  # noqa: E402

GPU_SPACES = {"cuda": "kokkos", "cupy": "python", "jax_cuda": "python"}


def rows(**times):
    """One row for each space: (wall time, device time or None)."""
    made = []
    for space, (wall, event) in times.items():
        more = {} if event is None else {"event_time": event}
        made.append(samples.row("increment", "range", space, ns=wall, **more))
    return made


class Clocks(InFolder):
    def peers(self, **times):
        paths = []
        for program in ("kokkos", "python"):
            mine = [r for r in rows(**times) if GPU_SPACES[r["space"]] == program]
            paths.append(str(self.folder / f"{program}.json"))
            pathlib.Path(paths[-1]).write_text(json.dumps(samples.results(mine, program)), encoding="utf-8")
        try:
            from parallax.report import versus
        except ImportError as error:  # by this Python, which make_report.py need not be run by
            skip(f"no matplotlib: {error}")

        self.section = versus.section
        _, _, cases, _ = load.load(paths)
        (pair,) = versus.peers(cases)
        return pair

    def test_the_report_takes_the_devices_clock_where_both_have_it(self):
        pair = self.peers(cuda=(4000.0, 1000.0), cupy=(9000.0, 2000.0))
        self.assertEqual(("device", 2.0), (pair.clock, pair.ratio()))
        _, table = self.section([pair], "both sides", "times as fast")
        self.assertIn("device", table)

    def test_the_report_takes_wall_time_where_one_has_no_other(self):
        for times in ({"cuda": (4000.0, None), "cupy": (9000.0, 2000.0)}, {"cuda": (4000.0, 1.0), "cupy": (9000.0, None)}):
            pair = self.peers(**times)
            self.assertEqual(("wall", 2.25), (pair.clock, pair.ratio()))

    def test_the_strongest_peer_is_shown(self):
        pair = self.peers(cuda=(4000.0, 1000.0), cupy=(9000.0, 2000.0), jax_cuda=(5000.0, None))
        self.assertEqual(("jax_cuda", "wall", 1.25), (pair.slow.place.space, pair.clock, pair.ratio()))

    def test_the_lessons_tables_do_the_same(self):
        def ratio(exercise="increment", **times):
            made = [{**row, "exercise": exercise} for row in rows(**times)]
            results.with_cases(made)
            mine = [r for r in made if r["space"] == "cuda"]
            return lessons.twins_table(mine, [r for r in made if r["space"] != "cuda"])[2:]

        line = "| f64 | {} us | `range`, GPU | {} us | `range`, CuPy | {} | {} |"
        self.assertEqual([line.format("1.00", "2.00", "2.00", "device")], ratio(cuda=(4000.0, 1000.0), cupy=(9000.0, 2000.0)))
        self.assertEqual([line.format("4.00", "9.00", "2.25", "wall")], ratio(cuda=(4000.0, None), cupy=(9000.0, 2000.0)))
        # Where the launch is the lesson, the clock that leaves it out is not asked.
        self.assertEqual([line.format("4.00", "9.00", "2.25", "wall")], ratio("launch", cuda=(4000.0, 1000.0), cupy=(9000.0, 2000.0)))

    def test_ceilings_that_did_not_agree_are_a_warning(self):
        made = samples.results([samples.row("increment", "range", "openmp")])
        path = self.folder / "busy.json"
        ceilings = made["context"]["spaces"]["openmp"]["ceilings"]
        ceilings.update(unsure=["fma_f32"], triad_bytes_per_second=None)
        path.write_text(json.dumps(made), encoding="utf-8")
        _, places, _, warnings = load.load([str(path)])
        self.assertNotIn("triad_bytes_per_second", places[0].ceilings)
        self.assertTrue(any("fma_f32" in w and "openmp" in w for w in warnings), warnings)
        made["context"]["spaces"]["openmp"]["ceilings"] = {"unavailable": "there is too little memory left"}
        path.write_text(json.dumps(made), encoding="utf-8")
        self.assertEqual({}, load.load([str(path)])[1][0].ceilings)


if __name__ == "__main__":
    unittest.main()
