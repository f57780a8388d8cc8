# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""`run --counters` with stand-ins for the program and the tools: what is started, what is written, what is said."""

import json
import sys
import unittest

from support import NO_HARDWARE, PERF_TEXT, ROOT, TOOL, Counting, ncu_text, rocprof_text, samples

from parallax.counters import counting, insert, typed

STOPS_AT_ITS_SECOND_ROW = '''
import os, signal, time
if len((here / "{name}.log").read_text().splitlines()) == 2:
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(600)
'''


class Command(unittest.TestCase):
    ROW = samples.row("x", "range", "openmp", "f32", team_size=4, parameters={"low_end": 0.5, "layout": "group:a,pt:b"})
    SHORTEST = "--variant range --precision f32 --space openmp --verify-only --verify sampled --no-ceilings --verify-repeat 1 --quiet --no-results"

    def command(self, words, teams=True, **more):
        return " ".join(typed.command("p", words.split(), {**self.ROW, **more}, teams)).replace(self.SHORTEST, "...")

    def test_it_is_the_shortest_run_of_the_row(self):
        self.assertEqual("p run x ...", self.command("run x y --variant range,team --json a.json --quiet --repeat 3 --energy --space all"))
        self.assertEqual("p ...", self.command("--verbose"), "a program of one exercise")

    def test_what_makes_the_row_is_kept(self):
        self.assertEqual("p run x ... --size tiny --seed 7 --kokkos-num-threads=2", self.command("run x --size=tiny --seed 7 --kokkos-num-threads=2"))
        self.assertEqual("p run x ... --low-end -1 --set n=5,layout=group:a,pt:b", self.command("run x --low-end -1 --set n=5,bins=3,layout=group:a,pt:b"))
        self.assertEqual("p run x ...", self.command("run x y --bins 3 --set other=3"), "another exercise's")

    def test_team_sizes_are_for_variants_with_teams(self):
        self.assertEqual("p run x ... --team-size 8 --set team-size=4", self.command("run x --team-size 8 --set team-size=4"))
        self.assertEqual("p run x ...", self.command("run x --team-size 8 --set team_size=4", teams=False))

    def test_threads_and_tuned_rows(self):
        self.assertEqual("p run x ... --set threads=2", self.command("run x --set threads=2 --tuned-for-this-machine", space_threads=2))
        self.assertEqual("p run x ... --tuned-for-this-machine", self.command("run x --tuned-for-this-machine", tuned_for_this_machine=True))

    def test_phases_and_cases_are_runs_of_one_command(self):
        rows = [samples.row("x", "range", "cuda", phase=phase) for phase in ("kernel", "end_to_end", "h2d")]
        rows.insert(1, {**rows[0], "cold": True})
        rows.insert(0, {k: rows[0][k] for k in ("name", "exercise", "variant", "space", "precision", "parameters")} | {"skipped": True})
        rows[-2] = samples.failed(rows[-2])
        rows.append(samples.row("x", "range", "cuda", n=7, suffix="/n:7"))
        todo = counting.jobs(samples.results(rows), "x", [])
        found = [(job.index, job.place, job.phases, job.tool) for job in todo]
        self.assertEqual([(1, 0, 4, "ncu"), (4, 2, 4, "ncu"), (5, 3, 4, "ncu")], found)


class Insert(unittest.TestCase):
    def test_every_other_byte_stays(self):
        rows = ' "benchmarks": [\n  {\n   "name": "a\\"]}",\n   "x": [{"y": 1e-9}]\n  },\n  {\n   "name": "b"\n  }\n ],\n'
        text = '{\n "context": {"benchmarks": [{}]},\n' + rows + ' "z": [{}]\n}\n'
        changed = insert.with_objects(text, "counters", {1: {"tool": "perf", "stalls": {"wait": 0.5}}})
        self.assertEqual({"tool": "perf", "stalls": {"wait": 0.5}}, json.loads(changed)["benchmarks"][1]["counters"])
        self.assertIn(',\n   "counters": {\n    "tool"', changed)
        begin, _, rest = changed.partition(',\n   "counters"')
        self.assertEqual(text, begin + rest[rest.index("\n  }\n ]") :])

    def test_a_file_in_one_line(self):
        changed = insert.with_objects('{"benchmarks": [{"name": "a"}, {"name": "b"}]}', "counters", {0: {"n": 1}, 1: {"n": 2}})
        self.assertEqual([{"n": 1}, {"n": 2}], [row["counters"] for row in json.loads(changed)["benchmarks"]])


