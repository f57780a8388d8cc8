# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A real Slurm on loopback, shaped like a site of configs/sites.

`Cluster` writes a slurm.conf from the partitions and nodes that a site file states and starts the
daemons: only the controller, which is enough for `sbatch --test-only`, or also a slurmd per node,
so that jobs run. Every daemon listens on 127.0.0.1 only, keeps all its files in one folder, and is
stopped by its own process id.
"""

import functools
import os
import random
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from daemons import Daemon, sweep, wait_until

HERE = Path(__file__).resolve().parent
SITES = HERE.parents[1] / "configs" / "sites"
NEEDED = ("slurmctld", "slurmd", "sbatch", "srun", "scontrol", "munged")


def missing_programs():
    """The programs of Slurm and munge that are not installed."""
    return [name for name in NEEDED if find(name) is None]


def find(program):
    """The path of a program, also where only root's PATH would have it."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def slurm_version():
    """(major, minor) of the installed Slurm."""
    said = subprocess.run([find("sbatch"), "--version"], capture_output=True, text=True, timeout=600)
    found = re.search(r"(\d+)\.(\d+)", said.stdout + said.stderr)
    if not found:  # sbatch of some versions wants a configuration first
        said = subprocess.run([find("slurmd"), "-V"], capture_output=True, text=True, timeout=600)
        found = re.search(r"(\d+)\.(\d+)", said.stdout + said.stderr)
    return tuple(int(part) for part in found.groups())


def read_facts(site_file):
    """What a site file states: {"nodes": {name: {...}}, "partitions": ..., "gpus": ..., "site": {...}}."""
    said = subprocess.run([HERE / "facts.bash", site_file], capture_output=True, text=True, timeout=600, check=True)
    facts = {"nodes": {}, "partitions": {}, "gpus": {}, "site": {}}
    kinds = {"N": "nodes", "P": "partitions", "G": "gpus"}
    for line in said.stdout.splitlines():
        kind, rest = line.split(" ", 1)
        if kind == "S":
            key, value = rest.split("=", 1)
            facts["site"][key] = value
        else:
            name, *words = rest.split()
            facts[kinds[kind]][name] = dict(word.split("=", 1) for word in words)
    return facts


_reserved = []  # as long as this process lives


def free_ports(count):
    """Ports of 127.0.0.1 that no process listens on, nor will: below those that the system gives out by itself, and each
    reserved against another run of these tests by a name that only one process can have."""
    ports = []
    for port in random.SystemRandom().sample(range(10000, 30000), 20000):
        name = socket.socket(socket.AF_UNIX)
        with socket.socket() as trial:
            try:
                name.bind(f"\0parallax-slurm-{port}")
                trial.bind(("127.0.0.1", port))
            except OSError:
                name.close()
                continue
        _reserved.append(name)
        ports.append(port)
        if len(ports) == count:
            return ports
    raise RuntimeError("no free ports")


# Sets the name of the host that a node is, which is this machine for all else, and becomes the node's daemon.
NAMED = "import os, socket, sys; socket.sethostname(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"


@functools.cache
def nodes_are_hosts():
    """Whether a node may have another name than this host: MPI takes processes of two such nodes for two machines."""
    tried = ["unshare", "--uts", sys.executable, "-c", NAMED, "node", "/bin/true"]
    return find("unshare") is not None and subprocess.run(tried, capture_output=True, timeout=600).returncode == 0


class Munge:
    """A munge daemon with its own key and socket: the machine's munge, if any, is left alone."""

    def __init__(self, folder):
        folder.mkdir(mode=0o755)
        key = folder / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.socket = folder / "socket"
        self.daemon = Daemon(
            [
                find("munged"),
                "--foreground",
                "--force",
                f"--socket={self.socket}",
                f"--key-file={key}",
                f"--pid-file={folder / 'pid'}",
                f"--log-file={folder / 'log'}",
                f"--seed-file={folder / 'seed'}",
                "--num-threads=2",
            ],
            folder / "out",
        )
        try:
            wait_until(lambda: self.socket.exists() or not self.daemon.running(), 300, "munged")
        except TimeoutError:
            self.stop()
            raise
        if not self.daemon.running():
            raise RuntimeError("munged did not start: " + self.daemon.tail())

    def stop(self):
        self.daemon.stop()


