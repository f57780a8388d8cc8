# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The ready scripts, sbatch/SITE-GPU.sbatch and sbatch/several/SITE-GPU-xN.sbatch: what stands in them, and what they do. Neither Slurm nor a build is
needed here: test_slurm.py gives them to models of their sites, and runs one."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from model import SITES, read_facts
from test_submit import ROOT, script_of, submit

READY = ROOT / "sbatch"


def ready_scripts():
    """Yields (site, GPU type, path) of all that should be there."""
    for site_file in sorted(SITES.glob("*.bash")):
        facts = read_facts(site_file)
        if "retired" not in facts["site"]:
            for gpu in facts["gpus"]:
                yield site_file.stem, gpu, READY / f"{site_file.stem}-{gpu}.sbatch"


def several_scripts():
    """The same of those for several GPUs: one for each site."""
    for site_file in sorted(SITES.glob("*.bash")):
        if "retired" not in read_facts(site_file)["site"]:
            (path,) = (READY / "several").glob(f"{site_file.stem}-*-x*.sbatch")
            yield site_file.stem, path.stem.split("-")[1], path


def usual_script(site, gpu, path, job):
    """What scripts/submit writes for the same GPUs."""
    if path.parent == READY:
        return script_of(site, gpu, job)
    nodes = directives(path.read_text())["--nodes"]
    return submit(site, gpu, job.replace("compare", "gpu"), "--gpus", path.stem.rpartition("x")[2], "--nodes", nodes,
                  "--script", "--results", "/tmp").stdout


def directives(script):
    """{"--time": "01:00:00", ...}"""
    return dict((line.split()[1].split("=", 1) + [""])[:2] for line in script.splitlines() if line.startswith("#SBATCH"))


