# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""scripts/submit as the tests run it, and the requests that they try."""

import functools
import os
import subprocess
from pathlib import Path

from model import SITES, read_facts

ROOT = Path(__file__).resolve().parents[2]
SUBMIT = ROOT / "scripts" / "submit"
JOBS = ("compare", "build", "build-cpu", "cpu", "gpu", "report")
# Several GPUs: site, type, how many, on how many nodes, the request for GPUs and its cores for each.
SEVERAL_GPUS = [
    *(("pelle", "l40s", n, 1, f"--partition=gpu --gpus-per-node=l40s:{n}", 3) for n in (2, 4, 8, 10)),
    ("pelle", "l40s", 8, 2, "--partition=gpu --gpus-per-node=l40s:4", 3),
    ("pelle", "h100", 2, 1, "--partition=gpu --gpus-per-node=h100:2", 16),
    ("pelle", "h100", 4, 2, "--partition=gpu --gpus-per-node=h100:2", 16),
    *(("pelle", "t4", k, k, "--partition=haswell --gpus-per-node=t4:1", 16) for k in (2, 4, 8)),
    ("kebnekaise", "v100", 2, 1, "--gpus-per-node=2 --constraint=v100", 14),
    ("kebnekaise", "v100", 4, 2, "--gpus-per-node=2 --constraint=v100", 14),
    ("kebnekaise", "a100", 4, 2, "--gpus-per-node=2 --constraint=a100", 24),
    ("kebnekaise", "a6000", 2, 1, "--gpus-per-node=2 --constraint=a6000", 24),
    ("kebnekaise", "mi100", 2, 1, "--gpus-per-node=2 --constraint=mi100", 24),
    ("kebnekaise", "l40s", 8, 2, "--gpus-per-node=4 --constraint=l40s", 10),
    ("kebnekaise", "h100", 4, 1, "--gpus-per-node=4 --constraint=h100", 24),
    ("kebnekaise", "h100", 8, 2, "--gpus-per-node=4 --constraint=h100", 24),
    ("kebnekaise", "a40", 16, 2, "--gpus-per-node=8 --constraint=a40", 8),
    *(("cosmos", "a100", k, k, "--partition=gpua100 --gres=gpu:1", 48) for k in (2, 4, 6)),
    ("cosmos", "a100i", 2, 1, "--partition=gpua100i --gres=gpu:2", 16),
    ("cosmos", "a100i", 4, 2, "--partition=gpua100i --gres=gpu:2", 16),
    ("cosmos", "a100i", 4, 4, "--partition=gpua100i --gres=gpu:1", 16),
    *(("tetralith", "t4", k, k, "--gpus-per-task=1", 32) for k in (2, 4, 8)),
    *(("dardel", "mi250x", n, 1, "--partition=gpu --gpus-per-task=1 --gpu-bind=none", 8) for n in (2, 4, 8)),
    ("dardel", "mi250x", 16, 2, "--partition=gpu --gpus-per-task=1 --gpu-bind=none", 8),
    ("dardel", "gh200", 4, 1, "--partition=gpugh --gpus-per-task=1 --gpu-bind=none", 72),
    ("dardel", "gh200", 8, 2, "--partition=gpugh --gpus-per-task=1 --gpu-bind=none", 72),
    ("alvis", "v100", 4, 1, "--partition=alvis --gpus-per-node=V100:4", 8),
    ("alvis", "t4", 8, 1, "--partition=alvis --gpus-per-node=T4:8", 4),
    ("alvis", "a100", 4, 1, "--partition=alvis --gpus-per-node=A100:4", 16),
    ("alvis", "a100", 8, 2, "--partition=alvis --gpus-per-node=A100:4", 16),
]


def submit(*words, environment=None, **more):
    """Runs scripts/submit without settings of the caller's own."""
    mine = ("PARALLAX_", "SLURM_", "SBATCH_")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(mine)}
    return subprocess.run(
        [SUBMIT, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**clean, **(environment or {})},
        **more,
    )


def all_types():
    for site_file in sorted(SITES.glob("*.bash")):
        for gpu in read_facts(site_file)["gpus"]:
            yield site_file.stem, gpu


@functools.lru_cache(maxsize=None)
def script_of(site, gpu, job):
    said = submit(site, gpu, job, "--script", "--from", "/tmp", "--results", "/tmp")
    assert said.returncode == 0, said.stderr
    return said.stdout


def several_script(site, gpu, gpus, nodes):
    said = submit(site, gpu, "--gpus", gpus, "--nodes", nodes, "--script", "--results", "/tmp")
    assert said.returncode == 0, said.stderr
    return said.stdout
