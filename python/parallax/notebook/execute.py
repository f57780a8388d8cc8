# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the cells of a notebook, in the Python that this is."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from ..errors import Refusal
from ..files import write_text
from ..built import find_program
from ..words import one_line


TOOLS = ("nbclient", "ipykernel")
MISSING = "--execute needs nbclient and ipykernel ({error}): install python3-nbclient python3-ipykernel"


def require_program() -> None:
    """Before the work: what is missing is said in one line."""
    if find_program() is None:
        raise Refusal("--execute needs the program: scripts/run-demo builds it, or PARALLAX_BUILD names its build folder", 3)


def execute(path: Path) -> None:
    """Executes a notebook in its folder and writes it with what came out, also where a cell failed, which is then refused."""
    import nbformat
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    class ThisPython(KernelSpecManager):
        """Whatever kernels are installed: the packages of this Python are those that were looked at."""

        def get_kernel_spec(self, kernel_name):
            return KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], language="python")

    content = nbformat.read(str(path), as_version=4)
    # Sockets in a folder instead of ports, whose names must be short; a reader's own settings and history of IPython stay out.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        manager = AsyncKernelManager(
            kernel_spec_manager=ThisPython(), transport="ipc", connection_file=os.path.join(folder, "kernel.json")
        )
        surroundings = {**os.environ, "IPYTHONDIR": folder, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        if os.environ.get("PARALLAX_BUILD"):
            surroundings["PARALLAX_BUILD"] = os.path.abspath(os.environ["PARALLAX_BUILD"])
        client = NotebookClient(content, km=manager, timeout=None, resources={"metadata": {"path": str(path.parent)}})
        try:
            client.execute(env=surroundings, cleanup_kc=True)
        except (CellExecutionError, DeadKernelError) as error:
            said = getattr(error, "evalue", "") or str(error)
            number = next((k for k, cell in enumerate(content.cells, 1) if _failed(cell)), 0)
            raise Refusal(f"{path}: cell {number}: {one_line(said)}", 1) from None
        finally:
            write_text(str(path), nbformat.writes(content) + "\n")


def _failed(cell) -> bool:
    return any(output.output_type == "error" for output in cell.get("outputs", []))
