# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The performance-portability metric: by hand, rule by rule, and what the command writes."""

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

import samples
from support import ROOT, InFolder, skip

from parallax.report import load, portability, portability_cli

LESSON, TUNED = "Parallax lesson", "Parallax tuned"


def row(where, tier, ns, percent=None, variant=None, **more):
    made = samples.row(more.pop("exercise", "vector_add"), variant or tier, where, ns=ns, tier=tier, **more)
    if percent is not None:
        made["percent_of_ceiling"] = percent
    return made


def two_tiers(**more):
    """On one thread the tuned tier takes half of the lesson's time, on the device a quarter."""
    return [
        row("serial", "lesson", 8e6, 50.0, **more),
        row("serial", "tuned", 4e6, 100.0, **more),
        row("cuda", "lesson", 4e4, 20.0, **more),
        row("cuda", "tuned", 1e4, 80.0, **more),
    ]


class Analysed(InFolder):
    def analyse(self, *contents):
        files = [samples.write(self.folder / f"{k}.json", content) for k, content in enumerate(contents)]
        _, places, cases, _ = load.load(files)
        return portability.analyse(places, cases)

    def kokkos(self, rows, **context):
        return self.analyse(samples.results(rows, **context))

    def ruled(self, analysis):
        return [(e.case.name, e.rule) for e in analysis.excluded]


class TheMetric(Analysed):
    def test_the_harmonic_mean_of_both_efficiencies(self):
        analysis = self.kokkos(two_tiers()[::-1])  # platforms have their order whatever the rows'
        (problem,) = analysis.problems
        self.assertEqual(problem.platforms, analysis.platforms)
        self.assertEqual([p.name for p in problem.platforms], [f"{samples.HOST}, 1 thread (serial)", f"{samples.GPU} (cuda)"])
        by_hand = {  # 2 / (1 / a + 1 / b)
            (LESSON, "of_ceiling"): ([0.5, 0.2], 2 / (2 + 5)),
            (TUNED, "of_ceiling"): ([1.0, 0.8], 2 / (1 + 1.25)),
            (LESSON, "of_best"): ([0.5, 0.25], 2 / (2 + 4)),
            (TUNED, "of_best"): ([1.0, 1.0], 1.0),
        }
        for (name, metric), (efficiencies, mean) in by_hand.items():
            for score in (problem.score(name, metric), portability.suite(analysis, metric)[name]):
                for found, expected in zip(score.efficiencies, efficiencies):
                    self.assertAlmostEqual(found, expected, 12)
                self.assertAlmostEqual(score.metric, mean, 12)
                self.assertAlmostEqual(score.where_it_runs, mean, 12)
        self.assertEqual(analysis.excluded, [])

    def test_the_suite_is_the_mean_over_problems_on_each_platform(self):
        second = [row("serial", "lesson", 1e6, 10.0, precision="f32"), row("cuda", "lesson", 1e6, 60.0, precision="f32")]
        second += [row("serial", "tuned", 5e5, 20.0, precision="f32"), row("cuda", "tuned", 1e6, 60.0, precision="f32")]
        # On only one platform, and only with the lesson: no problems of the suite.
        others = [row("cuda", "lesson", 1e6, 1.0, n=7000000), row("serial", "lesson", 8e6, 1.0, exercise="add_one")]
        others.append(row("cuda", "lesson", 8e6, 1.0, exercise="add_one"))
        analysis = self.kokkos(two_tiers() + second + others)
        self.assertEqual(len(analysis.problems), 4)
        score = portability.suite(analysis, "of_ceiling")[LESSON]
        self.assertEqual(score.problems, 2)
        serial, cuda = 2 / (1 / 0.5 + 1 / 0.1), 2 / (1 / 0.2 + 1 / 0.6)
        self.assertAlmostEqual(score.efficiencies[0], serial, 12)
        self.assertAlmostEqual(score.efficiencies[1], cuda, 12)
        self.assertAlmostEqual(score.metric, 2 / (1 / serial + 1 / cuda), 12)

    def test_zero_where_it_does_not_run_or_is_not_right(self):
        skipped = {"skipped": True, "skip_message": "no such device"}
        for change in (samples.failed, lambda r: {**r, **skipped}, lambda r: {**r, "verified": None}, lambda r: None):
            rows = two_tiers()
            rows[2] = change(rows[2])
            analysis = self.kokkos([r for r in rows if r])
            (problem,) = analysis.problems
            score = problem.score(LESSON, "of_ceiling")
            self.assertEqual((score.efficiencies, score.metric, score.where_it_runs), ([0.5, 0.0], 0, 0.5))
            self.assertEqual(portability.suite(analysis, "of_best")[LESSON].metric, 0)
            self.assertEqual(problem.score(TUNED, "of_best").metric, 1)

    def test_a_run_that_was_stopped_shows_no_zero(self):
        analysis = self.kokkos(two_tiers()[:2] + two_tiers()[3:], complete=False)
        score = analysis.problems[0].score(LESSON, "of_best")
        self.assertEqual((score.efficiencies, score.metric, score.where_it_runs), ([0.5, None], None, 0.5))

    def test_a_wrong_variant_does_not_count_where_another_is_right(self):
        analysis = self.kokkos([*two_tiers(), samples.failed(row("cuda", "lesson", 1.0, variant="broken"))])
        self.assertEqual(analysis.problems[0].score(LESSON, "of_best").efficiencies, [0.5, 0.25])
        self.assertEqual(self.ruled(analysis), [("vector_add/broken/cuda/f64", "failed")])

    def test_the_best_known_time_may_be_another_librarys(self):
        twins = [samples.row("vector_add", "range", where, ns=ns) for where, ns in (("cupy", 5e3), ("numpy", 2e6), ("numba", 1.0))]
        analysis = self.analyse(samples.results(two_tiers()), samples.results(twins, "python"))
        (problem,) = analysis.problems
        self.assertEqual(problem.score(TUNED, "of_best").efficiencies, [0.5, 0.5])
        self.assertEqual(problem.score("NumPy", "of_best").efficiencies, [1.0, 0.0])
        self.assertEqual(problem.score("CuPy", "of_best").efficiencies, [0.0, 1.0])
        self.assertEqual(analysis.applications("of_best"), [LESSON, TUNED, "NumPy", "CuPy"])
        self.assertEqual(analysis.applications("of_ceiling"), [LESSON, TUNED])
        # Numba ran on 16 threads, and Kokkos on one and on the device.
        self.assertEqual(self.ruled(analysis), [("vector_add/range/numba/f64", "no platform")])


