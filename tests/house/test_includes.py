# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom (docs/architecture.md, "Who may include whom"): read from the includes of src and apps."""

import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
STANDARD = re.compile(r"[a-z_0-9]+|Kokkos_\w+\.hpp")  # the C++ library, Kokkos
GENERATED = {"build_info.hpp", "suite.hpp"}  # by CMake

# What the files of a part of the house may include besides their own kind. Rooms are held apart below.
MAY = {
    "device": set(),
    "random": {"device"},
    "bindings": {"device"},
    # The ceilings are the best that any way reaches, tuned kernels' included; a device's clock is its library's.
    "harness": {"device", "bindings"},
    "data": {"random", "device"},
    "lesson": set(),
    "tuned": {"lesson", "device", "random", "bindings"},
    # exercise.cpp, and the files that it is cut into
    "exercise": {"lesson", "tuned", "device", "random", "bindings", "data", "harness"},
}
# Of src/harness, what every file needs: arrays, errors, files, parameters, signals, units; and how a generator enters.
HARNESS_FOR_DATA = {f"harness/{name}.hpp" for name in ("arrays", "error", "files", "generator", "interrupt", "parameters", "table")}
# Exercises whose lesson is random numbers.
RANDOM_LESSONS = {"circle_area", "mandelbrot_area", "row_sum", "uniform_sort"}
LESSON_LINES = 150
# Where a page takes its code from, and what a student writes: not lines of the lesson.
MARK = re.compile(r"^ *// (?:(?:begin|end):|student: (?:begin|end)) \w+\n", re.MULTILINE)
# Which <headers> are neither the C++ library's nor Kokkos's, and yet are in place.
PROCESSOR = {"device": {"immintrin.h"}}
ANY_LIBRARY = {"bindings", "data", "harness", "exercise"}


def part_of(path):
    """The part of the house that a file is in, and its exercise; path is relative to the root."""
    folders = path.parts
    if folders[0] == "src":
        return (folders[1] if len(folders) == 3 else ""), ""
    if len(folders) == 4 and folders[2] == "bugs":
        return "lesson", folders[1]  # a part of one
    if len(folders) != 3:
        return "", ""
    kind = "lesson" if path.name == "lesson.hpp" else "tuned" if re.fullmatch(r"tuned(_\w+)?\.hpp", path.name) else "exercise"
    return kind, folders[1]


def refusal(path, target):
    """Why `path` may not include `target`, or None."""
    part, exercise = part_of(path)
    other, other_exercise = part_of(target)
    if other_exercise and other_exercise != exercise:
        return "another exercise's room" if exercise else "an exercise's room"
    if other in MAY[part] or other == part:
        return None
    if part == "data" and other == "harness":
        return None if str(target.relative_to("src")) in HARNESS_FOR_DATA else "not what src/data may use of src/harness"
    if part == "lesson" and other == "random" and exercise in RANDOM_LESSONS:
        return None
    return f"{part} may not lean on {other}"


def faults(root):
    """One line for each include that breaks a rule, for each circle, and for what is in no room."""
    found, graph = [], {}
    files = [p for top in ("src", "apps") for p in sorted((root / top).rglob("*")) if p.suffix in (".cpp", ".hpp")]
    for path in (file.relative_to(root) for file in files):
        part, _ = part_of(path)
        graph[path] = []
        if part not in MAY:
            found.append(f"{path}: in no part of the house")
            continue
        text = (root / path).read_text(encoding="utf-8")
        length = MARK.sub("", text).count("\n")
        if part == "lesson" and length > LESSON_LINES:
            found.append(f"{path}: {length} lines; a lesson has at most {LESSON_LINES}")
        for mark, name in INCLUDE.findall(text):
            if mark == "<":
                known = STANDARD.fullmatch(name) or name in PROCESSOR.get(part, ())
                if not known and part not in ANY_LIBRARY:
                    found.append(f"{path}: includes <{name}>: {part} uses the C++ library and Kokkos alone")
                continue
            target = next((p for p in (Path("src") / name, Path("apps") / name) if (root / p).exists()), None)
            if target is None:
                if name not in GENERATED or part != "harness":
                    found.append(f"{path}: includes {name}: not a file of src or apps")
                continue
            graph[path].append(target)
            why = refusal(path, target)
            if why:
                found.append(f"{path}: includes {name}: {why}")
    return found + circles(graph)


def circles(graph):
    """A line for each include that closes a circle."""
    found, done, way = [], set(), []

    def visit(path):
        if path in way:
            found.append("a circle: " + " -> ".join(map(str, [*way[way.index(path) :], path])))
        elif path not in done:
            way.append(path)
            for target in graph.get(path, ()):
                visit(target)
            done.add(way.pop())

    for path in graph:
        visit(path)
    return found


class TheHouse(unittest.TestCase):
    def test_every_include_runs_down(self):
        self.assertGreater(len(list((ROOT / "apps").glob("*/exercise.cpp"))), 20)
        self.assertEqual(faults(ROOT), [])