class Texts(unittest.TestCase):
    def test_they_are_what_the_generator_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            said = submit("--write-ready", folder, environment={"PARALLAX_ACCOUNT": "mine"})
            self.assertEqual((said.returncode, said.stdout, said.stderr), (0, "", ""))
            written = {str(path.relative_to(folder)): path.read_text() for path in Path(folder).glob("**/*.*")}
        committed = {str(path.relative_to(READY)): path.read_text() for path in READY.glob("**/*.sbatch")}
        everything = [*ready_scripts(), *several_scripts()]
        self.assertEqual(set(committed), {str(path.relative_to(READY)) for _, _, path in everything})
        self.assertEqual(set(written), set(committed))
        for name, text in written.items():
            self.assertTrue(committed[name] == text, f"{name} is not up to date: run scripts/submit --write-ready")

    def test_requests(self):
        for site, gpu, path in [*ready_scripts(), *several_scripts()]:
            with self.subTest(path.name):
                script = path.read_text()
                lines = script.splitlines()
                self.assertEqual(lines[0], "#!/bin/bash -l")
                commands = next(number for number, line in enumerate(lines) if line and not line.startswith("#"))
                self.assertEqual([number for number, line in enumerate(lines) if "SBATCH" in line and number > commands], [])
                asked, usual = directives(script), directives(usual_script(site, gpu, path, "compare"))
                apart = {"--job-name", "--time", "--output", "--dependency", "--signal", "--no-requeue"}
                self.assertEqual({o: v for o, v in asked.items() if o not in apart},
                                 {o: v for o, v in usual.items() if o not in apart})
                self.assertEqual(asked["--dependency"], "singleton")
                # Slurm drops a job without a word where the folder of its output is missing.
                self.assertEqual(asked["--output"], "slurm-%j.out")

    def test_they_stand_alone_and_name_nobody(self):
        for _, _, path in [*ready_scripts(), *several_scripts()]:
            with self.subTest(path.name):
                script = path.read_text()
                code = "\n".join(line for line in script.splitlines() if not line.startswith("#"))
                self.assertNotRegex(script, r"#SBATCH (-A|--account)|(?i:naiss|snic|uppmax|hpc2n|lu)\d{4}-\d")
                self.assertNotRegex(code, r"PARALLAX_(ROOT|SITE|JOB)|(^|\s)(source|\.) ")
                self.assertNotRegex(code, r"(?<![\w.}])/(home|proj|work|tmp|cfs|pfs|mimer|lunarc)\b")
                self.assertLessEqual(len(script.splitlines()), 95)
                self.assertLessEqual(max(map(len, script.splitlines())), 140)
                checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True, timeout=600)
                self.assertEqual(checked.stderr, "")

    def test_every_step_says_what_to_do_when_it_fails(self):
        for _, _, path in [*ready_scripts(), *several_scripts()]:
            code = re.sub(r"\\\n|\|\|\n", lambda joint: " " if joint[0][0] == "\\" else "|| ", path.read_text())
            steps = [line for line in code.splitlines() if re.match(r"\s*(OMP_\S+ )*(cmake|srun|mpirun|mpprun|module load|mkdir) ", line)]
            self.assertGreaterEqual(len(steps), 6, path.name)
            for step in steps:
                if not step.endswith("# for the charts"):
                    self.assertRegex(step, r'\|\| +stop ".{10}', path.name)

    def test_modules_and_preset_are_the_sites(self):
        for site, gpu, path in [*ready_scripts(), *several_scripts()]:
            with self.subTest(path.name):
                script = path.read_text()
                usual = usual_script(site, gpu, path, "build").replace("\\", "")
                modules = re.search(r"PARALLAX_MODULES=(.*) PARALLAX_PURGE=(\w+) PARALLAX_CMAKE=(.*)", usual)
                self.assertIn(f"\nmodule load {modules[1]} ||\n", script)
                self.assertEqual("\nmodule purge\n" in script, modules[2] == "yes")
                self.assertIn(modules[3].strip("'"), script)
                preset = re.search(r"PARALLAX_PRESET=(\S+) PARALLAX_SPACE=(\w+)", usual)
                self.assertIn(f"cmake --preset {preset[1]} ", script)
                self.assertIn(f"--space {preset[2]} --json", script)
                folder = re.search(r"PARALLAX_BUILD=\S+/(build/\S+)", usual)[1]
                self.assertIn(f"\nbuild={folder}\n", script)
                host = re.search(r"PARALLAX_HOST=(\w*)", usual)[1]
                self.assertEqual(re.findall(r"-D Kokkos_ARCH_(\w+)=ON", script), [host] if host else [])

    def test_only_the_cpus_threads_are_bound(self):
        for _, _, path in ready_scripts():
            steps = re.findall(r"(?m)^.*\bsrun .*", path.read_text())
            bound = [step for step in steps if "OMP_PROC_BIND=spread OMP_PLACES=cores srun" in step]
            self.assertEqual((len([s for s in steps if '"$program" run' in s]), len(bound)), (2, 1), path.name)
            self.assertIn("--space serial,openmp", bound[0])

    def test_one_gpu_and_then_all(self):
        for site, _, path in several_scripts():
            with self.subTest(path.name):
                script = path.read_text()
                gpus, asked = path.stem.rpartition("x")[2], directives(script)
                self.assertEqual(int(asked["--nodes"]) * int(asked["--ntasks-per-node"]), int(gpus))
                launch = {"cosmos": f"mpirun -n {gpus} --bind-to none", "tetralith": "mpprun"}.get(site, "srun")
                steps = re.findall(r'(?m)^([^#\n]+) "\$program" run .* --json (\S+)', script)
                self.assertEqual(steps, [("srun --nodes=1 --ntasks=1 --ntasks-per-node=1", '"$results/ranks-1.json"'),
                                         (launch, f'"$results/ranks-{gpus}.json"')])
                self.assertNotIn("OMP_PROC_BIND", script)
                self.assertIn(f'compare "$results"/{{ranks-1,ranks-{gpus}}}.json --across ranks ', script)


