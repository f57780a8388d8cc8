# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The results file against the C++ program's: the same fields, types, names and numbers."""

import json
import subprocess
import unittest
from pathlib import Path

import support
from parallax.intervals import median_interval
from parallax.twins.select import select_cases
from support import PROGRAM, ROOT, cli, run_here
from turns import by_turn

# Ceilings are Kokkos kernels, tiers are of variants, and twins choose their blocks themselves.
KOKKOS_ONLY = {"ceiling", "percent_of_ceiling", "ceiling_level", "ceiling_unsure", "above_ceiling", "ceiling_without_atomics", "percent_without_atomics", "fits_in", "tier", "team_size", "working_set"}
KOKKOS_ONLY |= {"bits", "clock", "power"}
NOT_ALWAYS = {"seen_time", "event_time"} | {"disturbed", "hit_samples", "sampled_twice"}  # of devices; of busy machines
# Rounding decides the last digits here, and which pixels escape; in f32 also which orbits are undecided.
ROUNDING_DECIDES = {(name, p) for name in ("integration2d", "mandelbrot") for p in ("f32", "f64")}
ROUNDING_DECIDES.add(("mandelbrot_area", "f32"))
ARGUMENTS = ("vector_add", "--size", "tiny", "--repeat", "3", "--min-time", "0")


def kinds(values):
    """JSON types by field: whole and real numbers are one."""
    names = {int: "number", float: "number"}
    return {key: names.get(type(value), type(value).__name__) for key, value in values.items()}


