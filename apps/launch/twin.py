# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""launch: small kernels in a chain and side by side, the twin of apps/launch/lesson.hpp.

Kernel k does x = 3 x + k on its part of the data, in whole numbers that wrap round. From Python a launch costs more than in C++, so
that a graph, or one kernel for all, gains more.
"""

import numpy as np

from parallax.twins import Exercise, Problem, Work, check

launch = Exercise("launch", precisions=("i32",), memory=lambda p: (p.kernels + 1) * p.n * p.dtype.itemsize)

TASKS = ("empty", "chain", "independent")
THREADS = 256


@launch.problem
def problem(p):
    sizes = {"empty": (1, 1), "chain": (p.kernels, p.n), "independent": (p.kernels, p.kernels * p.n)}
    start, expected, work = {}, {}, {}
    for task, (kernels, size) in sizes.items():
        x = (np.arange(1, size + 1, dtype=np.uint32) * np.uint32(2654435761)).astype(np.uint32)
        start[task] = x.astype(p.dtype)
        if task == "independent":
            x = 3 * x + np.repeat(np.arange(kernels, dtype=np.uint32), p.n)
        else:
            for k in range(kernels):
                x = 3 * x + np.uint32(k)
        expected[task] = x.astype(p.dtype)
        work[task] = Work(bytes=2 * start[task].nbytes, items=kernels)

    def judge_of(task):
        def judge(*outputs):
            (x,) = outputs
            numbers = {"kernels": sizes[task][0], "first": x[0], "last": x[-1]}
            compared = "every element with its steps x = 3 x + k, each once and in order"
            return check.elements(compared, x, expected[task], **numbers)

        return judge

    # `build`: the chain, with the making of its graph.
    judges = {task: judge_of(task) for task in TASKS}
    return Problem(updated=start, work={**work, "build": work["chain"]}, check={**judges, "build": judges["chain"]})


def twin(space, variant, tasks=TASKS):
    """Enters `make(p, parts)` for each task: parts[k] is what kernel k works on, and what it returns launches them."""

    def add(make):
        for task in tasks:
            launch.twin(space, variant, phase=task)(lambda p, task=task: ready(make, p, task))
        return make

    return add


def ready(make, p, task):
    whole, n = getattr(p, "chain" if task == "build" else task), p.n
    if task == "independent":
        parts = [whole[k * n : (k + 1) * n] for k in range(p.kernels)]
    else:
        parts = [whole] * (1 if task == "empty" else p.kernels)
    steps = make(p, parts)

    def run():
        steps()
        return whole

    return run


def launches(step, parts):
    """What is timed: a launch for each kernel."""
    numbered = list(enumerate(parts))

    def run():
        for k, x in numbered:
            step(x, k)

    return run


@twin("numpy", "range")
def numpy(p, parts):
    def step(x, k):
        np.multiply(x, 3, out=x)
        np.add(x, k, out=x)

    return launches(step, parts)


@twin("numba", "range")
def numba_parallel(p, parts):
    import numba

    @numba.njit(parallel=True)
    def step(x, k):
        for i in numba.prange(x.size):
            x[i] = 3 * x[i] + k

    return launches(step, parts)


@twin("numba", "fused", ("chain",))
def numba_fused(p, parts):
    import numba

    @numba.njit(parallel=True)
    def steps(x, kernels):
        for i in numba.prange(x.size):
            value = x[i]
            for k in range(kernels):
                value = 3 * value + k
            x[i] = value

    return lambda: steps(parts[0], len(parts))


def cuda_step():
    from numba import cuda

    # begin: numba_cuda
    @cuda.jit
    def step(x, k):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = 3 * x[i] + k
    # end: numba_cuda

    return step


def blocks_of(x):
    return (x.size + THREADS - 1) // THREADS


@twin("numba_cuda", "range")
def numba_cuda(p, parts):
    step, blocks = cuda_step(), blocks_of(parts[0])
    return launches(lambda x, k: step[blocks, THREADS](x, k), parts)


@twin("numba_cuda", "instances", ("independent",))
def numba_cuda_streams(p, parts):
    from numba import cuda

    step, blocks = cuda_step(), blocks_of(parts[0])
    streams = [cuda.stream() for _ in range(4)]
    return launches(lambda x, k: step[blocks, THREADS, streams[k % 4]](x, k), parts)


@twin("numba_cuda", "fused", ("chain",))
def numba_cuda_fused(p, parts):
    from numba import cuda

    @cuda.jit
    def steps(x, kernels):
        i = cuda.grid(1)
        if i < x.size:
            value = x[i]
            for k in range(kernels):
                value = 3 * value + k
            x[i] = value

    blocks = blocks_of(parts[0])
    return lambda: steps[blocks, THREADS](parts[0], len(parts))


def cupy_step():
    import cupy as cp

    return cp.ElementwiseKernel("int32 k", "int32 x", "x = (int)(3u * (unsigned)x + k)", "launch_step")


@twin("cupy", "range")
def cupy(p, parts):
    step = cupy_step()
    return launches(lambda x, k: step(k, x), parts)


@twin("cupy", "instances", ("independent",))
def cupy_streams(p, parts):
    import cupy as cp

    step = cupy_step()
    streams = [cp.cuda.Stream() for _ in range(4)]  # of the kind that the null stream, and so the clock, waits for

    def in_turn(x, k):
        with streams[k % 4]:
            step(k, x)

    return launches(in_turn, parts)


def cupy_ready_step(parts):
    """The kernel, compiled: in a capture nothing runs."""
    import cupy as cp

    step = cupy_step()
    step(0, cp.zeros_like(parts[0]))
    return step


# begin: cupy_graph
def cupy_capture(step, parts):
    import cupy as cp

    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for k, x in enumerate(parts):
            step(k, x)
        return stream.end_capture()


@twin("cupy", "graph")
def cupy_graph(p, parts):
    graph = cupy_capture(cupy_ready_step(parts), parts)
    return lambda: graph.launch()
# end: cupy_graph


@twin("cupy", "graph", ("build",))
def cupy_build(p, parts):
    step = cupy_ready_step(parts)
    return lambda: cupy_capture(step, parts).launch()


@twin("cupy", "fused", ("chain",))
def cupy_fused(p, parts):
    import cupy as cp

    steps = cp.ElementwiseKernel(
        "int32 kernels", "int32 x", "unsigned v = x; for (int k = 0; k < kernels; ++k) v = 3 * v + k; x = (int)v", "launch_fused"
    )
    return lambda: steps(len(parts), parts[0])


@twin("cupy", "fused", ("independent",))
def cupy_fused_parts(p, parts):
    import cupy as cp

    steps = cp.ElementwiseKernel("int32 size", "int32 x", "x = (int)(3u * (unsigned)x + i / size)", "launch_fused_parts")
    return lambda: steps(p.n, p.independent)


def torch_launches(p, parts):
    import torch

    numbers = torch.arange(len(parts), dtype=torch.int32, device=parts[0].device)
    return launches(lambda x, k: torch.add(numbers[k], x, alpha=3, out=x), parts)


twin("torch", "range")(torch_launches)


@twin("torch_cuda", "graph")
def torch_graph(p, parts):
    import torch

    steps = torch_launches(p, parts)
    steps()  # loaded before the capture, in which nothing runs; the harness restores the data
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        steps()
    return graph.replay


def step(x, k):
    return 3 * x + k


def jax_twin(variant, task):
    """JAX returns new arrays. `range`: a compiled function for each kernel; `fused`: one for all, which XLA makes one kernel."""

    def make(p):
        import jax

        one, kernels = jax.jit(step), 1 if task == "empty" else p.kernels

        def chain(x):
            for k in range(kernels):
                x = one(x, k)
            return x

        def side_by_side(x):
            parts = x.reshape(kernels, p.n)
            return step(parts, jax.numpy.arange(kernels, dtype=x.dtype)[:, None]).reshape(-1)

        run = side_by_side if task == "independent" else chain
        run = jax.jit(run) if variant == "fused" else run
        return lambda: run(getattr(p, task))

    launch.twin("jax", variant, phase=task)(make)


for entry in (("range", "empty"), ("range", "chain"), ("fused", "chain"), ("fused", "independent")):
    jax_twin(*entry)
