# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The ready scripts, sbatch/SITE-GPU.sbatch and sbatch/several/SITE-GPU-xN.sbatch: their text, and what they do with sbatch/job.bash. Neither
Slurm nor a build is needed here: test_requests.py gives them to models of their sites, and test_slurm.py runs one."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from model import SITES, read_facts
from submitting import ROOT, script_of, submit

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
                apart = {"--job-name", "--time", "--output", "--error", "--dependency"}
                self.assertEqual({o: v for o, v in asked.items() if o not in apart},
                                 {o: v for o, v in usual.items() if o not in apart})
                self.assertEqual(asked["--dependency"], "singleton")
                # Slurm drops a job without a word where the folder of its output is missing.
                self.assertEqual((asked["--output"], asked["--error"]), ("slurm-%j.out", "slurm-%j.err"))
                self.assertEqual((asked["--signal"], asked["--no-requeue"]), ("TERM@60", ""))

    def test_a_student_can_read_them(self):
        """Comments, the request, the modules, and one call for each step; no folder of ours, and no project."""
        call = re.compile(
            r"cd \"\$\{SLURM_SUBMIT_DIR:-\.\}\" \|\| exit|source sbatch/job\.bash \|\| \{ echo \".{30,}\" >&2 && exit 1; \}"
            r"|only_in_a_job"
            r"|module purge|module load [^|]+ \|\| no_modules|module load \S+ +# 3\.25 or newer"
            r"|start_job \S+ \S+( \d+ \w+)?|compile build/\S+ \S+( [A-Z0-9]+( [0-9.]+)?)?"
            r"|run (cpu serial,openmp|(gpu|ranks-1) (cuda|hip)) all --size course|run_all (cuda|hip) all --size course"
            r"|compare (space cpu gpu|ranks ranks-1 ranks-\d+)|(charts='[^']+' )?report (cpu gpu|ranks-1 ranks-\d+)"
        )
        for _, _, path in [*ready_scripts(), *several_scripts()]:
            with self.subTest(path.name):
                script = path.read_text()
                comments, request, code = re.fullmatch(r"#!.*\n# SPDX.*\n# SPDX.*\n((?:# .*\n)+)\n((?:#SBATCH .*\n)+)\n([^#][\s\S]*)", script).groups()
                self.assertIn(comments.count("\n"), range(4, 7))
                self.assertIn("\n# Never run on the cluster itself: ", comments)
                self.assertIn(f" sbatch -A PROJECT {path.relative_to(ROOT)}\n", comments)
                for line in code.splitlines():
                    self.assertRegex(line, rf"\A(?:{call.pattern})\Z")
                self.assertNotRegex(script, r"#SBATCH (-A|--account)|(?i:naiss|snic|uppmax|hpc2n|lu)\d{4}-\d")
                self.assertNotRegex(code, r"(?<![\w.}])/(home|proj|work|tmp|cfs|pfs|mimer|lunarc)\b")
                self.assertLessEqual(len(script.splitlines()), 35)
                self.assertLessEqual(max(map(len, script.splitlines())), 140)
                checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True, timeout=600)
                self.assertEqual(checked.stderr, "")

    def test_modules_and_preset_are_the_sites(self):
        for site, gpu, path in [*ready_scripts(), *several_scripts()]:
            with self.subTest(path.name):
                script, usual = path.read_text(), usual_script(site, gpu, path, "build")
                for line in re.findall(r"(?m)^module .*", usual):
                    self.assertIn(f"\n{line}\n", script)
                self.assertEqual("\nmodule purge\n" in script, "\nmodule purge\n" in usual)
                self.assertEqual(re.findall(r"(?m)^module load (\S+) +# 3\.25 or newer$", script),
                                 re.findall(r"(?m)^cmake_is_new_enough \|\| module load (.*)", usual))
                self.assertEqual(re.search(rf"\nconfigure {ROOT}/(.*)", usual)[1], re.search(r"\ncompile (.*)", script)[1])
                runs = re.findall(r"(?m)^(run.*)", usual_script(site, gpu, path, "compare").replace('"$spaces"', "serial,openmp"))
                self.assertEqual(re.findall(r"(?m)^(run.*)", script), runs)
                self.assertEqual(len(runs), 2)

    def test_one_gpu_and_then_all(self):
        for site, gpu, path in several_scripts():
            with self.subTest(path.name):
                script = path.read_text()
                gpus, asked = path.stem.rpartition("x")[2], directives(script)
                self.assertEqual(int(asked["--nodes"]) * int(asked["--ntasks-per-node"]), int(gpus))
                launch = {"cosmos": "mpirun", "tetralith": "mpprun"}.get(site, "srun")
                self.assertIn(f"\nstart_job {site} {gpu} {gpus} {launch}\n", script)
                self.assertIn(f"\ncompare ranks ranks-1 ranks-{gpus}\n", script)


