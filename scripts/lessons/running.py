# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Starts a program with a student's kernel, with limits, and says how it ended where it did not come to its end."""

import json
import math
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from lessons import confining
from lessons.compiling import last_line
from lessons.parts import Trouble

ENDED = "the kernel stopped with an error"
ENDLESS = "the kernel does not end"
LEFT = "the kernel ended the program"
OUTSIDE = "out of bounds"
EXITED, EXIT = "a kernel ended the program", 99  # in the program's words; the status that it gets here
KEPT = 1 << 16  # bytes of what a program prints, from its beginning and from its end
OUT_OF_BOUNDS = re.compile(r"View ERROR: out of bounds access label=\(\"(.*?)\"\) with indices \[(.*?)\] but extents \[(.*?)\]")
PATIENCE = 10  # times its limit of processor time, by the clock, for a program that waits and does not compute,
WAITED = 60  # but this many seconds at least: on a busy machine a second of processor time may take long


class Pipe(threading.Thread):
    """What a program writes: its beginning and its end, however much it is."""

    def __init__(self, file):
        super().__init__(daemon=True)
        self.file, self.head, self.tail, self.left_out = file, b"", b"", False
        self.start()

    def run(self):
        for data in iter(lambda: self.file.read1(KEPT), b""):
            self.head, data = self.head + data[: KEPT - len(self.head)], data[max(KEPT - len(self.head), 0) :]
            self.left_out |= len(self.tail) + len(data) > KEPT
            self.tail = (self.tail + data)[-KEPT:]
        self.file.close()

    def text(self):
        self.join(5)  # a process that a kernel has started may hold it open
        return (self.head + (b"\n...\n" if self.left_out else b"") + self.tail).decode(errors="replace")


def run(command, options, work, seconds, environment=None, cores=1, printed=None):
    """(status or None where it does not end, rows, what it said on standard error or why it was stopped).

    The limit is on processor time, for each of `cores`: on a busy machine a right kernel may wait long for a core. What a kernel prints is
    added to the list `printed`."""
    with tempfile.TemporaryDirectory(dir=str(work)) as own:
        return run_into(Path(own) / "results.json", command, options, work, seconds, environment, cores, printed)


def run_into(file, command, options, work, seconds, environment, cores, printed):
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    allowed = math.ceil(seconds * cores)
    if most != resource.RLIM_INFINITY:
        allowed = min(allowed, most)

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # no dumps in a student's folder

    try:
        started = subprocess.Popen(
            confining.confined([*map(str, command), *options, "--quiet", "--json", str(file)], work),
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limited,
        )
    except OSError as error:
        raise Trouble(f"{command[0]} cannot be run: {error.strerror}", 3) from None
    out, errors = Pipe(started.stdout), Pipe(started.stderr)  # closed where each ends
    patience = max(PATIENCE * seconds, WAITED)
    try:
        status = started.wait(timeout=patience)
    except subprocess.TimeoutExpired:
        started.kill()
        status = None
        started.wait()
    if printed is not None:
        printed += before_the_table(out.text().splitlines())
    said = errors.text()
    if status is None:
        return None, [], f"it was stopped after {patience:g} s, in which it hardly computed"
    if status in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        return None, [], f"it was stopped after {allowed:g} s of processor time"
    if status == 1 and EXITED in said:
        return EXIT, [], "it called exit, or something like it"
    found = json.loads(file.read_text(encoding="utf-8")) if status in (0, 1, 3) and file.exists() else {}
    if (status in (0, 1) and not found.get("context", {}).get("complete")) or (status in (2, 3) and "parallax: " not in said):
        return EXIT, [], f"it called _exit, or something like it, with status {status}"
    nothing_here = status == 3 and "nothing was verified" in said  # only on a GPU, say: the rows tell
    if status in (2, 3) and not nothing_here:
        raise Trouble(last_line(said).replace("parallax: ", "", 1), 3)
    return 0 if nothing_here else status, found.get("benchmarks", []), said


def before_the_table(lines):
    """What was printed before the suite's own table."""
    return lines[: next((k for k, line in enumerate(lines) if re.match(r"\w+ .*\bcheck$", line)), len(lines))]


def stopped(status, said):
    """(cause, detail) of a program that did not come to its end."""
    if status is None:
        return ENDLESS, said
    if status == EXIT:
        return LEFT, said
    outside = OUT_OF_BOUNDS.search(said)
    if outside:
        label, element, extents = outside.groups()
        return OUTSIDE, f"element ({element.replace(',', ', ')}) of '{label}', which has {extents.replace(',', ' x ')}"
    name = ""
    if status < 0 or status > 128:
        number = -status if status < 0 else status - 128
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    reason = re.search(r"^.*(?:\berror\b|what\(\)|bounds).*$", said, re.MULTILINE | re.IGNORECASE)
    memory = "it read or wrote memory that is not its own" if name in ("SIGSEGV", "SIGBUS") else ""
    return ENDED, reason[0].strip() if reason else memory or name or f"status {status}"


def facts(command, exercise):
    """What `list --json` says of the exercise, and the spaces that are built in."""
    # A program of one exercise is asked like any other.
    try:
        done = subprocess.run([command[0], "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    except OSError as error:  # the loader that it names is not there, say
        raise Trouble(f"{command[0]} cannot be run: {error.strerror}", 3) from None
    if done.returncode:
        raise Trouble(f"{command[0]} does not run: {last_line(done.stderr)}", 3)
    listed = json.loads(done.stdout)
    return next(e for e in listed["exercises"] if e["name"] == exercise), listed["spaces"]
