# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The site files: what is in them, and mistakes that are named. No Slurm is needed here."""

import datetime
import re
import tempfile
import unittest
from pathlib import Path

from model import SITES, read_facts
from submitting import JOBS, ROOT, SUBMIT, all_types, script_of, submit

# The clusters that people asked for: site -> GPU types.
WANTED = {
    "pelle": {"l40s", "h100"},
    "snowy": {"t4"},
    "kebnekaise": {"v100", "a40", "a6000", "l40s", "a100", "h100", "mi100"},
    "cosmos": {"a100", "a100i"},
    "tetralith": {"t4"},
    "dardel": {"mi250x", "gh200"},
    "alvis": {"v100", "t4", "a100"},
}
# The cards a node of theirs has at most.
CARDS = {
    ("pelle", "l40s"): 10,
    ("pelle", "h100"): 2,
    ("kebnekaise", "v100"): 2,
    ("kebnekaise", "a40"): 8,
    ("kebnekaise", "a6000"): 2,
    ("kebnekaise", "l40s"): 6,
    ("kebnekaise", "a100"): 2,
    ("kebnekaise", "h100"): 4,
    ("kebnekaise", "mi100"): 2,
    ("cosmos", "a100"): 1,
    ("cosmos", "a100i"): 2,
    ("dardel", "mi250x"): 8,
    ("dardel", "gh200"): 4,
    ("alvis", "v100"): 4,
    ("alvis", "t4"): 8,
    ("alvis", "a100"): 4,
}


class SiteFiles(unittest.TestCase):
    def test_every_cluster_and_type_is_there(self):
        for site, types in WANTED.items():
            facts = read_facts(SITES / f"{site}.bash")
            self.assertLessEqual(types, set(facts["gpus"]), site)
            for gpu in types:
                if (site, gpu) in CARDS:
                    self.assertEqual(int(facts["gpus"][gpu]["cards"]), CARDS[site, gpu], (site, gpu))

    def test_each_says_when_it_was_checked_and_against_what(self):
        for site_file in SITES.glob("*.bash"):
            site = read_facts(site_file)["site"]
            checked = datetime.date.fromisoformat(site["checked"])
            self.assertLessEqual(checked, datetime.date.today(), site_file.name)
            self.assertRegex(site["source"], r"https://\S+", site_file.name)

    def test_presets_exist(self):
        presets = "".join(path.read_text() for path in (ROOT / "configs" / "presets").glob("*.json"))
        for site_file in SITES.glob("*.bash"):
            facts = read_facts(site_file)
            for name in [facts["site"]["cpu_preset"]] + [gpu["preset"] for gpu in facts["gpus"].values()]:
                self.assertIn(f'"{name}"', presets, site_file.name)
                self.assertIn(f'"{name}-mpi"', presets, site_file.name)

    def test_every_card_of_a_node_gets_its_cores(self):
        """A node fits one job for each of its cards, unless the site gives whole nodes."""
        for site_file in SITES.glob("*.bash"):
            facts = read_facts(site_file)
            whole = {
                kind
                for its in facts["partitions"].values()
                if its.get("exclusive") == "yes"
                for kind in its["nodes"].split(",")
            }
            for name, gpu in facts["gpus"].items():
                for kind, node in facts["nodes"].items():
                    gres, _, cards = node.get("gpus", "").partition(":")
                    if gres == gpu["gres"]:
                        jobs = 1 if kind in whole else int(cards)
                        self.assertLessEqual(jobs * int(gpu["cores"]), int(node["cores"]), (site_file.name, name, kind))

    def test_facts_of_a_site_stand_nowhere_else(self):
        elsewhere = "".join(path.read_text() for path in [SUBMIT, *(ROOT / "sbatch").glob("*.bash")])
        for site_file in SITES.glob("*.bash"):
            text = site_file.read_text()
            facts = read_facts(site_file)
            for word in {
                *re.findall(r"request='([^']+)'", text),
                *facts["site"].get("modules", "").split(),
                facts["site"]["login"],
                *re.findall(r"preset=(cuda-\w+|hip-\w+)", text),
            }:
                self.assertFalse(word in elsewhere, f"{word} of {site_file.name} stands elsewhere too")

    def test_no_project_and_no_graphics_cards(self):
        for site, gpu in all_types():
            for job in JOBS:
                script = script_of(site, gpu, job)
                self.assertNotRegex(script, r"#SBATCH (-A|--account)|(?i:naiss|snic|uppmax|hpc2n|lu)\d{4}-\d")
                self.assertNotIn("gpua40", script)

    def test_a_mistake_in_a_site_file_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for line, complaint in (
                ("site nam=X", "'nam=X' is not key=value"),
                ("site name=X", "site lacks checked="),
                ("cpu cores=1", "cpu lacks preset="),
                ("gpu x cores=1", "gpu x lacks request="),
                ("", 'has no line "site name=...'),
                (
                    "site name=X checked=2026-01-01 source=u login=l projects=p\ncpu cores=1 preset=zen3\n"
                    "gpu x request=-n1 cores=1 preset=cuda-a100",
                    "no line of nodes has gpus=x:N",
                ),
            ):
                (Path(folder) / "bad.bash").write_text(line + "\n")
                said = submit("bad", "x", environment={"PARALLAX_SITES": folder})
                self.assertEqual(said.returncode, 2, said)
                self.assertIn(complaint, said.stderr)
                self.assertIn("bad.bash", said.stderr)


if __name__ == "__main__":
    unittest.main()
