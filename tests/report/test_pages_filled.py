# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""scripts/fill-pages: tables, pictures, code and numbers of the pages, from what was measured and from the sources."""

import json
import re
import sys
import unittest
import unittest.mock
from xml.etree import ElementTree

import samples
from support import ROOT, InFolder

from loading import script

sys.path.insert(0, str(ROOT / "scripts"))
from pages import bars, lessons, numbers, results, suite  # noqa: E402


class Pages(InFolder):
    def test_the_picture_of_an_exercise_has_a_bar_for_each_time_and_the_fastest_in_bold(self):
        rows = [("range", "lesson", [(4e6, "4.00 ms"), None]), ("a<b", "tuned", [(1e6, "1.00 ms"), (2e3, "2.00 us")])]
        drawn = bars.svg("Times", ["GPU", "CPU"], rows)
        texts = [(e.text, e.get("font-weight")) for e in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([t for t, bold in texts if bold], ["GPU", "1.00 ms", "CPU", "2.00 us"])
        self.assertEqual([t for t, bold in texts if not bold], ["lesson", "tuned", "4.00 ms", "-", "range", "a<b"])
        lengths = [float(w) for w in re.findall(r'width="([\d.]+)" height="18"', drawn)]
        self.assertEqual(lengths, [bars.BAR, bars.BAR / 4, bars.BAR])

    def test_a_lesson_page_has_a_column_of_tiers_where_rows_have_one(self):
        old = {**samples.row("vector_add", "range", "serial"), "case": ("", "f64")}
        new = {**samples.row("vector_add", "wide", "serial", tier="tuned"), "case": ("", "f64")}
        self.assertEqual(lessons.kokkos_table([old])[0], "| precision | variant | CPU, one thread |")
        head, _, *lines = lessons.kokkos_table([old, new])
        self.assertEqual(head, "| precision | variant | tier | CPU, one thread |")
        self.assertEqual([line.split(" | ")[2] for line in lines], ["", "tuned"])

    def test_the_table_of_tiers_has_columns_of_tuned_rows_only_where_there_are_some(self):

        def add(variant, tier, ns, **more):
            return samples.row("matmul", variant, "cuda", ns=ns, tier=tier, **more)

        plain = [
            add("naive", "lesson", 9e6, parameters={"tile": 16}),
            add("team_scratch", "lesson", 8e6, parameters={"tile": 16}, team_size=256),
            add("tiled_swizzled", "tuned", 6e6, parameters={"tile": 16}),
        ]
        tuned = [
            add("team_scratch", "lesson", 4e6, parameters={"tile": 16}, team_size=64, tuned_for_this_machine=True),
            add("tiled_swizzled", "tuned", 3e6, parameters={"tile": 32}, tuned_for_this_machine=True),
        ]
        samples.write(self.folder / "plain.json", samples.results(plain))
        before, scratch = suite.tiers(results.load(self.folder)), suite.scratch(results.load(self.folder))
        self.assertNotIn("tuned for the machine", before[2])
        samples.write(self.folder / "tuned.json", samples.results(tuned, date="2026-02-02T03:04:05+00:00"))
        _, _, head, _, *lines = suite.tiers(results.load(self.folder))
        self.assertEqual(head, before[2] + " tuned for the machine | by | times as fast as with its own parameters |")
        (line,) = lines
        self.assertEqual(line.split(" | ")[-3].split(",")[0], "3.00 ms")
        self.assertTrue(line.endswith("| `tiled_swizzled` | 2.00 |"))
        self.assertTrue(line.startswith(before[4].removesuffix(" |")), "the other columns are as before")
        self.assertEqual(scratch[2:], suite.scratch(results.load(self.folder))[2:])

    def test_rows_on_several_gpus_stand_beside_one_and_the_model(self):
        links = [{"bytes": 8.0, "one_way_ns": 10e3}, {"bytes": 1e6, "one_way_ns": 100e3}]
        mpi = {"transports": {"cuda": {"by": "NCCL 2.28.3", "links": links}}}
        for ranks, ns in ((1, 4e6), (2, 2.5e6), (4, 1.25e6)):
            more = {"ranks": ranks, "scaling": "strong", "messages": [{"pattern": "sum", "bytes": 8.0}]} if ranks > 1 else {}
            row = samples.row("tree_sum", "reduce", "cuda", ns=ns, tier="lesson", **more)
            found = samples.results([{**row, "name": f"{row['name']}/ranks:{ranks}"}])
            samples.write(self.folder / f"{ranks}.json", {**found, "context": {**found["context"], "mpi": mpi}})
        rows = results.load(self.folder)
        facts, _, head, _, line = suite.several_gpus(rows)
        self.assertIn("NCCL 2.28.3", facts)
        self.assertTrue(head.endswith("| 1 GPU | 2 GPUs | efficiency | 4 GPUs | efficiency | by the model |"))
        # A quarter of 4 ms, and a sum up a tree of two levels and down again at 10 us each.
        self.assertTrue(line.endswith("| `reduce` | 4.00 ms | 2.50 ms | 80 % | 1.25 ms | 80 % | 1.04 ms |"), line)
        self.assertIn(">3.20<", suite.several_gpus_picture(rows))
        weak = samples.row("tree_sum", "reduce", "cuda", ns=5e6, tier="lesson", ranks=4, scaling="weak")
        found = samples.results([{**weak, "name": f"{weak['name']}/weak:4"}])
        samples.write(self.folder / "weak.json", {**found, "context": {**found["context"], "mpi": mpi}})
        rows = results.load(self.folder)
        *before, _, said, _, head, _, line = suite.several_gpus(rows)
        self.assertEqual(suite.several_gpus(rows)[:5], before)
        self.assertIn("Weak scaling", said)
        self.assertTrue(head.endswith("| 1 GPU | 4 GPUs | efficiency |"), head)
        self.assertTrue(line.endswith("| `reduce` | 4.00 ms | 5.00 ms | 80 % |"), line)

    def test_each_kind_of_gpu_has_a_table_and_the_picture_shows_most_gpus(self):
        links = [{"bytes": 8.0, "one_way_ns": 10e3}, {"bytes": 1e6, "one_way_ns": 100e3}]
        for device, times in (("NVIDIA A", ((1, 4e6), (4, 1e6))), ("NVIDIA B", ((1, 2e6), (2, 1.6e6)))):
            for ranks, ns in times:
                row = samples.row("tree_sum", "reduce", "cuda", ns=ns, tier="lesson", ranks=ranks, scaling="strong")
                found = samples.results([{**row, "name": f"{row['name']}/ranks:{ranks}"}])
                more = {"spaces": {"cuda": {"device": device}}, "mpi": {"transports": {"cuda": {"by": "NCCL", "links": links}}}}
                samples.write(self.folder / f"{device}-{ranks}.json", {**found, "context": {**found["context"], **more}})
        with unittest.mock.patch.dict(results.FOLDERS, {"--keep-ranks": self.folder}):
            rows = results.load(self.folder)
        lines = suite.several_gpus(rows)
        self.assertIn("NVIDIA A", lines[0])
        self.assertTrue(lines[4].endswith("| 4.00 ms | 1.00 ms | 100 % | 1.00 ms |"), lines[4])
        self.assertIn("NVIDIA B", lines[6])
        self.assertTrue(lines[10].endswith("| 2.00 ms | 1.60 ms | 62 % | 1.00 ms |"), lines[10])
        drawn = suite.several_gpus_picture(rows)
        self.assertIn(">4.00<", drawn)
        self.assertNotIn(">1.25<", drawn)

    def test_counters_of_the_fastest_lesson_stand_above_those_of_the_fastest_tuned_kernel(self):
        made = []
        for variant, tier, seconds, moved in (("range", "lesson", 2e-3, 5e6), ("team", "lesson", 3e-3, 9e6), ("wide", "tuned", 1e-3, 4.04e6)):
            counters = {"tool": "ncu", "seconds": seconds, "memory_bytes": moved, "needed_bytes": 4e6, "stalls": {"barrier": 0.75, "wait": 0.25}}
            made.append({**samples.row("tree_sum", variant, "cuda", tier=tier), "counters": counters})
        made.append({**samples.row("add_one", "range", "cuda", tier="lesson"), "counters": made[0]["counters"]})  # nothing to compare it to
        faster = {**made[2]["counters"], "seconds": 5e-4}  # on another GPU: no pair of those above
        other = samples.results([{**made[2], "name": "tree_sum/wider/cuda/f64", "variant": "wider", "counters": faster}])
        other["context"]["spaces"]["cuda"]["device"] = "NVIDIA H999"
        for name, found in (("counters", samples.results(made)), ("more", other)):
            samples.write(self.folder / f"{name}.json", found)
        facts, _, head, _, before, after = suite.counted(results.load(self.folder))
        gpu = samples.results(made)["context"]["spaces"]["cuda"]["device"]
        self.assertIn(f"GPU: {gpu}", facts)
        self.assertIn("GPU: NVIDIA H999", facts)
        self.assertEqual("| exercise | precision | GPU | variant | time | bytes moved / needed | waits most for |", head)
        self.assertEqual(f"| [tree_sum](../../apps/tree_sum/README.md) | f64 | {gpu.split()[1]} | `range` | 2.00 ms | 1.25 | a team barrier 75 % |", before)
        self.assertEqual("|  |  |  | `wide` | 1.00 ms | 1.01 | a team barrier 75 % |", after)

    def test_a_page_takes_its_code_from_between_two_comments(self):
        pages = script("fill-pages")
        pages.ROOT = self.folder
        source = "int n;\n// begin: add\nint a;\n// end: add\nint main() {\n  // begin: add\n  // student: begin step\n  a += 1;\n"
        source += "  // student: end step\n  // begin: rest\n\n    ++n;\n"
        (self.folder / "add.cpp").write_text(source + "#pragma omp barrier\n  // end: rest\n  // end: add\n}\n")
        (self.folder / "add.py").write_text("# begin: add\na += 1\n# end: add\n")
        page = "Text\n\n<!-- code add.cpp add -->\n```cpp\nold\n```\n\nMore\n<!-- code add.py add -->\n"
        new = pages.with_code(page)
        cpp = "int a;\n\na += 1;\n\n  ++n;\n#pragma omp barrier\n"
        self.assertEqual(
            f"Text\n\n<!-- code add.cpp add -->\n```cpp\n{cpp}```\n\nMore\n<!-- code add.py add -->\n```python\na += 1\n```\n", new)
        self.assertEqual(new, pages.with_code(new))
        with self.assertRaisesRegex(SystemExit, "add.cpp.*begin: gone"):
            pages.with_code("<!-- code add.cpp gone -->\n")

    def test_a_parameter_that_older_files_lack_makes_no_other_case(self):
        old, new = (samples.row("quadratic", "team", space, parameters=more) for space, more in (("cuda", {"n": 7}), ("openmp", {"n": 7, "input": "uniform"})))
        self.assertEqual("n = 7, input = uniform", results.with_cases([old, new]))
        self.assertEqual(old["case"], new["case"])
        other = samples.row("quadratic", "team", "cuda", parameters={"n": 7, "input": "normal"})
        results.with_cases([old, new, other])
        self.assertEqual(["", "input = uniform", "input = normal"], [row["case"][0] for row in (old, new, other)])

    def test_the_newest_row_counts_whatever_else_ran_in_its_job(self):
        for file, ns, ending, date in (("old", 9e6, "/n:1000", "01"), ("new", 4e6, "", "02")):
            row = samples.row("vector_add", "range", "cuda", ns=ns, parameters={"n": 1000})
            samples.write(self.folder / f"{file}.json", samples.results([{**row, "name": row["name"] + ending}], date=f"2026-01-{date}T03:04:05+00:00"))
        self.assertEqual([row["real_time"] for row in results.load(self.folder)], [4e6])

    def test_a_twin_of_another_size_is_left_out(self):
        rows = [samples.row("vector_add", "range", space, parameters={"n": n}) for space, n in (("cuda", 1000), ("cupy", 1000), ("cupy", 2000))]
        self.assertEqual(results.of_sizes(rows[:1], rows), rows[:2])

    def test_each_machine_has_its_date_where_they_differ(self):
        for name, space, day in (("old", "openmp", 1), ("new", "cuda", 2)):
            samples.write(self.folder / f"{name}.json", samples.results([samples.row("add_one", "wide", space)], date=f"2026-02-0{day}T03:04:05+00:00"))
        rows = results.load(self.folder)
        self.assertEqual(["cuda", "openmp"], [row["space"] for row in rows], "the newest first")
        said = results.measured_on(rows)
        self.assertRegex(said, r"^2026-02-02; GPU: [^;]+; CPU, all threads: [^;]+ \(2026-02-01\)\. Kokkos")
        self.assertNotIn("(2026", said.partition("; CPU")[0] + results.measured_on(rows[1:]))

    def test_the_table_of_team_sizes_has_kernels_only(self):
        made = [samples.row("add_one", "team", "cuda", ns=ns, phase=phase, team_size=64, parameters={"n": 7}) for phase, ns in (("kernel", 1e6), ("end_to_end", 9e6))]
        made[1]["name"] += "/end_to_end"
        samples.write(self.folder / "teams.json", samples.results(made))
        *_, line = suite.teams(results.load(self.folder, ["t*.json", "none-*.json"]))
        self.assertTrue(line.endswith("| `team` | 1.00 ms |"), line)

    def test_a_number_in_prose_is_its_source_s(self):
        made = samples.results([samples.row("add_one", v, "cuda", ns=ns) for v, ns in (("range", 478300.0), ("wide", 268000.0))])
        self.addCleanup(setattr, numbers, "MEASURED", numbers.MEASURED)
        numbers.MEASURED = self.folder / "sources"
        (numbers.MEASURED / "tiers").mkdir(parents=True)
        made["benchmarks"][0]["counters"] = {"memory_bytes": 1578319872.0, "active_lanes": 31.42}
        (numbers.MEASURED / "tiers" / "gpu.json").write_text(json.dumps(made), encoding="utf-8")
        rows = [f"gpu {row['name']}" for row in made["benchmarks"]]

        def wrong(text):
            return len(list(numbers.wrong_numbers(text)))

        for right in (f"478 us<!-- from {rows[0]} -->", f"0.48 ms<!-- from {rows[0]} -->", f"478 300<!-- from {rows[0]} real_time -->",
                      f"1.8<!-- from {rows[0]} / {rows[1]} --> times", f"178 %<!-- from {rows[0]} / {rows[1]} -->", "no source, 17 us",
                      f"1.58 GB<!-- from {rows[0]} memory_bytes -->", f"31.4<!-- from {rows[0]} active_lanes --> lanes"):
            self.assertEqual(0, wrong(right), right)
        for bad in (f"477 us<!-- from {rows[0]} -->", f"0.478 us<!-- from {rows[0]} -->", f"1.7<!-- from {rows[0]} / {rows[1]} --> times",
                    f"478 us<!-- from {rows[0]}x -->", f"478 us<!-- from no_{rows[0]} -->", f"478<!-- from {rows[0]} no_field -->",
                    f"478 us times <!-- from {rows[0]} -->", f"1.58 MB<!-- from {rows[0]} memory_bytes -->"):
            self.assertEqual(1, wrong(bad), bad)
        # The script writes what it says, to the same digit; what has no source, or no digit that is wrong, stays.
        for old, new in (("477 us", "478 us"), ("0.47 ms", "0.48 ms"), ("2.77 ms", "478 us"), ("3 ms", "478 us"), ("478.3 us", "478.3 us")):
            self.assertEqual(numbers.renewed(f"in {old}<!-- from {rows[0]} -->."), f"in {new}<!-- from {rows[0]} -->.")
        self.assertEqual(numbers.renewed(f"1.70<!-- from {rows[0]} / {rows[1]} --> times"), f"1.78<!-- from {rows[0]} / {rows[1]} --> times")
        self.assertEqual(numbers.renewed(f"470 000<!-- from {rows[0]} real_time -->"), f"478 300<!-- from {rows[0]} real_time -->")
        self.assertEqual(numbers.renewed("470 us<!-- from gpu gone -->, 3 us"), "470 us<!-- from gpu gone -->, 3 us")

    def test_a_number_says_where_it_is_from(self):
        for said in ("It takes 3.5 us<!-- from gpu x/range/cuda/f32 -->.", "It takes 12 ms. <!-- numbers: assumed -->", "3 teams of 64", "    takes 3 us",
                     "```\nsleep 3 s\n```", "<!-- tiers: written by x -->\n\n3 ms\n\n<!-- end of tiers -->", "2.5 GHz, `3_us`"):
            self.assertEqual(list(numbers.without_source(said)), [], said)
        for unsaid in ("It takes 3.5 us.", "at 3057 GB/s", "101\n% of it", "| a | 2 ms |", "7 µs", "a\n\n- 5 s\n- 6 W <!-- numbers: quoted -->"):
            self.assertEqual(len(list(numbers.without_source(unsaid))), 1, unsaid)

    def test_a_kept_file_is_of_the_kernels_that_are_there(self):
        self.addCleanup(setattr, results, "ROOT", results.ROOT)
        results.ROOT = self.folder
        app = self.folder / "apps" / "add_one"
        app.mkdir(parents=True)
        lesson, twin = app / "lesson.hpp", app / "twin.py"
        lesson.write_text("// adds\na += 1;\n")
        twin.write_text("a += 1  # one\n")
        file = samples.write(self.folder / "rows.json", samples.results([samples.row("add_one", "range", "cuda"), samples.row("add_one", "range", "cupy")]))
        results.keep(file, self.folder / "kept")
        kept = self.folder / "kept" / "rows.json"
        self.assertEqual(list(results.changed_since(kept)), [])
        lesson.write_text("a  += 1; // another comment\n")
        twin.write_text("a += 1  # and here\n")
        (app / "ranks.hpp").write_text("int ranks;\n")
        self.assertEqual(list(results.changed_since(kept)), [])
        twin.write_text("a += 2\n")
        (said,) = results.changed_since(kept)
        self.assertIn("add_one python", said)
        lesson.write_text("a += 2;\n")
        self.assertEqual(len(list(results.changed_since(kept))), 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
