# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The Numba-CUDA twins in Numba's simulator: their logic, thread by thread, on a machine without a GPU."""

import os
import threading
import unittest

import simulator

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
SharedMemory = simulator.simulate()
import support  # noqa: E402

from parallax.twins.verify import verify  # noqa: E402
from turns import by_turn  # noqa: E402

try:
    from numba import cuda
    from numba.cuda.simulator.kernel import _get_kernel_context
except ImportError:
    cuda = None
else:
    # The simulator puts grid, shared and the others into a kernel's global `cuda`; twins import it locally.
    cuda.__getattr__ = lambda name: getattr(_get_kernel_context(), name)

MOST = 21  # of every size: a simulated thread is a real one


@unittest.skipIf(cuda is None, "Numba is not installed")
class Simulated(unittest.TestCase):
    def test_every_kernel(self):
        verified = 0
        for exercise in by_turn(support.listed_exercises(), 3):
            specs = support.CATALOGUE[exercise.name]["parameters"]
            sizes = [s for s in specs if s["kind"] == "integer" and s["tiny"] != s["large"]]
            small = {s["name"]: min(int(float(s["tiny"])), MOST) for s in sizes}
            precision = exercise.precisions[0]
            for planned in support.planned_cases(exercise, precision, [support.SPACES["numba_cuda"]], **small):
                planned.twins = [t for t in planned.twins if t.phase != "end_to_end"]  # not simulated: vectorize
                for twin, prepared in support.prepared_twins(planned):
                    with self.subTest(f"{exercise.name}/{twin.variant}"):
                        verdict = verify(prepared, twin.phase)
                        self.assertTrue(verdict.passed or twin.expected_to_fail, verdict.compared)
                        verified += 1
        self.assertGreater(verified, 0)

    def test_threads_of_a_block_have_one_array_even_if_they_ask_for_it_at_once(self):
        both = threading.Barrier(2)

        class Slow(dict):  # both look before one makes it
            def get(self, *key):
                found = super().get(*key)
                both.wait(10)
                return found

        shared, made = SharedMemory(0), []
        shared._allocations = Slow()
        threads = [threading.Thread(target=lambda: made.append(shared.array((3,), float))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIs(made[0], made[1])


if __name__ == "__main__":
    unittest.main()
