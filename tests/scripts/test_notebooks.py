# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of the lessons: they follow their pages, run the page's commands, and draw what came out.

With PARALLAX_REQUIRE_NOTEBOOKS=1 missing tools (nbclient, ipykernel, matplotlib, NumPy, the built program) fail the tests that need
them instead of skipping those.
"""

import contextlib
import importlib.util
import io
import json
import os
import re
import shutil
import sys
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]
from parallax import built  # noqa: E402
from parallax.errors import Refusal  # noqa: E402
from parallax.notebook import command, lesson, pages, shares  # noqa: E402
from processes import PROGRAM, InFolder  # noqa: E402
from turns import by_turn  # noqa: E402

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
        for file in ("scripts/notebooks", "scripts/lessons/parts.py", "course/two_days.md", "docs/images/mandelbrot.png",
                     "docs/images/circle_accuracy.png", *filter(lambda file: (ROOT / file).exists(), rooms)):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, root / file)
        return root


class Made(Notebooks):
    def setUp(self):
        super().setUp()
        self.make()

    def test_every_lesson_of_the_course_has_one(self):
        self.assertEqual(tuple(pages.lessons()), LESSONS)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), sorted(f"{name}.ipynb" for name in LESSONS))

    def test_they_are_notebooks(self):
        for name in LESSONS:
            with self.subTest(name):
                cells = self.cells(name)
                self.assertEqual(len({cell["id"] for cell in cells}), len(cells))
                if importlib.util.find_spec("nbformat"):
                    import nbformat

                    nbformat.validate(nbformat.read(str(self.folder / "out" / f"{name}.ipynb"), as_version=4))

    def test_the_prose_is_the_pages(self):
        for name in LESSONS:
            with self.subTest(name):
                text = "\n".join(texts(self.cells(name), "markdown"))
                page = page_of(name)
                self.assertNotIn("<!--", text)
                for head in re.findall(r"^#+ .+$", page, re.MULTILINE):
                    self.assertIn(head, text)
                self.assertEqual(text.count("<details>"), page.count("<details>"))
                self.assertEqual(re.findall(r"^\|.*\|$", re.sub(r"\[[^\]]*\]\([^)]*\)", "", text), re.MULTILINE),
                                 re.findall(r"^\|.*\|$", re.sub(r"\[[^\]]*\]\([^)]*\)", "", page), re.MULTILINE))

    def test_the_commands_are_the_pages(self):
        for name in LESSONS:
            with self.subTest(name):
                cells = self.cells(name)
                found = [line for cell in cells if cell["cell_type"] == "code" for line in calls(cell)]
                first, last = ("The question\n", "Measured\n") if name in CASES else ("Steps\n", "")
                steps = page_of(name).split(f"\n## {first}")[1].split(f"\n## {last}")[0]
                begin = "    scripts/" if name in CASES else "    "
                wanted = [re.sub(r"\s+#.*", "", line).strip() for line in steps.splitlines() if line.startswith(begin)]
                self.assertGreaterEqual(len(wanted), 4)
                left = [line for line in wanted if line not in found]
                self.assertEqual([line for line in left if not re.search(r"\bnsys |^ncu ", line)], [])
                for line in left:
                    self.assertIn(line, "\n".join(texts(cells, "markdown")))
                self.assertIn(f"scripts/parallax run {name} --json kokkos.json", found)
                self.assertIn(f"python3 python/run_twins.py {name} --json twins.json", found)
                self.assertEqual(sum("lesson.plot(" in text for text in texts(cells, "code")), 1)

    def test_code_is_what_the_page_shows(self):
        # scripts/fill-pages --check holds the pages to the sources; a notebook reads the sources when its cell runs.
        for name in LESSONS:
            cells = texts(self.cells(name), "code")
            blocks = re.findall(r"^<!-- code (\S+) (\w+) -->\n```\w*\n(.*?)^```$", page_of(name), re.MULTILINE | re.DOTALL)
            self.assertGreaterEqual(len(blocks), 1 if name in CASES else 2)
            for file, mark, text in blocks:
                with self.subTest(f"{file} {mark}"):
                    self.assertIn(f'lesson.show("{file}", "{mark}")', cells)
                    self.assertEqual(lesson.marked_code(ROOT / file, mark), text)
        # Other marks in it, a student's part's too, are not shown, and it is moved to the left.
        file = self.folder / "marked.hpp"
        file.write_text("  // begin: a\n  x;\n  // begin: b\n    // student: begin a\n    y;\n    // student: end a\n  // end: b\n  // end: a\n")
        self.assertEqual((lesson.marked_code(file, "a"), lesson.marked_code(file, "b")), ("x;\n  y;\n", "  y;\n"))
        with self.assertRaisesRegex(Refusal, "no code stands between 'begin: nonsuch'"):
            lesson.marked_code(ROOT / "apps" / "gather" / "lesson.hpp", "nonsuch")

    def test_links_lead_somewhere(self):
        count = 0
        for name in LESSONS:
            for cell in self.cells(name):
                for to in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`]*`", "", source(cell))) if cell["cell_type"] == "markdown" else ():
                    if re.match(r"https?:|#", to):
                        continue
                    count += 1
                    with self.subTest(name, to=to):
                        if to.startswith("attachment:"):
                            self.assertTrue(cell["attachments"][to[len("attachment:") :]]["image/png"])
                        else:
                            self.assertTrue((self.folder / "out" / to.partition("#")[0]).is_file())
        self.assertGreater(count, 10 * len(LESSONS))


class Following(Notebooks):
    def test_a_changed_page_is_a_changed_notebook(self):
        root = self.copy()
        self.assertIn(f"{len(LESSONS)} written", self.make(root=root))
        self.assertIn(f"{len(LESSONS)} up to date", self.make(root=root))
        page = root / "apps" / "gather" / "README.md"
        text = page.read_text(encoding="utf-8")
        text = text.replace("## The idea\n\n", "## The idea\n\nA new [sentence](../matmul/README.md).\n\n")
        text = text.replace("## Steps\n\n", "## Steps\n\n    scripts/parallax run gather --n 77 --quiet  # 0. a new step\n")
        page.write_text(text.replace("## Key points", "## New points"), encoding="utf-8")
        self.assertIn("1 written", self.make(root=root))
        cells = self.cells("gather")
        self.assertIn("## The idea\n\nA new [sentence](matmul.ipynb).", "\n".join(texts(cells, "markdown")))
        self.assertIn('# 0. a new step\nlesson.run("scripts/parallax run gather --n 77 --quiet")', texts(cells, "code"))
        self.assertTrue(any(t.startswith("## New points") for t in texts(cells, "markdown")))
        self.assertNotIn("## Key points", "\n".join(texts(cells, "markdown")))

    def test_a_readers_changes_are_kept_and_outputs_survive(self):
        root = self.copy()
        self.make(root=root)
        for name, part in (("gather", "source"), ("matmul", "outputs")):
            path = self.folder / "out" / f"{name}.ipynb"
            content = json.loads(path.read_text(encoding="utf-8"))
            cell = next(cell for cell in content["cells"] if cell["cell_type"] == "code")
            cell[part] = ["# mine\n", "1\n"] if part == "source" else [{"output_type": "stream", "name": "stdout", "text": "mine"}]
            path.write_text(json.dumps(content), encoding="utf-8")
        (self.folder / "out" / "row_sum.ipynb").write_text("no JSON")
        before = {p.name: p.read_bytes() for p in (self.folder / "out").iterdir()}
        said = self.make(root=root)
        self.assertEqual({p.name: p.read_bytes() for p in (self.folder / "out").iterdir()}, before)
        self.assertIn(f"{len(LESSONS) - 2} up to date, 2 kept", said)
        self.assertEqual(re.findall(r"(\w+)\.ipynb has been changed by hand", said), ["gather", "row_sum"])

    def test_refusals_are_one_line(self):
        for arguments, status, words in (
            (("--lesson", "histogramm"), 2, "unknown lesson 'histogramm' (did you mean 'histogram'?)"),
            (("/dev/null/x",), 3, "cannot make the folder '/dev/null/x'"),
            (("--nonsuch",), 2, "--nonsuch"),
        ):
            with self.subTest(arguments):
                done = self.script(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1), done.stderr)
                self.assertIn(words, done.stderr)

    def test_a_page_that_is_no_lessons(self):
        root = self.copy()
        (root / "apps" / "gather" / "README.md").write_text("# gather\n\n## Text\n")
        done = self.script("out", "--lesson", "gather", root=root)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("has neither a section 'Steps'", done.stderr)


class Commands(InFolder):
    def test_parsing(self):
        found = command.parse("A=1 B_2=x scripts/parallax run gather --set n=6 --json=a.json  # 3. why")
        self.assertEqual(found, command.Command({"A": "1", "B_2": "x"}, "scripts/parallax",
                                                ("run", "gather", "--set", "n=6", "--json=a.json")))
        self.assertEqual((found.option("--json"), found.option("--set"), found.option("--space")), ("a.json", "n=6", None))
        self.assertTrue(found.measures)
        self.assertFalse(command.parse("scripts/parallax report a.json -o b.html").measures)
        self.assertTrue(command.parse("python3 python/run_twins.py gather").measures)
        for line in ("nsys profile scripts/parallax run", "rm -r x", "python3 setup.py", "", "scripts/parallax 'run"):
            with self.subTest(line), self.assertRaises(Refusal):
                command.parse(line)

    def test_sizes(self):
        def sized(line, size="tiny"):
            return " ".join(command.sized(command.parse(line), size, self.folder).arguments)

        short = "--repeat 2 --min-time 0 --max-time 0"
        for line, wanted in (
            ("scripts/parallax run a --sweep n=128:134217728:x16", "run a --sweep n=128:134217:x16 --verify-only --size tiny"),
            ("scripts/parallax run a --set n=1e8,m=512 --json a.json", f"run a --set n=100000,m=51 --json a.json {short} --size tiny"),
            ("scripts/parallax run a --real -0.78,-0.72 --sweep t=32:1024:x2",
             "run a --real -0.78,-0.72 --sweep t=32:102:x2 --verify-only --size tiny"),
            ("python3 python/run_twins.py a --json t.json", f"a --json t.json {short} --size tiny"),
            ("scripts/parallax compare a.json --across variant", "compare a.json --across variant"),
        ):
            self.assertEqual(sized(line), wanted)
        line = "scripts/parallax run a --n 1e8"
        self.assertEqual(sized(line, None), "run a --n 1e8")
        self.assertEqual(sized(line, "large"), "run a --n 1e8 --size large")
        self.assertEqual(sized(line + " --size tiny", "large"), "run a --n 1e8 --size tiny")
        file = self.folder / "tiny-circle_accuracy.json"
        self.assertEqual(sized("scripts/parallax run circle_area --size configs/sizes/circle_accuracy.json --json a.json"),
                         f"run circle_area --size {file} --json a.json --verify-only")
        small = json.loads(file.read_text())
        self.assertEqual((small["base"], max(t["trials"] for t in small["circle_area"])), ("tiny", 1048576))


class StandIn(InFolder):
    """A lesson with a program that says what it was asked for."""

    PROGRAM = """#!/bin/sh
