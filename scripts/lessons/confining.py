# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Keeps a student's kernel from the network, from other processes, and from writing anywhere but to its own folder of work: by bubblewrap
(bwrap), which needs no rights on most systems."""

import os
import shutil
import subprocess

ASKED = "PARALLAX_LESSON_CONFINED"


def words(work):
    """What goes before a command: a file system that can only be read, but for `work` and an empty /tmp."""
    return ["bwrap", "--die-with-parent", "--new-session", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--tmpfs", "/tmp",
            "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--bind", str(work), str(work)]  # fmt: skip


def confined(command, work):
    return [*words(work.resolve()), *command] if os.environ.get(ASKED) else command


def missing():
    """Why nothing can be confined here; "" where it can."""
    if not shutil.which("bwrap"):
        return "bubblewrap is missing (apt-get install bubblewrap)"
    tried = subprocess.run([*words(os.getcwd()), "true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    return f"bubblewrap does not work here: {tried.stderr.strip().splitlines()[-1]}" if tried.returncode and tried.stderr.strip() else ""
