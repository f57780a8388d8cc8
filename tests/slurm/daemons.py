# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Processes of a test that outlive a command: started, watched, and ended, whatever happens to the test."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path


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


if __name__ == "__main__":
    sys.stdin.read()  # until the test is gone
    sweep(sys.argv[1])
    shutil.rmtree(sys.argv[1], ignore_errors=True)
