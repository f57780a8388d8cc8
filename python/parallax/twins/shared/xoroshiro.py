# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The streams of src/random/xoroshiro.hpp: xoroshiro128+, each stream 2^64 steps from its neighbour."""

import numpy as np

MASK = (1 << 64) - 1
JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)  # the authors' polynomial: 2^64 steps


def first_state(seed):
    z = (seed + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def rotate(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


def step(s0, s1):
    s1 ^= s0
    return rotate(s0, 55) ^ s1 ^ ((s1 << 14) & MASK), rotate(s1, 36)


def jump(s0, s1):
    t0 = t1 = 0
    for word in JUMP:
        for bit in range(64):
            if word >> bit & 1:
                t0, t1 = t0 ^ s0, t1 ^ s1
            s0, s1 = step(s0, s1)
    return t0, t1


def share(p):
    """Trials of each stream: the first trials % threads get one more."""
    return p.trials // p.threads + (np.arange(p.threads) < p.trials % p.threads)


def make_states(p):
    """States of all streams, (threads, 2): the matrix of the jump, by its 128 columns, squared again and again."""
    columns = np.array([jump(*(1 << b & MASK, 1 << b >> 64)) for b in range(128)], dtype=np.uint64)

    def apply(columns, states):
        out = np.zeros_like(states)
        for b in range(128):
            bit = states[:, b // 64] >> np.uint64(b % 64) & np.uint64(1)
            out ^= (np.uint64(0) - bit)[:, None] & columns[b]
        return out

    states = np.full((1, 2), first_state(p.seed), dtype=np.uint64)
    while len(states) < p.threads:
        states = np.concatenate([states, apply(columns, states)])
        columns = apply(columns, columns)
    return np.ascontiguousarray(states[: p.threads])
