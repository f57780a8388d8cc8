# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What each tool prints, and what is made of it."""

import unittest

from support import NCU_VALUES, NO_HARDWARE, PERF_TEXT, ncu_text, rocprof_text

from parallax.counters import names, ncu, perf, rocprof, tools


class Ncu(unittest.TestCase):
    def test_one_kernel(self):
        c = ncu.counters(ncu_text({}))
        self.assertEqual((1, 12e6, 13e6, 14e6), tuple(c[n] for n in ("kernels", "memory_bytes", "l2_bytes", "l1_bytes")))
        self.assertAlmostEqual(1e-3, c["seconds"])
        self.assertEqual((80.5, 100, 31.5, 0.25), tuple(c[n] for n in ("occupancy", "occupancy_limit_theoretical", "active_lanes", "instructions_per_cycle")))
        self.assertEqual("warps", c["occupancy_limited_by"])
        self.assertEqual({"long_scoreboard": 0.6, "wait": 0.3, "barrier": 0.1}, {n: round(v, 9) for n, v in c["stalls"].items()})

    def test_several_kernels_are_added_or_weighted_by_their_time(self):
        longer = {"gpu__time_duration.sum": "3,000,000", "sm__warps_active.avg.pct_of_peak_sustained_active": "40.5", "launch__occupancy_limit_registers": "4"}
        c = ncu.counters(ncu_text({}, longer))
        self.assertEqual((2, 24e6), (c["kernels"], c["memory_bytes"]))
        self.assertAlmostEqual(4e-3, c["seconds"])
        self.assertAlmostEqual(50.5, c["occupancy"])
        self.assertEqual("registers", c["occupancy_limited_by"], "that of the longest kernel")

    def test_a_value_that_is_none_is_left_out(self):
        c = ncu.counters(ncu_text({"dram__bytes_read.sum": "n/a"}))
        self.assertNotIn("memory_bytes", c)
        self.assertIn("l2_bytes", c)

    def test_units_that_ncu_scaled_all_the_same(self):
        text = ncu_text({"gpu__time_duration.sum": "1.5", "lts__t_bytes.sum": "13"}).replace('"nsecond"', '"msecond"').replace('"byte"', '"Mbyte"')
        c = ncu.counters(text)
        self.assertAlmostEqual(1.5e-3, c["seconds"])
        self.assertEqual(13e6, c["l2_bytes"])

    def test_what_the_program_prints_is_no_kernel(self):
        before = 'row,time\n"a","b"\n'
        self.assertEqual(1, ncu.counters(ncu_text({}, before=before))["kernels"])
        self.assertEqual({}, ncu.counters(before + "==WARNING== No kernels were profiled.\n"))
        self.assertEqual({}, ncu.counters(ncu_text()))

    def test_a_line_that_was_cut_is_left_out(self):
        self.assertEqual(1, ncu.counters(ncu_text({}, {})[:-40])["kernels"])

    def test_every_metric_is_asked_for_once(self):
        metrics = names.ncu_metrics()
        self.assertEqual(len(metrics), len(set(metrics)))
        self.assertLessEqual(set(NCU_VALUES), set(metrics))

    def test_why_nothing_was_counted(self):
        self.assertIn("NVreg_RestrictProfilingToAdminUsers=0", ncu.complaint("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"))
        self.assertEqual("ncu: out of luck", ncu.complaint("x\n==ERROR== out of luck\n==ERROR== more"))
        self.assertEqual("ncu saw no kernel in the counted run", ncu.complaint("==WARNING== No kernels were profiled."))

    def test_metrics_that_it_has_not(self):
        text = "==ERROR== Failed to find metric regex:^dram__bytes_read.sum\n==ERROR== Failed to find metric lts__t_bytes.sum\n"
        self.assertEqual(["dram__bytes_read.sum", "lts__t_bytes.sum"], ncu.unknown(text))


class Perf(unittest.TestCase):
    def test_counters(self):
        c = perf.counters(PERF_TEXT)
        self.assertEqual((4e6, 2e6, 25e3, 80e3, 120), tuple(c[n] for n in ("instructions", "cycles", "branch_misses", "cache_misses", "page_faults")))
        self.assertAlmostEqual(0.10399, c["seconds"])
        self.assertNotIn("context_switches", c)

    def test_two_kinds_of_cores_are_added(self):
        c = perf.counters("7,,cpu_core/cycles/,1,100.00,,\n5,,cpu_atom/cycles/,1,100.00,,\n<not supported>,,cpu_atom/branches/,0,0,,\n")
        self.assertEqual({"cycles": 12}, c)

    def test_events_that_the_machine_has_not(self):
        self.assertEqual(["instructions", "cycles", "branches", "branch-misses", "cache-misses"], perf.values(NO_HARDWARE)[1])

    def test_why_nothing_was_counted(self):
        self.assertEqual("perf counted nothing: the program never switched it on", perf.complaint("<not counted>,,cycles,0,100.00,,\n", ""))
        self.assertIn("kernel.perf_event_paranoid", perf.complaint("", "Error:\nConsider adjusting /proc/sys/kernel/perf_event_paranoid setting"))
        self.assertEqual("perf: unknown option `control'", perf.complaint("", "Events disabled\nError: unknown option `control'\n usage: perf stat"))
        self.assertEqual("perf printed no counter", perf.complaint("", ""))


class Rocprof(unittest.TestCase):
    def test_passes_make_one_run(self):
        first = rocprof_text(("FETCH_SIZE", 8, 500), ("FETCH_SIZE", 2, 1500))
        second = rocprof_text(("WRITE_SIZE", 6, 600), ("WRITE_SIZE", 0, 1600))
        third = rocprof_text(("VALUUtilization", 100, 500), ("VALUUtilization", 60, 1500))
        c = rocprof.counters([first, second, third])
        self.assertEqual((16 * 1024, 70), (c["memory_bytes"], c["active_lanes_percent"]))
        self.assertAlmostEqual(2e-6, c["seconds"], 12)

    def test_what_is_no_such_file_counts_nothing(self):
        self.assertEqual({}, rocprof.counters(["", "a,b\n1,2\n", rocprof_text(("FETCH_SIZE", "none", 5))]))

    def test_half_of_the_traffic_is_none(self):
        self.assertNotIn("memory_bytes", rocprof.counters([rocprof_text(("FETCH_SIZE", 8, 500))]))


class Tools(unittest.TestCase):
    def test_each_has_a_hint_where_it_is_missing(self):
        for name in ("ncu", "rocprofv3", "perf"):
            self.assertRegex(tools.missing(name), f"^there is no {name} here: .{{20,}}")

    def test_of_a_space(self):
        self.assertEqual(["ncu", "rocprofv3", None], [tools.of_space(space, False) for space in ("cuda", "hip", "sycl")])
        self.assertEqual("perf", tools.of_space("openmp", True))


if __name__ == "__main__":
    unittest.main()
