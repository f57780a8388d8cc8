# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What counters say of a row: every rule, the command `why`, the table, and the report's table."""

import re
import sys
import unittest

from support import ROOT, Counting, samples

from parallax.counters import names
from parallax.counters.rules import LIMIT_HELP, MOST, RULES, STALL_HELP, Values, holds, sentences
from parallax.counters.table import table
from parallax.report import counted, load

# Of each rule: counters for which it holds; then ones for which it does not, near its limit.
CASES = {
    "idle_lanes": ({"active_lanes": 8.0}, {"active_lanes": 30.0}),
    "idle_lanes_of_wavefronts": ({"active_lanes_percent": 50.0}, {"active_lanes_percent": 90.0}),
    "scattered_loads": ({"sectors_per_request": 20.0}, {"sectors_per_request": 16.0}),
    "scattered_stores": ({"sectors_per_store": 32.0}, {"sectors_per_store": 16.0}),
    "too_much_moved": ({"memory_bytes": 3e9, "needed_bytes": 1e9}, {"memory_bytes": 1.1e9, "needed_bytes": 1e9}),
    "bank_conflicts": ({"bank_conflicts": 5e6, "instructions": 1e6}, {"bank_conflicts": 5.0, "instructions": 1e6}),
    "at_the_ceiling": (
        {"memory_bytes": 1.1e9, "needed_bytes": 1e9, "percent_of_ceiling": 92.0},
        {"memory_bytes": 1.1e9, "needed_bytes": 1e9, "percent_of_ceiling": 40.0},
    ),
    "out_of_l2": ({"l2_bytes": 9e9, "memory_bytes": 1e9, "needed_bytes": 8e8}, {"l2_bytes": 4e7, "memory_bytes": 4e6, "needed_bytes": 2.4e7}),
    "issue_bound": ({"tool": "ncu", "instructions_per_cycle": 0.85}, {"tool": "perf", "instructions_per_cycle": 0.85}),
    "limited_occupancy": (
        {"occupancy_limit_theoretical": 37.5, "occupancy_limited_by": "registers"},
        {"occupancy_limit_theoretical": 100.0, "occupancy_limited_by": "warps"},
    ),
    "uneven_teams": ({"occupancy": 20.0, "occupancy_limit_theoretical": 100.0}, {"occupancy": 80.0, "occupancy_limit_theoretical": 100.0}),
    "waiting": ({"stalls": {"long_scoreboard": 0.62, "wait": 0.2}}, {"stalls": {"wait": 0.25, "barrier": 0.2}}),
    "first_touch": ({"page_faults": 5000.0, "needed_bytes": 2e7}, {"page_faults": 5.0, "needed_bytes": 2e7}),
    "mispredicted": ({"branch_misses": 1e5, "branches": 1e6}, {"branch_misses": 1e3, "branches": 1e6}),
    "misses": ({"cache_misses": 5e4, "instructions": 1e6}, {"cache_misses": 5e2, "instructions": 1e6}),
    "host_waits": ({"tool": "perf", "instructions_per_cycle": 0.3}, {"tool": "perf", "instructions_per_cycle": 1.5}),
    "host_computes": ({"tool": "perf", "instructions_per_cycle": 3.2}, {"tool": "perf", "instructions_per_cycle": 1.5}),
    "crowded": ({"context_switches": 900.0, "seconds": 0.1}, {"context_switches": 9.0, "seconds": 0.1}),
}
SOME = {"tool": "ncu", "memory_bytes": 3.1e7, "active_lanes": 8.0, "stalls": {"long_scoreboard": 0.62, "wait": 0.2}}


class Rules(unittest.TestCase):
    def test_each_has_a_case(self):
        self.assertEqual([rule.name for rule in RULES], list(CASES))

    def test_each_holds_where_it_should_and_names_a_counter(self):
        known = {*names.BY_NAME, *names.DERIVED}
        for rule in RULES:
            with self.subTest(rule=rule.name):
                yes, no = CASES[rule.name]
                self.assertTrue(holds(rule, Values(yes)))
                self.assertFalse(holds(rule, Values(no)))
                self.assertFalse(holds(rule, Values({})), "without its counters")
                said = sentences(Values(yes))
                self.assertEqual(1, len(said), said)
                self.assertTrue(said[0].endswith(".") and not re.search(r"[{}]|\. [A-Z]", said[0]), said[0])
                self.assertTrue(known & {*re.findall(r"\w+", said[0])} or rule.name == "waiting", said[0])

    def test_each_stall_and_limit_that_has_help_is_known(self):
        self.assertLessEqual(set(STALL_HELP), set(names.STALLS))
        self.assertEqual(set(LIMIT_HELP), set(names.LIMITS))

    def test_an_empty_launch_says_nothing_of_the_l2_cache(self):
        launch = {"l2_bytes": 1.48e6, "memory_bytes": 3584.0, "needed_bytes": 40960.0}
        self.assertEqual([], sentences(Values(launch)))

    def test_at_most_five_sentences(self):
        every = {name: value for yes, _ in CASES.values() for name, value in yes.items()}
        self.assertEqual(MOST, len(sentences(Values(every))))


