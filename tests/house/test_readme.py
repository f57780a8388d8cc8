# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""README.md and docs/README.md: short, and true. Numbers in their sentences are held by scripts/fill-pages, commands by scripts/check-commands."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from loading import script  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("PARALLAX_PROGRAM_DIR", ROOT / "build/debian-openmp/bin")) / "parallax"
README = (ROOT / "README.md").read_text(encoding="utf-8")
INDEX = (ROOT / "docs/README.md").read_text(encoding="utf-8")
WRITTEN = 85  # lines of README.md at most, without the table of exercises and the code that is taken from sources
TABLE = re.compile(r"<!-- exercises: .*?<!-- end of exercises -->\n", re.DOTALL)
CODE = re.compile(r"^```(?:python|cpp)\n.*?^```\n", re.MULTILINE | re.DOTALL)


def presets():
    """The presets that a user chooses, without those for several ranks, which have the same names."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "configs/presets").glob("*.json"))]
    found = [p["name"] for file in files for p in file["configurePresets"] if not p.get("hidden")]
    return [name for name in found if not name.endswith("-mpi")]


def not_named(text, names):
    return [name for name in names if f"`{name}`" not in text]


class Readme(unittest.TestCase):
    def test_it_is_short(self):
        self.assertLessEqual(CODE.sub("", TABLE.sub("", README)).count("\n"), WRITTEN)

    def test_the_table_has_three_columns_and_a_line_for_each_exercise_in_the_order_of_the_course(self):
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in TABLE.search(README)[0].splitlines() if line.startswith("|")]
        self.assertEqual([cell.strip() for cell in rows[0]], ["exercise", "computes", "teaches"])
        self.assertEqual({len(row) for row in rows}, {3})
        names = [re.match(r" \[(\w+)\]\(apps/\1/README\.md\) $", row[0])[1] for row in rows[2:]]
        self.assertEqual(sorted(names), sorted(path.parent.name for path in (ROOT / "apps").glob("*/exercise.cpp")))
        first = script("readme-table").FIRST
        self.assertEqual(names[: len(first)], first)
        self.assertIn(f"{len(names)} exercises", README)

    def test_the_table_escapes_what_a_cell_cannot_have(self):
        (line,) = script("readme-table").table([{"name": "made_up", "summary": "|z| * 2", "teaches": "a, b"}]).splitlines()[2:]
        self.assertEqual(line, r"| made_up | \|z\| \* 2 | a, b |")

    def test_the_doors_and_the_warning_are_there(self):
        for word in ("| Learn | Teach | Benchmark |", "**Never run:** HIP", "**Never submitted:**", "docs/README.md"):
            self.assertIn(word, README)


OUTPUT = re.search(r"^```text\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[1].splitlines()
ROW = re.compile(r"  (\w+) +(\S+) (ns|us|ms|s)(?:  (\w+))? +(\S+) ([MG]B/s) +(\S+) % (\w+)(\??)  (.+)")
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "MB/s": 1e6, "GB/s": 1e9}


def rounds_to(value, written):
    return abs(value - float(written)) <= 0.50001 * 10 ** -len(written.partition(".")[2])


def wrong_lines(lines, rows):
    """The lines of output that are not what the results file has."""
    wrong = [lines[len(rows) + 1]] if len(lines) > len(rows) + 1 else []
    for line, row in zip(lines[1:], rows):
        name, time, unit, marks, rate, rate_unit, share, ceiling, unsure, check = ROW.fullmatch(line).groups()
        verdict = {(True, False): "verified", (False, True): "wrong, as expected"}[row["verified"], row["expected_to_fail"]]
        right = (name, marks == "d", ceiling, unsure == "?", check) == (
            row["variant"], "disturbed" in row, row["ceiling"], row.get("ceiling_unsure", False), verdict)  # fmt: skip
        numbers = ((row["real_time"] / UNITS[unit], time), (row["bytes_per_second"] / UNITS[rate_unit], rate), (row["percent_of_ceiling"], share))
        if not right or not all(rounds_to(*number) for number in numbers):
            wrong.append(line)
    return wrong


class Output(unittest.TestCase):
    rows = json.loads((ROOT / "docs/measured/readme/vm-kokkos-tree_sum.json").read_text(encoding="utf-8"))["benchmarks"]

    def test_it_is_what_the_results_file_has(self):
        self.assertEqual(len(OUTPUT), len(self.rows) + 1)
        self.assertEqual(wrong_lines(OUTPUT, self.rows), [])
        for old, new in (("16.0 ms", "15.9 ms"), ("  d ", "    "), ("read?", "read"), ("verified", "wrong, as expected"), ("team_tree", "tree_team"), ("10.3 %", "10.2 %")):
            changed = [line.replace(old, new) for line in OUTPUT]
            self.assertNotEqual(wrong_lines(changed, self.rows), [], old)

    @unittest.skipUnless(PROGRAM.exists(), f"no {PROGRAM}")
    def test_the_program_still_prints_such_a_table(self):
        words = ["run", "tree_sum", "--space", "openmp", "--size", "tiny", "--repeat", "2", "--min-time", "0", "--no-ceilings"]
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
        if done.returncode == 2 and "openmp" in done.stderr:
            self.skipTest("no OpenMP in this build")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()[: len(OUTPUT)]
        self.assertEqual(lines[0].split(), OUTPUT[0].split())
        self.assertEqual([line.split()[0] for line in lines], [line.split()[0] for line in OUTPUT])
        for line, shown in list(zip(lines, OUTPUT))[2:]:
            self.assertTrue(line.endswith("  verified") and shown.endswith("  verified"), line)


class Index(unittest.TestCase):
    def test_every_page_of_docs_is_in_the_index(self):
        pages = [str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"]
        self.assertGreater(len(pages), 15)
        self.assertEqual([page for page in pages if f"]({page})" not in INDEX.split("\n## ")[0]], [])

    def test_every_preset_is_named_with_what_the_machine_says(self):
        self.assertGreater(len(presets()), 20)
        self.assertEqual(not_named(INDEX, presets()), [])
        self.assertEqual(not_named(INDEX, ["cuda-unknown"]), ["cuda-unknown"])
        # The capability of a preset's description is on the line that names it.
        cuda = json.loads((ROOT / "configs/presets/cuda.json").read_text(encoding="utf-8"))["configurePresets"]
        for preset in (p for p in cuda if "compute capability" in p.get("description", "")):
            capability = re.search(r"compute capability ([\d.]+\d)", preset["description"])[1]
            (line,) = [line for line in INDEX.splitlines() if line.startswith("|") and f"`{preset['name']}`" in line]
            self.assertIn(capability, line.split("|")[1])


if __name__ == "__main__":
    unittest.main()
