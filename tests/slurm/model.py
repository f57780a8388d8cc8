# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A real Slurm on loopback, shaped like a site of configs/sites.

`Cluster` writes a slurm.conf from the partitions and nodes that a site file states and starts the
daemons: the controller alone, which is enough for `sbatch --test-only`, or also a slurmd per node,
so that jobs run. Every daemon listens on 127.0.0.1 only, keeps all its files in one folder, and is
stopped by its own process id.
"""

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

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
    said = subprocess.run([find("sbatch"), "--version"], capture_output=True, text=True, timeout=20)
    found = re.search(r"(\d+)\.(\d+)", said.stdout + said.stderr)
    if not found:  # sbatch of some versions wants a configuration first
        said = subprocess.run([find("slurmd"), "-V"], capture_output=True, text=True, timeout=20)
        found = re.search(r"(\d+)\.(\d+)", said.stdout + said.stderr)
    return tuple(int(part) for part in found.groups())


def read_facts(site_file):
    """What a site file states: {"nodes": {name: {...}}, "partitions": ..., "gpus": ..., "site": {...}}."""
    said = subprocess.run([HERE / "facts.bash", site_file], capture_output=True, text=True, timeout=20, check=True)
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


def free_ports(count):
    """Ports of 127.0.0.1 that nobody listens on just now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(condition, seconds, what):
    """Polls; raises TimeoutError that says what did not happen."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.05)


def process_control(option, value):
    """Linux's prctl; where there is none, nothing."""
    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (AttributeError, OSError):
        pass


def end_with_parent():
    """A daemon of a test that was killed ends too."""
    process_control(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def processes_of(folder):
    """Processes that speak to a cluster below this folder: those with its configuration in their environment."""
    mine = f"SLURM_CONF={folder}/".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "environ").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:  # it ended meanwhile, or is another user's
            continue
        if any(word.startswith(mine) for word in words) and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def sweep(folder):
    """Ends what is left of the clusters below this folder."""
    for pid in processes_of(folder):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Guard:
    """A process that outlives a test which is killed, as ctest does at its time limit, and tidies up after it."""

    def __init__(self, folder):
        reading, self.writing = os.pipe()
        self.process = subprocess.Popen([sys.executable, Path(__file__), folder], stdin=reading, start_new_session=True)
        os.close(reading)

    def stop(self):
        """The pipe's end tells it: the same as the test's death."""
        if self.writing is not None:
            os.close(self.writing)
            self.writing = None
            self.process.wait(30)


def adopt():
    """Makes processes whose parents have ended ours: Slurm's job processes are such."""
    process_control(36, 1)  # PR_SET_CHILD_SUBREAPER


def reap():
    """Takes leave of those that ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


class Daemon:
    """A process of ours in the foreground, its output in a log."""

    def __init__(self, command, log, environment=None):
        self.log = log
        with open(log, "ab") as out:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                preexec_fn=end_with_parent,
            )

    def running(self):
        return self.process.poll() is None

    def tail(self):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])

    def stop(self):
        if not self.running():
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


class Munge:
    """A munge daemon with a key and a socket of its own: the machine's munge, if any, is left alone."""

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
            wait_until(lambda: self.socket.exists() or not self.daemon.running(), 15, "munged")
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
        self.nodes = [
            (f"{kind}{number}", node)
            for kind, node in facts["nodes"].items()
            for number in range(1, (int(node["count"]) if jobs else 0) + 1)
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
            "KillWait=15",
            "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1",
            "DefMemPerCPU=500",
            "SlurmctldTimeout=30",
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
            nodes = ",".join(names[kind] for kind in partition["nodes"].split(","))
            lines.append(
                f"PartitionName={name} Nodes={nodes} MaxTime={partition['time']} State=UP "
                f"Default={partition.get('default', 'no').upper()} "
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
            self.daemons.append(
                Daemon(
                    [find("slurmd"), "-D", "-N", name, "-f", str(self.conf)],
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

    def command(self, *words, timeout=30, **more):
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


if __name__ == "__main__":
    sys.stdin.read()  # until the test is gone
    sweep(sys.argv[1])
    shutil.rmtree(sys.argv[1], ignore_errors=True)