@unittest.skipIf(PROGRAM is None, "PARALLAX_PROGRAM_DIR does not name the folder that holds parallax")
class BesideTheProgram(support.InFolder):
    def kokkos(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def both(self, *arguments, space="numpy"):
        """(C++, Python) results of one command line, the latter in `space`."""
        spaces = json.loads(self.kokkos("list", "--json"))["spaces"]
        self.kokkos("run", *arguments, "--space", spaces[0], "--json", "kokkos.json")
        run_here(*arguments, "--parallax", PROGRAM, "--space", space, "--json", "python.json")
        return (json.loads(Path(name).read_text()) for name in ("kokkos.json", "python.json"))

    def test_fields_and_types(self):
        kokkos, python = self.both(*ARGUMENTS)
        self.assertEqual(list(kokkos), list(python))
        ours = kinds(python["context"])
        self.assertEqual(ours.pop("missing_spaces"), "dict")
        theirs = kinds(kokkos["context"])
        for where_its_time_went in ("seconds", "exercise_seconds"):
            self.assertEqual(theirs.pop(where_its_time_went), "dict")
        self.assertEqual(theirs, ours)
        self.assertEqual([c["context"]["program"] for c in (kokkos, python)], ["kokkos", "python"])
        self.assertEqual(kokkos["context"]["parallax_version"], python["context"]["parallax_version"])
        (space,) = kokkos["context"]["spaces"].values()
        (library,) = python["context"]["spaces"].values()
        self.assertEqual(set(space) - {"caches", "ceilings", "places", "binding", "state"}, set(library) - {"library"})
        for theirs in (row for row in kokkos["benchmarks"] if "real_time" in row):
            (mine,) = (row for row in python["benchmarks"] if row["variant"] == "range")
            kept = {key: kind for key, kind in kinds(mine).items() if key not in NOT_ALWAYS}
            self.assertEqual({k: v for k, v in kinds(theirs).items() if k not in KOKKOS_ONLY | NOT_ALWAYS}, kept)
            self.assertEqual(kinds(theirs["parameters"]), kinds(mine["parameters"]))
            self.assertEqual(theirs["parameters"], mine["parameters"])
            self.assertEqual(set(theirs["check"]), set(mine["check"]))

    def test_results_are_the_programs(self):
        for exercise in by_turn(list(filter(support.has_usable_twin, support.listed_exercises())), 3):
            for precision in exercise.precisions:
                arguments = (exercise.name, "--size", "tiny", "--verify-only", "--precision", precision)
                kokkos, python = self.both(*arguments, space=support.spaces_of(exercise)[0])
                theirs = [row for row in kokkos["benchmarks"] if "result" in row and not row["expected_to_fail"]]
                for mine in (row for row in python["benchmarks"] if "result" in row and not row["expected_to_fail"]):
                    name = f"{exercise.name}/{precision}/{mine['phase']}"
                    same = [row for row in theirs if row["phase"] == mine["phase"]]
                    with self.subTest(name):
                        if same and (exercise.name, precision) not in ROUNDING_DECIDES:
                            self.compare(same[0], mine, precision)
                        elif same:
                            self.assertEqual(set(same[0]["result"]), set(mine["result"]))

    def test_intervals_of_medians_are_the_programs(self):
        arguments = ("vector_add", "--size", "tiny", "--min-time", "0")
        for repeat in ("5", "6", "11", "40", "150"):
            kokkos, python = self.both(*arguments, "--repeat", repeat)
            for row in kokkos["benchmarks"] + python["benchmarks"]:
                if "samples" in row:
                    interval = median_interval(row["samples"])
                    self.assertEqual(row["interval"], interval and list(interval), row["name"])
                    self.assertEqual(interval is None, repeat == "5")
                    if interval:
                        self.assertTrue(interval[0] <= row["real_time"] <= interval[1])

    def compare(self, their_row, my_row, precision):
        theirs, mine = their_row["result"], my_row["result"]
        self.assertEqual(set(theirs), set(mine))
        for key, value in theirs.items():
            if key == "error" and "sum" in theirs:  # a sum's is rounding itself, which goes with the order of additions
                self.assertLess(abs(mine[key]), 1)
            elif key == "sum" and "error" in theirs:  # and atomics add in another order each time
                allowed = their_row["check"]["tolerance"] + my_row["check"]["tolerance"]
                self.assertAlmostEqual(mine[key], value, delta=allowed)
            elif isinstance(value, float):
                self.assertAlmostEqual(mine[key], value, delta=abs(value) * (1e-5 if precision == "f32" else 1e-10))
            elif isinstance(value, list) and any(isinstance(x, float) for x in value):
                # Sums of positive and negative terms: their rounding goes with the largest, not with their own size.
                allowed = max(map(abs, value)) * (1e-5 if precision == "f32" else 1e-10)
                self.assertEqual(len(mine[key]), len(value), key)
                for ours, theirs_ in zip(mine[key], value):
                    self.assertAlmostEqual(ours, theirs_, delta=allowed, msg=key)
            else:
                self.assertEqual(mine[key], value, key)

    def test_the_float_sum_is_equal_to_the_last_bit(self):
        kokkos, python = self.both("vector_add", "--size", "tiny", "--verify-only")
        self.assertEqual(kokkos["benchmarks"][0]["result"], python["benchmarks"][0]["result"])

    def test_both_programs_read_the_sizes_of_the_peers(self):
        sizes = str(ROOT / "configs" / "sizes" / "peers.json")
        listed = self.kokkos("run", "all", "--size", sizes, "--dry-run")
        cases, _ = select_cases(cli.parse(["--size", sizes]), support.EXERCISES, support.CATALOGUE)
        names = {planned.exercise.name for planned in cases}
        for name in json.loads(Path(sizes).read_text()):
            if name != "base":
                self.assertIn(name + "/", listed)
                if name in support.EXERCISES and support.has_usable_twin(support.EXERCISES[name]):
                    self.assertIn(name, names)

    def test_the_program_compares_the_two(self):
        list(self.both(*ARGUMENTS))
        done = subprocess.run(
            [PROGRAM, "compare", "kokkos.json", "python.json"], capture_output=True, text=True, check=False
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertNotIn("is not", done.stderr)


if __name__ == "__main__":
    unittest.main()
