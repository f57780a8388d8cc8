# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The synthetic events of src/data/events.hpp in NumPy: the same numbers, from the same counters.

Arrays are made in pieces that stay in a core's cache, on all cores: NumPy lets other threads run while
it computes.
"""

import functools
import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

CHUNK = 1 << 16
_CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def philox(seed, index, stream):
    """Philox4x32-10 of each counter (index, stream) under the key `seed`: two arrays of 64 random bits.

    `stream` is one number or one for each index. Numba, where it is installed, computes the same bits
    in one pass instead of a hundred.
    """
    index = np.asarray(index).astype(np.uint64)
    stream = np.broadcast_to(np.asarray(stream, np.uint64), index.shape)
    compiled = compiled_philox() if index.size >= 1024 else None
    if compiled is None:
        return array_philox(seed, index, stream)
    first, second = np.empty_like(index), np.empty_like(index)
    compiled(index, np.array(stream), np.uint64(seed), first, second)
    return first, second


def array_philox(seed, index, stream):
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b, c, d = index & low, index >> shift, stream & low, stream >> shift
    key0, key1 = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b, c, d = (q >> shift) ^ b ^ np.uint64(key0), q & low, (p >> shift) ^ d ^ np.uint64(key1), p & low
        key0, key1 = (key0 + 0x9E3779B9) & 0xFFFFFFFF, (key1 + 0xBB67AE85) & 0xFFFFFFFF
    return a | (b << shift), c | (d << shift)


@functools.cache
def compiled_philox():
    """The same for arrays of numbers of 64 bits, by Numba; None without it."""
    try:
        import numba
    except ImportError:
        return None
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    m0, m1, w0, w1 = (np.uint64(x) for x in (0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85))

    @numba.njit("void(uint64[::1], uint64[::1], uint64, uint64[::1], uint64[::1])", nogil=True)
    def rounds(index, stream, seed, first, second):
        for i in range(index.size):
            a, b, c, d = index[i] & low, index[i] >> shift, stream[i] & low, stream[i] >> shift
            key0, key1 = seed & low, seed >> shift
            for _ in range(10):
                p, q = m0 * a, m1 * c
                a, b, c, d = (q >> shift) ^ b ^ key0, q & low, (p >> shift) ^ d ^ key1, p & low
                key0, key1 = (key0 + w0) & low, (key1 + w1) & low
            first[i], second[i] = a | (b << shift), c | (d << shift)

    return rounds


def unit(bits):
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def unit_positive(bits):
    return ((bits >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0**-53


def normal(bits):
    """The first of Box and Muller's pair."""
    return np.sqrt(-2.0 * np.log(unit_positive(bits[0]))) * np.cos(6.283185307179586 * unit(bits[1]))


def all_cores():
    """A pool with one thread for each core that there was when Python started.

    A library that binds its threads (OMP_PROC_BIND) binds the main thread too, and new threads with it.
    """
    compiled_philox()  # once, before all threads ask for it
    return ThreadPoolExecutor(len(_CORES) or os.cpu_count() or 1, initializer=_unbind)


def _unbind():
    if _CORES:
        os.sched_setaffinity(0, _CORES)


def each_chunk(n, function, chunk=CHUNK):
    """Calls function(first, end) for pieces of 0..n-1, on all cores, and returns the results in order."""
    firsts = range(0, n, chunk)
    if len(firsts) < 2:
        return [function(first, n) for first in firsts]
    with all_cores() as pool:
        return list(pool.map(lambda first: function(first, min(first + chunk, n)), firsts))


def by_chunks(n, function, array):
    """Fills `array` piece by piece with function(first, end)."""

    def fill(first, end):
        array[first:end] = function(first, end)

    each_chunk(n, fill)


