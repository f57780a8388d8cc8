# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""parallax generate events, and dilepton_mass --input: exit statuses, messages, files, and the numbers of a round trip."""

import os
import signal
import subprocess
import time
import unittest

from support import InFolder  # first: it says where the next one is
from processes import PROGRAM

NUMBERS = ("events_with_pair", "sum", "first_ten", "peak_bin")


class Generate(InFolder):
    def setUp(self):
        super().setUp()
        self.need_hdf5()

    def generate(self, *arguments, shell=""):
        return self.run_program("generate", "events", *arguments, shell=shell)

    def test_says_what_it_wrote_and_leaves_nothing_else(self):
        outcome = self.generate("a.h5", "--set", "n=5e3,mean=2", "--seed", "3")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertRegex(outcome.stdout, r"^a\.h5: 5000 events, (9|10)\d{3} leptons, ")
        self.assertEqual(self.content(), ["a.h5"])

    def test_the_same_seed_gives_the_same_file_another_another(self):
        for name, seed, garbage in (("a", 3, "85"), ("b", 3, "170"), ("c", 4, "85")):
            # What the C library fills fresh memory with: bytes that were never written must not reach the file.
            shell = f"export MALLOC_PERTURB_={garbage} GLIBC_TUNABLES=glibc.malloc.perturb={garbage};"
            self.assertEqual(self.generate(f"{name}.h5", "--n", "1000", "--seed", seed, shell=shell).returncode, 0)
        a, b, c = ((self.folder / f"{name}.h5").read_bytes() for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_replaces_a_file_only_when_forced(self):
        (self.folder / "a.h5").write_text("mine")
        self.refused(self.generate("a.h5", "--n", "10"), 3, "'a.h5'", "exists", "--force")
        self.assertEqual((self.folder / "a.h5").read_text(), "mine")
        self.assertEqual(self.generate("a.h5", "--n", "10", "--force").returncode, 0)
        self.assertEqual((self.folder / "a.h5").read_bytes()[1:4], b"HDF")

    def test_bad_usage(self):
        self.refused(self.run_program("generate"), 2, "a command is required", "events")
        self.refused(self.run_program("generate", "evnts"), 2, "unknown command 'evnts'", "'events'")
        self.refused(self.generate(), 2, "file")
        for option, words in {
            "n=0": ("parameter 'n'", "'0'"),
            "mean=-1": ("parameter 'mean'", "'-1'"),
            "compression=10": ("parameter 'compression'", "up to 9"),
            "precision=f16": ("parameter 'precision'", "f32, f64"),
            "bins=3": ("unknown parameter 'bins'",),
            "layout=grup:a": ("unknown field 'grup'", "'group'"),
        }.items():
            self.refused(self.generate("a.h5", "--set", option), 2, *words)
        self.refused(self.generate("a.h5", "--seed", "-1"), 2, "--seed", "'-1'")
        self.assertEqual(self.content(), [])

    def test_what_cannot_be_written(self):
        self.refused(self.generate("no/such/a.h5"), 3, "cannot write 'no/such/a.h5'", "No such file")
        self.refused(self.generate("."), 3, "it is a directory")
        self.refused(self.generate("a.h5", "--set", "n=1e12,compression=0"), 3, "it needs", "free there")
        self.assertEqual(self.content(), [])

    def test_a_file_that_may_not_grow_is_removed(self):
        # As on a full disk, writing fails in the middle.
        limit = "trap '' XFSZ; ulimit -f 200;"
        for compression in (0, 4):
            outcome = self.generate("a.h5", "--set", f"n=1e6,compression={compression}", shell=limit)
            self.refused(outcome, 3, "cannot write 'a.h5'", "File too large")
            self.assertEqual(self.content(), [])

    def test_a_signal_stops_it_and_leaves_nothing(self):
        command = [str(PROGRAM), "generate", "events", "a.h5", "--set", "n=1e10"]
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True) as process:
            while not self.content() and process.poll() is None:
                time.sleep(0.05)
            self.assertRegex(" ".join(self.content()), r"^a\.h5\.partial-\S+-\d+$")
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertIn("'a.h5' was not written", err)
        self.assertEqual(self.content(), [])