class Run(Counting):
    HOST = samples.row("x", "range", "openmp")

    def test_without_a_tool_all_else_is_as_without_the_flag(self):
        self.rows(self.HOST)
        done = self.count("run", "x", "--json", "out.json", status=3)
        self.assertEqual("the table\n", done.stdout)
        self.assertRegex(done.stderr, r"^parallax: --counters: there is no perf here: install .* \(1 row\)\n$")
        self.assertEqual((self.folder / "written.json").read_bytes(), (self.folder / "out.json").read_bytes())
        self.assertEqual([["run", "x", "--json", "out.json"], {}], self.log("program")[0])

    def test_perf(self):
        self.rows(self.HOST, samples.row("x", "serial", "serial"))
        self.prints("perf", PERF_TEXT)
        done = self.count("run", "x", "--json", "out.json", "--kokkos-num-threads=2")
        row = self.written()[0]
        self.assertEqual((2.0, 24e6), (row["counters"]["instructions_per_cycle"], row["counters"]["needed_bytes"]))
        self.assertNotIn("context_switches", row["counters"])
        self.assertEqual({**self.HOST, "counters": row["counters"]}, row)
        command = self.log("perf")[0]
        self.assertEqual(["stat", "-x,", "-o"], command[:3])
        self.assertIn("--delay=-1", command)
        fifos = next(word for word in command if word.startswith("--control=fifo:")).partition(":")[2]
        words, switches = self.log("program")[1]
        self.assertEqual({"PARALLAX_COUNTED": fifos, "PARALLAX_COUNTED_PASS": "0"}, switches)
        self.assertEqual("--kokkos-num-threads=2", words[-1])
        self.assertIn("x/range/openmp/f64", done.stdout)
        self.assertEqual("", done.stderr)

    def test_what_a_machine_has_not_is_said_once(self):
        self.rows(self.HOST, samples.row("x", "range", "serial"))
        self.prints("perf", NO_HARDWARE)
        done = self.count("run", "x", "--json", "out.json")
        self.assertEqual(
            "parallax: --counters: perf cannot count instructions, cycles, branches, branch-misses, cache-misses on this machine "
            "(a virtual machine often has no hardware counters) (2 rows)\n",
            done.stderr,
        )
        self.assertEqual(120, self.written()[1]["counters"]["page_faults"])

    def test_a_hint_at_likwid_where_it_is(self):
        self.rows(self.HOST)
        self.prints("perf", NO_HARDWARE)
        self.script("likwid-perfctr", TOOLLESS)
        self.assertIn("likwid-perfctr is here, and counts whole programs", self.count("run", "x").stderr)

    def test_ncu(self):
        self.rows(samples.row("x", "range", "cuda"), samples.row("x", "range", "cuda", phase="end_to_end"))
        self.prints("ncu", ncu_text({}, {}))
        self.count("run", "x", "--json=out.json", "--json", "out.json")
        c = self.written()[0]["counters"]
        self.assertEqual(("ncu", 2, 24e6, 24e6, 8.0, 4.0), tuple(c[n] for n in ("tool", "kernels", "memory_bytes", "needed_bytes", "sectors_per_request", "sectors_per_store")))
        command = self.log("ncu")[0]
        self.assertEqual("--csv --page raw --print-units base --clock-control none --profile-from-start off".split(), command[:9])
        self.assertIn("dram__bytes_read.sum", command[command.index("--metrics") + 1].split(","))
        passes = [switches for _, switches in self.log("program")[1:]]
        self.assertEqual([{"PARALLAX_COUNTED": "device", "PARALLAX_COUNTED_PASS": str(k)} for k in (0, 1)], passes)

    def test_a_metric_that_ncu_has_not_is_left_out(self):
        self.rows(samples.row("x", "range", "cuda"))
        self.prints("ncu", error="==ERROR== Failed to find metric lts__t_bytes.sum")
        done = self.count("run", "x", status=3)
        asked = [command[command.index("--metrics") + 1].split(",") for command in self.log("ncu")]
        self.assertEqual([True, False], ["lts__t_bytes.sum" in metrics for metrics in asked])
        self.assertIn("ncu has no lts__t_bytes.sum here (1 row)", done.stderr)

    def test_rocprofv3(self):
        self.rows(samples.row("x", "range", "hip"))
        self.prints("rocprofv3-FETCH_SIZE", rocprof_text(("FETCH_SIZE", 8, 500)))
        self.prints("rocprofv3-WRITE_SIZE", rocprof_text(("WRITE_SIZE", 2, 500)))
        done = self.count("run", "x", "--json", "out.json")
        self.assertEqual(10240, self.written()[0]["counters"]["memory_bytes"])
        self.assertIn("rocprofv3 gave no VALUUtilization (1 row)", done.stderr)
        self.assertEqual(["--kernel-include-regex", "kernels::x::"], self.log("rocprofv3")[0][2:4])

    def test_rocprofv3_cannot_tell_phases(self):
        self.rows(*(samples.row("x", "range", "hip", phase=phase) for phase in ("kernel", "end_to_end")))
        self.prints("rocprofv3", rocprof_text(("FETCH_SIZE", 8, 500)))
        self.assertIn("cannot tell the phases of a variant (2 rows)", self.count("run", "x", status=3).stderr)

    def test_of_very_many_kernels_the_first_are_counted(self):
        self.rows(samples.row("x", "range", "cuda"))
        self.prints("ncu", ncu_text(*[{}] * 200))
        self.assertIn("ncu counted the first 200 kernels of the run only (1 row)", self.count("run", "x", "--json", "out.json").stderr)
        self.assertNotIn("needed_bytes", self.written()[0]["counters"])

    def test_a_space_that_no_tool_knows(self):
        self.rows(samples.row("x", "range", "sycl"))
        self.assertIn("no tool counts on 'sycl' (1 row)", self.count("run", "x", status=3).stderr)

    def test_a_failing_tool_is_said_once(self):
        self.rows(self.HOST, samples.row("x", "range", "serial"))
        self.prints("perf", error="Error: unknown option `control'")
        self.assertEqual("parallax: --counters: perf: unknown option `control' (2 rows)\n", self.count("run", "x", status=3).stderr)

    def test_a_signal_keeps_what_was_counted_before_it(self):
        self.rows(self.HOST, samples.row("x", "range", "serial"), samples.row("x", "range", "threads"))
        self.prints("perf", PERF_TEXT)
        self.script("perf", TOOL.replace("\nbegin =", STOPS_AT_ITS_SECOND_ROW + "begin ="))
        done = self.count("run", "x", "--json", "out.json", status=143)
        self.assertEqual("parallax: --counters: stopped by signal 15 after 1 of 3 rows\n", done.stderr)
        self.assertEqual([True, False, False], ["counters" in row for row in self.written()])
        self.assertIn("x/range/openmp/f64", done.stdout)

    def test_a_program_that_stops_is_quoted(self):
        self.rows(self.HOST)
        self.prints("perf", error="parallax: no memory")
        self.assertEqual("parallax: --counters: a counted run stopped: no memory (1 row)\n", self.count("run", "x", status=3).stderr)

    def test_only_verified_rows_are_counted_and_the_status_stays(self):
        self.rows(self.HOST, samples.failed(samples.row("x", "wrong", "openmp")))
        self.prints("perf", PERF_TEXT)
        self.status(1)
        self.count("run", "x", "--json", "out.json", status=1)
        self.assertEqual([True, False], ["counters" in row for row in self.written()])

    def test_a_run_that_ended_early_is_not_counted(self):
        self.rows(self.HOST)
        self.prints("perf", PERF_TEXT)
        for status in (2, 3, 143):
            self.status(status)
            self.count("run", "x", status=status)
        self.assertEqual([], self.log("perf"))

    def test_a_program_of_one_exercise(self):
        self.rows(self.HOST)
        self.prints("perf", PERF_TEXT)
        self.count("--quiet")
        self.assertEqual("--variant", self.log("program")[1][0][0])

    def test_refusals(self):
        self.refused(self.count("run", "x", "--json", "/dev/null", status=2), 2, "--json needs a regular file")
        self.refused(self.start([sys.executable, "-c", "import sys\nfrom parallax.counters import cli\nsys.exit(cli.main([]))"], PYTHON), 2, "started by")


TOOLLESS = "#!/bin/sh\n"
PYTHON = {"PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}

if __name__ == "__main__":
    unittest.main()