class Asked(unittest.TestCase):
    """A script made to order."""

    def test_options(self):
        said = submit("alvis", "t4", "ready", "--script", "--error-file", "--run", "matmul --set n=512", "--time", "20",
                      "--modules", "a/1 b/2")
        self.assertEqual(said.returncode, 0, said.stderr)
        asked = directives(said.stdout)
        self.assertEqual((asked["--error"], asked["--time"]), ("slurm-%j.err", "20"))
        self.assertIn("\nmodule load a/1 b/2 ||\n", said.stdout)
        self.assertIn('srun "$program" run matmul --set n=512 --space cuda ', said.stdout)

    def test_errors_apart_in_any_script(self):
        said = submit("pelle", "l40s", "gpu", "--script", "--error-file", "--results", "/tmp")
        self.assertIn('\n#SBATCH --error="/tmp/slurm-%j.err"\n', said.stdout)
        self.assertNotIn("--error", script_of("pelle", "l40s", "gpu"))

    def test_what_the_program_runs_stays_one_command(self):
        said = submit("alvis", "t4", "ready", "--script", "--run", "all; touch x")
        self.assertIn(r"run all\; touch x --space", said.stdout)

    def test_a_retired_cluster_says_so(self):
        self.assertRegex(submit("snowy", "t4", "ready", "--script").stdout, r"\n# Retired: UPPMAX shut Snowy down .*")

    def test_where_nodes_differ_from_the_login_nodes(self):
        """Such a script does not offer to compile there."""
        for gpu, offers in (("gh200", False), ("mi250x", True)):
            script = (READY / f"dardel-{gpu}.sbatch").read_text()
            self.assertEqual("bash -l sbatch/" in script, offers, gpu)
            self.assertEqual("submit this with sbatch: the login nodes have other processors" in script, not offers, gpu)

    def test_wrong_use(self):
        for words, complaint in (
            (["pelle", "h100", "ready", "--gpus", "4", "--script"], "at most 2 h100"),
            (["pelle", "l40s", "ready"], "sbatch -A PROJECT sbatch/pelle-l40s.sbatch"),
            (["pelle", "l40s", "ready", "--dry-run"], "ready is for --script"),
            (["pelle", "l40s", "ready", "--script", "--twins"], "no place for --twins"),
            (["pelle", "l40s", "ready", "--script", "-A", "me"], "or a project"),
            (["--write-ready", "a", "b"], "takes one folder"),
            (["--write-ready", "/nonexistent"], "no such folder"),
        ):
            said = submit(*words)
            self.assertIn(said.returncode, (2, 3), words)
            self.assertEqual(said.stdout, "")
            self.assertIn(complaint, said.stderr)


