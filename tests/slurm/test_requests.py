# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What a real Slurm thinks of the batch scripts: daemons on loopback, started and stopped here.

Every site of configs/sites is there as a model, a controller with the site's partitions, nodes,
features and GPU types, which judges requests. That a model accepts a request says that the request
is valid and fits the site as its file states it; only the site itself can say that it takes it.

Without Slurm, munge or the program nothing is tested: the exit status is then 77 and the reason is
printed; with PARALLAX_REQUIRE_SLURM=1 that is a failure.
"""

import re
import sys
import unittest

from submitting import JOBS, ROOT, SEVERAL_GPUS, script_of, several_script
from test_ready import READY, ready_scripts, several_scripts
from world import MODELS, main, started

sys.path.insert(0, str(ROOT / "tests"))
from turns import by_turn  # noqa: E402

here = None  # the World


def setUpModule():
    global here
    here = started(MODELS)


def types():
    """Sites and their GPU types, a third of them with each commit: each takes seconds."""
    sites = sorted(set(here.clusters) - {"loopback"})
    return by_turn(((site, gpu) for site in sites for gpu in here.clusters[site].facts["gpus"]), 3)


class Requests(unittest.TestCase):
    """What the sites' Slurm thinks of the scripts."""

    def test_every_script_is_accepted_on_its_site(self):
        for site, gpu in types():
            for job in ("pair", *JOBS):
                with self.subTest(site=site, gpu=gpu, job=job):
                    said = here.submit(site, site, gpu, job, "--build", "--from", "/tmp", "--test-only")
                    self.assertEqual(said.returncode, 0, said.stderr)
                    self.assertIn("Slurm would take it: Job ", said.stdout)

    def test_what_needs_no_gpu_takes_no_gpus_node(self):
        """Where a site has CPU nodes: small jobs fit into the cores beside a GPU, too."""
        for site, gpu in types():
            facts = here.clusters[site].facts
            if not any("features" in node for node in facts["nodes"].values()):
                continue  # nothing there tells one node from another
            plain = {name for name, node in facts["nodes"].items() if "gpus" not in node}
            for job in ("build", "build-cpu", "cpu", "report"):
                script = here.submit(site, site, gpu, job, "--from", "/tmp", "--script").stdout
                partition = re.search("--partition=(.*)", script)
                among = facts["partitions"][partition.group(1)]["nodes"].split(",") if partition else plain
                if "--gpu" in script or "--gres" in script or not plain.intersection(among):
                    continue
                with self.subTest(site=site, gpu=gpu, job=job):
                    said = here.submit(site, site, gpu, job, "--from", "/tmp", "--test-only")
                    kind = re.search(r" on nodes (\S+) ", said.stdout).group(1).rpartition("-")[0]
                    self.assertIn(kind, plain, said.stdout)

    def test_and_refused_on_another(self):
        for site, gpu in types():
            for job in ("compare", "gpu", "cpu"):
                with self.subTest(site=site, gpu=gpu, job=job):
                    # A cluster is named where there is a database that knows them: none here.
                    script = re.sub("#SBATCH --clusters=.*\n", "", script_of(site, gpu, job))
                    refused = set()
                    for other in set(here.clusters) - {site, "loopback"}:
                        said = here.clusters[other].command("sbatch", "--test-only", input=script)
                        if said.returncode != 0:
                            self.assertRegex(said.stderr, "(?i)invalid|not available|no partition", other)
                            refused.add(other)
                    # A request that names a type or a partition is understood nowhere else.
                    if job != "cpu" and re.search(r"SBATCH --(partition|constraint)|(?<!gres=gpu):1$", script, re.M):
                        self.assertEqual(refused, set(here.clusters) - {site, "loopback"})
                    self.assertTrue(refused)

    def test_several_gpus_are_accepted_where_there_are_so_many(self):
        for site, gpu, gpus, nodes, *_ in by_turn(SEVERAL_GPUS, 3):
            words = ("--gpus", str(gpus), "--nodes", str(nodes))
            per_node = gpus // nodes
            with self.subTest(site=site, gpu=gpu, words=words):
                said = here.submit(site, site, gpu, "gpu", "--build", *words, "--test-only")
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertEqual(said.stdout.count("Slurm would take it: Job "), 2)
                line = here.submit(site, site, gpu, "interactive", *words, "--dry-run").stdout.splitlines()[0].split()
                said = here.clusters[site].command("sbatch", "--test-only", "--wrap=true", *line[1:])
                self.assertEqual(said.returncode, 0, said.stderr)
                # One more on each node, which scripts/submit refuses by itself, Slurm would refuse as well.
                if per_node == int(here.clusters[site].facts["gpus"][gpu]["cards"]):
                    script = several_script(site, gpu, gpus, nodes)
                    more = script.replace(f"ntasks-per-node={per_node}\n", f"ntasks-per-node={per_node + 1}\n")
                    more = re.sub(rf"(--gpus-per-node=|--gres=)(|\w+:){per_node}\n", rf"\g<1>\g<2>{per_node + 1}\n", more)
                    self.assertNotEqual(more, script)
                    said = here.clusters[site].command("sbatch", "--test-only", input=more)
                    self.assertEqual(said.returncode, 1, said.stdout)

    def test_several_processes_on_cpu_nodes_are_accepted(self):
        for site in sorted(set(here.clusters) - {"loopback"}):
            gpu = next(iter(here.clusters[site].facts["gpus"]))
            said = here.submit(site, site, gpu, "cpu", "--build", "--ranks", "4", "--nodes", "2", "--test-only")
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual(said.stdout.count("Slurm would take it: Job "), 2)
        # How many CPU nodes there are, Slurm knows.
        said = here.submit("alvis", "alvis", "a100", "cpu", "--ranks", "5", "--nodes", "5", "--test-only")
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn("5 processes on 5 nodes, 16 cores each", said.stderr)

    def test_every_ready_script_is_accepted_on_its_site(self):
        for site, _, path in [*ready_scripts(), *several_scripts()]:
            with self.subTest(path.name):
                words = ["sbatch", "--test-only", "-A", "a-project", str(path.relative_to(ROOT))]
                said = here.clusters[site].command(*words, cwd=ROOT)
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertRegex(said.stderr, r"sbatch: Job \d+ to start at")

    def test_slurm_reads_the_options_of_a_ready_script(self):
        """In spite of the comments behind them: another cluster, too many cores, too long a time and an unknown type are refused."""
        script = (READY / "pelle-l40s.sbatch").read_text()
        for site, old, new in (
            ("alvis", "", ""),
            ("pelle", "--cpus-per-task=3 ", "--cpus-per-task=65 "),
            ("pelle", "--time=01:30:00 ", "--time=3-00:00:00 "),
            ("pelle", "--gpus=l40s:1 ", "--gpus=v100:1 "),
            ("pelle", "--output=slurm-%j.out ", "--output=slurm-%j.out --gpus=a100:1 "),
        ):
            self.assertIn(old, script)
            said = here.clusters[site].command("sbatch", "--test-only", input=script.replace(old, new) if old else script)
            self.assertEqual(said.returncode, 1, (new, said.stderr))

    def test_interactive_lines_are_accepted(self):
        for site in sorted(set(here.clusters) - {"loopback", "snowy"}):
            for gpu in here.clusters[site].facts["gpus"]:
                with self.subTest(site=site, gpu=gpu):
                    line = here.submit(site, site, gpu, "interactive", "--dry-run").stdout.splitlines()[0].split()
                    self.assertEqual(line[0], "salloc")
                    said = here.clusters[site].command("sbatch", "--test-only", "--wrap=true", *line[1:])
                    self.assertEqual(said.returncode, 0, said.stderr)

    def test_the_courses_mistakes_are_refused(self):
        """24 tasks with a GPU each, for a program that uses one: by scripts/submit, and by a node of these sites."""
        options = ("--ntasks=24", "--gpus-per-task=1", "--cpus-per-task=1")
        for site, gpu in (("tetralith", "t4"), ("pelle", "l40s")):
            said = here.submit(site, site, gpu, "gpu", "--test-only", "--", *options)
            self.assertEqual(said.returncode, 2, said.stdout)
            self.assertIn("--ntasks 24: one program is one task", said.stderr)
            said = here.clusters[site].command("sbatch", "--test-only", *options, input=script_of(site, gpu, "gpu"))
            self.assertEqual(said.returncode, 1, said.stdout)

    def test_more_cards_than_a_node_has_are_refused(self):
        for site, gpu, option in (
            ("alvis", "t4", "--gpus-per-node=T4:9"),
            ("alvis", "a100", "--gpus-per-node=A100:5"),
            ("cosmos", "a100", "--gres=gpu:2"),
        ):
            said = here.clusters[site].command("sbatch", "--test-only", option, input=script_of(site, gpu, "gpu"))
            self.assertIn("Requested node configuration is not available", said.stderr)

    def test_the_models_have_the_sites_memory(self):
        """48 cores with what a core gets there by default are more than a node of Cosmos has."""
        script = script_of("cosmos", "a100", "cpu")
        for given, fits in ((script, True), (script.replace("#SBATCH --mem-per-cpu=5200\n", ""), False)):
            said = here.clusters["cosmos"].command("sbatch", "--test-only", input=given)
            self.assertEqual(said.returncode == 0, fits, said.stderr)


