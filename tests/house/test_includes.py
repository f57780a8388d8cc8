# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom (docs/architecture.md, "Who may include whom"): scripts/house on this tree and on made-up ones."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from loading import script  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
house = script("house")


class TheHouse(unittest.TestCase):
    def test_every_include_runs_down(self):
        self.assertGreater(len(list((ROOT / "apps").glob("*/exercise.cpp"))), 20)
        self.assertEqual(house.faults(ROOT), [])

    def test_the_picture_is_of_this_tree(self):
        drawn = (ROOT / "docs/images/house.svg").read_text(encoding="utf-8")
        self.assertEqual(house.picture(ROOT), drawn, "scripts/house --write draws it anew")


class MadeUpTrees(unittest.TestCase):
    GOOD = {
        "src/device/pack.hpp": "#include <immintrin.h>\n#include <Kokkos_Core.hpp>\n",
        "src/random/fill.hpp": '#include "device/pack.hpp"\n',
        "src/platform/base/error.hpp": "#include <string>\n",
        "src/platform/device/vendor.hpp": "#include <hipcub/hipcub.hpp>\n",
        "src/platform/base/error.cpp": '#include <dlfcn.h>\n#include "platform/base/error.hpp"\n',
        "src/exercise/arrays.hpp": '#include "platform/base/error.hpp"\n',
        "src/exercise/api.hpp": '#include "exercise/arrays.hpp"\n',
        "src/measure/time/timing.hpp": '#include "build_info.hpp"\n#include "exercise/arrays.hpp"\n',
        "src/run/run.hpp": '#include "measure/time/timing.hpp"\n',
        "src/data/png.hpp": "#include <vector>\n",
        "src/data/png.cpp": '#include <png.h>\n#include "data/png.hpp"\n#include "platform/base/error.hpp"\n',
        "src/data/events.hpp": '#include "random/fill.hpp"\n#include "exercise/arrays.hpp"\n',
        "src/program/generate.hpp": '#include "data/png.hpp"\n#include "run/run.hpp"\n',
        "apps/sum/lesson.hpp": "#include <Kokkos_Core.hpp>\n#include <cstdint>\n",
        "apps/sum/library.hpp": '#include <cub/cub.cuh>\n#include "device/pack.hpp"\n#include "platform/device/vendor.hpp"\n',
        "apps/sum/tuned.hpp": '#include "sum/lesson.hpp"\n#include "device/pack.hpp"\n#include "sum/library.hpp"\n',
        "apps/sum/tuned_wide.hpp": '#include "sum/tuned.hpp"\n',
        "apps/sum/exercise.cpp": '#include "sum/tuned_wide.hpp"\n#include "exercise/api.hpp"\n#include "sum/input.hpp"\n',
        "apps/sum/input.hpp": '#include "exercise/api.hpp"\n',
        "apps/sum/bugs/too_large.hpp": "sum += 1;\n",
        "apps/uniform_sort/lesson.hpp": '#include "random/fill.hpp"\n',
    }

    def faults_with(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**self.GOOD, **changes}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return house.faults(Path(folder))

    def test_a_sound_tree_has_no_fault(self):
        self.assertEqual(self.faults_with({}), [])
        marked = "// begin: kernel\n  // student: begin range\n" + "\n" * 150 + "  // student: end range\n// end: kernel\n"
        self.assertEqual(self.faults_with({"apps/sum/lesson.hpp": marked}), [])

    def test_each_rule_can_fail(self):
        for name, text, fault in (
            ("src/device/new.hpp", '#include "random/fill.hpp"', "device may not include random"),
            ("src/device/new.hpp", '#include "sum/tuned.hpp"', "an exercise's room"),
            ("src/device/new.hpp", "#include <cub/cub.cuh>", "device uses only the C++ library and Kokkos"),
            ("src/random/new.hpp", '#include "platform/base/error.hpp"', "random may not include platform"),
            ("src/random/new.hpp", "#include <immintrin.h>", "random uses only the C++ library and Kokkos"),
            ("src/platform/new.hpp", '#include "exercise/arrays.hpp"', "platform may not include exercise"),
            ("src/platform/new.hpp", '#include "build_info.hpp"', "not a file of src or apps"),
            ("src/platform/new.hpp", '  #  include "data/png.hpp"', "platform may not include data"),
            ("src/exercise/new.hpp", '#include "measure/time/timing.hpp"', "exercise may not include measure"),
            ("src/measure/new.hpp", '#include "run/run.hpp"', "measure may not include run"),
            ("src/measure/new.hpp", '#include "nowhere.hpp"', "not a file of src or apps"),
            ("src/run/new.hpp", '#include "program/generate.hpp"', "run may not include program"),
            ("src/run/new.hpp", '#include "random/fill.hpp"', "run may not include random"),
            ("src/run/new.hpp", '#include "sum/input.hpp"', "an exercise's room"),
            ("src/run/new.cpp", "", "no header of its name"),
            ("src/data/new.hpp", '#include "run/run.hpp"', "data may not include run"),
            ("src/data/new.hpp", '#include "exercise/api.hpp"', "data may not include exercise"),
            ("src/kernels/new.hpp", "", "in no room of the house"),
            ("src/new.hpp", "", "in no room of the house"),
            ("apps/new.cpp", "", "in no room of the house"),
            ("apps/sum/more/new.hpp", "", "in no room of the house"),
            ("apps/sum/bugs/new.hpp", '#include "exercise/api.hpp"', "lesson may not include exercise"),
            ("apps/sum/lesson.hpp", '#include "device/pack.hpp"', "lesson may not include device"),
            ("apps/sum/lesson.hpp", '#include "random/fill.hpp"', "lesson may not include random"),
            ("apps/sum/lesson.hpp", "#include <KokkosBlas.hpp>", "lesson uses only the C++ library and Kokkos"),
            ("apps/sum/lesson.hpp", "\n" * 150, "151 lines"),
            ("apps/sum/tuned.hpp", '#include "exercise/api.hpp"', "tuned may not include exercise"),
            ("apps/sum/tuned.hpp", '#include "sum/input.hpp"', "tuned may not include app"),
            ("apps/sum/library.hpp", '#include "sum/input.hpp"', "library may not include app"),
            ("apps/sum/library.hpp", '#include "platform/base/error.hpp"', "library may not include platform"),
            ("apps/sum/input.hpp", '#include "exercise/arrays.hpp"', "app may not include exercise"),
            ("apps/sum/input.hpp", '#include "platform/base/error.hpp"', "app may not include platform"),
            ("apps/other/exercise.cpp", '#include "sum/lesson.hpp"', "another exercise's room"),
            ("apps/other/exercise.cpp", '#include "lesson.hpp"', "not a file of src or apps"),
        ):
            with self.subTest(f"{name}: {text[:40]}"):
                found = self.faults_with({name: text + "\n"})
                self.assertEqual(len(found), 1, found)
                self.assertIn(name, found[0])
                self.assertIn(fault, found[0])

    def test_a_circle_of_pairs_is_found_though_no_file_includes_itself(self):
        found = self.faults_with(
            {
                "src/run/one.hpp": "",
                "src/run/one.cpp": '#include "run/two.hpp"\n',
                "src/run/two.hpp": "",
                "src/run/two.cpp": '#include "run/one.hpp"\n',
            }
        )
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("a circle: src/run/one -> src/run/two -> src/run/one"), found)

    def test_a_room_has_six_floors(self):
        def tower(floors):
            return {f"src/run/f{k}.hpp": f'#include "run/f{k - 1}.hpp"\n' if k else "" for k in range(floors)}

        self.assertEqual(self.faults_with(tower(6)), [])
        found = self.faults_with(tower(7))
        self.assertEqual(len(found), 1, found)
        self.assertIn("src/run: 7 floors, at most 6", found[0])


if __name__ == "__main__":
    unittest.main()