class Asked(unittest.TestCase):
    """A script made to order."""

    def test_options(self):
        said = submit("alvis", "t4", "ready", "--script", "--error-file", "--run", "matmul --set n=512", "--time", "20",
                      "--modules", "a/1 b/2")
        self.assertEqual(said.returncode, 0, said.stderr)
        asked = directives(said.stdout)
        self.assertEqual((asked["--error"], asked["--time"]), ("slurm-%j.err", "20"))
        self.assertIn("\nmodule load a/1 b/2 || no_modules\n", said.stdout)
        self.assertIn("\nrun gpu cuda matmul --set n=512\n", said.stdout)

    def test_errors_apart_in_any_script(self):
        said = submit("pelle", "l40s", "gpu", "--script", "--error-file", "--results", "/tmp")
        self.assertIn('\n#SBATCH --error="/tmp/slurm-%j.err"\n', said.stdout)
        self.assertNotIn("--error", script_of("pelle", "l40s", "gpu"))

    def test_what_the_program_runs_stays_one_command(self):
        said = submit("alvis", "t4", "ready", "--script", "--run", "all; touch x")
        self.assertIn("\nrun gpu cuda all\\; touch x\n", said.stdout)

    def test_a_retired_cluster_says_so(self):
        self.assertRegex(submit("snowy", "t4", "ready", "--script").stdout, r"\n# Retired: UPPMAX shut Snowy down .*")

    def test_where_nodes_differ_from_the_login_nodes(self):
        """Such a script does not offer to compile there."""
        for gpu, offers in (("gh200", False), ("mi250x", True)):
            script = (READY / f"dardel-{gpu}.sbatch").read_text()
            self.assertEqual("bash -l sbatch/" in script, offers, gpu)
            self.assertEqual("\nonly_in_a_job\n" in script, not offers, gpu)
            self.assertEqual("--here" in script_of("dardel", gpu, "build"), offers, gpu)

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
        (self.clone / "sbatch").symlink_to(READY)
        note = 'echo "${0##*/} cores=${SRUN_CPUS_PER_TASK:-}${SLURM_CPUS_PER_TASK:-} $*" >>"$words"'
        for launcher in ("srun", "mpirun"):
            self.stand_in(launcher, note + '; while [[ ${1:-env} != env ]]; do shift; done; exec "$@"')
        self.program = """#!/bin/bash
            case $1 in
              run) [[ $* =~ -([0-9]+).json ]]; echo "{\\"mpi_ranks\\": ${BASH_REMATCH[1]:-1}}" >"${*: -1}"; [[ $* != *"${failing:-none}"* ]] || exit 7 ;;
              compare) echo "the ratios" ;;
              report) exit 3 ;;
            esac"""
        self.stand_in("cmake", f"""[[ $1 != --version ]] || {{ echo "cmake version ${{cmake:-4.1.2}}"; exit; }}
            echo "cmake $*" >>"$words"
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

    def step(self, name, spaces, bound="", program="build/pelle-l40s/bin/parallax", by="srun cores=33 --nodes=1 --ntasks=1 --ntasks-per-node=1"):
        bound = "OMP_NUM_THREADS=3 OMP_PROC_BIND=spread OMP_PLACES=cores" if bound else "-u OMP_PROC_BIND -u OMP_PLACES OMP_NUM_THREADS=3"
        return f"{by} env {bound} {program} run all --size course --space {spaces} --json {self.clone}/results/12/{name}.json"

    def test_from_nothing_to_a_comparison(self):
        said, words = self.run_script()
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual(words[:3], ["module purge", "module load foss/2025b CUDA/13.0.2",
                                     "module load CMake/4.0.3-GCCcore-14.3.0"])
        self.assertRegex(words[3], r"^cmake --preset cuda-l40s -B build/pelle-l40s -D .* -D Kokkos_ARCH_ZEN4=ON$")
        self.assertEqual(words[4], "cmake --build build/pelle-l40s --target parallax --parallel 3")
        self.assertEqual(words[5:], [self.step("cpu", "serial,openmp", bound=True), self.step("gpu", "cuda"),
                                     "module load matplotlib/3.10.5-gfbf-2025b"])
        self.assertIn("the ratios", said.stdout)
        self.assertIn("report: left out", said.stdout)
        self.assertIn(f"done, status 0: see {self.clone}/results/12\n", said.stdout)
        self.assertEqual({path.name for path in (self.clone / "results/12").iterdir()}, {
            *("cpu.json", "cpu.txt", "gpu.json", "gpu.txt", "compare.txt"),
            *("configure.log", "provenance.txt", "job.sbatch", "slurm.out"),
        })
        self.assertEqual(os.readlink(self.clone / "results/12/slurm.out"), "../../slurm-12.out")
        # The second job finds the program, and lets CMake look whether a source is newer.
        said, words = self.run_script(job="13")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual([word for word in words if word.startswith("cmake")],
                         ["cmake --build build/pelle-l40s --target parallax --parallel 3"])

    def test_one_gpu_and_then_all_of_them(self):
        for name, folder, by in (
            ("pelle-l40s-x4", "pelle-l40s-mpi", "srun cores=33"),
            ("cosmos-a100-x2", "cosmos-a100-mpi", "mpirun cores= -n 2 --bind-to none"),
        ):
            said, words = self.run_script(f"several/{name}", SLURM_CPUS_ON_NODE="12")
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
            built = words.index(f"cmake --build build/{folder} --target parallax parallax_mpi --parallel 12")
            self.assertTrue([word for word in words if word.startswith(f"cmake --preset cuda-{folder.split('-')[1]}-mpi -B build/{folder} ")])
            program = f"build/{folder}/bin/parallax"
            self.assertEqual(words[built + 1 : built + 3], [
                self.step("ranks-1", "cuda", program=program), self.step(f"ranks-{name[-1]}", "cuda", program=program, by=by)])
            self.assertIn("the ratios", said.stdout)
            for failing in ("ranks-1", f"ranks-{name[-1]}"):
                said, words = self.run_script(f"several/{name}", failing=f"{failing}.json")
                self.assertEqual(said.returncode, 7, said.stdout)
                self.assertIn(f"{failing} ended with status 7: see above. Its finished cases are in {self.clone}/results/12/{failing}.json", said.stdout)

    def test_on_the_login_node_it_only_compiles(self):
        said, words = self.run_script(job=None)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn(f"compiled; now: sbatch -A PROJECT {READY}/pelle-l40s.sbatch", said.stdout)
        self.assertEqual(words[-1], "cmake --build build/pelle-l40s --target parallax --parallel 4")
        said, words = self.run_script("dardel-gh200", job=None)
        self.assertEqual((said.returncode, words), (3, []))
        self.assertIn("submit this with sbatch", said.stderr)

    def test_it_stops_where_no_step_can_follow(self):
        for failing, message, last in (
            ("foss", "stopped: these modules did not load: is this Pelle? If so, its modules have changed", "module load foss"),
            ("--preset", "stopped: configuring failed; CMake's words are in ", "cmake --preset"),
            ("--build", "stopped: compiling failed: see the first error above", "cmake --build"),
        ):
            with self.subTest(failing):
                said, words = self.run_script(failing=failing)
                self.assertEqual(said.returncode, 3, said.stdout + said.stderr)
                self.assertIn(message, said.stderr)
                self.assertTrue(words[-1].startswith(last), words[-1])
                self.assertNotIn("the ratios", said.stdout)
        (self.clone / "build/pelle-l40s/bin/parallax").unlink(missing_ok=True)
        said, words = self.run_script(failing="CMake/", cmake="3.20.2")
        self.assertIn("CMake 3.25 or newer is needed, and here is cmake version 3.20.2. Ask 'module spider CMake', then correct the script", said.stderr)

    def test_without_a_network_it_names_the_way(self):
        self.stand_in("cmake", """[[ $1 != --version ]] || { echo "cmake version 4.1.2"; exit; }; echo "CMake Error: Each download failed!"; exit 1""")
        for name, way in (
            ("pelle-l40s", "Compile on the login node: bash -l sbatch/pelle-l40s.sbatch"),
            ("several/cosmos-a100-x2", "Compile on the login node: bash -l sbatch/several/cosmos-a100-x2.sbatch"),
            ("dardel-gh200", "unpack the release that the log names"),
        ):
            said, words = self.run_script(name)
            self.assertEqual(said.returncode, 3)
            self.assertIn(way, said.stderr)
            self.assertEqual("login node" in said.stderr, name != "dardel-gh200")
        self.assertIn("export FETCHCONTENT_SOURCE_DIR_KOKKOS=FOLDER", said.stderr)

    def test_sources_that_are_there_are_not_fetched(self):
        said, words = self.run_script("dardel-gh200", FETCHCONTENT_SOURCE_DIR_KOKKOS="/my kokkos")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        (configured,) = (word for word in words if "--preset" in word)
        self.assertTrue(configured.endswith("-D FETCHCONTENT_SOURCE_DIR_KOKKOS=/my kokkos"), configured)

    def test_the_tasks_of_an_array_do_not_compile_side_by_side(self):
        said, words = self.run_script(SLURM_ARRAY_TASK_ID="2")
        self.assertEqual(said.returncode, 3, said.stdout)
        self.assertIn("submit it without --array", said.stderr)
        self.assertEqual([word for word in words if not word.startswith("module")], [])

    def test_a_run_that_fails_keeps_no_other_from_running(self):
        for failing in ("cpu.json", "gpu.json"):
            said, words = self.run_script(failing=failing)
            self.assertEqual(said.returncode, 7, said.stdout + said.stderr)
            self.assertIn(f"{failing[:3]} ended with status 7: see above. Its finished cases are in {self.clone}/results/12/{failing}", said.stdout)
            self.assertEqual(len([word for word in words if word.startswith("srun")]), 2)
            self.assertIn("the ratios", said.stdout)

    def test_the_worked_example_of_the_page(self):
        """docs/batch-scripts.md: its two replacements in a copy of the script."""
        blocks = re.findall(r"```bash\n(.*?)```", (ROOT / "docs" / "batch-scripts.md").read_text(), re.S)[:2]
        script = (READY / "pelle-l40s.sbatch").read_text()
        head = script[: script.index("run cpu ")]
        mine = self.clone / "my.sbatch"
        mine.write_text(head + "".join(blocks))
        said, words = self.run_script(mine)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        steps = [word.split("bin/parallax ")[1] for word in words if word.startswith("srun")]
        what = "run integration2d --variant row_per_thread,block_scratch --precision f64 --repeat 10 --set n="
        self.assertEqual(steps, [f"{what}{n} --space {space} --json {self.clone}/results/12/{name}.json" for n, space, name in (
            (10000, "serial,openmp", "cpu"), (10000, "cuda", "gpu"), (102400, "cuda", "large"))])
        self.assertEqual(said.stdout.count("the ratios"), 3)

    def test_the_shared_program_of_a_course(self):
        """course/teachers.md: its replacement in a copy of the script. Nothing is compiled."""
        row = re.search(r"\| submit a ready script, .*in place of the line with `compile` write `(program=\S+)`", (ROOT / "course" / "teachers.md").read_text())
        (self.folder / "shared").write_text(self.program)
        (self.folder / "shared").chmod(0o755)
        mine = self.clone / "my.sbatch"
        line = row[1].replace(row[1].split("=")[1], str(self.folder / "shared"))
        mine.write_text(re.sub(r"(?m)^compile .*$", line, (READY / "pelle-l40s.sbatch").read_text()))
        said, words = self.run_script(mine)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual([word for word in words if word.startswith("cmake")], [])
        self.assertEqual([word for word in words if word.startswith("srun")], [
            self.step("cpu", "serial,openmp", bound=True, program=f"{self.folder}/shared"), self.step("gpu", "cuda", program=f"{self.folder}/shared")])
        self.assertIn("the ratios", said.stdout)

    def test_in_another_folder(self):
        (self.clone / "sbatch").unlink()
        said, words = self.run_script()
        self.assertEqual((said.returncode, words), (1, []))
        self.assertIn("submit this in the root of the repository", said.stderr)

    def test_an_older_kokkos_is_fetched_once(self):
        said, words = self.run_script("cosmos-a100")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        fetched = [word for word in words if "fetch.cmake" in word]
        self.assertEqual(len(fetched), 2)
        self.assertRegex(fetched[0], rf"URL=\S+ -D SHA256=[0-9a-f]{{64}} -D FOLDER={self.clone}/build/sources/kokkos-4\.7\.01 ")
        (configured,) = (word for word in words if "--preset" in word)
        self.assertIn(f"-D FETCHCONTENT_SOURCE_DIR_KOKKOS={self.clone}/build/sources/kokkos-4.7.01", configured)
        self.assertIn("-D FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS=", configured)
        said, words = self.run_script("cosmos-a100")
        self.assertFalse([word for word in words if "fetch.cmake" in word])


if __name__ == "__main__":
    unittest.main()
