# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A configuration of ReFrame 4, made from the site files of configs/sites whenever ReFrame reads it: a system for each site, with a
partition for its CPU nodes and for each of its GPUs; and `here`, this machine without a batch system."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACTS = """
source "$1"
read_site "$2"
for key in "${!SITE[@]}"; do printf 'site\\0%s\\0%s\\0' "$key" "${SITE[$key]}"; done
for key in "${!CPU[@]}"; do printf 'cpu\\0%s\\0%s\\0' "$key" "${CPU[$key]}"; done
for type in "${GPU_TYPES[@]}"; do printf 'types\\0%s\\0\\0' "$type"; done
for key in "${!GPU[@]}"; do printf 'gpu\\0%s\\0%s\\0' "$key" "${GPU[$key]}"; done
"""


def facts(file):
    """What a site file says: {"site": {...}, "cpu": {...}, "types": {...}, "gpu": {"TYPE.key": ...}}."""
    command = ["bash", "-c", FACTS, "bash", str(ROOT / "sbatch" / "site.bash"), str(file)]
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
    found = {"site": {}, "cpu": {}, "types": {}, "gpu": {}}
    for part, key, value in zip(*[iter(words)] * 3):
        found[part][key] = value
    return found


def partition(site, name, one, spaces, build):
    """`one`: a site file's `cpu` or `gpu`."""
    loads = [] if site.get("purge") == "no" else ["module purge"]
    if one.get("modules"):
        loads.append(f"module load {one['modules']}")
    options = [f"--clusters={site['clusters']}"] if site.get("clusters") else []
    options += [*one.get("request", "").split(), *([f"--hint={site['hint']}"] if site.get("hint") else [])]
    return {
        "name": name,
        "descr": f"{site['name']}, {name}",
        "scheduler": "slurm",
        "launcher": "srun",
        "access": options,
        "environs": ["parallax"],
        # Not ReFrame's own modules: which system of modules a site has is in no site file, and all know these words.
        "prepare_cmds": loads,
        "features": spaces,
        "extras": {"cores": one["cores"], "preset": one["preset"], "program": str(ROOT / "build" / build / "bin" / "parallax")},
    }


def system(file):
    known, name = facts(file), file.stem
    site = known["site"]
    partitions = [partition(site, "cpu", known["cpu"], ["serial", "openmp"], f"{name}-cpu")]
    for gpu in known["types"]:
        one = {key.split(".", 1)[1]: value for key, value in known["gpu"].items() if key.startswith(f"{gpu}.")}
        partitions.append(partition(site, gpu, one, [one["space"]], f"{name}-{gpu}"))
    # A login node's name is known, the other nodes' names are not: --system chooses.
    return {"name": name, "descr": site["name"], "hostnames": [f"^{site['login'].split('.')[0]}"], "partitions": partitions}


HERE = {
    "name": "here",
    "hostnames": [".*"],
    "partitions": [
        {
            "name": "default",
            "scheduler": "local",
            "launcher": "local",
            "environs": ["parallax"],
            "features": ["serial", "openmp"],
            "extras": {"program": str(ROOT / "scripts" / "parallax")},
        }
    ],
}

site_configuration = {
    "systems": [*map(system, sorted((ROOT / "configs" / "sites").glob("*.bash"))), HERE],
    "environments": [{"name": "parallax"}],
    # Jobs get `module` from the login shell's files.
    "general": [{"use_login_shell": True}],
}
