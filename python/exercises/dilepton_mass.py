# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""dilepton_mass: the invariant mass of an opposite-charge pair in each event, the twin of
src/kernels/dilepton_mass.hpp: one thread for each event, as one writes it first.
"""

import math

import numpy as np
from exercises._events import events
from parallax_twins import Exercise, Problem, Work, check

dilepton_mass = Exercise(
    "dilepton_mass",
    precisions=("f32", "f64"),
    memory=lambda p: p.n * (4 + p.dtype.itemsize) + p.n * p.mean * (1 + 3 * p.dtype.itemsize),
)


@dilepton_mass.problem
def problem(p):
    at, pt, eta, phi, charge = events(p.seed, p.n, p.mean, p.giant_event, p.dtype)
    first = p.pair == "first"
    expected = np.full(p.n, -1.0 if first else 0.0)
    scale = np.zeros(p.n)
    length = np.diff(at)
    wide = np.longdouble if p.dtype == np.float64 else np.float64
    found = np.zeros(p.n, bool)
    for i in range(int(length.max(initial=0))):  # the first lepton of the pair: the same place in all events
        for j in range(i + 1, int(length.max())):
            here = np.flatnonzero(length > j)
            if here.size < 4 and length.max() > 1000:
                break
            a, b = at[here] + i, at[here] + j
            keep = charge[a] * charge[b] < 0
            here, a, b = here[keep], a[keep], b[keep]
            product = pt[a].astype(wide) * pt[b]
            deta, dphi = eta[a].astype(wide) - eta[b], phi[a].astype(wide) - phi[b]
            m = np.sqrt(np.maximum(0, 2 * product * (np.cosh(deta) - np.cos(dphi))))
            size = np.sqrt(product) * np.cosh(eta[a].astype(wide) / 2) * np.cosh(eta[b].astype(wide) / 2)
            scale[here] = np.maximum(scale[here], size)
            if first:
                m = np.where(found[here], expected[here], m)
            expected[here] = np.maximum(expected[here], m)
            found[here] = True
    eps = float(np.finfo(p.dtype).eps)
    tolerance = 16 * eps * (scale + np.maximum(expected, 0)) + (1e-7 if p.precision == "f32" else 1e-9) * scale

    def judge(masses):
        with np.errstate(invalid="ignore"):
            paired = masses > 0
            counts = np.bincount(masses[paired & (masses < 120)].astype(np.int64), minlength=120)
        numbers = {
            "events_with_pair": int(np.count_nonzero(paired)),
            "sum": masses[paired].sum(dtype=np.float64),
            "first_ten": [float(m) for m in masses[:10]],
            "peak_bin": int(np.argmax(counts)),
        }
        return check.elements("every mass with NumPy's, in a wider type", masses, expected, tolerance, **numbers)

    work = Work(bytes=at.nbytes + 3 * pt.nbytes + charge.nbytes + p.n * p.dtype.itemsize, items=p.n)
    return Problem(
        inputs={"at": at, "pt": pt, "eta": eta, "phi": phi, "charge": charge},
        outputs={"masses": np.empty(p.n, p.dtype)},
        work=work,
        check=judge,
    )



def _mass_of(real):
    two, none = real(2), real(0)

    def event_mass(pt, eta, phi, charge, begin, end, first):
        best = real(-1) if first else none
        for i in range(begin, end):
            for j in range(i + 1, end):
                if charge[i] * charge[j] < 0:
                    m = math.sqrt(two * pt[i] * pt[j] * (math.cosh(eta[i] - eta[j]) - math.cos(phi[i] - phi[j])))
                    if first:
                        return m
                    best = max(best, m)
        return best

    return event_mass


@dilepton_mass.twin("numba", "event_per_thread")
def numba_parallel(p):
    import numba

    event_mass = numba.njit(_mass_of(p.dtype.type))
    first = p.pair == "first"

    @numba.njit(parallel=True)
    def run(at, pt, eta, phi, charge, masses):
        for i in numba.prange(masses.size):
            masses[i] = event_mass(pt, eta, phi, charge, at[i], at[i + 1], first)

    return lambda: run(p.at, p.pt, p.eta, p.phi, p.charge, p.masses)


@dilepton_mass.twin("numba_cuda", "event_per_thread")
def numba_cuda(p):
    from numba import cuda

    event_mass = cuda.jit(device=True)(_mass_of(p.dtype.type))
    first = p.pair == "first"

    @cuda.jit
    def run(at, pt, eta, phi, charge, masses):
        i = cuda.grid(1)
        if i < masses.size:
            masses[i] = event_mass(pt, eta, phi, charge, at[i], at[i + 1], first)

    threads = 128
    return lambda: run[-(-p.n // threads), threads](p.at, p.pt, p.eta, p.phi, p.charge, p.masses)