class Running(unittest.TestCase):
    """Stand-ins play the module command, cmake, srun and the program, and note what they were told."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tools = self.folder / "tools"
        self.clone = self.folder / "clone"
        self.words = self.folder / "words"
        self.tools.mkdir()
        self.clone.mkdir()
        (self.clone / "CMakePresets.json").touch()
        self.stand_in("srun", 'echo "srun OMP_PROC_BIND=${OMP_PROC_BIND:-} cores=$SRUN_CPUS_PER_TASK $*" >>"$words"; exec "$@"')
        self.program = """#!/bin/bash
            case $1 in
              run) echo '{}' >"${*: -1}"; [[ $* != *"${failing:-none}"* ]] ;;
              compare) echo "the ratios" ;;
              report) exit 3 ;;
            esac"""
        self.stand_in("cmake", f"""echo "cmake $*" >>"$words"
            [[ $* != *"${{failing:-none}}"* ]] || exit 1
            if [[ $1 == --build ]]; then
              mkdir -p "$2/bin" && cat >"$2/bin/parallax" <<'END' && chmod +x "$2/bin/parallax"\n{self.program}\nEND
            fi""")
        # A login shell makes its own PATH: the stand-ins come in by the file that such a shell reads.
        (self.folder / ".bash_profile").write_text(f'PATH="{self.tools}:$PATH"\n')

    def stand_in(self, name, body):
        (self.tools / name).write_text(f"#!/bin/bash\n{body}\n")
        (self.tools / name).chmod(0o755)

    def run_script(self, name="pelle-l40s", job="12", **environment):
        self.words.unlink(missing_ok=True)
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "OMP_", "SRUN_"))}
        if job:
            environment.update(SLURM_JOB_ID=job, SLURM_CPUS_PER_TASK="3", SLURM_SUBMIT_DIR=str(self.clone))
        note = 'echo "module $*" >>"$words"; [[ $* != *"${failing:-none}"* ]]'
        said = subprocess.run(
            ["bash", "-l", READY / f"{name}.sbatch" if isinstance(name, str) else name],
            capture_output=True, text=True, timeout=600, cwd=self.folder if job else self.clone,
            env={**clean, "HOME": str(self.folder), "words": str(self.words), "BASH_FUNC_module%%": f"() {{ {note}; }}",
                 **environment},
        )
        return said, self.words.read_text().splitlines() if self.words.exists() else []

    def test_from_nothing_to_a_comparison(self):
        said, words = self.run_script()
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        program = "build/pelle-l40s/bin/parallax"
        self.assertEqual(words[:3], ["module purge", "module load foss/2025b CUDA/13.0.2",
                                     "module load CMake/4.0.3-GCCcore-14.3.0"])
        self.assertRegex(words[3], r"^cmake --preset cuda-l40s -B build/pelle-l40s -D .* -D Kokkos_ARCH_ZEN4=ON$")
        self.assertEqual(words[4], "cmake --build build/pelle-l40s --target parallax --parallel 3")
        run = "run all --size course --space"
        self.assertEqual(words[5:7], [
            f"srun OMP_PROC_BIND=spread cores=3 {program} {run} serial,openmp --json results/12/cpu.json",
            f"srun OMP_PROC_BIND= cores=3 {program} {run} cuda --json results/12/gpu.json",
        ])
        self.assertIn("the ratios", said.stdout)
        self.assertIn("no report here", said.stdout)
        self.assertEqual({path.name for path in (self.clone / "results/12").iterdir()}, {"cpu.json", "gpu.json", "compare.txt"})
        # The second job finds the program, and lets CMake look whether a source is newer.
        said, words = self.run_script(job="13")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual([word for word in words if word.startswith("cmake")],
                         ["cmake --build build/pelle-l40s --target parallax --parallel 3"])

    def test_one_gpu_and_then_all_of_them(self):
        self.stand_in("mpirun", 'echo "mpirun cores=${SRUN_CPUS_PER_TASK:-}${SLURM_CPUS_PER_TASK:-} $*" >>"$words"; exec "${@:5}"')
        self.stand_in("srun", 'echo "srun cores=$SRUN_CPUS_PER_TASK $*" >>"$words"; while [[ $1 == --* ]]; do shift; done; exec "$@"')
        run = "run all --size course --space cuda --json results/12/ranks"
        for name, folder, single, all_gpus in (
            ("pelle-l40s-x4", "pelle-l40s-mpi", "srun cores=3", "srun cores=3"),
            ("cosmos-a100-x2", "cosmos-a100-mpi", "srun cores=3", "mpirun cores= -n 2 --bind-to none"),
        ):
            said, words = self.run_script(f"several/{name}")
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
            self.assertIn(f"cmake --build build/{folder} --target parallax parallax_mpi --parallel 4", words)
            self.assertTrue([word for word in words if word.startswith(f"cmake --preset cuda-{folder.split('-')[1]}-mpi -B build/{folder} ")])
            program = f"build/{folder}/bin/parallax"
            self.assertEqual(words[words.index(f"cmake --build build/{folder} --target parallax parallax_mpi --parallel 4") + 1 :][:2], [
                f"{single} --nodes=1 --ntasks=1 --ntasks-per-node=1 {program} {run}-1.json",
                f"{all_gpus} {program} {run}-{name[-1]}.json",
            ])
            self.assertIn("the ratios", said.stdout)
            for failing, says in (("ranks-1.json", "the run on one GPU failed"), (f"ranks-{name[-1]}.json", f"the run on {name[-1]} GPUs failed")):
                said, words = self.run_script(f"several/{name}", failing=failing)
                self.assertEqual(said.returncode, 1, said.stdout)
                self.assertIn(f"stopped: {says}: see above. Finished cases are in results/12/{failing}", said.stderr)

    def test_on_the_login_node_it_only_compiles(self):
        said, words = self.run_script(job=None)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn("compiled; now: sbatch -A PROJECT sbatch/pelle-l40s.sbatch", said.stdout)
        self.assertEqual(words[-1], "cmake --build build/pelle-l40s --target parallax --parallel 4")
        self.assertFalse((self.clone / "results").exists())
        said, words = self.run_script("dardel-gh200", job=None)
        self.assertEqual((said.returncode, words), (1, []))
        self.assertIn("submit this with sbatch", said.stderr)

    def test_it_stops_at_the_first_error(self):
        for failing, message, last in (
            ("foss", "stopped: is this UPPMAX Pelle? If so, its modules have changed", "module load foss"),
            ("--preset", "without a network, compile on the login node: bash -l sbatch/pelle-l40s.sbatch", "cmake --preset"),
            ("--build", "stopped: see the first error above", "cmake --build"),
            ("cpu.json", "stopped: the run on the CPU failed: see above. Finished cases are in results/12/cpu.json", "srun"),
            ("gpu.json", "stopped: the run on the GPU failed", "srun"),
        ):
            with self.subTest(failing):
                said, words = self.run_script(failing=failing)
                self.assertEqual(said.returncode, 1, said.stdout + said.stderr)
                self.assertIn(message, said.stderr)
                self.assertTrue(words[-1].startswith(last), words[-1])
                self.assertNotIn("the ratios", said.stdout)
        self.stand_in("cmake", "exit 1")
        said, words = self.run_script(failing="CMake/")
        self.assertIn("ask 'module spider CMake', correct the line above", said.stderr)

    def test_the_worked_example_of_the_page(self):
        """docs/batch-scripts.md: its two replacements in a copy of the script."""
        runs, comparison = re.findall(r"```bash\n(.*?)```", (ROOT / "docs" / "batch-scripts.md").read_text(), re.S)[:2]
        script = (READY / "pelle-l40s.sbatch").read_text()
        head, rest = script.split("# The CPU: one core", 1)
        between = rest[rest.index("\n# ---- Compare") :]
        mine = self.clone / "my.sbatch"
        mine.write_text(head + runs + between[: between.index('"$program" compare')] + comparison)
        said, words = self.run_script(mine)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        steps = [word.split("bin/parallax ")[1] for word in words if word.startswith("srun")]
        what = "run integration2d --variant row_per_thread,block_scratch --precision f64 --repeat 10 --set n="
        self.assertEqual(steps, [f"{what}{n} --space {space} --json results/12/{name}.json" for n, space, name in (
            (10000, "serial,openmp", "cpu"), (10000, "cuda", "gpu"), (102400, "cuda", "large"))])
        self.assertEqual(said.stdout.count("the ratios"), 3)

    def test_in_another_folder(self):
        (self.clone / "CMakePresets.json").unlink()
        said, words = self.run_script()
        self.assertEqual((said.returncode, words), (1, []))
        self.assertIn("submit this in the root of the repository", said.stderr)

    def test_an_older_kokkos_is_fetched_once(self):
        said, words = self.run_script("cosmos-a100")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        fetched = [word for word in words if "fetch.cmake" in word]
        self.assertEqual(len(fetched), 2)
        self.assertRegex(fetched[0], rf"FOLDER={self.clone}/build/sources/kokkos-4\.7\.01 -D URL=\S+ -D SHA256=[0-9a-f]{{64}}")
        (configured,) = (word for word in words if "--preset" in word)
        self.assertIn(f"-D FETCHCONTENT_SOURCE_DIR_KOKKOS={self.clone}/build/sources/kokkos-4.7.01", configured)
        self.assertIn("-D FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS=", configured)
        said, words = self.run_script("cosmos-a100")
        self.assertFalse([word for word in words if "fetch.cmake" in word])


if __name__ == "__main__":
    unittest.main()
