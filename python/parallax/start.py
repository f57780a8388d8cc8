# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What every program in Python does first. Python 3.6 reads this file, too: there it says in one line what is needed."""

import importlib
import os
import shutil
import sys
import tempfile

OLDEST = (3, 9)
DEBIAN = "/usr/bin/python3"
_tried = os.environ.pop("PARALLAX_PYTHONS_TRIED", "")  # by this program, before this Python
_kept = []  # folders that live as long as the program


def stop(text, name=None):
    """Ends the program in one line: the machine could not."""
    name = name or os.path.splitext(os.path.basename(sys.argv[0]))[0]
    print("{}: {}".format(name, text), file=sys.stderr)
    sys.exit(3)


def begin(doc="", name=None):
    """Stops in a Python that is too old; prints `doc` and ends where --help is asked for and there is a `doc`."""
    if sys.version_info[:2] < OLDEST:
        _start_newer()
        _start_another()
        this = "{} is Python {}.{}.{}".format(sys.executable, *sys.version_info[:3])
        stop("needs Python {}.{} or newer, and {}; load one, or name it in PARALLAX_PYTHON".format(*OLDEST + (this,)), name)
    if doc and {"--help", "-h"} & set(sys.argv[1:]):
        print(doc.strip())
        sys.exit(0)


def run(module, name="parallax"):
    """Ends with the status of the module's main()."""
    begin(name=name)
    sys.exit(importlib.import_module(module).main())


def need(modules, text, name=None):
    """Goes on in a Python that can import the modules. `text` is said where there is none; {python} and {error} are the last one's."""
    begin(name=name)
    if "matplotlib.figure" in modules:
        _calm_matplotlib()
    try:
        for module in modules:
            importlib.import_module(module)
    except Exception as error:  # a NumPy that does not fit raises others than ImportError, in many lines
        _start_another()
        lines = str(error).strip().splitlines() or [type(error).__name__]
        stop(text.format(python=sys.executable, error=lines[0]), name)


def _start_newer():
    """Starts the program again in the newest python3.N there is: some clusters call an old one python3, and have newer ones beside it."""
    for minor in range(20, OLDEST[1] - 1, -1) if not os.environ.get("PARALLAX_PYTHON") else ():
        newer = shutil.which("python3.{}".format(minor))
        if newer:
            os.execv(newer, [newer] + sys.argv)


def _start_another():
    """Starts the program again: in this Python without another one's modules, else in Debian's, which a Python of the user's own (conda,
    pyenv, a virtual environment) often hides. Returns where there is no other, or where the user names the one to take."""
    others = [name for name in ("PYTHONPATH", "PYTHONHOME") if os.environ.pop(name, None)]
    again = others and not _tried
    known = _tried == "debian" or os.environ.get("PARALLAX_PYTHON") or sys.executable == DEBIAN or not os.path.exists(DEBIAN)
    if known and not again:
        return
    python = sys.executable if again else DEBIAN
    os.environ["PARALLAX_PYTHONS_TRIED"] = "this" if again else "debian"
    for folder in _kept:
        folder.cleanup()
        del os.environ["MPLCONFIGDIR"]
    os.execv(python, [python] + sys.argv)


def _calm_matplotlib():
    """matplotlib reads a wrong MPLBACKEND, which is an error, and writes in the user's home: where it cannot, it says so, and where there is
    no home, it does not start."""
    os.environ.pop("MPLBACKEND", None)
    if os.environ.get("MPLCONFIGDIR"):
        return
    for variable, usual in (("XDG_CONFIG_HOME", "~/.config"), ("XDG_CACHE_HOME", "~/.cache")):
        place = os.path.join(os.environ.get(variable) or os.path.expanduser(usual), "matplotlib")
        try:
            if place.startswith("~"):
                raise OSError("there is no home")
            os.makedirs(place, exist_ok=True)  # as matplotlib does
        except OSError:
            writable = False
        else:
            writable = os.access(place, os.W_OK)
        if not writable:
            _kept.append(tempfile.TemporaryDirectory(prefix="parallax-"))
            os.environ["MPLCONFIGDIR"] = _kept[-1].name
            return
