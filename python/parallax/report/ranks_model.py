# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A model of a run on many ranks: they share what one computes, and pay for messages. docs/scaling.md explains it.

Times are in ns, rates in bytes per ns. Ranks of a node talk by its own links, nodes by the network.
"""

from __future__ import annotations

from dataclasses import dataclass

NODES = 1000
COSTS = {
    "sum": "2 ⌈log2 R⌉ (latency + bytes / rate): up a tree of ranks and down again; of its steps ⌈log2 nodes⌉ between nodes",
    "to_neighbour": "latency + bytes / rate, between nodes where there are several",
    "to_all": "(R - 1) (latency + bytes / rate), where the ranks of a node share its rate to the others",
}


@dataclass(frozen=True)
class Link:
    latency: float
    rate: float

    def time(self, size: float) -> float:
        return self.latency + size / self.rate


NETWORK = Link(2000.0, 25.0)  # assumed where no two nodes were measured


@dataclass(frozen=True)
class Machine:
    inside: Link
    between: Link
    ranks_a_node: int

    def message(self, pattern: str, size: float, ranks: int) -> float:
        """What a message of `size` bytes takes; of `to_all`, to each of the others."""
        here = min(ranks, self.ranks_a_node)
        nodes = -(-ranks // self.ranks_a_node)
        if ranks == 1:
            return 0.0
        if pattern == "sum":
            return 2 * (steps(here) * self.inside.time(size) + steps(nodes) * self.between.time(size))
        if pattern == "to_neighbour":
            return (self.between if nodes > 1 else self.inside).time(size)
        away = ranks - here
        return (here - 1) * self.inside.time(size) + away * (self.between.latency + here * size / self.between.rate)


def steps(count: int) -> int:
    """Of a tree: the logarithm to base 2, rounded up."""
    return (count - 1).bit_length()


@dataclass(frozen=True)
class Messages:
    """What a row sends on any number of ranks, from what its files say of one or two."""

    known: dict[int, list[tuple[str, float]]]  # by ranks: pattern and bytes
    weak: bool

    def on(self, ranks: int) -> list[tuple[str, float]]:
        last = max(self.known)
        found = []
        for k, (pattern, size) in enumerate(self.known[last]):
            if pattern == "to_all":  # what a rank has stays the same (weak), or is divided
                found.append((pattern, size * last / ranks * (1 if self.weak else last / ranks)))
                continue
            # On a straight line: group_sum sends more the more ranks there are.
            others = [n for n, sent in self.known.items() if n != last and [p for p, _ in sent] == [p for p, _ in self.known[last]]]
            if others:
                first = min(others)
                size += (size - self.known[first][k][1]) * (ranks - last) / (last - first)
            found.append((pattern, max(size, 0.0)))
        return found


@dataclass(frozen=True)
class Model:
    machine: Machine
    messages: Messages
    base: int  # the fewest ranks measured,
    base_ns: float  # and their time
    weak: bool

    @property
    def most(self) -> int:
        return NODES * self.machine.ranks_a_node

    def sending(self, ranks: int) -> float:
        return sum(self.machine.message(pattern, size, ranks) for pattern, size in self.messages.on(ranks))

    def time(self, ranks: int) -> float:
        computing = max(self.base_ns - self.sending(self.base), 0.0)
        return computing * (1 if self.weak else self.base / ranks) + self.sending(ranks)

    def efficiency(self, ranks: int) -> float:
        return efficiency(self.base, self.base_ns, ranks, self.time(ranks), self.weak)

    def counts(self) -> list[int]:
        """The base doubled, up to the most."""
        counts = [self.base]
        while counts[-1] * 2 < self.most:
            counts.append(counts[-1] * 2)
        return counts + [self.most] * (self.most > counts[-1])

    def stops(self) -> int | None:
        """The first of these counts on which less than half of the ranks' time is of use."""
        return next((ranks for ranks in self.counts() if self.efficiency(ranks) < 0.5), None)


def efficiency(base: int, base_ns: float, ranks: int, ns: float, weak: bool) -> float:
    return base_ns / ns * (1 if weak else base / ranks)