case "$1 $2" in
  "list --json") echo '{"exercises": [], "spaces": ["openmp"]}' ;;
  "run wrong") echo "a table"; echo "parallax: 1 of 2 checks failed" >&2; exit 1 ;;
  "run absent") echo "parallax: unknown exercise 'absent'" >&2; exit 2 ;;
  "run large") echo "parallax: large needs 9 TB of memory" >&2; exit 3 ;;
  *) echo "$X ran $*" ;;
esac
"""

    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        program = Path("made/bin/parallax")
        program.parent.mkdir(parents=True)
        program.write_text(self.PROGRAM)
        program.chmod(0o755)
        environment = unittest.mock.patch.dict(os.environ, PARALLAX_BUILD="made", PARALLAX_NOTEBOOK_SIZE="", X="")
        environment.start()
        self.addCleanup(environment.stop)
        self.said = ""
        self.lesson = self.call(lesson.Lesson, "gather")

    def call(self, function, *arguments):
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                return function(*arguments)
        finally:
            self.said = out.getvalue()

    def test_where_and_what_runs(self):
        self.assertEqual(self.said, f"{self.folder / 'made/bin/parallax'}: openmp\n")
        self.call(self.lesson.run, "X=1 scripts/parallax run gather --space openmp")
        self.assertEqual(self.said, "1 ran run gather --space openmp --json run-1.json\n")
        self.call(self.lesson.run, "scripts/parallax run gather --json a.json")
        self.assertEqual(self.said, " ran run gather --json a.json\n")
        self.call(self.lesson.run, "scripts/parallax compare configs/sizes/peers.json a.json")
        self.assertEqual(self.said, f" ran compare {ROOT}/configs/sizes/peers.json a.json\n")

    def test_what_this_machine_cannot_is_skipped_in_one_line(self):
        self.call(self.lesson.run, "scripts/parallax run gather --space cuda --sweep team-size=32,64")
        self.assertEqual(self.said, "skipped: the program has no space 'cuda' (built in: openmp): it needs a GPU, and a build for it\n")
        self.call(self.lesson.run, "scripts/parallax run gather --space serial")
        self.assertEqual(self.said, "skipped: the program has no space 'serial' (built in: openmp)\n")
        self.call(self.lesson.run, "scripts/parallax run large")
        self.assertEqual(self.said, "skipped: large needs 9 TB of memory\n")

    def test_a_size_is_said(self):
        small = self.call(lesson.Lesson, "gather", "tiny")
        self.call(small.run, "scripts/parallax run gather --n 1e6")
        asked = "run gather --n 1000 --verify-only --size tiny"
        self.assertEqual(self.said, f"at size tiny: {asked}\n ran {asked} --json run-1.json\n")

    def test_failures_are_errors_of_one_line(self):
        for line, words in (
            ("scripts/parallax run wrong", "1 of 2 checks failed"),
            ("scripts/parallax run absent", "unknown exercise 'absent'"),
            ("ls", "a notebook runs 'scripts/parallax ...' and 'python3 python/FILE.py ...', not 'ls'"),
        ):
            with self.subTest(line), self.assertRaises(Refusal) as refused:
                self.call(self.lesson.run, line)
            self.assertEqual(str(refused.exception), words)
            self.assertEqual(refused.exception._render_traceback_(), [f"parallax: {words}"])
        self.call(self.lesson.run, "scripts/parallax run gather --space cudda")  # the program refuses what it does not know
        self.assertIn("ran run gather --space cudda", self.said)
        with self.assertRaisesRegex(Refusal, "there is no 'kokkos.json': run the cell that writes it first"):
            self.lesson.plot("kokkos.json", "twins.json")
        with self.assertRaisesRegex(Refusal, r"unknown size 'tinny' \(did you mean 'tiny'\?\)"):
            lesson.Lesson("gather", size="tinny")

    def test_no_program(self):
        with unittest.mock.patch.multiple(built, ROOT=self.folder), unittest.mock.patch.dict(os.environ, PATH="", PARALLAX_BUILD=""):
            with self.assertRaisesRegex(Refusal, "^no program is built: scripts/run-demo builds it") as refused:
                lesson.Lesson("gather")
            self.assertEqual(len(refused.exception._render_traceback_()), 1)


class Shares(InFolder):
    def results(self, name, space, rows, **context):
        content = {"context": {"host_name": "h", "spaces": {space: {"device": "CPU"}}, **context}, "benchmarks": [
            {"name": row.get("name", "x"), "space": space, "exercise": "x", "precision": "f64", "phase": "kernel", **row} for row in rows]}
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path

    def shares(self, *paths):
        (self.folder / "made").mkdir(exist_ok=True)
        found = [json.loads(p.read_text())["benchmarks"] for p in shares.with_twins_shares(list(paths), self.folder / "made")]
        return [[row.get("percent_of_ceiling") for row in rows] for rows in found]

    def test_a_twin_has_the_ceiling_of_its_device(self):
        kokkos = self.results("k.json", "openmp", [{"ceiling": "read", "percent_of_ceiling": 50.0, "bytes_per_second": 1e11}])
        twins = [{"bytes_per_second": 1e11}, {"bytes_per_second": 4e10}, {"bytes_per_second": 1e11, "other_work": True}, {},
                 {"bytes_per_second": 1e11, "phase": "end_to_end"}]
        self.assertEqual(self.shares(kokkos, self.results("t.json", "numpy", twins)), [[50], [50, 20, None, None, None]])
        # Another machine has other ceilings.
        self.assertEqual(self.shares(kokkos, self.results("o.json", "numpy", twins[:1], host_name="o")), [[50], [None]])
        row = {"ceiling": "fma_f64", "percent_of_ceiling": 10.0, "flops_per_second": 1e10, "bytes_per_second": 1}
        flops = self.results("f.json", "openmp", [row])
        self.assertEqual(self.shares(flops, self.results("u.json", "numba", [{"flops_per_second": 2e10, "bytes_per_second": 1}])), [[10], [20]])


class Executed(Notebooks):
    def setUp(self):
        super().setUp()
        missing = [name for name in ("nbclient", "ipykernel", "matplotlib", "numpy") if not importlib.util.find_spec(name)]
        missing += [] if PROGRAM and PROGRAM.exists() else ["the built program (PARALLAX_PROGRAM_DIR)"]
        if missing and os.environ.get("PARALLAX_REQUIRE_NOTEBOOKS") == "1":
            self.fail(f"missing: {', '.join(missing)}")
        if missing:
            self.skipTest(f"missing: {', '.join(missing)}")

    def test_without_a_program(self):
        root = self.copy()
        nothing = {"PATH": "/usr/bin:/bin", "PARALLAX_PROGRAM_DIR": ""}
        done = self.script("out", "--execute", root=root, **nothing)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1), done.stderr)
        self.assertIn("--execute needs the program: scripts/run-demo builds it", done.stderr)
        # In a notebook that a reader opens.
        self.make("--lesson", "gather", root=root)
        run = "import sys, pathlib; from parallax.notebook.execute import execute; execute(pathlib.Path(sys.argv[1]))"
        done = self.start([sys.executable, "-c", run, "out/gather.ipynb"],
                          {"PYTHONPATH": str(root / "python"), "PYTHONDONTWRITEBYTECODE": "1", "PARALLAX_BUILD": "", **nothing})
        self.assertIn("Refusal: out/gather.ipynb: cell 2: no program is built: scripts/run-demo builds it", done.stderr)
        (error,) = [output for cell in self.cells("gather") for output in cell.get("outputs", [])]
        self.assertEqual([line.split(":")[:2] for line in error["traceback"]], [["parallax", " no program is built"]])

    def test_every_lesson(self):
        """At size tiny, as a student would: all cells of each, one after the other, in a separate kernel."""
        names = by_turn(LESSONS, 4)  # each takes half a minute
        # One thread: other tests run beside this one, and threads that wait for each other would take their time.
        self.make("--execute", "--lesson", ",".join(names), PARALLAX_BUILD=str(PROGRAM.parent.parent), PARALLAX_NOTEBOOK_SIZE="tiny",
                  NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="1")
        spaces = built.ask_list(str(PROGRAM))["spaces"]
        for name in names:
            with self.subTest(name):
                cells = [cell for cell in self.cells(name) if cell["cell_type"] == "code"]
                self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)))
                self.assertFalse([o for cell in cells for o in cell["outputs"] if o["output_type"] == "error"])
                self.judge_runs(name, cells, spaces)
                self.judge_shown(cells)
                self.judge_picture(name, cells)

    def judge_runs(self, name, cells, spaces):
        """Every run left results, all verified; only what this machine lacks was skipped."""
        number = verified = 0
        for cell in cells:
            lines = calls(cell)
            left_out = [line for line in lines if re.search(r"KOKKOS_TOOLS_LIBS", line)
                        or (re.search(r"--space (\w+)", line) and re.search(r"--space (\w+)", line)[1] not in spaces)]
            if "cuda" not in spaces and "hip" not in spaces:
                self.assertEqual(streams(cell).count("skipped: "), len(left_out), streams(cell))
            for asked in map(command.parse, [line for line in lines if "skipped: " not in streams(cell)]):
                if asked.measures:
                    number += asked.option("--json") is None
                    rows = self.results(name, asked.option("--json") or f"run-{number}.json")
                    for row in rows:
                        self.assertTrue(row.get("verified") or row["expected_to_fail"], row["name"])
                    verified += len(rows)
        self.assertGreaterEqual(verified, 3)

    def results(self, name, file):
        content = json.loads((self.folder / "out" / name / file).read_text(encoding="utf-8"))
        self.assertTrue(content["context"]["complete"])
        rows = [row for row in content["benchmarks"] if not row.get("skipped")]
        self.assertTrue(rows, file)
        return rows

    def judge_shown(self, cells):
        """A cell that shows code shows code, with its language."""
        for cell in cells:
            if "lesson.show(" in source(cell):
                (shown,) = cell["outputs"]
                self.assertRegex("".join(shown["data"]["text/markdown"]), r"```(python|cpp)\n(.*\n){3,}```$")

    def judge_picture(self, name, cells):
        """Both programs are in one picture, times and shares."""
        (cell,) = [cell for cell in cells if "lesson.plot(" in source(cell)]
        picture = "".join(cell["outputs"][0]["data"]["image/svg+xml"])
        for file in ("kokkos.json", "twins.json"):
            timed = [row["name"] for row in self.results(name, file) if "real_time" in row]
            self.assertTrue([row for row in timed if f"<title>{row}: " in picture], (file, timed))
        if any(row.get("percent_of_ceiling") for row in self.results(name, "kokkos.json")):
            self.assertIn("of its ceiling", picture)


if __name__ == "__main__":
    unittest.main()
