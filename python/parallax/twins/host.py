# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the host says of itself."""

from __future__ import annotations

import os
import re
from pathlib import Path


def read(path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def cpu_name() -> str:
    found = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", read("/proc/cpuinfo"), re.MULTILINE)
    return found.group(1).strip() if found else "unknown CPU"


def cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _meminfo(field: str) -> float:
    found = re.search(rf"^{field}:\s*(\d+) kB", read("/proc/meminfo"), re.MULTILINE)
    return float(found.group(1)) * 1024 if found else float("inf")


def _cgroup(field: str) -> float:
    text = read(f"/sys/fs/cgroup/memory.{field}").strip()
    return float(text) if text.isdigit() else float("inf")


def memory_total() -> float:
    total = min(_meminfo("MemTotal"), _cgroup("max"))
    return total if total < float("inf") else 0.0


def memory_free() -> float:
    """Infinite where the system does not tell: then nothing is refused."""
    free, limit = _meminfo("MemAvailable"), _cgroup("max")
    return min(free, max(limit - _cgroup("current"), 0.0)) if limit < float("inf") else free
