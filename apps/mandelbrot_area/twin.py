# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""mandelbrot_area: the area of the Mandelbrot set by throwing darts, the twin of apps/mandelbrot_area/lesson.hpp.

Floyd's tortoise takes one step, his hare two; where they meet, the dart is a member. The darts are the same as in the C++
program, the roundings are not: Python has no fused multiply-add before 3.13, and orbits near the boundary end
otherwise for every rounding. So a few darts in a million are counted differently, undecided ones above all.
"""

import math

import numpy as np

from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.xoroshiro import MASK, first_state, jump, make_states, share, step

mandelbrot_area = Exercise("mandelbrot_area", precisions=("f64", "f32"), memory=lambda p: 64 * p.threads)

LEAST, LARGEST = 1.50640, 1.53121  # the course's bounds of the area
EXACT = 1 << 14  # trials and streams that a reference in plain Python does in seconds


def orbit(c_re, c_im, cap):
    """Steps of the tortoise, and how it ended: 2 the hare escaped, 1 they met, 0 neither within the cap."""
    four = type(c_re)(4)
    a = b = u = v = type(c_re)(0)
    for k in range(1, cap + 1):
        a, b = a * a - b * b + c_re, (a + a) * b + c_im
        u, v = u * u - v * v + c_re, (u + u) * v + c_im
        u, v = u * u - v * v + c_re, (u + u) * v + c_im
        if u * u + v * v > four:
            return k, 2
        if a == u and b == v:
            return k, 1
    return cap, 0


def count_serially(p):
    """The reference: stream after stream, dart after dart, in Python's integers and floats."""
    real = float if p.dtype.itemsize == 8 else np.float32
    members, undecided, state = 0, 0, (first_state(p.seed),) * 2
    for trials in share(p):
        s = state
        for _ in range(trials):
            x, s = float(np.float32(((sum(s) & MASK) >> 11) * 2.0**-53)), step(*s)
            y, s = float(np.float32(((sum(s) & MASK) >> 11) * 2.0**-53)), step(*s)
            _, end = orbit(real(x * 3 - 2), real(y * 3 - 1.5), p.max_iterations)
            members += end != 2
            undecided += end == 0
        state = jump(*state)
    return members, undecided


def is_exact(p):
    return p.trials + p.threads <= EXACT and p.max_iterations <= 10_000


@mandelbrot_area.problem
def problem(p):
    expected = []  # made when it is first needed: it takes seconds
    error = 3.36 / math.sqrt(p.trials)

    def judge(members, undecided):
        m, u = int(np.asarray(members).item()), int(np.asarray(undecided).item())
        area, open_area = 9 * m / p.trials, 9 * u / p.trials
        numbers = {
            "members": m,
            "undecided": u,
            "trials": p.trials,
            "area": area,
            "area_without_undecided": area - open_area,
            "standard_error": error,
        }
        if is_exact(p):
            if not expected:
                expected.extend(count_serially(p))
            found = np.array([m, u])
            return check.elements("members and undecided with a serial count", found, np.array(expected), **numbers)
        middle = (LEAST + LARGEST + open_area) / 2
        slack = (LARGEST - LEAST + open_area) / 2 + 5 * error
        possible = area if 0 <= u <= m else math.nan
        return check.number(
            "the area with the course's bounds, by five standard errors", possible, middle, slack, **numbers
        )

    outputs = {"members": np.empty(1, np.int64), "undecided": np.empty(1, np.int64)}
    return Problem(outputs=outputs, work=Work(items=p.trials), check=judge)


@mandelbrot_area.twin("numba", "floyd")
def numba_parallel(p):
    import numba

    first, trials, cap = make_states(p), share(p), p.max_iterations
    real = numba.float64 if p.dtype.itemsize == 8 else numba.float32

    @numba.njit
    def uniform(s0, s1):
        u = np.float64(np.float32(((s0 + s1) >> np.uint64(11)) * 2.0**-53))
        s1 ^= s0
        s0 = ((s0 << np.uint64(55)) | (s0 >> np.uint64(9))) ^ s1 ^ (s1 << np.uint64(14))
        return u, s0, (s1 << np.uint64(36)) | (s1 >> np.uint64(28))

    @numba.njit
    def ends(c_re, c_im, cap):
        a = b = u = v = real(0)
        for _ in range(cap):
            a, b = a * a - b * b + c_re, (a + a) * b + c_im
            u, v = u * u - v * v + c_re, (u + u) * v + c_im
            u, v = u * u - v * v + c_re, (u + u) * v + c_im
            if u * u + v * v > real(4):
                return 2
            if a == u and b == v:
                return 1
        return 0

    @numba.njit(parallel=True)
    def count(states, trials):
        members = undecided = 0
        for i in numba.prange(len(states)):
            s0, s1 = states[i, 0], states[i, 1]
            for _ in range(trials[i]):
                x, s0, s1 = uniform(s0, s1)
                y, s0, s1 = uniform(s0, s1)
                end = ends(real(x * 3 - 2), real(y * 3 - 1.5), cap)
                if end != 2:
                    members += 1
                if end == 0:
                    undecided += 1
        return members, undecided

    def run():
        members, undecided = count(first, trials)
        return np.array([members]), np.array([undecided])

    return run


def why_not_on_a_gpu(p):
    return "its fused multiply-adds end a few orbits otherwise: use more trials" if is_exact(p) and p.trials > 256 else ""


# One thread a stream, as the course has it: a warp waits for the slowest of its 32 darts.
@mandelbrot_area.twin("numba_cuda", "floyd", unavailable=why_not_on_a_gpu)
def numba_cuda(p):
    from numba import cuda

    states, trials = cuda.to_device(make_states(p)), cuda.to_device(share(p))
    cap, real = p.max_iterations, p.dtype.type

    @cuda.jit
    def count(states, trials, members, undecided):
        i = cuda.grid(1)
        if i >= trials.size:
            return
        s0, s1 = states[i, 0], states[i, 1]
        found = left = 0
        for _ in range(trials[i]):
            x = np.float64(np.float32(((s0 + s1) >> np.uint64(11)) * 2.0**-53))
            s1 ^= s0
            s0 = ((s0 << np.uint64(55)) | (s0 >> np.uint64(9))) ^ s1 ^ (s1 << np.uint64(14))
            s1 = (s1 << np.uint64(36)) | (s1 >> np.uint64(28))
            y = np.float64(np.float32(((s0 + s1) >> np.uint64(11)) * 2.0**-53))
            s1 ^= s0
            s0 = ((s0 << np.uint64(55)) | (s0 >> np.uint64(9))) ^ s1 ^ (s1 << np.uint64(14))
            s1 = (s1 << np.uint64(36)) | (s1 >> np.uint64(28))
            c_re, c_im = real(x * 3 - 2), real(y * 3 - 1.5)
            a = b = u = v = real(0)
            end = 0
            for _ in range(cap):
                a, b = a * a - b * b + c_re, (a + a) * b + c_im
                u, v = u * u - v * v + c_re, (u + u) * v + c_im
                u, v = u * u - v * v + c_re, (u + u) * v + c_im
                if u * u + v * v > real(4):
                    end = 2
                    break
                if a == u and b == v:
                    end = 1
                    break
            found += 1 if end != 2 else 0
            left += 1 if end == 0 else 0
        cuda.atomic.add(members, 0, found)
        cuda.atomic.add(undecided, 0, left)

    threads = 256
    blocks = (p.threads + threads - 1) // threads

    def run():
        p.members[:1] = 0
        p.undecided[:1] = 0
        count[blocks, threads](states, trials, p.members, p.undecided)

    return run
