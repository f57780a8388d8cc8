# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of notebooks share: made in an empty folder, and what their cells hold."""

import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]
from processes import InFolder  # noqa: E402

LESSONS = ("increment", "vector_add", "transfer", "launch", "gather", "quadratic", "row_sum", "tree_sum", "scan", "histogram", "matmul",
           "memory_kinds", "mandelbrot", "integration2d", "circle_area", "ragged_sum", "dilepton_mass", "transpose", "heat")
CASES = ("dilepton_mass",)  # pages with a question and ideas instead of steps
CALL = re.compile(r'^lesson\.run\((".*")\)$', re.MULTILINE)


def page_of(name):
    return (ROOT / "apps" / name / "README.md").read_text(encoding="utf-8")


def source(cell):
    return "".join(cell["source"])


def texts(cells, kind):
    return [source(cell) for cell in cells if cell["cell_type"] == kind]


def calls(cell):
    """The commands that a cell runs."""
    return [json.loads(line) for line in CALL.findall(source(cell))]


def streams(cell):
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


class Notebooks(InFolder):
    def script(self, *arguments, root=ROOT, **environment):
        return self.start([sys.executable, str(root / "scripts" / "notebooks"), *map(str, arguments)],
                          {"PYTHONDONTWRITEBYTECODE": "1", "PARALLAX_BUILD": "", **environment})

    def make(self, *arguments, **more):
        done = self.script("out", *arguments, **more)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return done.stderr

    def cells(self, name):
        return json.loads((self.folder / "out" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]

    def copy(self):
        """What the script reads, as a repository without a build."""
        root = self.folder / "copy"
        shutil.copytree(ROOT / "python" / "parallax", root / "python" / "parallax", ignore=shutil.ignore_patterns("__pycache__"))
        rooms = [f"apps/{name}/{file}" for name in LESSONS for file in ("README.md", "lesson.hpp", "steps.json")]
        rooms += [f"docs/images/variants/{name}.svg" for name in LESSONS]
        for file in ("scripts/notebooks", "scripts/lessons/parts.py", "course/two_days.md", "docs/images/mandelbrot.png",
                     "docs/images/circle_accuracy.png", *filter(lambda file: (ROOT / file).exists(), rooms)):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, root / file)
        return root