class Refusals(unittest.TestCase):
    """Each is explained: what was asked for, what Slurm said, what that means."""

    def refused(self, site, gpu, *options, means, submit_options=(), cluster=None, **environment):
        said = here.submit(
            cluster or site, site, gpu, "gpu", "--test-only", *submit_options, "--", *options, environment=environment
        )
        self.assertEqual(said.returncode, 1, said.stdout + said.stderr)
        self.assertRegex(said.stderr, r"submit: Slurm refused the job on \w+")
        self.assertIn("asked for:", said.stderr)
        self.assertRegex(said.stderr, r"it said: +\S")
        meaning = said.stderr[said.stderr.index("meaning:") :]
        self.assertIn(means, meaning, said.stderr)

    def test_wrong_type(self):
        self.refused("pelle", "l40s", "--gpus=a100:1", means="no GPU of that type")
        self.refused("kebnekaise", "l40s", "--gpus=l40:1", means="v100 2, a40 8, a6000 2, l40s 6")

    def test_two_types_at_once(self):
        said = here.submit("pelle", "pelle", "l40s", "gpu", "--test-only", "--", "--gpus-per-node=h100:1", environment={})
        self.assertEqual(said.returncode, 2, said.stdout + said.stderr)
        self.assertIn("this job is for the GPU l40s; for the other: scripts/submit pelle h100", said.stderr)

    def test_wrong_constraint(self):
        self.refused("kebnekaise", "l40s", "--constraint=l40", means="no node has that feature")
        # Each is a feature, but no node has both.
        self.refused("kebnekaise", "l40s", "--constraint=l40s&zen3", means="no node has all of that at once")

    def test_wrong_partition(self):
        self.refused("cosmos", "a100", "--partition=gpu", means="LUNARC Cosmos has: lu48 gpua100")
        # Where the cluster has the site's name and is not the one that its file describes.
        self.refused(
            "dardel",
            "mi250x",
            cluster="tetralith",
            means="is this its login node (ssh dardel.pdc.kth.se)?",
            PARALLAX_CLUSTER="tetralith",
        )

    def test_another_cluster(self):
        for site, gpu in (("dardel", "mi250x"), ("tetralith", "t4"), ("pelle", "l40s")):
            said = here.submit("alvis", site, gpu, "gpu", "--test-only")
            self.assertEqual(said.returncode, 2, said.stdout)
            self.assertIn(f"this is the cluster 'alvis', not '{site}'", said.stderr)

    def test_too_long(self):
        self.refused("pelle", "l40s", submit_options=("--time", "3-00:00:00"), means="longer than the partition allows")

    def test_too_many_cores(self):
        self.refused("tetralith", "t4", "--cpus-per-task=64", means="t4 goes with at most 32 cores")

    def test_unknown_option(self):
        self.refused("pelle", "l40s", "--gpu-type=l40s", means="does not know an option")

    def test_a_dead_controller_is_no_refusal(self):
        conf = here.folder / "dead.conf"
        text = here.clusters["pelle"].conf.read_text()
        conf.write_text(re.sub(r"SlurmctldPort=\d+", "SlurmctldPort=1", text) + "MessageTimeout=2\n")
        self.refused("pelle", "l40s", means="was not judged", SLURM_CONF=str(conf), PARALLAX_SLURM_TIMEOUT="8")


if __name__ == "__main__":
    main()
