# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: headless Chromium, driven by playwright-core (package.json pins it).

PARALLAX_NODE_MODULES names the folder node_modules that holds it (docs/report.md says how to install it there).
With PARALLAX_REQUIRE_BROWSER=1 a missing browser fails the test instead of skipping it. PARALLAX_SCREENSHOTS names a
folder for screenshots to look at.
"""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import samples
import test_scaling
from support import InFolder

HERE = Path(__file__).resolve().parent
CHROMIUM = os.environ.get("PARALLAX_CHROMIUM", "/usr/bin/chromium")
MODULES = Path(os.environ.get("PARALLAX_NODE_MODULES", HERE / "node_modules")).resolve()


def why_not():
    if not shutil.which("node"):
        return "node is missing: install nodejs"
    if not Path(CHROMIUM).exists():
        return f"{CHROMIUM} is missing: install chromium"
    if not (MODULES / "playwright-core").exists():
        return "playwright-core is missing: PARALLAX_NODE_MODULES names its folder (docs/report.md)"
    return ""


class Browser(InFolder):
    def setUp(self):
        super().setUp()
        reason = why_not()
        if reason and os.environ.get("PARALLAX_REQUIRE_BROWSER") == "1":
            self.fail(reason)
        if reason:
            self.skipTest(reason)
        self.need_matplotlib()

    def open(self, *contents, pictures=None, **environment):
        paths = [samples.write(self.folder / f"{k}.json", content) for k, content in enumerate(contents)]
        page = self.folder / "page.html"
        outcome = self.run_report(*paths, "-o", page)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        command = ["node", str(HERE / "browser.cjs"), str(page), *filter(None, [pictures])]
        surroundings = {
            **os.environ,
            "PARALLAX_NODE_MODULES": str(MODULES),
            "PARALLAX_CHROMIUM": CHROMIUM,
            **environment,
        }
        outcome = subprocess.run(
            command, capture_output=True, text=True, env=surroundings, check=False, cwd=self.folder
        )
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        return json.loads(outcome.stdout)

    def judge(self, seen):
        self.assertEqual(seen["complaints"], [])
        self.assertEqual(seen["requests"], [])
        for look in seen["looks"].values():
            self.assertFalse(look["overflows"], "the page scrolls sideways")
            for chart in look["charts"]:
                self.assertTrue(chart["seen"], chart["title"])
                self.assertGreater(len(chart["words"]), 3, chart["title"])
                self.assertGreater(chart["marks"], 0, chart["title"])
                self.assertEqual(chart["outside"], [], chart["title"])
        for name in ("wide", "narrow"):  # 1400 and 500 pixels
            self.assertLessEqual(seen["looks"][name]["folded_at"], 6 * 900)
            self.assertEqual([chart["title"] for chart in seen["looks"][name]["charts"] if not chart["whole"]], [])
        self.assertEqual(seen["unfolded_by_link"], "all-cases")
        table = seen["table"]
        self.assertGreater(len(table["ascending"]), 10)
        self.assertEqual(table["ascending"], sorted(table["ascending"]))
        self.assertEqual(table["descending"], sorted(table["descending"], reverse=True))
        self.assertEqual(table["sorted_as"], "ascending")
        self.assertEqual(len(table["chosen"]), 1)
        self.assertGreater(seen["folded"], 0)
        self.assertEqual(seen["folded_on_paper"], 0)

    def test_a_full_page(self):
        seen = self.open(*samples.showcase(), pictures=os.environ.get("PARALLAX_SCREENSHOTS"))
        self.judge(seen)
        light, dark = seen["looks"]["light"], seen["looks"]["dark"]
        self.assertNotEqual(light["background"], dark["background"])
        self.assertNotEqual(light["ink"], dark["ink"])
        words = [word for chart in light["charts"] for word in chart["words"]]
        for word in (
            "time, log scale (less is better)",
            "of its ceiling, %",
            "triad 2.95 TB/s",
            "wide · cuda · f32",
            "times as fast on the GPU as on the CPU, log scale (left of 1: the CPU is faster)",
        ):
            self.assertIn(word, words)
        self.assertTrue(seen["looks"]["wide"]["last_column_of_tiers"])
        table = seen["table"]
        rows = [row for data in samples.showcase() for row in data["benchmarks"]]
        self.assertEqual((table["rows"], table["all"]), (len(rows), len(rows)))
        expected = sorted(r["name"] for r in rows if "range" in r["name"] and r["space"] == "serial")
        self.assertEqual(sorted(table["filtered"]), expected)
        self.assertEqual(table["count"], f"{len(expected)} rows")

    def test_a_disturbed_row_and_a_stopped_run_are_seen(self):
        def file(**context):
            data = samples.showcase()[0]
            for row in data["benchmarks"]:
                row.pop("disturbed", None)
            data["context"].update(context)
            return data

        stopped = file(complete=False)
        for row in stopped["benchmarks"]:
            row["disturbed"] = "a thread waited"
        calm = self.open(file())
        seen = self.open(stopped)
        for look in calm["looks"].values():
            self.assertEqual([alert for alert in look["alerts"] if "stopped" in alert["text"]], [])
            self.assertNotIn("disturbed", [word for chart in look["charts"] for word in chart["words"]])
        for look in seen["looks"].values():
            (alert,) = [alert for alert in look["alerts"] if "stopped" in alert["text"]]
            self.assertIn("stopped before the end: 0.json", alert["text"])
            self.assertLess(alert["top"], 900)
            self.assertIn("disturbed", look["charts"][0]["words"])

    def test_scaling_over_ranks(self):
        files = [test_scaling.file(*of, threads=16) for of in ((1, 1e6), (2, 505000), (2, 1.1e6, True))]
        seen = self.open(samples.showcase()[0], *files)
        self.judge(seen)
        charts = {chart["title"]: chart for chart in seen["looks"]["light"]["charts"]}
        for kind, title in (("Strong", "speed-up (more is better)"), ("Weak", "efficiency in % (more is better)")):
            chart = charts[f"{kind} scaling over ranks: tree_sum"]
            self.assertEqual(3, chart["marks"])  # two points and the model's line
            for word in (title, "reduce · openmp · f64", "model", "ideal"):
                self.assertIn(word, chart["words"])

    def test_hostile_names_do_nothing(self):
        hostile = ["<img src=x onerror=alert(1)>", "</svg><script>alert(2)</script>", "javascript:alert(3)", "x" * 3000]
        rows = []
        for k, text in enumerate(hostile):
            rows += [samples.row(text, f"{text}{n}", "serial", text, ns=1e6 + n + k) for n in range(5)]
        data = samples.results(rows, site=hostile[0])
        data["context"]["spaces"]["serial"]["device"] = hostile[1]
        seen = self.open(data, FILTER=hostile[0])
        self.judge(seen)
        self.assertEqual(len(seen["table"]["filtered"]), 5)

    def test_ten_thousand_cases_stay_usable(self):
        seen = self.open(samples.many(10_000), FILTER="exercise_07 tiled openmp")
        self.judge(seen)
        self.assertEqual((seen["table"]["rows"], seen["table"]["all"]), (200, 10_000))
        self.assertTrue(all("exercise_07/tiled/openmp" in name for name in seen["table"]["filtered"]))
        times = {name: look["open_ms"] for name, look in seen["looks"].items()}
        print(
            "opened in",
            times,
            "ms; sorted in",
            seen["table"]["sort_ms"],
            "ms; filtered in",
            seen["table"]["filter_ms"],
            "ms",
        )


if __name__ == "__main__":
    sys.exit(unittest.main())
