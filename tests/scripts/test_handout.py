# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""scripts/handout: each sheet says what the site's ready script says, scripts/submit takes its commands, and slips are named."""

import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READY = sorted((ROOT / "sbatch").glob("*-*.sbatch"))


def run(*command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PARALLAX_")}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment)


def handout(*arguments):
    return run(ROOT / "scripts" / "handout", *arguments)


class Sheets(unittest.TestCase):
    def test_they_agree_with_the_ready_scripts(self):
        self.assertGreater(len(READY), 10)
        for path in READY:
            site, _, gpu = path.stem.rpartition("-")
            with self.subTest(path.stem):
                done, ready = handout(site, gpu), path.read_text(encoding="utf-8")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"    ssh NAME@{re.search(r'ssh (.+?)[)]', ready)[1]}\n", done.stdout)
                modules = re.search(r"^module load (.+?)(?: \|\||$)", ready, flags=re.MULTILINE)[1]
                self.assertIn(f"module load {modules}\n", done.stdout)
                self.assertEqual("module purge" in done.stdout, bool(re.search("^module purge", ready, flags=re.MULTILINE)))
                cores = re.search(r"--cpus-per-task=(\d+)", ready)[1]
                space = re.search(r"^run gpu (cuda|hip) ", ready, flags=re.MULTILINE)[1]
                self.assertIn(f"    srun --cpus-per-task={cores} scripts/parallax run vector_add --space {space}\n", done.stdout)
                self.assertIn(f"sbatch/{path.name}", done.stdout)

    def test_the_commands_are_taken(self):
        for path in READY:
            site, _, gpu = path.stem.rpartition("-")
            sheet = handout(site, gpu, "--project", "p2026-1-2", "--reservation", "gpu-course").stdout
            commands = re.findall(r"^    (scripts/submit .*)$", sheet, flags=re.MULTILINE)
            self.assertEqual(len(commands), 3, sheet)
            for command in commands:
                with self.subTest(command):
                    done = run("bash", "-c", f"cd {ROOT} && PARALLAX_ACCOUNT=p2026-1-2 {command.replace(gpu, gpu + ' --dry-run', 1)}")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("account=p2026-1-2", done.stdout)
                    # A build goes to nodes that the reservation may not have.
                    self.assertEqual("--reservation=gpu-course" in done.stdout, " build " not in command)

    def test_a_shared_build(self):
        sheet = handout("pelle", "h100", "--shared", "/proj/course/parallax").stdout
        self.assertIn("ln -s /proj/course/parallax/{apps,", sheet)
        self.assertIn("PARALLAX_BUILD=/proj/course/parallax/build/pelle-h100 PARALLAX_RESULTS=$PWD/results\n", sheet)
        self.assertNotIn("git clone", sheet)
        # The folders that it links are there.
        for name in re.search(r"\{(.+?)\}", sheet)[1].split(","):
            self.assertTrue((ROOT / name).is_dir(), name)
        # As the guide for teachers has it.
        guide = (ROOT / "course" / "teachers.md").read_text(encoding="utf-8")
        for line in re.findall(r"^    (ln -s .*|mkdir .*)$", sheet, flags=re.MULTILINE):
            self.assertIn(line, guide)

    def test_a_retired_cluster_says_so(self):
        self.assertIn("**Retired:** UPPMAX shut Snowy down", handout("snowy").stdout)

    def test_slips_are_named(self):
        for arguments, said in (
            ([], "no site ''; the sites are: alvis "),
            (["pella"], "no site 'pella'; the sites are: alvis "),
            (["../sites/pelle"], "no site '../sites/pelle'"),
            (["pelle", "a100"], "UPPMAX Pelle has no GPU 'a100'; it has: l40s h100 t4"),
            (["pelle", "t4", "x"], "too many words: 'x'"),
            (["pelle", "--project"], "--project needs a value"),
            (["pelle", "--project", "--shared"], "--project needs a value"),
            (["pelle", "--account", "p"], "unknown option '--account'"),
        ):
            with self.subTest(arguments):
                done = handout(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertTrue(done.stderr.startswith(f"handout: {said}"), done.stderr)


if __name__ == "__main__":
    unittest.main()