class MadeUpTrees(unittest.TestCase):
    GOOD = {
        "src/device/pack.hpp": "#include <immintrin.h>\n#include <Kokkos_Core.hpp>\n",
        "src/random/fill.hpp": '#include "device/pack.hpp"\n',
        "src/bindings/blas.hpp": '#include <cub/cub.cuh>\n#include "device/pack.hpp"\n',
        "src/harness/error.hpp": "#include <string>\n",
        "src/harness/run.hpp": '#include "build_info.hpp"\n#include "harness/error.hpp"\n',
        "src/data/png.hpp": "#include <vector>\n",
        "src/data/png.cpp": '#include <png.h>\n#include "data/png.hpp"\n#include "harness/error.hpp"\n',
        "src/data/events.hpp": '#include "random/fill.hpp"\n#include "device/pack.hpp"\n',
        "apps/sum/lesson.hpp": "#include <Kokkos_Core.hpp>\n#include <cstdint>\n",
        "apps/sum/tuned.hpp": '#include "sum/lesson.hpp"\n#include "device/pack.hpp"\n#include "bindings/blas.hpp"\n',
        "apps/sum/tuned_wide.hpp": '#include "sum/tuned.hpp"\n',
        "apps/sum/exercise.cpp": '#include "sum/tuned_wide.hpp"\n#include "harness/run.hpp"\n#include "sum/input.hpp"\n',
        "apps/sum/input.hpp": '#include "harness/error.hpp"\n',
        "apps/sum/bugs/too_large.hpp": "sum += 1;\n",
        "apps/uniform_sort/lesson.hpp": '#include "random/fill.hpp"\n',
    }

    def faults_with(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**self.GOOD, **changes}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return faults(Path(folder))

    def test_a_sound_tree_has_no_fault(self):
        self.assertEqual(self.faults_with({}), [])
        marked = "// begin: kernel\n  // student: begin range\n" + "\n" * 150 + "  // student: end range\n// end: kernel\n"
        self.assertEqual(self.faults_with({"apps/sum/lesson.hpp": marked}), [])

    def test_each_rule_can_fail(self):
        for name, text, fault in (
            ("src/device/new.hpp", '#include "random/fill.hpp"', "device may not lean on random"),
            ("src/device/new.hpp", '#include "sum/tuned.hpp"', "an exercise's room"),
            ("src/device/new.hpp", "#include <cub/cub.cuh>", "device uses the C++ library and Kokkos alone"),
            ("src/random/new.hpp", '#include "harness/error.hpp"', "random may not lean on harness"),
            ("src/random/new.hpp", "#include <immintrin.h>", "random uses the C++ library and Kokkos alone"),
            ("src/bindings/new.hpp", '#include "random/fill.hpp"', "bindings may not lean on random"),
            ("src/data/new.cpp", '#include "harness/run.hpp"', "not what src/data may use of src/harness"),
            ("src/data/new.cpp", '#include "bindings/blas.hpp"', "data may not lean on bindings"),
            ("src/harness/new.cpp", '  #  include "data/png.hpp"', "harness may not lean on data"),
            ("src/harness/new.cpp", '#include "nowhere.hpp"', "not a file of src or apps"),
            ("src/harness/new.cpp", '#include "random/fill.hpp"', "harness may not lean on random"),
            ("src/harness/new.cpp", '#include "sum/input.hpp"', "an exercise's room"),
            ("src/kernels/new.hpp", "", "in no part of the house"),
            ("src/new.hpp", "", "in no part of the house"),
            ("apps/new.cpp", "", "in no part of the house"),
            ("apps/sum/more/new.hpp", "", "in no part of the house"),
            ("apps/sum/bugs/new.hpp", '#include "harness/run.hpp"', "lesson may not lean on harness"),
            ("apps/sum/lesson.hpp", '#include "device/pack.hpp"', "lesson may not lean on device"),
            ("apps/sum/lesson.hpp", '#include "random/fill.hpp"', "lesson may not lean on random"),
            ("apps/sum/lesson.hpp", "#include <KokkosBlas.hpp>", "lesson uses the C++ library and Kokkos alone"),
            ("apps/sum/lesson.hpp", "\n" * 150, "151 lines"),
            ("apps/sum/tuned.hpp", '#include "harness/run.hpp"', "tuned may not lean on harness"),
            ("apps/sum/tuned.hpp", '#include "sum/input.hpp"', "tuned may not lean on exercise"),
            ("apps/other/exercise.cpp", '#include "sum/lesson.hpp"', "another exercise's room"),
            ("apps/other/exercise.cpp", '#include "lesson.hpp"', "not a file of src or apps"),
        ):
            with self.subTest(f"{name}: {text[:40]}"):
                found = self.faults_with({name: text + "\n"})
                self.assertEqual(len(found), 1, found)
                self.assertIn(name, found[0])
                self.assertIn(fault, found[0])

    def test_a_circle_is_found_wherever_it_begins(self):
        there, back = '#include "device/back.hpp"\n', '#include "device/pack.hpp"\n'
        found = self.faults_with({"src/device/pack.hpp": there, "src/device/back.hpp": back})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("a circle: "), found)
        self.assertEqual(len(self.faults_with({"src/device/pack.hpp": back})), 1)


if __name__ == "__main__":
    unittest.main()