class Cluster:
    """One site's Slurm. With `jobs`, its nodes are here and run jobs; else it only judges requests."""

    def __init__(self, name, facts, folder, munge, jobs=False):
        self.name, self.facts, self.folder, self.jobs = name, facts, folder, jobs
        self.daemons = []
        folder.mkdir(parents=True)
        (folder / "state").mkdir()
        kinds = [(kind, node) for kind, node in facts["nodes"].items() for _ in range(int(node["count"]) if jobs else 0)]
        # A host's name must lead to loopback. The address itself does, in hexadecimal, however many zeros it begins with.
        self.nodes = [
            (f"0x{'0' * number}7f000001" if nodes_are_hosts() else f"{kind}{number}", node)
            for number, (kind, node) in enumerate(kinds)
        ]
        self.port, *self.node_ports = free_ports(1 + len(self.nodes))
        self.conf = folder / "slurm.conf"
        self.conf.write_text(self._configuration(munge))
        (folder / "cgroup.conf").write_text(
            "CgroupPlugin=" + ("disabled" if slurm_version() >= (24, 5) else "cgroup/v1") + "\n"
        )
        (folder / "gres.conf").write_text(
            "".join(
                f"NodeName={name} Name=gpu Type={node['gpus'].split(':')[0]} File=/dev/null\n"
                for name, node in self.nodes
                if "gpus" in node
            )
        )

    def environment(self):
        """The variables with which Slurm's commands speak to this cluster and to no other."""
        return {"SLURM_CONF": str(self.conf)}

    def _configuration(self, munge):
        host = socket.gethostname().split(".")[0]
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        lines = [
            f"ClusterName={self.name}",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={self.port}",
            # Listen on the address above, not on all.
            "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny",
            "AuthType=auth/munge",
            f"AuthInfo=socket={munge.socket}",
            "CredType=cred/munge",
            f"SlurmUser={user}",
            f"SlurmdUser={user}",
            f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/%n.pid",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "MpiDefault=none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core_Memory",
            "GresTypes=gpu",
            "AccountingStorageType=accounting_storage/none",
            "ReturnToService=2",
            "EnforcePartLimits=ALL",
            "SlurmdParameters=config_overrides",
            "KillWait=120",
            "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1",
            "SlurmctldTimeout=30",
            "MinJobAge=86400",  # by default Slurm forgets a job five minutes after its end, which a busy machine needs
            "SlurmdTimeout=30",
            "MessageTimeout=20",
        ]
        names = {}
        ports = iter(self.node_ports)
        for kind, node in self.facts["nodes"].items():
            threads, sockets = int(node["threads"]), int(node["sockets"])
            shape = (
                f"Sockets={sockets} CoresPerSocket={int(node['cores']) // sockets} ThreadsPerCore={threads} "
                f"CPUs={int(node['cores']) * threads} RealMemory={node['memory']}"
            )
            if "gpus" in node:
                shape += f" Gres=gpu:{node['gpus']}"
            if "features" in node:
                shape += f" Feature={node['features']}"
            if self.jobs:
                here = [name for name, its in self.nodes if its is node]
                for name in here:
                    lines.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={next(ports)} {shape}")
                names[kind] = ",".join(here)
            else:
                names[kind] = f"{kind}-[1-{node['count']}]"
                lines.append(f"NodeName={names[kind]} State=CLOUD {shape}")
        for name, partition in self.facts["partitions"].items():
            kinds = [self.facts["nodes"][kind] for kind in partition["nodes"].split(",")]
            # What a core gets that asks for no memory: what the site says, or else its share of the smallest node.
            share = min(int(node["memory"]) // (int(node["cores"]) * int(node["threads"])) for node in kinds)
            nodes = ",".join(names[kind] for kind in partition["nodes"].split(","))
            lines.append(
                f"PartitionName={name} Nodes={nodes} MaxTime={partition['time']} State=UP "
                f"Default={partition.get('default', 'no').upper()} DefMemPerCPU={partition.get('memory', share)} "
                f"OverSubscribe={'EXCLUSIVE' if partition.get('exclusive') == 'yes' else 'NO'}"
            )
        return "\n".join(lines) + "\n"

    def start(self):
        self.daemons.append(
            Daemon(
                [find("slurmctld"), "-D", "-i", "-f", str(self.conf)], self.folder / "slurmctld.log", self.environment()
            )
        )
        for name, _ in self.nodes:
            named = ["unshare", "--uts", sys.executable, "-c", NAMED, name] if nodes_are_hosts() else []
            self.daemons.append(
                Daemon(
                    [*named, find("slurmd"), "-D", "-N", name, "-f", str(self.conf)],
                    self.folder / f"{name}.log",
                    self.environment(),
                )
            )

    def wait_ready(self, seconds=30):
        """Returns when the controller answers and, where jobs run, every node is idle."""

        def ready():
            for daemon in self.daemons:
                if not daemon.running():
                    raise RuntimeError(f"{self.name}: {daemon.log.name}: {daemon.tail()}")
            ping = self.command("scontrol", "ping")
            if ping.returncode != 0:
                return False
            if not self.jobs:
                return True
            states = self.command("sinfo", "--noheader", "--Node", "--format=%T").stdout.split()
            return len(states) >= len(self.nodes) and set(states) == {"idle"}

        try:
            wait_until(ready, seconds, f"Slurm of {self.name}")
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.daemons[-1].tail()}") from None

    def command(self, *words, timeout=600, **more):
        """Runs one of Slurm's commands on this cluster."""
        return subprocess.run(
            words, capture_output=True, text=True, timeout=timeout, env={**os.environ, **self.environment()}, **more
        )

    def stop(self):
        """Ends the jobs, then the daemons, then whatever of theirs is still there."""
        try:
            if self.jobs and self.daemons and self.command("squeue", "--noheader").stdout:
                self.command("scancel", "--state=PENDING,RUNNING", "--signal=KILL", "--full")
                self.command("scancel", *self.command("squeue", "--noheader", "--format=%i").stdout.split())
                wait_until(lambda: not self.command("squeue", "--noheader").stdout, 10, "the end of all jobs")
        except (TimeoutError, subprocess.TimeoutExpired) as error:
            print(error)
        for daemon in reversed(self.daemons):
            daemon.stop()
        self.daemons = []
        sweep(self.folder)