class Input(InFolder):
    def setUp(self):
        super().setUp()
        self.need_hdf5()

    def refuse(self, status, *words, options=("--input", "a.h5")):
        self.refused(self.run_program("run", "dilepton_mass", *options), status, *words)

    def generate(self, text):
        outcome = self.run_program("generate", "events", "a.h5", "--force", "--set", text)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)

    def test_a_round_trip_gives_the_numbers_of_the_synthetic_run(self):
        expected = self.dilepton("--set", "n=20011,mean=2,giant_event=600", "--seed", "5", "--precision", "f32")
        for text in ("precision=f64,index=offsets,layout=group:a/b,pt:x", "compression=0,chunk=777"):
            outcome = self.run_program(
                "generate", "events", "a.h5", "--set", "n=20011,mean=2,giant_event=600," + text, "--seed=5", "--force"
            )
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            layout = ["--input-layout", "group=a/b,pt=x"] if "layout" in text else []
            for slices, options in ((1, []), (21, ["--set", "input_slice=1000"])):
                found = self.dilepton("--set", "input=a.h5", *layout, *options)
                for variant, result in found.items():
                    with self.subTest(text=text, slices=slices, variant=variant):
                        self.assertEqual(result["slices"], slices)
                        self.assertEqual(result["parameters"]["n"], 20011)
                        for name in NUMBERS:
                            self.assertEqual(result[name], expected[variant][name])

    def test_n_reads_the_first_events(self):
        self.generate("n=1000")
        expected = self.dilepton("--set", "n=1000", "--variant", "balanced")["balanced"]["first_ten"]
        found = self.dilepton("--input", "a.h5", "--n", "10")["balanced"]
        self.assertEqual(found["first_ten"], expected)
        self.assertEqual(found["events_with_pair"], sum(m > 0 for m in expected))
        self.refuse(2, "n=1001", "1000 events", options=("--input", "a.h5", "--n", "1001"))

    def test_slices_take_less_memory_than_the_whole(self):
        self.generate("n=2e6,precision=f64,compression=0")
        peak = {}
        for slices in ("20000", "20000000"):
            options = ["--input", "a.h5", "--input-slice", slices, "--precision", "f64", "--variant", "balanced"]
            command = [str(PROGRAM), "run", "dilepton_mass", "--space", self.host_space(), "--verify-only", *options]
            with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                _, status, used = os.wait4(run.pid, 0)
                run.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(run.returncode, 0)
            peak[slices] = used.ru_maxrss / 1024
        # 3e6 leptons of 25 bytes in the file's slice and again in the space's memory.
        self.assertLess(peak["20000"] + 100, peak["20000000"], "MiB")

    def test_an_image_is_drawn_from_slices_too(self):
        self.generate("n=1000")
        self.dilepton("--input", "a.h5", "--input-slice", "300", "--image", "a.png")
        self.assertEqual((self.folder / "a.png").read_bytes()[1:4], b"PNG")

    def test_files_that_cannot_be_read(self):
        self.refuse(3, "cannot read 'a.h5'", "No such file")
        self.generate("n=5000")
        whole = (self.folder / "a.h5").read_bytes()
        (self.folder / "a.h5").write_bytes(whole[: len(whole) // 2])
        self.refuse(3, "cannot read 'a.h5'", "truncated or damaged")
        (self.folder / "a.h5").write_text("pt eta phi")
        self.refuse(2, "'a.h5' is not an HDF5 file")
        (self.folder / "a.h5").unlink()
        (self.folder / "a.h5").mkdir()
        self.refuse(3, "'a.h5'", "it is a directory")

    def test_options_that_make_no_sense(self):
        self.generate("n=100")
        given = ("--input", "a.h5")
        self.refuse(2, "no group 'muons'", options=(*given, "--input-layout", "group=muons"))
        self.refuse(2, "unknown field 'p'", "'pt'", options=(*given, "--input-layout", "p=x"))
        self.refuse(2, "'input_slice'", "'0'", options=(*given, "--input-slice", "0"))
        self.refuse(2, "'mean'", "synthetic", options=(*given, "--mean", "3"))
        self.refuse(2, "'input_slice' needs --input", options=("--input-slice", "7"))

    def test_a_dry_run_knows_the_file(self):
        self.generate("n=1234")
        outcome = self.run_program("run", "dilepton_mass", "--input", "a.h5", "--dry-run")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("n=1234", outcome.stdout)


if __name__ == "__main__":
    unittest.main()
