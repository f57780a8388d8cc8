# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What is counted: one table of our names, with a definition, a unit, and how each tool gives it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counter:
    """`combine`: how several kernels of one run make one number: their sum, or their mean weighted by duration."""

    name: str
    meaning: str
    unit: str = ""
    ncu: tuple[str, ...] = ()  # metrics, which are added
    perf: str = ""
    rocprof: tuple[str, ...] = ()
    combine: str = "sum"
    rocprof_factor: float = 1.0


LOADS, STORES = (f"pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st"))  # of global memory, without textures
COUNTERS = (
    Counter("memory_bytes", "Bytes read from and written to the device's memory, beyond all caches.", "B",
            ("dram__bytes_read.sum", "dram__bytes_write.sum"), rocprof=("FETCH_SIZE", "WRITE_SIZE"), rocprof_factor=1024),
    Counter("l2_bytes", "Bytes that went through the L2 cache.", "B", ("lts__t_bytes.sum",)),
    Counter("l1_bytes", "Bytes that went through the L1 caches.", "B", ("l1tex__t_bytes.sum",)),
    Counter("load_sectors", "Sectors of 32 bytes that loads from global memory touched.", "", (f"l1tex__t_sectors_{LOADS}",)),
    Counter("load_requests", "Loads from global memory, one for each warp.", "", (f"l1tex__t_requests_{LOADS}",)),
    Counter("store_sectors", "Sectors of 32 bytes that stores to global memory touched.", "", (f"l1tex__t_sectors_{STORES}",)),
    Counter("store_requests", "Stores to global memory, one for each warp.", "", (f"l1tex__t_requests_{STORES}",)),
    Counter("bank_conflicts", "Extra turns that lanes took because they met in a bank of scratch memory.", "",
            tuple(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ("ld", "st")), rocprof=("SQ_LDS_BANK_CONFLICT",)),
    Counter("occupancy", "Warps that were resident on average, in per cent of what a multiprocessor holds.", "%",
            ("sm__warps_active.avg.pct_of_peak_sustained_active",), rocprof=("OccupancyPercent",), combine="mean"),
    Counter("occupancy_limit_theoretical", "The occupancy that registers, scratch memory and team size allow.", "%",
            ("sm__maximum_warps_per_active_cycle_pct",), combine="mean"),
    Counter("active_lanes", "Lanes of a warp that were active in an instruction, on average.", "",
            ("smsp__thread_inst_executed_per_inst_executed.ratio",), combine="mean"),
    Counter("active_lanes_percent", "Lanes of a wavefront that were active in a vector instruction, in per cent.", "%",
            rocprof=("VALUUtilization",), combine="mean"),
    Counter("instructions_per_cycle", "Instructions per cycle: of a core, or of a scheduler of a GPU, which issues one at most.", "",
            ("smsp__inst_executed.avg.per_cycle_active",), combine="mean"),
    Counter("instructions", "Instructions; a GPU's count once for each warp.", "", ("smsp__inst_executed.sum",), "instructions"),
    Counter("cycles", "Cycles of the clock: on a host of all cores together, on a GPU of one.", "", ("sm__cycles_elapsed.max",), "cycles",
            ("GRBM_GUI_ACTIVE",)),
    Counter("branches", "Branches of the program.", "", perf="branches"),
    Counter("branch_misses", "Branches that the processor predicted wrongly.", "", perf="branch-misses"),
    Counter("cache_misses", "Accesses that the last cache did not hold.", "", perf="cache-misses"),
    Counter("page_faults", "Pages that the system had to provide.", "", perf="page-faults"),
    Counter("context_switches", "Times at which a core was given to another thread.", "", perf="context-switches"),
    Counter("seconds", "Time of the counted run under the tool: of a GPU's kernels, or of all threads of a host together.", "s",
            ("gpu__time_duration.sum",), "task-clock"),
)
BY_NAME = {counter.name: counter for counter in COUNTERS}

# Made from others by counting.py, tools' own words apart.
DERIVED = {
    "needed_bytes": "Bytes that any implementation needs to move at least: the row's work.",
    "sectors_per_request": "Sectors that a load of a warp touches; neighbouring f32 need 4, f64 need 8, and packs of 16 bytes need 16.",
    "sectors_per_store": "Likewise of a store.",
    "occupancy_limited_by": "What sets occupancy_limit_theoretical: registers, shared_mem, warps or blocks (teams).",
    "stalls": "Why warps waited: the three commonest reasons, each with its share of all waiting.",
}

# What warps wait for, as ncu names it, in a student's words. "selected" is no waiting: the warp runs.
STALLS = {
    "barrier": "a team barrier",
    "branch_resolving": "a branch",
    "dispatch_stall": "the dispatcher",
    "drain": "stores at the end",
    "imc_miss": "the constant cache",
    "lg_throttle": "the queue of loads and stores",
    "long_scoreboard": "global memory",
    "math_pipe_throttle": "an arithmetic unit",
    "membar": "a memory fence",
    "mio_throttle": "the queue to scratch memory",
    "misc": "other reasons",
    "no_instruction": "the instruction cache",
    "not_selected": "other warps' turn",
    "short_scoreboard": "scratch memory",
    "sleeping": "a sleep",
    "tex_throttle": "the queue of textures",
    "wait": "a fixed latency",
}
LIMITS = ("blocks", "registers", "shared_mem", "warps")


def mean(pairs: list[tuple[float, float]]) -> float:
    """Of (value, seconds) of several kernels, each as long as it took; there is one at least."""
    whole = sum(seconds for _, seconds in pairs)
    return sum(v * s for v, s in pairs) / whole if whole > 0 else sum(v for v, _ in pairs) / len(pairs)


def stall_metric(reason: str) -> str:
    return f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"


def limit_metric(what: str) -> str:
    return f"launch__occupancy_limit_{what}"


def ncu_metrics() -> list[str]:
    plain = [metric for counter in COUNTERS for metric in counter.ncu]
    return plain + [limit_metric(what) for what in LIMITS] + [stall_metric(reason) for reason in STALLS]


def perf_events() -> list[str]:
    return [counter.perf for counter in COUNTERS if counter.perf]


def rocprof_groups() -> list[list[str]]:
    """What is counted together: memory traffic separately, because a pass holds few counters."""
    groups = [[name] for counter in COUNTERS if counter.name == "memory_bytes" for name in counter.rocprof]
    return groups + [[name] for counter in COUNTERS if counter.name != "memory_bytes" for name in counter.rocprof]
