# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What counters say of a row: a table of conditions, each with the sentence that follows. The most telling come first.

A condition sees `v`, the counters of the row and what follows from them; one that asks for a counter that was not counted does not hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .names import STALLS

MOST = 5  # sentences
WARP = 32
COALESCED = 16.5  # sectors: 32 neighbouring packs of 16 bytes are 16
SMALL = 1e6  # bytes: any launch moves more of them through the L2 cache


class Values:
    """`v.name`: a counter, or one of the shares below. A missing one raises KeyError, which ends the rule that asked."""

    def __init__(self, counters: dict, percent: float | None = None, ceiling: str = ""):
        self.counters = {**counters, **({"percent_of_ceiling": percent} if percent is not None else {})}
        self.ceiling = ceiling
        stalls = counters.get("stalls") or {}
        self.stall = next(iter(stalls), "")
        self.limit = counters.get("occupancy_limited_by", "")
        if self.stall:
            self.counters["stall_percent"] = 100 * stalls[self.stall]
        for name, above, below, factor in SHARES:
            if above in counters and counters.get(below):
                self.counters[name] = factor * counters[above] / counters[below]
        # What stays in the L2 cache need not reach memory.
        if {"l2_bytes", "memory_bytes", "needed_bytes"} <= set(counters):
            self.counters["l2_times"] = counters["l2_bytes"] / max(counters["memory_bytes"], counters["needed_bytes"], SMALL)

    def __getattr__(self, name: str) -> float:
        return self.counters[name]


SHARES = (  # name, counter above, counter below, factor
    ("moved", "memory_bytes", "needed_bytes", 1),
    ("conflicts", "bank_conflicts", "instructions", 1),
    ("mispredicted", "branch_misses", "branches", 100),
    ("misses", "cache_misses", "instructions", 1000),
    ("fault_bytes", "page_faults", "needed_bytes", 4096),
    ("switches", "context_switches", "seconds", 1),
)

STALL_HELP = {
    "barrier": "smaller teams or fewer barriers help",
    "drain": "fewer stores, or stores to neighbouring elements, help",
    "lg_throttle": "wider loads and fewer of them help",
    "long_scoreboard": "more independent loads in each thread, a higher occupancy or data kept in scratch memory help",
    "math_pipe_throttle": "cheaper arithmetic or a lower precision helps",
    "mio_throttle": "fewer accesses to scratch memory, or values kept in registers, help",
    "not_selected": "there are warps enough, and only fewer instructions help",
    "short_scoreboard": "fewer accesses to scratch memory, or padding against bank conflicts, help",
    "wait": "more independent instructions in each thread help",
}
LIMIT_HELP = {
    "registers": "fewer values that live at the same time, or launch bounds, help",
    "shared_mem": "less scratch memory for each team helps",
    "blocks": "larger teams help",
    "warps": "a team size that divides the multiprocessor's warps helps",
}


@dataclass(frozen=True)
class Rule:
    """`says` may name counters of `v` and, by `words`, more."""

    name: str
    holds: Callable[[Values], bool]
    says: str
    words: Callable[[Values], dict] = lambda v: {}