def offsets(seed, n, mean, giants=0, giant=0):
    """Offsets of n lists with Poisson lengths, `giants` of them of length `giant`; int32."""
    table, total, k = [], 0.0, 0
    while True:
        term = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1.0)) if mean > 0 else float(k == 0)
        total += term
        table.append(int(min(total, 1.0) * 2.0**53))
        if k > mean and term < 2.0**-54:
            break
        k += 1
    table[-1] = 1 << 53
    table = np.array(table, np.uint64)
    lengths = np.empty(n, np.int64)

    def some(first, end):
        u = philox(seed, np.arange(first, end, dtype=np.uint64), 101)[0] >> np.uint64(11)
        return np.searchsorted(table, u, side="right")

    by_chunks(n, some, lengths)
    giants = min(giants, n)
    for j in range(giants):
        lengths[(2 * j + 1) * n // (2 * giants)] = giant
    out = np.zeros(n + 1, np.int32)
    np.cumsum(lengths, out=out[1:])
    return out


_SHARES = np.array([0.170, 0.195, 0.245, 0.260, 0.270, 0.320])  # up to here: the peaks, then the Z
_PEAKS = np.array([3.097, 3.686, 9.460, 10.023, 10.355, 0, 0])


def mass(a, b):
    """Masses of pairs: resonances and a falling continuum."""
    which, u, smear = unit(a[0]), unit_positive(a[1]), normal(b)
    low, high, half = 1 / 1.5, 1 / 150.0, 2.495 / 2
    kind = np.searchsorted(_SHARES, which, side="right")
    m = np.where(kind < 5, _PEAKS[kind] * (1 + 0.012 * smear), 1 / (low - (1 - u) * (low - high)))
    z = np.flatnonzero(kind == 5)
    first, last = math.atan((60 - 91.19) / half), math.atan((120 - 91.19) / half)
    m[z] = (91.19 + half * np.tan(first + u[z] * (last - first))) * (1 + 0.01 * smear[z])
    return m


def grid(x, steps):
    """To the nearest multiple of 1 / steps, halves away from 0."""
    return np.copysign(np.floor(np.abs(x * steps) + 0.5), x) / steps


def _rounded(pt, eta, phi):
    phi = phi - 2 * math.pi * np.round(phi / (2 * math.pi))
    return grid(np.clip(pt, 1 / 1024, 4096), 1024), grid(np.clip(eta, -8, 8), 16384), grid(phi, 16384)


def _dimuon(seed, event):
    """Both leptons of each event's pair: pt, eta, phi, charge, two of each."""
    shape, smear, motion, decay = (philox(seed, event, 102 + (k << 32)) for k in range(4))
    m = mass(shape, smear)
    q = -(8 + 0.1 * m) * np.log(unit_positive(motion[0]))
    y = 3.2 * unit(motion[1]) - 1.6
    cos_theta = 2 * unit(decay[0]) - 1
    sin_theta = np.sqrt(np.maximum(0, 1 - cos_theta * cos_theta))
    angle = 6.283185307179586 * unit(decay[1])
    around = 6.283185307179586 * unit(smear[1] ^ shape[1])
    transverse = np.sqrt(m * m + q * q)
    for k in range(2):
        sign = (0.5 - k) * m
        x0, z0 = sign * sin_theta * np.cos(angle), sign * cos_theta
        px, py = (x0 * transverse + 0.5 * m * q) / m, sign * sin_theta * np.sin(angle)
        energy = (0.5 * m * transverse + x0 * q) / m
        pz = z0 * np.cosh(y) + energy * np.sinh(y)
        pt = np.sqrt(px * px + py * py)
        charge = np.where((shape[0] & np.uint64(1)) == k, 1, -1)
        yield (*_rounded(pt, np.arcsinh(pz / np.maximum(pt, 1e-6)), np.arctan2(py, px) + around), charge)


def events(seed, n, mean, giant, dtype):
    """offsets (int32), pt, eta, phi (dtype) and charge (int8) of n events, one of `giant` leptons if that is not 0."""
    at = offsets(seed, n, mean, 1 if giant > 0 else 0, giant)
    columns = [np.empty(at[-1], dtype) for _ in range(3)] + [np.empty(at[-1], np.int8)]

    def put(where, values):
        for column, value in zip(columns, values):
            column[where] = value

    def some(first, end):
        start, length = at[first:end].astype(np.int64), np.diff(at[first : end + 1])
        pairs = np.flatnonzero(length >= 2)
        for k, values in enumerate(_dimuon(seed, (first + pairs).astype(np.uint64))):
            put(start[pairs] + k, values)
        event = np.repeat(np.arange(end - first), length)
        place = np.arange(at[first], at[end]) - start[event]
        alone = (length[event] < 2) | (place >= 2)
        event, place = event[alone], place[alone].astype(np.uint64)
        stream = np.uint64(102) + ((np.uint64(2) * place + np.uint64(4)) << np.uint64(32))
        a = philox(seed, first + event, stream)
        b = philox(seed, first + event, stream + np.uint64(1 << 32))
        values = _rounded(1 - 4 * np.log(unit_positive(a[0])), 4.8 * unit(a[1]) - 2.4, 6.283185307179586 * unit(b[0]))
        put(start[event] + place.astype(np.int64), (*values, np.where(b[1] & np.uint64(1), 1, -1)))

    each_chunk(n, some)
    return (at, *columns)
