# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The site in a real browser: headless Chromium, without a network, from files; on a desktop, in the dark, on a phone, as slides, on paper.

PARALLAX_SITE names the built site (build/site where it is left out), PARALLAX_NODE_MODULES the folder node_modules that holds
playwright-core (docs/report.md says how to install it). With PARALLAX_REQUIRE_BROWSER=1 what is missing fails the test instead of
skipping it. PARALLAX_SCREENSHOTS names a folder for screenshots to look at."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

import test_pages

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
CHROMIUM = os.environ.get("PARALLAX_CHROMIUM", "/usr/bin/chromium")
MODULES = Path(os.environ.get("PARALLAX_NODE_MODULES", HERE / "node_modules")).resolve()
SITE = Path(os.environ.get("PARALLAX_SITE", ROOT / "build" / "site")).resolve()


def why_not():
    for there, missing in (
        (shutil.which("node"), "node is missing: install nodejs"),
        (Path(CHROMIUM).exists(), f"{CHROMIUM} is missing: install chromium"),
        ((MODULES / "playwright-core").exists(), "playwright-core is missing: PARALLAX_NODE_MODULES names its folder (docs/report.md)"),
        ((SITE / "index.html").exists(), f"no site in {SITE}: scripts/site builds it"),
    ):
        if not there:
            return missing
    return ""


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = why_not()
        if reason and os.environ.get("PARALLAX_REQUIRE_BROWSER") != "1":
            raise unittest.SkipTest(reason)
        command = ["node", str(HERE / "site.cjs"), str(SITE), *filter(None, [os.environ.get("PARALLAX_SCREENSHOTS")])]
        surroundings = {**os.environ, "PARALLAX_NODE_MODULES": str(MODULES), "PARALLAX_CHROMIUM": CHROMIUM}
        done = subprocess.run(command, capture_output=True, text=True, env=surroundings, check=False)
        if reason or done.returncode != 0:
            raise AssertionError(reason or done.stderr)
        cls.seen = json.loads(done.stdout)

    def test_nothing_is_missing_and_nothing_is_fetched(self):
        self.assertEqual(self.seen["complaints"], [])
        self.assertEqual(self.seen["requests"], [])

    def test_every_page_fits_a_phone_and_shows_its_pictures(self):
        pages = self.seen["phone"]
        self.assertGreater(len(pages), 60)
        self.assertEqual([name for name, page in pages.items() if page["overflows"]], [])
        pictures = [picture for page in pages.values() for picture in page["pictures"]]
        self.assertGreater(len(pictures), 20)
        self.assertEqual([name for name, shown in pictures if not shown], [])

    def test_dark_and_light(self):
        looks = {name: look["colours"] for name, look in self.seen["looks"].items()}
        self.assertNotEqual(looks["light"], looks["dark"])
        self.assertEqual(looks["chosen"], looks["light"])
        self.assertEqual(self.seen["folded"], [False, True])

    def test_the_search_finds_a_concept_and_a_formula_is_drawn(self):
        self.assertEqual(self.seen["results"][0], "Coalescing")
        self.assertTrue(self.seen["found"].startswith("Coalescing"), self.seen["found"])
        self.assertGreater(self.seen["formulae"], 4)

    def test_slides(self):
        for name in ("slides", "slides_on_a_phone"):
            with self.subTest(name):
                said = self.seen[name]
                count = len(said["slides"])
                self.assertEqual(count, 5)
                self.assertEqual(said["numbers"], [f"{k} / {count}" for k in (1, 2, 3, 2, 3, count, count, 1)])
                self.assertTrue(said["headings"][0].startswith("The kernel"), said["headings"])
                self.assertTrue(said["headings"][4].startswith("Key points"), said["headings"])
                self.assertFalse(any(slide["wide"] for slide in said["slides"]))
                self.assertTrue(all(slide["folded"] for slide in said["slides"]))
                pairs = [slide["pair"] for slide in said["slides"] if slide["pair"]]
                self.assertEqual([len(set(tops)) for tops in pairs], [1 if name == "slides" else 2])
                self.assertTrue(said["left"].endswith("apps/histogram/index.html"), said["left"])

    def test_a_lesson_has_five_slides_with_its_kernel_its_questions_and_a_picture_of_its_times(self):
        lessons = {name: deck for name, deck in self.seen["decks"].items() if deck[1]["heading"] == "The kernel"}
        self.assertEqual(set(lessons), set(test_pages.PATH))
        for name, deck in lessons.items():
            with self.subTest(name):
                self.assertEqual([slide["heading"] for slide in deck], [name, "The kernel", "Predict, then measure", "Measured", "Key points"])
                self.assertGreaterEqual(deck[1]["kernels"], 2)
                self.assertGreaterEqual(deck[2]["folded"], 2)
                drawn = (ROOT / "docs" / "images" / "variants" / f"{name}.svg").exists()  # once it was measured
                self.assertEqual(deck[3]["pictures"], int(drawn))
                self.assertEqual([slide["heading"] for slide in deck if slide["high"]], [])

    def test_a_picture_grows_again_with_its_window(self):
        large, small, again = self.seen["resized"]
        self.assertLess(small, large)
        self.assertEqual(again, large)

    def test_on_paper(self):
        self.assertGreater(len(self.seen["sheets"]), 6)
        self.assertEqual({name: sheets for name, sheets in self.seen["sheets"].items() if sheets != 1}, {})
        self.assertEqual(*self.seen["paper"])


if __name__ == "__main__":
    unittest.main()
