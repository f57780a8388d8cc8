# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The page itself: what it holds, that nothing in it comes from elsewhere, and that no name can break it."""

import re
import struct
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zlib
from html.parser import HTMLParser

import samples
from support import ROOT, InFolder

VOID = {"meta", "link", "img", "input", "br"}


class Reader(HTMLParser):
    """Elements with their attributes, the text, and whether everything that is opened is closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.open, self.inside = [], [], [], ""
        self.section_parts = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag == "section":
            self.inside = attributes["id"]
            self.section_parts[self.inside] = []
        if self.inside:
            self.section_parts[self.inside].append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()
        if tag == "section":
            self.inside = ""

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return "".join(self.texts)


def png(columns=3, rows=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\x00" + b"\x80" * 3 * columns) * rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


class Pages(InFolder):
    def setUp(self):
        super().setUp()
        self.need_matplotlib()

    def page(self, *contents, arguments=()):
        paths = [samples.write(self.folder / f"{k}.json", content) for k, content in enumerate(contents)]
        outcome = self.run_report(*paths, "-o", self.folder / "out.html", *arguments)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(outcome.stdout, "")
        raw = (self.folder / "out.html").read_text(encoding="utf-8")
        reader = Reader(raw)
        self.assertEqual(reader.open, [])
        self.refers_to_nothing_outside(raw, reader)
        return raw, reader

    def refers_to_nothing_outside(self, raw, reader):
        for tag, attributes in reader.elements:
            for name in ("src", "href", "xlink:href", "action", "srcset", "poster", "data"):
                value = attributes.get(name)
                if value is not None:
                    self.assertRegex(value, r"^(#|data:image/png;base64,|data:,$)", f"<{tag} {name}>")
            for name in attributes:
                self.assertFalse(name.startswith("on"), f"<{tag} {name}>")
        self.assertNotRegex(raw, r"@import|url\((?!#)")
        self.assertEqual(len(reader.all("script")), 1)
        ids = [a["id"] for _, a in reader.elements if "id" in a]
        self.assertEqual(len(ids), len(set(ids)))
        for target in re.findall(r'(?:href="|url\()#([^")]+)', raw):
            self.assertIn(target, ids)

    def test_every_section_of_a_full_set(self):
        _, reader = self.page(*samples.showcase())
        for title in (
            "Checks",
            "GPU against CPU",
            "Kokkos against Python",
            "Kernel, transfer, end to end",
            "Roofline",
            "Sweep over bins",
            "Sweep over n",
            "Scaling over threads",
            "Sweep over team_size",
            "What plain Kokkos gets, what tuning adds, what a library has",
            "Results",
            "Where and how",
            "All cases",
        ):
            self.assertIn(title, reader.text)
        # where and how it was measured
        for word in (
            samples.HOST,
            samples.GPU,
            "invented-node",
            "4711",
            "GNU 12.2.0",
            "0.1.0 0000000",
            "5.0.2",
            "16 threads",
        ):
            self.assertIn(word, reader.text)
        # failed, expected and absent in plain sight
        for word in ("1 check failed", "norm and ratios with a serial sum", "wrong, as expected", "right by luck"):
            self.assertIn(word, reader.text)
        self.assertIn("there is no bus to cross", reader.text)
        self.assertIn("No module named 'jax'", reader.text)
        # both sides of a ratio are spelt out, other work stays out of it
        self.assertIn(f"openmp (16 threads of {samples.HOST})", reader.text)
        self.assertIn("other work", reader.text)
        # every row is in the table of all cases
        for row in (row for data in samples.showcase() for row in data["benchmarks"]):
            self.assertIn(row["name"], reader.text)

    def test_the_head_says_what_was_measured_and_what_is_not_whole(self):
        kokkos, twins = samples.showcase()
        kokkos["context"].update(command_line="parallax run all --size configs/sizes/demo.json --quiet", complete=False)
        twins["context"]["command_line"] = "run_twins.py run all"
        _, reader = self.page(kokkos, twins)
        head = reader.text[: reader.text.index("GPU against CPU")]
        for words in (f"Parallax on {samples.HOST} (16 threads), ", "2026-01-02", "size demo, size course", "commit 0000000",
                      "Incomplete, because the run was stopped before the end: 0.json.", "1 check failed"):
            self.assertIn(words, head)
        _, reader = self.page(kokkos, arguments=["--title", "Mine"])
        self.assertNotIn("Parallax on", reader.text)

    def test_what_comes_after_the_tiers_is_folded(self):
        raw, _ = self.page(*samples.showcase())
        seen, details = raw.split('<h2 id="details">')
        self.assertEqual(re.findall(r'<section id="([^"]+)"><h2>', seen), ["gpu-against-cpu", "roofline", "tiers"])
        self.assertEqual(seen.count('class="part"'), 0)
        self.assertEqual(details.count("<section "), details.count('<details class="part"><summary><h2>'))

    def test_empty_parameters_are_not_shown_and_files_only_where_names_are_alike(self):
        rows = [samples.row("a", "v", where, parameters={"mode": "", "layout": "left"}) for where in ("serial", "openmp")]
        raw, reader = self.page(samples.results(rows[:1]), samples.results(rows[1:]))
        self.assertIn("layout = left", reader.text)
        self.assertNotIn("mode =", reader.text)
        self.assertIn(">v · serial · f64</text>", raw)
        raw, _ = self.page(samples.results(rows[:1]), samples.results(rows[:1]))
        self.assertIn(">v · serial · f64 [A]</text>", raw)

    def test_charts_have_words_and_a_table_each(self):
        raw, reader = self.page(*samples.showcase())
        charts = reader.all("svg")
        self.assertGreater(len(charts), 12)
        for chart in charts:
            self.assertEqual(chart["role"], "img")
            title, description = chart["aria-labelledby"].split()
            self.assertRegex(raw, rf'<title id="{title}">[^<]+</title>')
            self.assertRegex(raw, rf'<desc id="{description}">[^<]{{20,}}</desc>')
        for section, parts in reader.section_parts.items():
            self.assertGreaterEqual(parts.count("table"), parts.count("svg"), section)
        for word in ("of its ceiling, %", "triad", "FMA f32", "FLOP per second", "speed-up", "ideal"):
            self.assertRegex(raw, rf"<text [^>]*>[^<]*{word}", word)
        self.assertNotIn("DejaVu Sans'", raw[raw.index("<main>") :])
        # every colour is one that the page's styles set, so that dark and light both fit
        self.assertEqual(re.findall(r"(?:fill|stroke): (#[0-9a-f]+)", raw[raw.index("<main>") :]), [])

    def test_rows_in_caches_are_under_roofs_of_their_own(self):
        warm = samples.row("a", "v", "openmp", ns=1e4, ceiling_level="L2", working_set=1e6, fits_in="L2")
        cold = samples.row("a", "v", "openmp", ns=5e4, suffix="/cold", cold=True, ceiling_level="memory")
        data = samples.results([warm, cold])
        data["context"]["spaces"]["openmp"]["ceilings"]["caches"] = {
            "kept": True,
            "levels": {"L2": {"bytes": 2e6, "triad_bytes_per_second": 800e9, "read_bytes_per_second": 9e11}},
            "working_sets": {"triad": [{"bytes": 16384, "bytes_per_second": 8e11, "unsure": False}]},
        }
        data["context"]["spaces"]["openmp"]["ceilings"]["accesses"] = {"sector_bytes": 64, "random": [{"bytes": 4096, "per_second": 1e9}]}
        raw, reader = self.page(data)
        self.assertRegex(raw, r"<text [^>]*>[^<]*L2<")
        self.assertRegex(raw, r"<desc [^>]*>[^<]*triad in L2 800 GB/s")
        self.assertIn("% triad L2", reader.text)
        self.assertIn("kernel, cold", reader.text)
        # A cold row is no point of the roofline, nor the slow side of a ratio.
        self.assertRegex(raw, r"<desc [^>]*>Roofline of [^<]* 1 case of a\.")

    def test_updates_in_place_have_a_ceiling_and_a_roof(self):
        row = samples.row("add_one", "v", "openmp", ceiling="update", percent_of_ceiling=97.5)
        raw, reader = self.page(samples.results([row]))
        self.assertIn("update", reader.text)
        self.assertIn("120 GB/s", reader.text)
        self.assertRegex(raw, r"<desc [^>]*>Roofline of [^<]*update 120 GB/s")
        self.assertIn("97.5 % update", reader.text)

    def test_hostile_names_are_shown_as_text(self):
        hostile = [
            "<script>alert(1)</script>",
            "</title></svg></style><img src=x onerror=alert(1)>",
            "$\\frac{1}{0}$ & \"quotes' \u202eevil",
            "a" * 5000,
            "..//..//etc",
            "\ud800 lone",
        ]
        rows = []
        for text in hostile:
            made = samples.row(text, text, "serial", text, ns=1e6, phase=text)
            made["parameters"] = {text: text, "n": 7}
            made["ceiling"] = text
            rows += [made, samples.failed(samples.row(text, "x", "serial"), text)]
            rows.append({**samples.row(text, "y", "serial"), "skipped": True, "skip_message": text})
            rows.append(samples.row("plain", "z", "serial", ns=2e6))
            for n in (1, 10, 100):
                rows.append(samples.row(text, "s", "serial", ns=float(n), parameters={text: n}))
        data = samples.results(rows, git=hostile[0], site=hostile[1], command_line=hostile[2], compiler=["<b>", {}])
        data["context"]["spaces"]["serial"]["device"] = hostile[1]
        data["context"]["missing_spaces"] = {hostile[0]: hostile[1]}
        raw, reader = self.page(data, arguments=["--title", hostile[0]])
        self.assertIn("<script>alert(1)</script>", reader.text)
        self.assertIn("onerror=alert(1)", reader.text)
        self.assertIn("\\u202eevil", reader.text)
        self.assertNotIn("\u202e", raw)
        self.assertEqual([a for a in reader.all("img")], [])

    def test_pictures(self):
        (self.folder / "pictures").mkdir()
        (self.folder / "pictures" / "vector_add-fine.png").write_bytes(png(5, 4))
        (self.folder / "own.png").write_bytes(png())
        (self.folder / "pictures" / "notes.txt").write_text("not a picture")
        arguments = ["--image", self.folder / "own.png", "--image-dir", self.folder / "pictures"]
        _, reader = self.page(*samples.showcase(), arguments=arguments)
        found = reader.all("img")
        self.assertEqual([(a["width"], a["height"]) for a in found], [("3", "2"), ("5", "4")])
        self.assertIn("drawn by vector_add", found[1]["alt"])

    def test_charts_as_files(self):
        (self.folder / "charts").mkdir()
        _, reader = self.page(*samples.showcase(), arguments=["--charts", self.folder / "charts"])
        files = sorted((self.folder / "charts").iterdir())
        self.assertEqual(len(files), len(reader.all("svg")))
        self.assertIn("times-of-vector-add.svg", [f.name for f in files])
        for file in files:
            root = ElementTree.parse(file).getroot()
            self.assertTrue(root.tag.endswith("svg"))
            self.assertNotIn("var(--", file.read_text(encoding="utf-8"))

    def test_nothing_timed(self):
        _, reader = self.page(samples.results([samples.failed(samples.row("a", "b", "serial"))]))
        self.assertIn("1 check failed", reader.text)

    def test_ten_thousand_cases(self):
        raw, reader = self.page(samples.many(10_000))
        self.assertLess(len(raw), 20e6)
        self.assertLess(len(reader.all("svg")), 100)
        self.assertIn('id="all"', raw)
        rows = raw[raw.index('id="all"') :].count("<tr>")
        self.assertEqual(rows, 10_001)

    def test_refusals_leave_no_file(self):
        good = samples.write(self.folder / "good.json", samples.showcase()[0])
        broken = samples.write(self.folder / "broken.json", "{")
        before = self.content()
        out = self.folder / "out.html"
        self.refused(self.run_report(good, broken, "-o", out), 2, "broken.json", "cut short")
        self.refused(self.run_report(good, self.folder / "absent.json", "-o", out), 3, "absent.json")
        self.refused(self.run_report(good, "-o", self.folder), 3, "it is a directory")
        self.refused(self.run_report(good, "-o", self.folder / "no" / "where.html"), 3, "where.html")
        self.refused(self.run_report(good, "-o", good), 2, "it is an input")
        self.refused(self.run_report(good), 2, "--output")
        self.refused(self.run_report("-o", out), 2, "A.json")
        self.refused(self.run_report(good, "-o", out, "--image", broken), 2, "broken.json", "PNG")
        self.refused(self.run_report(good, "-o", out, "--kernel-timer", broken), 2, "broken.json")
        self.assertEqual(self.content(), before)


class TheProgram(InFolder):
    def test_it_makes_the_page(self):
        self.need_matplotlib()
        good = samples.write(self.folder / "-good.json", samples.showcase()[0])
        outcome = self.run_program("report", good, "-o", self.folder / "out.html", "--title", "-t")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("<title>-t</title>", (self.folder / "out.html").read_text(encoding="utf-8"))
        self.refused(self.run_program("report", good), 2, "output")
        self.refused(self.run_program("report", "-o", "x.html"), 2, "A.json")
        self.refused(self.run_program("report", good, "-o", "x.html", "--tilte", "x"), 2, "'--tilte'", "'--title'")
        self.refused(self.run_program("report", "absent.json", "-o", "x.html"), 3, "absent.json")
        self.assertEqual(self.content(), ["-good.json", "out.html"])

    def test_words_pass_through_unread(self):
        """Options that only Python declares, anywhere between the files; help and refusals need no matplotlib."""
        (self.folder / "matplotlib.py").write_text("raise ImportError('as if it were not installed')\n")
        python = {"PARALLAX_PYTHON": sys.executable, "PYTHONPATH": str(self.folder)}
        outcome = self.run_program("report", "--help", environment=python)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertIn("--network LATENCY,RATE", outcome.stdout)
        for words, refusal in (
            (("a.json", "-o", "x.html", "--network", "fast", "b.json"), "--network: expected"),
            (("a.json", "-o", "x.html", "--netwrok", "1,2"), "unknown option '--netwrok' (did you mean '--network'?)"),
            (("a.json", "-o", "x.html", "-z"), "unknown option '-z'"),
            (("a.json", "-o", "x.html", "--title", "--charts", "a"), "--title: expected one argument"),
            (("a.json", "-o", "x.html", "--title=a", "--title=b"), "--title: given more than once"),
            (("a.json", "-o"), "--output: expected one argument"),
            (("a.json", "-o", "x.html", "--title", ""), "--title: expected a value, got ''"),
        ):
            self.refused(self.run_program("report", *words, environment=python), 2, refusal)
        self.refused(self.run_program("portability", "--", "--help", environment=python), 3, "cannot read '--help'")
        self.assertEqual(self.content(), ["matplotlib.py"])

    def test_an_older_python_is_said(self):
        folder = str(ROOT / "python")
        script = "import os, runpy, sys; sys.version_info = (3, 6, 8); os.environ['PATH'] = os.getcwd();"
        script += "os.environ.pop('PARALLAX_PYTHON', 0); runpy.run_path(sys.argv[1], run_name='__main__')"
        for name in ("make_report", "make_portability", "compare_results", "counters", "why"):
            outcome = self.start([sys.executable, "-c", script, f"{folder}/{name}.py"], {"PYTHONPATH": folder, "PARALLAX_PYTHONS_TRIED": "debian"})
            self.refused(outcome, 3, "Python 3.6.8", "3.9 or newer", "PARALLAX_PYTHON")
        newer = self.folder / "python3.19"
        newer.write_text('#!/bin/sh\necho "$*"\n')
        newer.chmod(0o755)
        outcome = self.start([sys.executable, "-c", script, f"{folder}/compare_results.py"], {"PYTHONPATH": folder})
        self.assertEqual(outcome.stdout.split()[-1], f"{folder}/compare_results.py", outcome.stderr)

    def test_a_missing_python_is_said(self):
        good = samples.write(self.folder / "good.json", samples.showcase()[0])
        missing = {"PARALLAX_PYTHON": str(self.folder / "no-python")}
        self.refused(
            self.run_program("report", good, "-o", "x.html", environment=missing), 3, "no-python", "python3-matplotlib"
        )

    def test_a_missing_matplotlib_is_said(self):
        good = samples.write(self.folder / "good.json", samples.showcase()[0])
        (self.folder / "matplotlib.py").write_text("raise ImportError('as if it were not installed')\n")
        # Where no other Python is left to try: what does not work is given up.
        start = f"import os, runpy, sys; sys.argv = sys.argv[1:]; sys.path[:0] = ['{self.folder}', os.path.dirname(sys.argv[0])]; "
        start += "runpy.run_path(sys.argv[0], run_name='__main__')"
        python = self.folder / "python"
        python.write_text(f'#!/bin/sh\nPARALLAX_PYTHONS_TRIED=debian exec "{sys.executable}" -c "{start}" "$@"\n')
        python.chmod(0o755)
        missing = {"PARALLAX_PYTHON": str(python)}
        outcome = self.run_program("report", good, "-o", "x.html", environment=missing)
        self.refused(outcome, 3, "as if it were not installed", "python3-matplotlib", "PARALLAX_PYTHON")


if __name__ == "__main__":
    sys.exit(unittest.main())