RULES = (
    Rule("idle_lanes", lambda v: v.active_lanes < 0.75 * WARP,
         "Only {active_lanes:.1f} of 32 lanes of a warp are active (active_lanes): give neighbouring threads the same branches and loop lengths."),
    Rule("idle_lanes_of_wavefronts", lambda v: v.active_lanes_percent < 75,
         "Only {active_lanes_percent:.0f} % of the lanes are active (active_lanes_percent): give neighbouring threads the same branches and loop "
         "lengths."),
    Rule("scattered_loads", lambda v: v.sectors_per_request > COALESCED,
         "A load of a warp touches {sectors_per_request:.1f} sectors (sectors_per_request; neighbouring f32 need 4, f64 8): let neighbouring threads "
         "read neighbouring elements."),
    Rule("scattered_stores", lambda v: v.sectors_per_store > COALESCED,
         "A store of a warp touches {sectors_per_store:.1f} sectors (sectors_per_store; neighbouring f32 need 4, f64 8): let neighbouring threads "
         "write neighbouring elements."),
    Rule("too_much_moved", lambda v: v.moved > 1.5,
         "Memory moves {moved:.1f} times the bytes that the work needs (memory_bytes): coalesced access, or data kept in scratch memory, would "
         "move fewer."),
    Rule("bank_conflicts", lambda v: v.conflicts > 0.1,
         "Lanes conflict in banks of scratch memory {conflicts:.1f} times per instruction (bank_conflicts): padding the rows, or another order, "
         "avoids it."),
    Rule("at_the_ceiling", lambda v: v.percent_of_ceiling > 80 and v.moved <= 1.5,
         "Memory bounds it: it moves {moved:.1f} times the bytes that it needs (memory_bytes) at {percent_of_ceiling:.0f} % of the ceiling, and only "
         "fewer bytes help, such as a lower precision or fused kernels."),
    Rule("out_of_l2", lambda v: v.l2_times > 4,
         "The L2 cache moves {l2_times:.1f} times the bytes that memory does or the work needs (l2_bytes): what is read again belongs in scratch "
         "memory or registers, and neighbouring threads should write neighbouring elements."),
    Rule("issue_bound", lambda v: v.tool == "ncu" and v.instructions_per_cycle > 0.7,
         "Instructions bound it: the schedulers issue {instructions_per_cycle:.2f} of at most 1 in a cycle (instructions_per_cycle), and only fewer "
         "instructions help."),
    Rule("limited_occupancy", lambda v: v.occupancy_limit_theoretical < 60 and v.limit != "",
         "Occupancy cannot exceed {occupancy_limit_theoretical:.0f} % (occupancy_limit_theoretical), because of {what}: {help}.",
         lambda v: {"what": v.limit.replace("shared_mem", "scratch memory"), "help": LIMIT_HELP.get(v.limit, "another team size may help")}),
    Rule("uneven_teams", lambda v: v.occupancy < 0.6 * v.occupancy_limit_theoretical,
         "Occupancy is {occupancy:.0f} % where {occupancy_limit_theoretical:.0f} % could be (occupancy): there are too few teams, or some work far "
         "longer; a larger problem or smaller pieces help."),
    Rule("waiting", lambda v: v.stall_percent > 30,
         "Warps wait mostly for {what} ({stall_percent:.0f} % of stalls): {help}.",
         lambda v: {"what": STALLS.get(v.stall, v.stall), "help": STALL_HELP.get(v.stall, "look for it in the kernel")}),
    Rule("first_touch", lambda v: v.fault_bytes > 0.1,
         "The system had to provide {page_faults:.0f} pages during the run (page_faults): memory that is allocated once and reused costs none."),
    Rule("mispredicted", lambda v: v.mispredicted > 3,
         "The processor predicts {mispredicted:.1f} % of the branches wrongly (branch_misses): sorted data, or a selection in place of a branch, help."),
    Rule("misses", lambda v: v.misses > 10,
         "The caches miss {misses:.0f} times in 1000 instructions (cache_misses): blocks that fit into a cache, and access in order, help."),
    Rule("host_waits", lambda v: v.tool == "perf" and v.instructions_per_cycle < 0.8,
         "A core retires {instructions_per_cycle:.2f} instructions a cycle (instructions_per_cycle): it waits, for memory or for results, and independent "
         "operations in each iteration help."),
    Rule("host_computes", lambda v: v.tool == "perf" and v.instructions_per_cycle > 2.5,
         "A core retires {instructions_per_cycle:.2f} instructions a cycle (instructions_per_cycle): arithmetic bounds it, and vector instructions or less "
         "work help."),
    Rule("crowded", lambda v: v.switches > 1000,
         "Cores changed threads {switches:.0f} times for each second of work (context_switches): fewer threads, or a quiet machine, help."),
)  # fmt: skip


def holds(rule: Rule, values: Values) -> bool:
    try:
        return rule.holds(values)
    except KeyError:
        return False


def sentences(values: Values) -> list[str]:
    """The first five that hold."""
    found = [rule for rule in RULES if holds(rule, values)]
    return [rule.says.format(**{**values.counters, **rule.words(values)}) for rule in found[:MOST]]
