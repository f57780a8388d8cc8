# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Files that are read, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import Refusal
from .words import reason


def read_bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # the latter is of a null byte in the name
        raise Refusal(f"cannot read '{path}': {reason(error)}", 3) from None


def is_stream(path: str) -> bool:
    """Whether `path` is a device, a pipe or a descriptor of this process: what cannot be replaced."""
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False
    return not regular or os.path.abspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))


@contextlib.contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:  # the last two are of libraries, on a full disk say
        raise Refusal(f"cannot write '{path}': {reason(error)}", 3) from None


def refuse_output(path: str, others: Iterable[str]) -> None:
    """Before the work: refuses a file that could not be written after it, or that is one of the others."""
    if not path:
        raise Refusal("an output file needs a name, got ''")
    with _writing(path):
        if os.path.isdir(path):
            raise OSError(errno.EISDIR, "it is a directory")
        if not is_stream(path):
            target = os.path.realpath(path)
            if target in map(os.path.realpath, others):
                raise Refusal(f"cannot write '{path}': it is an input, or another output")
            os.remove(_create(target, None))


def _temporary_stem(target: str) -> tuple[str, str]:
    """The folder, and what temporary names begin with on this host, as in src/platform/base/files.cpp: processes of others
    cannot be asked whether they live."""
    folder, name = os.path.split(target)
    end = f".partial-{socket.gethostname()}-"
    digits = 10  # of a process's number
    return folder, os.fsdecode(os.fsencode(name)[: 255 - digits - len(end)]) + end


def _remove_leftovers(folder: str, stem: str) -> None:
    """Leftovers of processes that were killed."""
    with contextlib.suppress(OSError):  # a folder that cannot be listed can still be written
        for name in os.listdir(folder):
            writer = name[len(stem) :]
            if name.startswith(stem) and writer.isascii() and writer.isdigit() and 0 < int(writer[:11]) < 2**31:
                try:
                    os.kill(int(writer), 0)
                except ProcessLookupError:
                    os.remove(os.path.join(folder, name))
                except PermissionError:
                    pass  # it lives


def _create(target: str, there: os.stat_result | None) -> str:
    """An empty file beside `target`, with the mode of the one that is `there`."""
    folder, stem = _temporary_stem(target)
    _remove_leftovers(folder, stem)
    temporary = os.path.join(folder, f"{stem}{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        os.remove(temporary)  # no living process's: its number is this one's
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        if there is not None:
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, there.st_uid, there.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(there.st_mode))
    finally:
        os.close(descriptor)
    return temporary


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """The name of an empty file, which replaces `path` at the end, or is removed after an error. Symbolic links are
    followed, and a file that is there keeps its mode. A stream is refused."""
    with _writing(path):
        if is_stream(path):
            raise OSError(errno.EINVAL, "it is not a regular file")
        target = os.path.realpath(path)
        there = os.stat(target) if os.path.exists(target) else None
        temporary = _create(target, there)
        try:
            yield temporary
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.remove(temporary)
            raise


def write_text(path: str, text: str) -> None:
    """In UTF-8; whole or not at all, but for a stream, which is written as it is."""
    with _writing(path):
        content = text.encode("utf-8")
        if not is_stream(path):
            with replacing(path) as temporary:
                Path(temporary).write_bytes(content)
            return
        # Appended, so that a log to which standard output goes is not cut.
        with open(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as file:
            file.write(content)
