# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The timing rules, with a clock and a library that only count."""

import unittest
from unittest import mock

from parallax.twins import timing
from parallax.twins.spaces import Space, base
from parallax.twins.timing import Timer


class Clock:
    """A clock that only runs when a twin runs."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


class Recorder(Space):
    """A library that notes what it is asked."""

    def __init__(self, clock, ns, on_host=True):
        self.clock, self.ns, self.on_host, self.log = clock, ns, on_host, []

    def synchronize(self, last=None):
        self.log.append("wait")

    def run(self):
        self.log.append("run")
        self.clock.now += self.ns
        return "last"

    def event_timer(self):
        return None if self.on_host else lambda run, iterations: 7.0 * iterations


class Queue(base.Device):
    """A GPU on which a run takes 100 us; the host needs `ns` to launch one."""

    def __init__(self, clock, ns):
        self.clock, self.ns, self.runs = clock, ns, 0

    def run(self):
        self.clock.now += self.ns
        self.runs += 1

    def new_event(self):
        return None

    def record(self, event):
        self.runs, self.recorded = 0, self.runs

    def delay(self):
        pass

    def elapsed_ms(self, start, stop):
        return 0.1 * self.recorded


class TimingRules(unittest.TestCase):
    def measure(self, ns, prepare=None, on_host=True, repeat=None, min_time=0.2, max_time=0.5):
        clock = Clock()
        space = Recorder(clock, ns, on_host)
        with mock.patch.object(timing.time, "perf_counter_ns", clock), mock.patch.object(
            timing.time, "process_time_ns", clock
        ):
            timer = Timer(space, space.run, prepare and (lambda: space.log.append("prepare")))
            samples = timer.measure(repeat, 1, min_time, max_time)
        return samples, space.log

    def test_at_least_ten_samples_and_a_fifth_of_a_second(self):
        with mock.patch.object(timing, "_narrow", lambda _: False):
            samples, _ = self.measure(1_000_000)
        self.assertEqual(len(samples.real_ns), 200)
        samples, _ = self.measure(100_000_000, max_time=1.5)
        self.assertEqual(len(samples.real_ns), 10)
        self.assertEqual(samples.median_ns(), 100e6)

    def test_half_of_it_is_enough_for_samples_that_hardly_differ(self):
        samples, _ = self.measure(1_000_000)
        self.assertEqual(len(samples.real_ns), 100)
        self.assertTrue(timing._narrow([1000.0] * 10))
        self.assertFalse(timing._narrow([1000.0 + 10 * k for k in range(10)]))
        self.assertFalse(timing._narrow([1000.0] * 5))  # which have no interval

    def test_slow_runs_stop_after_three_unless_more_are_asked_for(self):
        self.assertEqual(len(self.measure(2_000_000_000)[0].real_ns), 3)
        self.assertEqual(len(self.measure(2_000_000_000, repeat=5)[0].real_ns), 5)

    def test_short_runs_are_batched_and_divided(self):
        samples, log = self.measure(1_000)
        self.assertEqual(samples.iterations, 100)
        self.assertEqual(samples.median_ns(), 1_000)
        self.assertIn(["wait"] + ["run"] * 100 + ["wait"], [log[k : k + 102] for k in range(len(log))])

    def test_runs_that_consume_their_input_are_never_batched(self):
        samples, log = self.measure(1_000, prepare=True, min_time=0)
        self.assertEqual(samples.iterations, 1)
        self.assertEqual(log[:4] * (len(log) // 4), log)
        self.assertEqual(log[:4], ["prepare", "wait", "run", "wait"])

    def test_devices_are_also_timed_as_seen_and_by_events(self):
        samples, _ = self.measure(400_000, on_host=False)
        self.assertEqual(samples.iterations, 25)  # 10 ms
        self.assertEqual((len(samples.seen_ns), samples.seen_ns[0]), (20, 400_000))
        self.assertEqual((len(samples.event_ns), samples.event_ns[0]), (20, 21.0))  # batches of 3: a millisecond
        self.assertEqual(len(self.measure(9_000_000, on_host=False)[0].seen_ns), 6)  # 50 ms
        self.assertEqual(len(self.measure(19_000_000, on_host=False)[0].seen_ns), 10)  # the samples, which are single runs
        self.assertEqual(self.measure(400_000)[0].seen_ns, [])

    def test_a_signal_stops_it(self):
        with mock.patch.object(timing, "interrupted", lambda: 15):
            samples, log = self.measure(1_000_000)
        self.assertTrue(samples.interrupted)
        self.assertEqual(samples.real_ns, [])

    def test_launches_on_the_devices_clock_end_with_the_delay(self):
        for ns, launched in ((1_000, 50), (100_000, 20), (400_000, 5), (9_000_000, 1)):
            with self.subTest(ns):
                clock = Clock()
                queue = Queue(clock, ns)
                with mock.patch.object(base.time, "perf_counter_ns", clock):
                    self.assertAlmostEqual(queue.event_timer()(queue.run, 50), 100_000)
                self.assertEqual(queue.recorded, launched)


if __name__ == "__main__":
    unittest.main()