class TheRules(Analysed):
    def test_each_excludes_a_row_for_its_own_reason(self):
        part = {"parameters": {"n": 9}, "factor": 4.0}
        for rule, change in {
            "not available": {"skipped": True},
            "wrong on purpose": {"expected_to_fail": True},
            "failed": {"verified": False},
            "unverified": {"verified": None},
            "other work": {"other_work": True},
            "several ranks": {"ranks": 2},
            "part of the problem": {"scaled": part},
            "no time": {"real_time": None},
            "no tier": {"tier": None},
            "some of the threads": {"space_threads": 4},
            "mixed clock": {"event_time": None},
            "no ceiling": {"percent_of_ceiling": None},
            "unsure ceiling": {"ceiling_unsure": True},
            "above its ceiling": {"ceiling": "fma_f64", "percent_of_ceiling": 106.0},
            "too short": {"percent_of_ceiling": 9.0},
        }.items():
            with self.subTest(rule):
                where = "openmp" if rule == "some of the threads" else "cuda"
                rows = [row(where, tier, 1e4, 50.0, event_time=1e4) for tier in ("lesson", "tuned")]
                changed = {**row(where, "tuned", 1e4, 50.0, variant="changed", event_time=1e4), **change}
                if rule == "too short":  # of 10 us, 9 % are less than a microsecond, and 50 % are not
                    self.assertEqual(self.kokkos([*rows, {**changed, "percent_of_ceiling": 11.0}]).excluded, [])
                analysis = self.kokkos([*rows, changed])
                self.assertEqual(self.ruled(analysis), [(changed["name"], rule)])
                self.assertEqual(analysis.problems[0].score(TUNED, "of_ceiling").efficiencies, [0.5])

    def test_shares_that_are_no_shares_leave_the_best_time(self):
        changes = ({"percent_of_ceiling": None}, {"ceiling_unsure": True}, {"ceiling": "fma_f64", "percent_of_ceiling": 168.0})
        for change in changes:
            rows = [row("cuda", "lesson", 4e4, 20.0), {**row("cuda", "tuned", 1e4, 80.0), **change}]
            (problem,) = self.kokkos(rows).problems
            self.assertEqual(problem.score(LESSON, "of_best").efficiencies, [0.25])
            self.assertEqual(problem.score(TUNED, "of_ceiling").efficiencies, [None])

    def test_data_in_a_cache_take_the_platform_from_the_problem(self):
        rows = two_tiers()
        rows[1]["percent_of_ceiling"] = 106.0
        analysis = self.kokkos(rows)
        (problem,) = analysis.problems
        self.assertEqual([p.name for p in problem.platforms], [f"{samples.GPU} (cuda)"])
        self.assertEqual(self.ruled(analysis), [(r["name"], "cache-resident") for r in rows[:2]])
        self.assertIn("tuned reaches 106 % of triad", analysis.excluded[0].detail)
        self.assertEqual(portability.suite(analysis, "of_best")[LESSON].problems, 0)
        rows[1]["percent_of_ceiling"] = 104.9  # a ceiling is known within 5 %
        analysis = self.kokkos(rows)
        self.assertEqual((analysis.excluded, analysis.problems[0].score(TUNED, "of_ceiling").efficiencies), ([], [1.0, 0.8]))

    def test_atomic_additions_of_one_variant_are_no_work_of_the_problem(self):
        rows = two_tiers()
        rows[0].update(ceiling="atomic", percent_of_ceiling=99.0, ceiling_without_atomics="read L2", percent_without_atomics=30.0)
        (problem,) = self.kokkos(rows).problems
        self.assertEqual(problem.score(LESSON, "of_ceiling").efficiencies, [0.3, 0.2])

    def test_one_clock_for_all(self):
        def rows(events):
            return [row("cuda", tier, 4e4, 20.0, **({"event_time": e} if e else {})) for tier, e in zip(("lesson", "tuned"), events)]

        twin = samples.results([samples.row("vector_add", "range", "cupy", ns=2e4, event_time=1e4)], "python")
        slow = samples.results([samples.row("vector_add", "range", "jax_cuda", ns=1e4)], "python")
        analysis = self.analyse(samples.results(rows((2e4, 3e4))), twin, slow)
        (problem,) = analysis.problems
        self.assertEqual(problem.score(LESSON, "of_best").efficiencies, [0.5])
        self.assertAlmostEqual(problem.score(LESSON, "of_ceiling").efficiencies[0], 0.4, 12)
        self.assertEqual(self.ruled(analysis), [("vector_add/range/jax_cuda/f64", "mixed clock")])
        # No row of Kokkos has the device's clock: wall time, which all have.
        analysis = self.analyse(samples.results(rows((None, None))), twin, slow)
        self.assertEqual(analysis.problems[0].score(LESSON, "of_best").efficiencies, [0.25])
        self.assertEqual(analysis.excluded, [])


