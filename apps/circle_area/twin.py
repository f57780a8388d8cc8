# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""circle_area: the area of the unit circle by throwing darts, the twin of apps/circle_area/lesson.hpp.

Each thread steps its own xoroshiro128+, 2^64 steps from its neighbour's. Numba-CUDA brings the
generator, and makes the states one after the other on the host; NumPy and Numba do what xoroshiro_wide
does: the first 2^k states give the next 2^k.
"""

import math

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.xoroshiro import MASK, first_state, jump, make_states, share, step

circle_area = Exercise("circle_area", precisions=("f32",), memory=lambda p: 64 * p.threads)

EXACT = 1 << 18  # trials that a reference in plain Python does in a second


def count_serially(p):
    """The reference: stream after stream, dart after dart, in Python's integers."""
    hits, state = 0, (first_state(p.seed),) * 2
    for trials in share(p):
        s = state
        for _ in range(trials):
            u, s = float(np.float32(((sum(s) & MASK) >> 11) * 2.0**-53)), step(*s)
            v, s = float(np.float32(((sum(s) & MASK) >> 11) * 2.0**-53)), step(*s)
            hits += (u * 2 - 1) ** 2 + (v * 2 - 1) ** 2 < 1
        state = jump(*state)
    return hits


@circle_area.problem
def problem(p):
    expected = count_serially(p) if p.trials + p.threads <= EXACT else None
    error = math.sqrt(math.pi * (4 - math.pi) / p.trials)

    def judge(hits):
        count = int(np.asarray(hits).item())
        area = 4 * count / p.trials
        numbers = {
            "hits": count,
            "trials": p.trials,
            "area": area,
            "error": abs(area - math.pi),
            "standard_error": error,
        }
        if expected is not None:
            return check.number("hits with a serial count", count, expected, 0, **numbers)
        return check.number("the area with pi, by five standard errors", area, math.pi, 5 * error, **numbers)

    return Problem(outputs={"hits": np.empty(1, np.int64)}, work=Work(items=p.trials), check=judge)


@circle_area.twin("numpy", "xoroshiro", unavailable=lambda p: "it would take minutes" if p.trials > 1e9 else "")
def numpy(p):
    first, trials = make_states(p), share(p)

    def turn(x, k):
        return (x << np.uint64(k)) | (x >> np.uint64(64 - k))

    def uniform(s):  # steps all streams; numbers of those that still throw are used
        out = s[:, 0] + s[:, 1]
        s[:, 1] ^= s[:, 0]
        s0, s1 = s[:, 0].copy(), s[:, 1].copy()
        s[:, 0] = turn(s0, 55) ^ s1 ^ (s1 << np.uint64(14))
        s[:, 1] = turn(s1, 36)
        return ((out >> np.uint64(11)) * 2.0**-53).astype(np.float32).astype(np.float64) * 2 - 1

    def count():
        s, hits = first.copy(), 0
        for t in range(int(trials.max(initial=0))):
            x, y = uniform(s), uniform(s)
            hits += np.count_nonzero((x * x + y * y < 1) & (t < trials))
        return np.array([hits])

    return count


@circle_area.twin("numba", "xoroshiro")
def numba_parallel(p):
    import numba

    first, trials = make_states(p), share(p)

    @numba.njit
    def uniform(s0, s1):
        u = np.float32(((s0 + s1) >> np.uint64(11)) * 2.0**-53)
        s1 ^= s0
        s0 = ((s0 << np.uint64(55)) | (s0 >> np.uint64(9))) ^ s1 ^ (s1 << np.uint64(14))
        return u * 2.0 - 1.0, s0, (s1 << np.uint64(36)) | (s1 >> np.uint64(28))

    @numba.njit(parallel=True)
    def count(states, trials):
        hits = 0
        for i in numba.prange(len(states)):
            s0, s1 = states[i, 0], states[i, 1]
            for _ in range(trials[i]):
                x, s0, s1 = uniform(s0, s1)
                y, s0, s1 = uniform(s0, s1)
                if x * x + y * y < 1:
                    hits += 1
        return hits

    return lambda: np.array([count(first, trials)])


def cuda_kernel():
    from numba import cuda
    from numba.cuda.random import xoroshiro128p_uniform_float32

    # begin: numba_cuda
    @cuda.jit
    def count(states, trials, total):
        i = cuda.grid(1)
        if i < states.size:
            mine = trials // states.size + (1 if i < trials % states.size else 0)
            hits = 0
            for _ in range(mine):
                x = xoroshiro128p_uniform_float32(states, i) * 2.0 - 1.0
                y = xoroshiro128p_uniform_float32(states, i) * 2.0 - 1.0
                if x * x + y * y < 1.0:
                    hits += 1
            cuda.atomic.add(total, 0, hits)
    # end: numba_cuda

    return count


def cuda_run(p, make_states):
    """Counts with the states that make_states() returns, a stream for each thread."""
    count, threads = cuda_kernel(), 256
    blocks = (p.threads + threads - 1) // threads

    def run():
        p.hits[:1] = 0
        count[blocks, threads](make_states(), p.trials, p.hits)

    return run


# Only the darts: the streams go on from run to run.
@circle_area.twin("numba_cuda", "xoroshiro")
def cuda_kernel_alone(p):
    from numba.cuda.random import create_xoroshiro128p_states

    states = create_xoroshiro128p_states(p.threads, seed=p.seed)
    return cuda_run(p, lambda: states)


# From the seed to the count: Numba makes the states by jumping on the host, which takes ten times as long as the darts.
@circle_area.twin("numba_cuda", "xoroshiro", phase="end_to_end")
def cuda_end_to_end(p):
    from numba.cuda.random import create_xoroshiro128p_states

    run = cuda_run(p, lambda: create_xoroshiro128p_states(p.threads, seed=p.seed))

    def from_seed():
        run()
        return p.hits.copy_to_host()

    return from_seed
