# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The clusters of test_requests.py and test_slurm.py, all on this machine, and the ways to hand them jobs and to wait for these."""

import atexit
import functools
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from daemons import Guard, adopt, reap, wait_until
from model import HERE, SITES, Cluster, Munge, find, missing_programs, nodes_are_hosts, read_facts
from submitting import ROOT, SUBMIT

BUILDS = [ROOT / "build" / name / "bin" for name in ("host", "debian-openmp", "debian-serial")]
PROGRAM = Path(os.environ.get("PARALLAX_PROGRAM_DIR") or next(filter(Path.exists, BUILDS), BUILDS[0])) / "parallax"
MPI_LIBRARY = PROGRAM.with_name("libparallax_mpi.so")
MPI_WORKS = Path(os.environ.get("PARALLAX_TEST_LIBRARIES", PROGRAM.parents[1] / "tests")) / "mpi_works"
LAUNCHER = os.environ.get("PARALLAX_TEST_MPIEXEC") or "mpirun"
# Open MPI runs neither as root nor between hosts by way of loopback, unless it is told.
MPI = dict.fromkeys(
    (f"{name}_ALLOW_RUN_AS_ROOT{end}" for name in ("OMPI", "PRTE") for end in ("", "_CONFIRM")), "1"
) | {
    "OMPI_MCA_pml": "ucx,ob1",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
    "UCX_TLS": "tcp,self",
    "UCX_NET_DEVICES": "lo",
    "OMPI_MCA_btl": "self,sm,tcp",
    "OMPI_MCA_btl_tcp_if_include": "lo",
    "OMPI_MCA_coll": "^han",
    # There may be more of its processes than processors, which it does not see from two hosts.
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
MODELS = sorted(SITES.glob("*.bash"))
LOOPBACK = [HERE / "sites" / "loopback.bash"]
WHOLE_TEST = 1400  # seconds that jobs may take, all together: less than what ctest gives a test


class World:
    """The clusters of these site files, and the long jobs, which run while the other tests do."""

    def __init__(self, site_files):
        self.folder = Path(tempfile.mkdtemp(prefix="parallax-slurm-"))
        self.folder.chmod(0o755)
        self.results = self.folder / "results"
        self.clusters, self.munge = {}, None
        self.guard = Guard(self.folder)
        self.end = time.monotonic() + WHOLE_TEST
        try:
            self.munge = Munge(self.folder / "munge")
            for site_file in site_files:
                name = site_file.stem
                self.clusters[name] = Cluster(
                    name, read_facts(site_file), self.folder / "clusters" / name, self.munge, jobs=name == "loopback"
                )
                self.clusters[name].start()
            for cluster in self.clusters.values():
                cluster.wait_ready(120)
            self._write_tools()
            self._try_report()
            listed = subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True, timeout=600, check=True)
            self.has_serial = "serial" in json.loads(listed.stdout)["spaces"]
        except BaseException:
            self.stop()
            raise

    def _try_report(self):
        """The report needs Python with matplotlib. Where it cannot be made, jobs must say so and succeed."""
        results = self.folder / "trial.json"
        for words in (
            ["run", "vector_add", "--size", "tiny", "--verify-only", "--json", results],
            ["report", results, "-o", self.folder / "trial.html"],
        ):
            said = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600)
        self.has_report = said.returncode != 3
        if not self.has_report:
            print(f"NOTE: no reports here: {said.stderr.strip()}")

    def _write_tools(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (self.folder / "tmp").mkdir()
        # --clusters asks an accounting database where a cluster is. There is none here: this asks the folder.
        self._write(
            tools / "sbatch",
            f"""
            script=$(cat)
            name=$(sed -n 's/^#SBATCH --clusters=//p' <<<"$script")
            if [[ $name ]]; then export SLURM_CONF={self.folder}/clusters/$name/slurm.conf; fi
            exec {find("sbatch")} "$@" < <(grep -v '^#SBATCH --clusters=' <<<"$script")
        """,
        )
        # The program, and a note of the environment that it was started in.
        self.seen = self.folder / "seen"
        self.seen.mkdir()
        self._write(
            tools / "parallax",
            f"""
            if [[ $1 == run ]]; then
              {{ printf 'arguments=%s\\n' "$*"; env | grep -E '^(OMP_|SRUN_|SLURM_CPUS)'; }} \\
                >"{self.seen}/$SLURM_JOB_ID.$SLURM_STEP_ID"
            fi
            exec {PROGRAM} "$@"
        """,
        )
        self.tools = tools

    @staticmethod
    def _write(path, body):
        path.write_text("#!/bin/bash\n" + re.sub(r"(?m)^ {12}", "", body.strip("\n")))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def submit(self, cluster, site, *words, environment=None):
        """Runs scripts/submit for a site as a user of a cluster's login node would."""
        mine = ("PARALLAX_", "SLURM_", "SBATCH_", "OMP_")
        clean = {key: value for key, value in os.environ.items() if not key.startswith(mine)}
        if site == "loopback":
            clean.update(PARALLAX_SITES=str(HERE / "sites"), PARALLAX_PROGRAM=str(self.tools / "parallax"))
            # Threads that wait shall sleep: on a busy machine they would take the time of those that work.
            clean.update(OMP_WAIT_POLICY="passive")
            clean.update(MPI, PARALLAX_TEST_MPIEXEC=LAUNCHER, TMPDIR=str(self.folder / "tmp"))
        return subprocess.run(
            [SUBMIT, site, *words[:2], "-A", "a-project", "--results", str(self.results), *words[2:]],
            capture_output=True,
            text=True,
            timeout=600,
            cwd=self.folder,
            env={
                **clean,
                **self.clusters[cluster].environment(),
                "PATH": f"{self.tools}:{os.environ['PATH']}",
                **(environment or {}),
            },
        )

    def start_job(self, job, run, *words, **environment):
        """Submits to loopback; the ids of the jobs."""
        said = self.submit("loopback", "loopback", "fake", job, "--run", run, *words, environment=environment)
        if said.returncode != 0:
            raise AssertionError(said.stderr)
        return re.findall(r": job (\d+) on ", said.stdout)

    @functools.cached_property
    def why_no_ranks(self):
        """The reason that no program can run as several processes on two nodes, or None."""
        if not nodes_are_hosts():
            return "a node may not have a host's name of its own here (unshare --uts)"
        if not MPI_LIBRARY.exists():
            return "this build has no MPI"
        script = f"#!/bin/bash\nunset SLURM_CPUS_PER_TASK\nexec {LAUNCHER} -n 4 --bind-to none {MPI_WORKS} 4\n"
        shape = ["--partition=cpu", "--nodes=2", "--ntasks-per-node=2", f"--output={self.folder}/mpi_works"]
        said = subprocess.run(
            [find("sbatch"), "--parsable", *shape],
            input=script,
            capture_output=True,
            text=True,
            timeout=600,
            env={**os.environ, **MPI, **self.clusters["loopback"].environment(), "TMPDIR": str(self.folder / "tmp")},
        )
        if said.returncode != 0:
            raise AssertionError(said.stderr)
        if self.wait_for(said.stdout.strip()) == "COMPLETED":
            return None
        return f"MPI does not work on two nodes here: {(self.folder / 'mpi_works').read_text()[-300:]}"

    def wait_for_a_row(self, job):
        results = self.results / job / "cpu.json"
        wait_until(
            lambda: results.exists() and '"real_time"' in results.read_text(),
            max(1, self.end - time.monotonic()),
            f"a first row of job {job}",
        )

    def end_within(self, job, minutes):
        """Gives a running job another time limit: so a busy machine does not decide when a test ends."""
        slurm = self.clusters["loopback"]
        shown = slurm.command("scontrol", "show", "job", job).stdout
        hours, run = re.search(r"RunTime=(\d+):(\d+):", shown).groups()
        limit = 60 * int(hours) + int(run) + minutes
        said = slurm.command("scontrol", "update", f"JobId={job}", f"TimeLimit={limit}")
        if said.returncode != 0:
            raise AssertionError(said.stderr)

    def state(self, job):
        said = self.clusters["loopback"].command("scontrol", "show", "job", job).stdout
        return re.search(r"JobState=(\w+)", said).group(1)

    def wait_for(self, job):
        """The job's final state. Everything is bounded by one end for all jobs."""
        final = []

        def ended():
            state = self.state(job)
            if state in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY"):
                final.append(state)
            return bool(final)

        try:
            wait_until(ended, max(1, self.end - time.monotonic()), f"the end of job {job}")
        except TimeoutError as error:
            raise AssertionError(f"{error}; its output:\n{self.output(job)}") from None
        return final[0]

    def output(self, job):
        path = self.results / f"slurm-{job}.out"
        return path.read_text() if path.exists() else "(no output)"

    def stop(self):
        for cluster in self.clusters.values():
            cluster.stop()
        if self.munge:
            self.munge.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.guard.stop()
        reap()


def started(site_files):
    """A World for all tests of a module."""
    adopt()
    world = World(site_files)
    atexit.register(world.stop)
    unittest.addModuleCleanup(world.stop)
    return world


def why_not():
    """The reason that nothing can be tested here, or None."""
    if missing_programs():
        return (
            f"not installed: {', '.join(missing_programs())} "
            "(apt-get install --no-install-recommends slurm-wlm munge)"
        )
    if not Path("/proc/self/stat").exists():
        return "no /proc is mounted here, and Slurm needs one"
    if not PROGRAM.exists():
        return f"the program is not built: {PROGRAM}"
    leads_to = name_on_loopback()
    if not leads_to.startswith("127."):
        return f"this machine's name leads to {leads_to}, not to loopback, and may not be changed for the test"
    return None


def name_on_loopback():
    """Slurm listens where this machine's name leads, which has to be loopback: for this test only, where it may."""
    if "PARALLAX_RENAMED" in os.environ:
        socket.sethostname("localhost")
    try:
        leads_to = socket.gethostbyname(socket.gethostname())
    except OSError:
        leads_to = "nowhere"
    if leads_to.startswith("127.") or "PARALLAX_RENAMED" in os.environ or not shutil.which("unshare"):
        return leads_to
    unshare = ["unshare", "--uts", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    if subprocess.run([*unshare, "true"], capture_output=True, timeout=600).returncode == 0:
        os.environ["PARALLAX_RENAMED"] = "yes"
        os.execvp("unshare", [*unshare, sys.executable, *sys.argv])
    return leads_to


def main():
    reason = why_not()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(1 if os.environ.get("PARALLAX_REQUIRE_SLURM") == "1" else 77)
    unittest.main(verbosity=2)