class TheCommand(InFolder):
    def setUp(self):
        super().setUp()
        samples.write(self.folder / "cpu.json", samples.results(two_tiers()[:2]))
        samples.write(self.folder / "gpu.json", samples.results(two_tiers()[2:]))
        samples.write(self.folder / "twins.json", samples.results([samples.row("vector_add", "range", "cupy", ns=2e4)], "python"))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def portability(self, *arguments):
        """The command in this process: starting another each time takes longer than all it does."""
        said, told = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(told):
            status = portability_cli.main(list(arguments))
        return subprocess.CompletedProcess(arguments, status, told.getvalue(), said.getvalue())

    def made(self, *arguments):
        outcome = self.portability(*arguments)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        return outcome.stdout

    def test_the_table(self):
        said = [" ".join(line.split()) for line in self.made("cpu.json", "gpu.json", "twins.json").splitlines()]
        for line in ("excluded: 0 rows", "share of the measured ceiling", "vector_add f64 n = 1e6", "Parallax lesson 50.0 % 20.0 % 28.6 % 28.6 %",
                     "CuPy 0 50.0 % 0 50.0 %", "suite: 1 problem judged on all platforms", f"P2: {samples.GPU} (cuda)"):
            self.assertIn(line, said)

    def test_json_has_all_of_it(self):
        self.made("cpu.json", "gpu.json", "--json", "out.json")
        made = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        (problem,) = made["problems"]
        lesson = problem["applications"][LESSON]
        self.assertEqual((problem["exercise"], problem["parameters"]), ("vector_add", {"n": 1000000}))
        self.assertAlmostEqual(lesson["of_ceiling"]["metric"], 2 / 7, 12)
        self.assertEqual(list(lesson["rows"].values()), ["vector_add/lesson/serial/f64", "vector_add/lesson/cuda/f64"])
        self.assertEqual(made["suite"]["of_best"][LESSON], lesson["of_best"])
        self.assertEqual(made["excluded"], [])

    def p3(self):
        self.made("cpu.json", "gpu.json", "twins.json", "--p3", "p3.csv")
        return self.folder / "p3.csv"

    def test_the_table_for_p3(self):
        with self.p3().open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(list(lines[0]), ["problem", "platform", "application", "fom"])
        found = {(line["application"], line["platform"].split("(")[-1]): line["fom"] for line in lines}
        expected = {(LESSON, "serial)"): 8e6, (LESSON, "cuda)"): 4e4, (TUNED, "serial)"): 4e6, (TUNED, "cuda)"): 1e4, ("CuPy", "cuda)"): 2e4}
        self.assertEqual({key: float(fom) for key, fom in found.items() if fom}, expected)
        self.assertEqual(found["CuPy", "serial)"], "")
        self.assertEqual({line["problem"] for line in lines}, {"vector_add f64 n = 1e6"})

    def test_p3_reads_it_to_the_same_metric(self):
        try:
            import pandas
            from p3analysis import metrics
        except ImportError as error:
            self.skipTest(f"no p3-analysis-library: {error}")
        found = metrics.pp(metrics.application_efficiency(pandas.read_csv(self.p3())))
        by_application = dict(zip(found["application"], found["app pp"]))
        self.assertEqual(by_application.keys(), {LESSON, TUNED, "CuPy"})
        for name, expected in ((LESSON, 1 / 3), (TUNED, 1.0), ("CuPy", 0.0)):
            self.assertAlmostEqual(by_application[name], expected, 12)

    def test_the_cascade(self):
        words = ("cpu.json", "gpu.json", "twins.json", "-o", "out.svg")
        outcome = self.start([sys.executable, str(ROOT / "python" / "make_portability.py"), *words])
        if outcome.returncode == 3:
            skip("no matplotlib: " + outcome.stderr.strip())
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        text = (self.folder / "out.svg").read_text(encoding="utf-8")
        ET.fromstring(text)
        self.assertEqual(text.count('class="mark"'), 4 + 5)  # a panel for each metric; CuPy is on one platform, in one of them
        for part in ("Parallax tuned on Invented GPU", "share of the best known time, % (1 problem)", "28.6 %", f"P2  {samples.GPU}"):
            self.assertIn(part, text)

    def test_refusals(self):
        self.refused(self.portability("cpu.json", "--exercise", "vector_ad"), 2, "vector_ad", "did you mean 'vector_add'?")
        self.refused(self.portability("cpu.json", "--precision", "f64,f16"), 2, "--precision", "'f16'")
        self.refused(self.portability("cpu.json", "--json", "cpu.json"), 2, "cpu.json", "input")
        self.refused(self.portability("cpu.json", "--json", "x", "--p3", "x"), 2, "another output")
        self.refused(self.portability("cpu.json", "--p3="), 2, "needs a name")
        self.refused(self.portability("absent.json"), 3, "absent.json")
        self.refused(self.portability("cpu.json", "--json", "no/x.json"), 3, "no/x.json")
        self.refused(self.portability("twins.json"), 2, "no row of these files counts", "no platform")
        samples.write(self.folder / "bad.json", samples.results([samples.failed(r) for r in two_tiers()]))
        self.refused(self.portability("bad.json", "--json", "x.json"), 2, "no row of these files counts", "4 rows", "failed")
        self.assertEqual(self.content(), ["bad.json", "cpu.json", "gpu.json", "twins.json"])

    def test_the_program_hands_over(self):
        environment = {"PARALLAX_PYTHON": sys.executable}
        words = ("portability", "cpu.json", "gpu.json", "--exercise", "vector_add", "--precision", "f64", "--json", "-j", "--p3", "-p")
        outcome = self.run_program(*words, environment=environment)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("share of the measured ceiling", outcome.stdout)
        self.assertEqual(self.content(), ["-j", "-p", "cpu.json", "gpu.json", "twins.json"])
        self.refused(self.run_program("portability", environment=environment), 2, "A.json")
        self.refused(self.run_program("portability", "cpu.json", "--presicion", "f64"), 2, "'--presicion'", "'--precision'")
        self.refused(self.run_program("portability", "cpu.json", environment={"PARALLAX_PYTHON": "./none"}), 3, "./none")


if __name__ == "__main__":
    sys.exit(unittest.main())
