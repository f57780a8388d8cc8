# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers that no machine measures, and other damaged results files: a page or one line, never a traceback."""

import contextlib
import io
import json
import unittest

import samples
from support import InFolder


def sweep(**changes):
    """Three sizes on the host and a device: bars, ratios, phases, a curve and a roofline."""
    rows = [samples.row("a", "v", where, n=n, ns=1e3 * n, suffix=f"/n:{n}") for where in ("serial", "cuda") for n in (1, 8, 64)]
    rows.append(samples.row("a", "v", "cuda", phase="end_to_end", ns=1e6))
    rows[0].update(changes)
    return samples.results(rows)


class InProcess(InFolder):
    """The program without starting one each time: matplotlib takes a while."""

    def setUp(self):
        super().setUp()
        from parallax.report import cli

        self.need_matplotlib()
        self.main = cli.main

    def report(self, content, name="in.json"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = self.main([str(path), "-o", str(self.folder / "out.html")])
        lines = said.getvalue().splitlines()
        # A refusal is one line; of a page, how many rows are right is said as well.
        self.assertTrue(len(lines) == 1 or (status == 0 and lines[0].startswith("parallax: wrote ") and len(lines) < 4), said.getvalue())
        # A line that begins so means an unforeseen error.
        self.assertNotIn("unexpected error", lines[0])
        page = self.folder / "out.html"
        self.assertEqual(page.exists(), status == 0, lines[0])
        page.unlink(missing_ok=True)
        return status, lines[0]

    def test_numbers_that_no_machine_measures(self):
        for changes, word in (
            ({"real_time": 1e-320}, "'real_time'"),
            ({"real_time": 1e308, "time_unit": "s"}, "'real_time'"),
            ({"min_time": 1e308, "time_unit": "s"}, "'min_time'"),
            ({"samples": [10**400] * 10}, "'samples'"),
            ({"samples": [1e308] * 10, "time_unit": "s"}, "'samples'"),
            ({"bytes": 1e308}, "'bytes'"),
            ({"flops": 1e-320}, "'flops'"),
            ({"items": 10**400}, "'items'"),
            ({"percent_of_ceiling": 1e300}, "'percent_of_ceiling'"),
        ):
            with self.subTest(str(changes)[:60]):
                status, line = self.report(sweep(**changes))
                self.assertEqual(status, 2, line)
                self.assertIn(word, line)
                self.assertIn("benchmark 1", line)
        ceilings = sweep()
        ceilings["context"]["spaces"]["cuda"]["ceilings"]["triad_bytes_per_second"] = 1e-320
        self.assertEqual(self.report(ceilings)[0], 2)
        ceilings = sweep()
        ceilings["context"]["spaces"]["cuda"]["ceilings"]["unsure"] = True
        self.assertIn("'unsure' is not a list", self.report(ceilings)[1])
        for caches in ({"levels": {"L1": {"triad_bytes_per_second": 1e300}}}, {"levels": [1]}, {"levels": {"L1": 3}}, 7):
            ceilings = sweep()
            ceilings["context"]["spaces"]["cuda"]["ceilings"]["caches"] = caches
            self.assertEqual(self.report(ceilings)[0], 2, caches)

    def test_numbers_at_the_ends_of_what_is_drawn(self):
        for changes in (
            {"real_time": 1e-60},
            {"real_time": 1e60},
            {"real_time": 1e60, "bytes": 1e-60, "flops": 1e60},
            {"samples": [0, 0, 0, 0]},
            {"percent_of_ceiling": 1e60},
            {"parameters": {"n": 1e308}},
            {"parameters": {"n": 1.7976931348623157e308, "m": 1e-320}},
            {"parameters": {"n": 5e-324}},
            {"parameters": {"n": 2**64}},
        ):
            with self.subTest(str(changes)):
                status, line = self.report(sweep(**changes))
                self.assertEqual(status, 0, line)

    def test_ratios_at_the_ends(self):
        rows = [samples.row("a", "v", where, ns=ns, percent_of_ceiling=50) for where, ns in (("serial", 1e59), ("cuda", 1e-59))]
        for more in ({}, {"mpi_ranks": 10**400}):
            status, line = self.report(samples.results(rows, **more))
            self.assertEqual(status, 0, line)

    def test_nested_deeply(self):
        for depth in (500, 950, 3000, 100_000):
            for name in ("compiler", "benchmarks"):
                text = '{"context": {"compiler": 1}, "benchmarks": %s}' % json.dumps(sweep()["benchmarks"])
                deep = "[" * depth + "]" * depth
                text = text.replace('"compiler": 1', f'"compiler": {deep}') if name == "compiler" else deep
                with self.subTest(depth=depth, name=name):
                    self.assertIn(self.report(text.encode())[0], (0, 2))


class TheProgram(InFolder):
    """What reads results files and size files in C++."""

    def answer(self, content, *arguments):
        (self.folder / "in.json").write_bytes(content)
        outcome = self.run_program(*arguments)
        self.assertIn(outcome.returncode, (0, 2, 3), outcome.stderr)
        self.assertEqual(len(outcome.stderr.splitlines()), 0 if outcome.returncode == 0 else 1, outcome.stderr)
        return outcome.returncode, outcome.stderr

    def test_results_that_no_machine_measures(self):
        for changes in (
            {"real_time": 1e308, "time_unit": "s"},
            {"real_time": 1e-320},
            {"samples": [1e307], "time_unit": "us"},
        ):
            with self.subTest(str(changes)):
                content = json.dumps(samples.results([samples.row("a", "v", "serial") | changes])).encode()
                status, said = self.answer(content, "compare", "in.json", "in.json")
                self.assertEqual(status, 2)
                self.assertIn("which no measurement gives", said)

    def test_nested_deeply(self):
        deep = "[" * 100_000 + "]" * 100_000
        whole = json.dumps(samples.results([samples.row("a", "v", "serial")]))
        for text in (
            deep,
            whole.replace('"GNU 12.2.0"', deep),
            whole.replace('"n": 1000000', '"n": ' + deep),
            whole.replace(json.dumps(samples.HOST), '{"a":' * 100_000 + "1" + "}" * 100_000),
        ):
            status, said = self.answer(text.encode(), "compare", "in.json", "in.json")
            self.assertEqual(status, 2)
            self.assertIn("nested too deeply", said)
        for text in (deep, '{"vector_add": %s}' % deep, '{"vector_add": {"n": %s}}' % deep, '{"base": %s}' % deep):
            self.assertEqual(self.answer(text.encode(), "run", "vector_add", "--size", "in.json", "--dry-run")[0], 2)


if __name__ == "__main__":
    unittest.main()
