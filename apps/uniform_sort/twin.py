# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""uniform_sort: sort uniform random keys ascending, the twin of apps/uniform_sort/tuned.hpp's `library`.

Everybody's library has a sort. NumPy's is one thread with AVX-512; CuPy, JAX and PyTorch call a radix
sort of the GPU's vendor, and differ by what they copy before and after.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check

uniform_sort = Exercise(
    "uniform_sort", precisions=("f64", "f32", "u32", "u64"), memory=lambda p: 3 * p.n * p.dtype.itemsize
)


def philox_words(seed, blocks):
    """Words of Philox4x32-10 for counters 0 .. blocks - 1 under the key `seed`, four in a row for each."""
    mask = np.uint64(0xFFFFFFFF)
    counter = np.arange(blocks, dtype=np.uint64)
    a, b, c, d = counter & mask, counter >> np.uint64(32), np.zeros_like(counter), np.zeros_like(counter)
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b = (q >> np.uint64(32)) ^ b ^ np.uint64(key[0]), q & mask
        c, d = (p >> np.uint64(32)) ^ d ^ np.uint64(key[1]), p & mask
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack([a, b, c, d], axis=1).astype(np.uint32).reshape(-1)


def generate(p):
    """The C++ program's keys: floats on [low, high), integers with all bits random."""
    wide = p.dtype.itemsize == 8
    words = philox_words(p.seed, -(-p.n // (2 if wide else 4)))
    bits = words.view(np.uint64 if wide else np.uint32)[: p.n]
    if p.dtype.kind == "u":
        return bits.copy()
    u = np.ldexp((bits >> bits.dtype.type(11 if wide else 8)).astype(p.dtype), -53 if wide else -24)
    # One rounding, as a fused multiply-add has: the sum is exact in the wider type, or nearly so.
    keys = (np.longdouble(p.low) + u.astype(np.longdouble) * (p.dtype.type(p.high) - p.dtype.type(p.low))).astype(
        p.dtype
    )
    return np.minimum(keys, np.nextafter(p.dtype.type(p.high), p.dtype.type(p.low)))


@uniform_sort.problem
def problem(p):
    keys = generate(p)
    expected = np.sort(keys, kind="stable")  # merge sort or radix sort: not the sort that is judged

    def judge(found):
        numbers = {"n": p.n}
        if p.n:
            numbers |= {name: float(found[i]) for name, i in (("first", 0), ("median", p.n // 2), ("last", -1))}
        # As integers of the same order and size: a float64 does not hold every u64.
        same = (np.asarray(found) == expected).astype(np.int64)
        return check.elements("every key with a stable sort of NumPy's", same, np.ones(p.n, np.int64), **numbers)

    work = Work(bytes=2 * keys.nbytes, items=p.n)
    return Problem(updated={"keys": keys}, consumed=True, work=work, check=judge)


@uniform_sort.twin("numpy", "library", phase="sort")
def numpy(p):
    return lambda: p.keys.sort()


@uniform_sort.twin("cupy", "library", phase="sort")
def cupy(p):
    return lambda: p.keys.sort()


@uniform_sort.twin("jax", "library", phase="sort")
def jax(p):
    import jax

    sort = jax.jit(jax.numpy.sort)
    return lambda: sort(p.keys)


@uniform_sort.twin(
    "torch", "library", phase="sort", unavailable=lambda p: "PyTorch sorts no unsigned keys" if p.dtype.kind == "u" else ""
)
def torch(p):
    import torch

    return lambda: torch.sort(p.keys).values