class Why(Counting):
    def file(self, *rows):
        samples.write(self.folder / "results.json", samples.results(list(rows)))

    def why(self, *words):
        return self.start([sys.executable, str(ROOT / "python" / "why.py"), *words])

    def test_a_row(self):
        self.file(samples.row("x", "range", "cuda", counters=SOME), samples.row("x", "team", "cuda"))
        self.assertEqual(
            "x/range/cuda/f64\n  Only 8.0 of 32 lanes of a warp are active (active_lanes): give neighbouring threads the same branches and loop "
            "lengths.\n  Warps wait mostly for global memory (62 % of stalls): more independent loads in each thread, a higher occupancy or data kept "
            "in scratch memory help.\n",
            self.why("x/range").stdout,
        )

    def test_a_part_of_the_name_may_mean_several(self):
        self.file(*(samples.row("x", "range", space, p, counters={"tool": "t", "active_lanes": 32.0}) for space in ("cuda", "hip") for p in ("f32", "f64")))
        self.assertEqual(4, self.why("x/range", "--results", "results.json").stdout.count("Nothing stands out in its 1 counter."))
        self.assertEqual(2, self.why("x/range/hip").stdout.count("Nothing"))
        self.assertEqual(1, self.why("x/range/hip/f32").stdout.count("Nothing"))

    def test_what_is_null_was_not_counted(self):
        null = {"tool": None, "occupancy_limited_by": None, "memory_bytes": None, "occupancy_limit_theoretical": 10}
        self.file(samples.row("x", "range", "cuda", counters=null))
        self.assertIn("Nothing stands out in its 1 counter.", self.why("x/range").stdout)

    def test_refusals(self):
        self.file(samples.row("x", "range", "cuda"))
        self.refused(self.why("x"), 2, "EXERCISE/VARIANT")
        self.refused(self.why("x/rang"), 2, "did you mean 'x/range'?")
        self.refused(self.why("x/range"), 2, "has no counters")
        self.refused(self.why("x/range", "--results", "none.json"), 3, "none.json")
        self.refused(self.why("x/range", "--result", "none.json"), 2, "did you mean '--results'?")
        self.file(samples.row("x", "range", "cuda", counters={"active_lanes": "many"}))
        self.refused(self.why("x/range"), 2, "'active_lanes' is not a number")


class Tables(Counting):
    def test_it_fits_into_80_columns(self):
        gpu = {"memory_bytes": 31e6, "needed_bytes": 24e6, "occupancy": 80.5, "active_lanes": 31.5, "instructions_per_cycle": 0.25, **SOME}
        host = {"needed_bytes": 24e6, "page_faults": 123456.0, "context_switches": 12345.0, "branches": 1e6, "branch_misses": 1e4, "cache_misses": 1e7}
        for name in ("x/y/cuda/f32", "dilepton_mass/one_thread_per_event_and_more/cuda/f32/end_to_end"):
            text = table([(name, gpu), (name, host), (name, {"tool": "perf"})])
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
            self.assertEqual(3, text.count(name), text)
            self.assertIn("1.29x", text)
            self.assertIn("global memory 62 %", text)

    def cases(self, *rows):
        return load.load([samples.write(self.folder / "a.json", samples.results(list(rows)))])[2]

    def test_the_report_has_a_column_for_each_counter_that_is_there(self):
        html = counted.table(self.cases(samples.row("x", "range", "cuda", counters={**SOME, "new_one": 7.5}), samples.row("x", "team", "cuda")))
        for text in ("memory bytes", "31.0 MB", "global memory 62 %, a fixed latency 20 %", "new one"):
            self.assertIn(text, html)
        self.assertNotIn("page faults", html)
        self.assertNotIn("x/team", html)

    def test_the_report_has_ratios_and_three_digits_of_large_counts(self):
        counters = {**SOME, "load_sectors": 33554432.0, "load_requests": 8388608.0, "sectors_per_request": 4.0, "instructions": 2566976.0}
        html = counted.table(self.cases(samples.row("x", "range", "cuda", counters=counters)))
        for text in ("sectors per request", ">2.57e6<"):
            self.assertIn(text, html)
        self.assertNotIn("load sectors", html)

    def test_the_report_has_none_where_nothing_was_counted(self):
        self.assertEqual("", counted.table(self.cases(samples.row("x", "range", "cuda"))))

    def test_the_report_draws_what_was_moved_against_what_is_needed(self):
        try:
            from parallax.report import bars
        except ImportError as error:
            self.skipTest(f"no matplotlib: {error}")
        self.assertEqual("", bars.moved(self.cases(samples.row("x", "range", "cuda"))))
        needed = {"tool": "ncu", "memory_bytes": 3.1e7, "needed_bytes": 1e7}
        cases = self.cases(samples.row("x", "range", "cuda", counters=needed), samples.row("x", "team", "cuda", counters={"tool": "ncu", "memory_bytes": 1e7}))
        svg = bars.moved(cases)
        self.assertIn("Largest: x/range/cuda/f64, 3.10 times the bytes needed.", svg)
        self.assertIn("memory moved 31.0 MB, the work needs 10.0 MB", svg)
        self.assertNotIn("x/team", svg)


if __name__ == "__main__":
    unittest.main()
