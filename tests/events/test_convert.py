# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""python/convert_events.py: from JSON, Parquet and ROOT. What needs a library that is not here is skipped, and says so.

PARALLAX_NANOAOD names SMHiggsToZZTo4L.root of CERN Open Data, or its columns as Parquet, to test the recipe of
apps/dilepton_mass/events.md on it; without it, the recipe is tested on ten events that are made here.
"""

import importlib
import importlib.util
import json
import os
import sys
import unittest
from itertools import combinations
from math import cos, cosh, sin, sinh, sqrt

from support import InFolder

# Three events: two leptons, none, three.
EVENTS = [
    {"pt": [40.5, 50.25], "eta": [0.5, -0.5], "phi": [0.25, 3], "charge": [1, -1]},
    {"pt": [], "eta": [], "phi": [], "charge": []},
    {"pt": [10, 20, 30], "eta": [1, 2, -2], "phi": [-3, 1, 2], "charge": [-1, 1, 1]},
]
KINDS = {"pt": "float32", "eta": "float32", "phi": "float32", "charge": "int32"}  # NanoAOD's
FLAT = {field: [x for event in EVENTS for x in event[field]] for field in EVENTS[0]}

COURSE = [0, 76.752525, 36.007294]  # its masses of the first three events' electrons in SMHiggsToZZTo4L.root
COURSE_LAST = [0, 40.647415, 91.51784]  # and of the last three events'


def pair_of(mass, pt=45.0, eta=0.5, phi=0.25):
    """Two leptons (pt, eta, phi, charge) of opposite charges and this mass."""
    other = (-0.75, 2.5)
    return [(pt, eta, phi, 1), (mass**2 / (2 * pt * (cosh(eta - other[0]) - cos(phi - other[1]))), *other, -1)]


# Ten events of electrons, which begin and end with the course's masses. Between them: a single one, two of one charge, and
# events whose first pair, heaviest pair and heaviest pair of any charges differ.
ELECTRONS = [
    [],
    pair_of(COURSE[1]),
    pair_of(COURSE[2]),
    [(20.0, 1.0, -2.0, -1), (30.0, -1.0, 1.0, -1)],
    pair_of(12.0) + [(60.0, -2.0, -0.5, 1)],
    [(25.0, 0.5, 3.0, 1), (35.0, 0.25, -3.0, 1)] + pair_of(88.0),
    pair_of(90.0, pt=30.0) + pair_of(40.0, eta=-0.5),
    [(20.0, 1.0, -2.0, 1)],
    pair_of(COURSE_LAST[1]),
    pair_of(COURSE_LAST[2], phi=-1.5),
]


def mass(one, other):
    """Of two massless particles, from the sum of their momenta and energies."""
    momenta = [(pt * cos(phi), pt * sin(phi), pt * sinh(eta), pt * cosh(eta)) for pt, eta, phi, _ in (one, other)]
    x, y, z, energy = map(sum, zip(*momenta))
    return sqrt(energy**2 - x**2 - y**2 - z**2)


def masses(event, opposite=True):
    """Of each pair, in order."""
    return [mass(a, b) for a, b in combinations(event, 2) if not opposite or a[3] != b[3]]


PAIRS = {
    "heaviest": lambda event: max(masses(event), default=0),
    "first": lambda event: next(iter(masses(event)), -1),
    "any": lambda event: max(masses(event, opposite=False), default=0),
}


def here(*names):
    """Whether all of these libraries can be imported."""
    try:
        for name in names:
            importlib.import_module(name)
    except ImportError:
        return False
    return True


def named(event, prefix):
    return {f"{prefix}_{field}": values for field, values in event.items()}


def columns(leptons):
    return {field: [lepton[k] for lepton in leptons] for k, field in enumerate(FLAT)}


def records(event):
    return [dict(zip(event, values)) for values in zip(*event.values())]


@unittest.skipUnless(here("numpy", "h5py"), "NumPy and h5py are not installed for this Python")
class Converts(InFolder):
    def read(self, name="out.h5", group="events"):
        h5py = importlib.import_module("h5py")
        with h5py.File(self.folder / name) as file:
            return {field: file[group][field][:] for field in file[group]}

    def require_the_events(self, *arguments, **more):
        outcome = self.convert(*arguments, "out.h5", "--force")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(outcome.stdout, "out.h5: 3 events, 5 leptons\n")
        found = self.read(**more)
        self.assertEqual(list(found["counts"]), [2, 0, 3])
        for field, values in FLAT.items():
            self.assertEqual(list(found[field]), values)
        return found

    def require_the_masses(self, name):
        """The recipe of apps/dilepton_mass/events.md on ELECTRONS, which the file holds: from it to masses."""
        self.need_hdf5()
        outcome = self.convert(name, "out.h5", "--collection", "Electron")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        for pair, of in PAIRS.items():
            expected = [of(event) for event in ELECTRONS]
            for variant, result in self.dilepton("--input", "out.h5", "--pair", pair).items():
                with self.subTest(name, pair=pair, variant=variant):
                    self.require_close(result["first_ten"], expected)
                    self.assertEqual(result["events_with_pair"], sum(m > 0 for m in expected))
                    if pair == "heaviest":
                        self.require_close(result["first_ten"][:3] + result["first_ten"][-3:], [*COURSE, *COURSE_LAST])

    def require_close(self, found, expected):
        """To the rounding of f32."""
        self.assertEqual(len(found), len(expected))
        for ours, theirs in zip(found, expected):
            self.assertAlmostEqual(ours, theirs, delta=1e-5 * abs(theirs))

    def write_json(self, content, name="in.json"):
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text)


class FromJson(Converts):
    def test_arrays_and_lines_of_every_kind(self):
        lines = {
            "fields": (EVENTS, []),
            "prefixed": ([named(e, "Muon") for e in EVENTS], ["--collection", "Muon"]),
            "records": ([{"muons": records(e)} for e in EVENTS], ["--collection", "muons"]),
            "bare records": ([records(e) for e in EVENTS], []),
        }
        for kind, (events, options) in lines.items():
            with self.subTest(kind):
                self.write_json(events)
                self.require_the_events("in.json", *options)
                self.write_json("\n".join(map(json.dumps, events)) + "\n\n", "in.jsonl")
                self.require_the_events("in.jsonl", *options)
                self.require_the_events("in.jsonl", "--slice", "1", *options)

    def test_other_names_offsets_and_precision(self):
        self.write_json([{**event, "p": event["pt"]} for event in EVENTS], "in.txt")
        found = self.require_the_events("in.txt", "--format", "json", "--fields", "pt=p", "--group", "a/b", group="a/b")
        self.assertEqual(str(found["pt"].dtype), "float64")
        self.assertEqual(str(found["charge"].dtype), "int8")
        options = ["--index", "offsets", "--precision", "f32", "--compression", "0", "--chunk", "2", "--slice", "2"]
        outcome = self.convert("in.txt", "other.h5", "--format", "json", *options)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        found = self.read("other.h5")
        self.assertEqual(list(found["offsets"]), [0, 2, 2, 5])
        self.assertEqual(str(found["pt"].dtype), "float32")

    def test_nulls_and_nan_stay_as_what_cannot_be_used(self):
        self.write_json('[{"pt": [null, NaN], "eta": [1, 1], "phi": [1, 1], "charge": [null, 300]}]')
        self.assertEqual(self.convert("in.json", "out.h5").returncode, 0)
        found = self.read()
        self.assertTrue((found["pt"] != found["pt"]).all())
        self.assertEqual(list(found["charge"]), [0, 0])

    def test_what_is_refused_and_leaves_nothing(self):
        one = EVENTS[0]
        for content, words in (
            ("{", ("not JSON",)),
            ("[1, 2", ("not JSON",)),
            ("\x00\x01", ("not JSON",)),
            ("[]", ("no events",)),
            ("", ("no events",)),
            ([3], ("event 0", "neither an object nor a list")),
            ([one, {"pt": [1]}], ("event 1", "'eta'")),
            ([one, one | {"eta": [1]}], ("event 1", "2 values of pt", "1 of eta")),
            ([one | {"pt": 3}], ("event 0", "pt is not a list")),
            ([one | {"pt": [1, "2"]}], ("event 0", "pt", '"2"')),
            ([one | {"charge": [1, 0.5]}], ("charge", "not whole")),
            ([one | {"charge": [1, True]}], ("charge", "true")),
            ([named(one, "Muon")], ("no 'pt'", "Muon_pt")),
            ([[{"pt": 1}]], ("no 'eta'",)),
        ):
            with self.subTest(content):
                self.write_json(content)
                self.refused(self.convert("in.json", "out.h5"), 2, *words)
                self.assertEqual(self.content(), ["in.json"])

    def test_files_that_cannot_be_read_or_written(self):
        self.refused(self.convert("in.json", "out.h5"), 3, "cannot read 'in.json'", "No such file")
        self.write_json(EVENTS)
        self.refused(self.convert("in.json", "no/such/out.h5"), 3, "cannot write 'no/such/out.h5'")
        (self.folder / "out.h5").write_text("mine")
        self.refused(self.convert("in.json", "out.h5"), 3, "'out.h5'", "--force")
        self.assertEqual((self.folder / "out.h5").read_text(), "mine")
        self.refused(self.convert("in.json", "in.json", "--force"), 2, "it is an input")

    def test_bad_usage(self):
        self.write_json(EVENTS, "in.dat")
        self.refused(self.convert("in.dat", "out.h5"), 2, "'in.dat'", "--format")
        self.refused(self.convert("in.dat"), 2, "OUT.h5")
        self.refused(self.convert("in.dat", "out.h5", "--format", "json", "--fields", "p=x"), 2, "'p=x'")
        self.refused(self.convert("in.dat", "out.h5", "--slice", "0"), 2, "--slice", "'0'")

    def test_the_program_reads_what_was_converted(self):
        self.need_hdf5()
        # Back to back in phi, 45 GeV each: 90 GeV. A null and a charge of 0 are counted.
        pair = {"pt": [45, 45], "eta": [0, 0], "phi": [0, 3.141592653589793], "charge": [1, -1]}
        broken = {"pt": [45, None, -3], "eta": [0, 0, 0], "phi": [0, 1, 1], "charge": [0, -1, 1]}
        self.write_json([pair, broken, pair])
        self.assertEqual(self.convert("in.json", "out.h5").returncode, 0)
        for options in ([], ["--input-slice", "1"], ["--precision", "f64", "--pair", "first"]):
            with self.subTest(options):
                self.require_two_pairs(self.dilepton("--input", "out.h5", *options))
        said = self.run_program("run", "dilepton_mass", "--input", "out.h5", "--space", self.host_space(), "--verify-only").stdout
        self.assertRegex(said, r"(?m)^dilepton_mass/f32: 2 events have a pair; .*; the file has 7 leptons, and 3 of them cannot be used$")

    def test_masses(self):
        self.write_json([named(columns(event), "Electron") for event in ELECTRONS])
        self.require_the_masses("in.json")

    def require_two_pairs(self, results):
        self.assertGreaterEqual(len(results), 3)  # variants
        for result in results.values():
            self.assertEqual(result["events_with_pair"], 2)
            self.assertAlmostEqual(result["sum"], 180, 3)
            self.assertEqual(result["leptons"], 7)
            self.assertEqual(result["unusable_leptons"], 3)
            for name in ("charge", "not_finite", "negative_pt"):
                self.assertEqual(result["unusable_" + name], 1)


@unittest.skipUnless(here("pyarrow.parquet"), "pyarrow is not installed for this Python")
class FromParquet(Converts):
    def write(self, columns, name="in.parquet"):
        pa, pq = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
        pq.write_table(pa.table(columns), self.folder / name, row_group_size=2)

    def test_lists_and_records(self):
        pa = importlib.import_module("pyarrow")
        self.write({f"Muon_{field}": [event[field] for event in EVENTS] for field in FLAT})
        self.require_the_events("in.parquet", "--collection", "Muon")
        self.require_the_events("in.parquet", "--collection", "Muon", "--slice", "1")
        self.write({"muons": [records(event) for event in EVENTS]})
        self.require_the_events("in.parquet", "--collection", "muons")
        singles = {f: pa.array([e[f] for e in EVENTS], pa.large_list(pa.float32())) for f in FLAT}
        self.write(singles)
        self.assertEqual(str(self.require_the_events("in.parquet")["pt"].dtype), "float32")

    def test_masses(self):
        self.write({f"Electron_{field}": [columns(event)[field] for event in ELECTRONS] for field in FLAT})
        self.require_the_masses("in.parquet")

    def test_nulls_are_events_without_leptons_and_numbers_that_cannot_be_used(self):
        lists = {"pt": [[1.0, None], None], "eta": [[1.0, 1.0], None], "phi": [[1.0, 1.0], None]}
        self.write({**lists, "charge": [[None, 1], None]})
        self.assertEqual(self.convert("in.parquet", "out.h5").returncode, 0)
        found = self.read()
        self.assertEqual(list(found["counts"]), [2, 0])
        self.assertEqual([x != x for x in found["pt"]], [False, True])
        self.assertEqual(list(found["charge"]), [0, 1])

    def test_what_is_refused(self):
        (self.folder / "in.parquet").write_text("not a table")
        self.refused(self.convert("in.parquet", "out.h5"), 2, "not a sound Parquet file")
        self.write({field: [event[field] for event in EVENTS] for field in ("pt", "eta", "phi")})
        self.refused(self.convert("in.parquet", "out.h5"), 2, "no 'charge'")
        self.write({field: [1.0, 2.0] for field in FLAT})
        self.refused(self.convert("in.parquet", "out.h5"), 2, "not a list")
        self.write({field: [["a"]] for field in FLAT})
        self.refused(self.convert("in.parquet", "out.h5"), 2, "no numbers")
        self.assertEqual(self.content(), ["in.parquet"])


@unittest.skipUnless(here("uproot", "awkward"), "uproot and awkward are not installed for this Python")
class FromRoot(Converts):
    def write(self, collection, events):
        uproot, ak = importlib.import_module("uproot"), importlib.import_module("awkward")
        # A TTree by name: assignment to file["Events"] writes an RNTuple in newer versions of uproot.
        leptons = ak.zip({field: ak.values_astype(ak.Array([e[field] for e in events]), kind) for field, kind in KINDS.items()})
        with uproot.recreate(self.folder / "in.root") as file:
            tree = file.mktree("Events", {collection: leptons.type.content})
            tree.extend({collection: leptons[:2]})
            tree.extend({collection: leptons[2:]})

    def test_masses(self):
        self.write("Electron", [columns(event) for event in ELECTRONS])
        self.require_the_masses("in.root")

    def test_a_nanoaod_like_tree(self):
        self.write("Muon", EVENTS)
        self.assertEqual(str(self.require_the_events("in.root")["pt"].dtype), "float32")
        self.require_the_events("in.root", "--slice", "1")
        self.refused(self.convert("in.root", "o.h5", "--fields", "pt=nMuon"), 2, "nMuon is not a list")
        self.refused(self.convert("in.root", "o.h5", "--tree", "Runs"), 2, "no 'Runs'", "Events")
        self.refused(self.convert("in.root", "o.h5", "--collection", "Muons"), 2, "no 'Muons_pt'", "'Muon_pt'")
        (self.folder / "in.root").write_text("not a tree" * 100)
        self.refused(self.convert("in.root", "o.h5"), 2, "not a sound ROOT file", "first four bytes")
        (self.folder / "in.root").write_text("")
        self.refused(self.convert("in.root", "o.h5"), 3, "cannot read 'in.root'", "received 0 bytes")


class OpenData(Converts):
    @unittest.skipUnless(os.environ.get("PARALLAX_NANOAOD"), "PARALLAX_NANOAOD does not name SMHiggsToZZTo4L.root")
    def test_the_masses_of_the_course(self):
        self.need_hdf5()
        file = os.path.abspath(os.environ["PARALLAX_NANOAOD"])
        outcome = self.convert(file, "out.h5", "--collection", "Electron")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        found = self.read()
        ends = [sum(found["counts"]) - sum(found["counts"][len(found["counts"]) - k :]) for k in (3, 2, 1, 0)]
        last = [{field: found[field][begin:end].tolist() for field in FLAT} for begin, end in zip(ends, ends[1:])]
        self.write_json(last)
        self.assertEqual(self.convert("in.json", "last.h5").returncode, 0)
        for name, expected in (("out.h5", COURSE), ("last.h5", COURSE_LAST)):
            for variant, result in self.dilepton("--input", name).items():
                with self.subTest(name, variant=variant):
                    self.require_close(result["first_ten"][: len(expected)], expected)


class Libraries(InFolder):
    """A library that is missing is named in one line. `-S -I` starts a Python without its site's libraries."""

    def test_what_is_missing_is_named(self):
        for name in ("in.root", "in.parquet", "in.json"):
            (self.folder / name).write_text("[]")
        bare = (sys.executable, "-S", "-s", "-E")
        self.refused(self.convert("in.json", "out.h5", python=bare), 3, "needs numpy", "install")
        for name, libraries in {"in.root": ("uproot",), "in.parquet": ("pyarrow",)}.items():
            if here("numpy", "h5py") and not here(*libraries):
                self.refused(self.convert(name, "out.h5"), 3, f"needs {libraries[0]}", "install")
        if here("numpy") and not here("h5py"):
            self.refused(self.convert("in.json", "out.h5"), 3, "needs h5py", "python3-h5py")


if __name__ == "__main__":
    unittest.main()
