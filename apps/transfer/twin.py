# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""transfer: copies between host and device, the twin of apps/transfer/lesson.hpp.

A NumPy array is pageable memory; PyTorch hands out pinned memory on request, CuPy through a
separate allocator. Libraries on the CPU have nothing to transfer: they copy from array to array.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check, uniform

transfer = Exercise("transfer", precisions=("f64",), memory=lambda p: 2 * p.n * p.dtype.itemsize)


@transfer.problem
def problem(p):
    source = uniform(p.seed, p.n, p.dtype)

    def judge(target):
        return check.elements("every element with what was sent", target, source, sum=target.sum(dtype=np.float64))

    work = {"transfer": Work(bytes=source.nbytes)}
    return Problem(inputs={"source": source}, outputs={"target": np.empty_like(source)}, work=work, check=judge)


@transfer.twin("numpy", "d2d", phase="transfer")
def numpy_copy(p):
    return lambda: np.copyto(p.target, p.source)


# begin: cupy
@transfer.twin("cupy", "h2d_pageable", phase="transfer")
def cupy_in(p):
    return lambda: p.target.set(p.host.source)


@transfer.twin("cupy", "h2d_pinned", phase="transfer")
def cupy_in_pinned(p):
    pinned = cupy_pinned(p)
    pinned[:] = p.host.source
    return lambda: p.target.set(pinned)
# end: cupy


@transfer.twin("cupy", "d2h_pageable", phase="transfer")
def cupy_out(p):
    import cupy as cp

    host = np.empty_like(p.host.source)
    return lambda: cp.asnumpy(p.source, out=host)


@transfer.twin("cupy", "d2h_pinned", phase="transfer")
def cupy_out_pinned(p):
    import cupy as cp

    pinned = cupy_pinned(p)
    return lambda: cp.asnumpy(p.source, out=pinned)


def cupy_pinned(p):
    """An empty array of the source's size in pinned memory."""
    import cupyx

    return cupyx.empty_pinned(p.n, p.dtype)


@transfer.twin("cupy", "d2d", phase="transfer")
def cupy_inside(p):
    import cupy as cp

    return lambda: cp.copyto(p.target, p.source)


@transfer.twin("numba_cuda", "h2d_pageable", phase="transfer")
def numba_in(p):
    return lambda: p.target.copy_to_device(p.host.source)


def torch_host(p, pinned):
    """An array of the host for PyTorch that holds the input (which itself is shared, and read-only)."""
    import torch

    host = torch.from_numpy(p.host.source.copy())
    return host.pin_memory() if pinned else host


def torch_in(pinned):
    def twin(p):
        host = torch_host(p, pinned)
        return lambda: p.target.copy_(host, non_blocking=pinned)

    return twin


def torch_out(pinned):
    def twin(p):
        host = torch_host(p, pinned).zero_()
        return lambda: host.copy_(p.source, non_blocking=pinned)

    return twin


for kind in ("pageable", "pinned"):
    transfer.twin("torch_cuda", f"h2d_{kind}", phase="transfer")(torch_in(kind == "pinned"))
    transfer.twin("torch_cuda", f"d2h_{kind}", phase="transfer")(torch_out(kind == "pinned"))


@transfer.twin("torch", "d2d", phase="transfer")
def torch_inside(p):
    return lambda: p.target.copy_(p.source)
