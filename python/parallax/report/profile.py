# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Output of Kokkos Tools' simple kernel timer: its .dat file, the JSON of KOKKOS_TOOLS_TIMER_JSON=1, or what kp_reader
prints. See docs/concepts/profiles.md."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass

from ..errors import Refusal
from ..files import read_bytes
from .fields import MOST, Fields
from .tables import Cell, table
from .text import clean, plural, readable_time, three_digits

KINDS = ("parallel_for", "parallel_reduce", "parallel_scan", "region")
WORDS = {
    "PARALLEL-FOR": KINDS[0], "PARALLEL-REDUCE": KINDS[1], "PARALLEL-SCAN": KINDS[2],
    "ParFor": KINDS[0], "ParRed": KINDS[1], "ParScan": KINDS[2], "REGION": KINDS[3], "Region": KINDS[3],
}  # fmt: skip


@dataclass
class Kernel:
    name: str
    kind: str
    calls: int
    seconds: float


def read_dat(path: str, data: bytes) -> tuple[float, list[Kernel]]:
    """The time of the run, then records: length, name, calls, time, its square, kind; native byte order."""

    def refuse():
        raise Refusal(f"'{path}' is not the output of the simple kernel timer, or was cut short")

    kernels, at = [], 8
    if len(data) < 8:
        refuse()
    (total,) = struct.unpack_from("=d", data)
    while at < len(data):
        try:
            length, name_length = struct.unpack_from("=II", data, at)
            if length != name_length + 32 or at + 4 + length > len(data):
                refuse()
            name = data[at + 8 : at + 8 + name_length].decode("utf-8", "replace")
            calls, seconds, _, kind = struct.unpack_from("=QddI", data, at + 8 + name_length)
        except struct.error:
            refuse()
        if kind >= len(KINDS):
            refuse()
        kernels.append(Kernel(name, KINDS[kind], calls, seconds))
        at += 4 + length
    return total, kernels


def read_json(path: str, data: dict) -> tuple[float, list[Kernel]]:
    f = Fields(data, f"'{path}'").object("kokkos-kernel-data")
    top = Fields(f, f"'{path}': kokkos-kernel-data")
    kernels = []
    for part in ("kernel-perf-info", "region-perf-info"):
        rows = f.get(part, [])
        if not isinstance(rows, list):
            raise Refusal(f"'{path}': '{part}' is not a list")
        for row in rows:
            if not isinstance(row, dict):
                raise Refusal(f"'{path}': '{part}' holds what is not an object")
            k = Fields(row, f"'{path}': {part}")
            kind = "region" if part.startswith("region") else WORDS.get(k.text("kernel-type"), "kernel")
            kernels.append(
                Kernel(k.text("kernel-name"), kind, int(k.number("call-count", 0)), k.number("total-time", 0.0))
            )
    return top.number("total-app-time", 0.0), kernels


NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
LINE = re.compile(rf"^\s*\((ParFor|ParRed|ParScan|REGION|Region)\)\s*[ ,;|\t]\s*{NUMBER}[ ,;|\t]+(\d{{1,20}})[ ,;|\t]")
TOTAL = re.compile(rf"^Total Execution Time[^:]*:\s*{NUMBER} seconds")


def read_text(text: str) -> tuple[float, list[Kernel]]:
    total, kernels, name = 0.0, [], None
    for line in text.splitlines():
        if line.startswith("- "):
            name = line[2:].strip()
        elif (found := LINE.match(line)) and name is not None:
            kernels.append(Kernel(name, WORDS[found.group(1)], int(found.group(3)), float(found.group(2))))
            name = None
        elif found := TOTAL.match(line):
            total = float(found.group(1))
    return total, kernels


def read(path: str) -> tuple[float, list[Kernel]]:
    data = read_bytes(path)
    head = data.lstrip()[:1]
    if head == b"{":
        try:
            values = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            raise Refusal(f"'{path}' is not JSON, or was cut short") from None
        if "kokkos-kernel-data" not in values:
            raise Refusal(f"'{path}' is not the output of the simple kernel timer: no 'kokkos-kernel-data'")
        total, kernels = read_json(path, values)
    elif b"(Type)" in data[:80] or b"Regions:" in data[:400]:
        total, kernels = read_text(data.decode("utf-8", "replace"))
    else:
        total, kernels = read_dat(path, data)
    if not kernels:
        raise Refusal(f"'{path}' names no kernels")
    for seconds in (total, *(k.seconds for k in kernels)):
        if not 0 <= seconds <= MOST:
            raise Refusal(f"'{path}' is not the output of the simple kernel timer: it holds a time of {seconds:g} s")
    return total, sorted(kernels, key=lambda k: -k.seconds)


def section(path: str) -> str:
    total, kernels = read(path)
    in_kernels = sum(k.seconds for k in kernels if k.kind != "region")
    rows = []
    for k in kernels:
        share = 100 * k.seconds / in_kernels if in_kernels > 0 and k.kind != "region" else None
        rows.append(
            [
                k.name,
                k.kind,
                Cell(str(k.calls), k.calls),
                Cell(readable_time(k.seconds * 1e9), k.seconds),
                Cell(readable_time(k.seconds * 1e9 / max(1, k.calls)), k.seconds / max(1, k.calls)),
                Cell(three_digits(share) + " %", share) if share is not None else "",
            ]
        )
    regions = sum(k.kind == "region" for k in kernels)
    caption = f"{clean(path)}: {plural(len(kernels) - regions, 'kernel')}, {plural(regions, 'region')}"
    if total > 0:
        caption += f", {readable_time(in_kernels * 1e9)} in kernels of {readable_time(total * 1e9)} in all"
    return table(caption, ["kernel", "kind", "calls", "time", "a call", "of kernel time"], rows, ("kind",))
