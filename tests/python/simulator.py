# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Numba's simulator of CUDA, whose threads are threads of the host: to be used before Numba is imported, in a separate process."""

import os
import sys


def simulate():
    """Has Numba simulate, unless NUMBA_ENABLE_CUDASIM=0 asks for a GPU. Returns the simulator's shared memory; None without Numba."""
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")
    try:
        import numba
        import numpy as np
        from numba.cuda.simulator.kernelapi import FakeCUDAShared
        from numba.np import numpy_support
    except ImportError:
        return None
    simulated = FakeCUDAShared.array

    def array(self, shape, dtype):
        """A block's array, for each line of a kernel. Numba's looks for it, then makes it: two threads that look at once have one each."""
        if shape == 0:  # all dynamic memory, which is there already
            return simulated(self, shape, dtype)
        caller = sys._getframe(1)
        kind = numpy_support.as_dtype(dtype) if isinstance(dtype, numba.types.Type) else dtype
        return self._allocations.setdefault((caller.f_code.co_filename, caller.f_lineno), np.empty(shape, kind))

    FakeCUDAShared.array = array
    return FakeCUDAShared
