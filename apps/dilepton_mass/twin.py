# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""dilepton_mass: the invariant mass of a pair of leptons in each event, the twin of
apps/dilepton_mass/lesson.hpp: one thread for each event, as one writes it first.
"""

import math

import numpy as np

from parallax.errors import Refusal
from parallax.twins import Exercise, Problem, Work, check
from parallax.twins.shared.events import each_chunk, events

dilepton_mass = Exercise(
    "dilepton_mass",
    precisions=("f32", "f64"),
    memory=lambda p: p.n * (4 + p.dtype.itemsize) + p.n * p.mean * (1 + 3 * p.dtype.itemsize),
)


def _pairs(a, b):
    """Masses of pairs, and what the rounding of sinh and cosh of each lepton is measured by.

    The form without a difference, so that double precision is a few eps off for every pair.
    """
    product = a.pt * b.pt
    m = 2 * np.sqrt(product * (np.sinh((a.eta - b.eta) / 2) ** 2 + np.sin((a.phi - b.phi) / 2) ** 2))
    return m, np.sqrt(product) * a.cosh * b.cosh


class _Leptons:
    """Columns of leptons in double precision."""

    def __init__(self, pt, eta, phi, charge):
        self.pt, self.eta, self.phi, self.charge = (x.astype(np.float64) for x in (pt, eta, phi, charge))
        self.cosh = np.cosh(self.eta / 2)

    def __getitem__(self, where):
        some = object.__new__(_Leptons)
        for name, x in vars(self).items():
            setattr(some, name, x[where])
        return some


def _one_large(event, pair):
    """Mass and scale of one event's pair, by rows of the matrix of pairs."""
    if pair == "first":
        charged = np.flatnonzero(event.charge)
        other = np.flatnonzero(event.charge * event.charge[charged[:1]] < 0)[:1]
        return (*_pairs(event[charged[0]], event[other[0]]),) if other.size else (-1.0, 0.0)
    rows = event[event.charge != 0] if pair == "any" else event[event.charge > 0]
    minus, mass, scale = event[event.charge < 0], 0.0, 0.0
    for k in range(rows.pt.size):
        others = rows[k + 1 :] if pair == "any" else minus
        if others.pt.size:
            m, size = _pairs(rows[k], others)
            mass, scale = max(mass, m.max()), max(scale, size.max())
    return mass, scale


def reference(at, columns, pair):
    """The mass expected of each event, and the scale of its rounding errors, both of double precision.

    Events of the same number of leptons are computed side by side.
    """
    n = at.size - 1
    mass, scale = np.full(n, -1.0 if pair == "first" else 0.0), np.zeros(n)

    def some(begin, end):
        start, length = at[begin:end].astype(np.int64) - at[begin], np.diff(at[begin : end + 1])
        leptons = _Leptons(*(x[at[begin] : at[end]] for x in columns))
        for count in np.unique(length[length > 1]):
            events = np.flatnonzero(length == count)
            if count > 40:
                for e in events:
                    one = leptons[start[e] : start[e] + count]
                    mass[begin + e], scale[begin + e] = _one_large(one, pair)
                continue
            place = [leptons[start[events] + k] for k in range(count)]
            best, wide, missing = mass[begin + events], scale[begin + events], np.ones(events.size, bool)
            for i in range(count):
                for j in range(i + 1, count):
                    m, size = _pairs(place[i], place[j])
                    charges = place[i].charge * place[j].charge
                    asked = charges != 0 if pair == "any" else charges < 0
                    if pair == "first":
                        asked &= missing
                    missing &= ~asked
                    best = np.where(asked, np.maximum(best, m), best)
                    wide = np.where(asked, np.maximum(wide, size), wide)
            mass[begin + events], scale[begin + events] = best, wide

    each_chunk(n, some)
    return mass, scale


@dilepton_mass.problem
def problem(p):
    if p.events == "made":
        raise Refusal("events=made: they are for the check of the program's kernels")
    at, *columns = events(p.seed, p.n, p.mean, p.giant_event, p.dtype)
    pt, eta, phi, charge = columns
    expected, scale = reference(at, columns, p.pair)
    # Twins take a difference of cosh and cos, which loses digits for leptons close together.
    eps = float(np.finfo(p.dtype).eps)
    tolerance = 16 * eps * (scale + np.maximum(expected, 0)) + (1e-7 if p.precision == "f32" else 1e-9) * scale

    def judge(masses):
        with np.errstate(invalid="ignore"):
            paired = masses > 0
            counts = np.bincount(masses[paired & (masses < 120)].astype(np.int64), minlength=120)
        numbers = {
            "events_with_pair": int(np.count_nonzero(scale)),  # a pair's mass can be 0
            "sum": masses[paired].sum(dtype=np.float64),
            "first_ten": [float(m) for m in masses[:10]],
            "peak_bin": int(np.argmax(counts)),
        }
        return check.elements("every mass with NumPy's in double precision, of a form without differences", masses, expected, tolerance, **numbers)

    work = Work(bytes=at.nbytes + 3 * pt.nbytes + charge.nbytes + p.n * p.dtype.itemsize, items=p.n)
    return Problem(
        inputs={"at": at, "pt": pt, "eta": eta, "phi": phi, "charge": charge},
        outputs={"masses": np.empty(p.n, p.dtype)},
        work=work,
        check=judge,
    )


def _mass_of(real, pair):
    two, none = real(2), real(-1 if pair == "first" else 0)
    first, of_any = pair == "first", pair == "any"

    def event_mass(pt, eta, phi, charge, begin, end):
        best = none
        for i in range(begin, end):
            for j in range(i + 1, end):
                charges = charge[i] * charge[j]
                if charges < 0 or (of_any and charges > 0):
                    m = math.sqrt(two * pt[i] * pt[j] * (math.cosh(eta[i] - eta[j]) - math.cos(phi[i] - phi[j])))
                    if first:
                        return m
                    best = max(best, m)
        return best

    return event_mass


@dilepton_mass.twin("numba_serial", "event_per_thread")
@dilepton_mass.twin("numba", "event_per_thread")
def numba_loops(p):
    import numba

    event_mass = numba.njit(_mass_of(p.dtype.type, p.pair))

    @numba.njit(parallel=p.space == "numba")
    def run(at, pt, eta, phi, charge, masses):
        for i in numba.prange(masses.size):
            masses[i] = event_mass(pt, eta, phi, charge, at[i], at[i + 1])

    return lambda: run(p.at, p.pt, p.eta, p.phi, p.charge, p.masses)


@dilepton_mass.twin("numba_cuda", "event_per_thread")
def numba_cuda(p):
    from numba import cuda

    event_mass = cuda.jit(device=True)(_mass_of(p.dtype.type, p.pair))

    @cuda.jit
    def run(at, pt, eta, phi, charge, masses):
        i = cuda.grid(1)
        if i < masses.size:
            masses[i] = event_mass(pt, eta, phi, charge, at[i], at[i + 1])

    threads = 128
    return lambda: run[-(-p.n // threads), threads](p.at, p.pt, p.eta, p.phi, p.charge, p.masses)
