# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The scripts as a user starts them: through links, beside each other, without a network. Nothing is built here: stand-ins
for CMake and apt say what they were asked for."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [ROOT / ".ci" / "run", *(p for p in sorted((ROOT / "scripts").iterdir()) if os.access(p, os.X_OK) and p.is_file())]
BASH = [p for p in SCRIPTS if "bash" in p.read_text().splitlines()[0]]
PYTHON = [p for p in SCRIPTS if "python" in p.read_text().splitlines()[0]]

# Read by each bash that runs a script: stops it as soon as it knows its root, before any work.
STOP = r"""unset root
set -T
trap '[[ -z ${root:-} ]] || { echo "$root ${-//[^e]/} $(shopt -po pipefail)"; exit 0; }' DEBUG
"""
STAND_IN = "#!/bin/bash\n"


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def write(self, name, text, mode=0o755):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def everything(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PARALLAX_", "BASH_"))}
        return {**kept, "PATH": f"{self.folder / 'stand-ins'}:{kept['PATH']}", **more}

    def start(self, *command, **environment):
        return subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            cwd=self.folder, env=self.environment(**environment),
        )

    def run_script(self, *command, **environment):
        with self.start(*command, **environment) as process:
            out, err = process.communicate()
        return process.returncode, out, err

    def copy_scripts(self):
        """A repository with only the scripts, and what those in Python begin with."""
        shutil.copytree(ROOT / "scripts", self.folder / "scripts")
        self.write("python/parallax/start.py", (ROOT / "python/parallax/start.py").read_text(), 0o644)
        for name in ("src", "apps", "cmake"):
            (self.folder / name).mkdir()


class Root(InFolder):
    """A script's root is its real file's, however it is called and whatever CDPATH says."""

    def ways(self, script):
        link = self.folder / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(script)
        chain = self.folder / "chain"
        chain.unlink(missing_ok=True)
        chain.symlink_to("link")
        (self.folder / "work").mkdir(exist_ok=True)
        return [script, link, chain, Path(os.path.relpath(script, self.folder))]

    def test_bash(self):
        (self.folder / "stop").write_text(STOP)
        self.assertGreater(len(BASH), 8)
        for script in BASH:
            for way in self.ways(script):
                with self.subTest(script=script.name, way=str(way)):
                    before = self.everything()
                    found = self.run_script(
                        "bash", "-c", 'cd "$0" && exec "$1"', self.folder, way if way.is_absolute() else f"./{way}",
                        BASH_ENV="stop", CDPATH=f"{ROOT}:{self.folder}:/",
                    )
                    # The root, errexit and pipefail.
                    self.assertEqual(found, (0, f"{ROOT} e set -o pipefail\n", ""))
                    self.assertEqual(self.everything(), before)

    def test_python(self):
        said = "import runpy, sys; print(runpy.run_path(sys.argv[1])['ROOT'])"
        self.assertGreater(len(PYTHON), 2)
        for script in PYTHON:
            for way in self.ways(script):
                with self.subTest(script=script.name, way=str(way)):
                    found = self.run_script(sys.executable, "-c", said, way, PYTHONDONTWRITEBYTECODE="1")
                    self.assertEqual(found, (0, f"{ROOT}\n", ""))

    def test_the_first_error_ends_a_script(self):
        # Without the files that it shares with others.
        sourcing = [p for p in BASH if '/common.bash"' in p.read_text() or '/site.bash"' in p.read_text()]
        self.assertGreater(len(sourcing), 6)
        for script in sourcing:
            with self.subTest(script=script.name):
                alone = self.write(f"scripts/{script.name}", script.read_text())
                before = self.everything()
                status, out, err = self.run_script(alone)
                self.assertNotEqual(status, 0)
                self.assertEqual((out, err.count("\n")), ("", 1), err)
                self.assertEqual(self.everything(), before)


class Help(InFolder):
    """--help is answered by every script, whatever it is for, and nothing is done."""

    def test_every_script(self):
        self.copy_scripts()
        for name in ("configs", "sbatch"):
            shutil.copytree(ROOT / name, self.folder / name)
        shutil.copytree(ROOT / "python/parallax", self.folder / "python/parallax", dirs_exist_ok=True)
        before = {name for name in self.everything() if "__pycache__" not in name}
        scripts = [p.name for p in SCRIPTS if p.parent.name == "scripts"]
        self.assertGreater(len(scripts), 20)
        for name in scripts:
            with self.subTest(name):
                status, out, err = self.run_script(f"scripts/{name}", "--help", PYTHONDONTWRITEBYTECODE="1")
                self.assertEqual((status, err), (0, ""))
                self.assertIn({"lesson": "scripts/parallax lesson", "notebooks": "usage: notebooks"}.get(name, f"scripts/{name}"), out)
                self.assertNotIn("SPDX", out)
                self.assertNotIn("set -euo", out)
        made = {name for name in self.everything() if "__pycache__" not in name} - before
        self.assertEqual(made, {"build", "build/.build.lock"})  # of scripts/parallax, which looked for a program

    def test_the_programs_own_help_where_there_is_a_program(self):
        self.copy_scripts()
        self.write("build/host/bin/parallax", STAND_IN + 'echo "own $*"\n')
        self.assertEqual(self.run_script("scripts/parallax", "--help"), (0, "own --help\n", ""))

    def test_a_commands_help_is_its_own(self):
        self.copy_scripts()
        self.write("stand-ins/nvidia-smi", STAND_IN + "exit 1\n")
        self.assertIn("scripts/gpu-check [", self.run_script("scripts/gpu-check", "--preset", "x", "--help")[1])
        self.assertEqual(self.run_script("scripts/measure", "--", "--help", PARALLAX_PROGRAM="false", PARALLAX_PYTHON="echo")[:1], (1,))


class Pythons(InFolder):
    """The programs in Python find a Python that is new enough and has what they need, or say so in one line."""

    PROGRAMS = [p for p in sorted((ROOT / "python").glob("*.py")) if p.name != "setup.py"]
    # An interpreter that says that it is older than it is, and knows what was not there yet.
    OLD = """import os, runpy, sys
sys.version_info, sys.argv = (3, 6, 8, "final", 0), sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")"""

    def test_all_are_read_by_python_3_6(self):
        self.assertGreater(len(self.PROGRAMS), 5)
        for program in [*self.PROGRAMS, *PYTHON, ROOT / "python/parallax/start.py", *(ROOT / "scripts/lessons").glob("*.py")]:
            with self.subTest(program.name):
                text = program.read_text(encoding="utf-8")
                ast.parse(text, feature_version=(3, 6))
                self.assertNotIn("from __future__ import annotations", text)

    def test_an_old_python_says_what_is_needed(self):
        for program in [*self.PROGRAMS, *(p for p in PYTHON if p.name != "lesson")]:
            with self.subTest(program.name):
                named = {"PARALLAX_PYTHON": sys.executable, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
                status, out, err = self.run_script(sys.executable, "-c", self.OLD, program, **named)
                self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
                self.assertRegex(err, rf"^[\w.-]+: needs Python 3\.9 or newer, and {re.escape(sys.executable)} is Python 3\.6\.8; ")

    def need(self, modules="the_module", **environment):
        """What a program says that needs modules and prints them."""
        program = self.write(
            "program.py",
            f"import os, sys\nsys.path.insert(0, {str(ROOT / 'python')!r})\nfrom parallax import start\nstart.DEBIAN = {str(self.folder / 'debian')!r}\n"
            f"start.need({modules.split()!r}, '{{error}}')\nprint(os.environ.get('MPLCONFIGDIR', ''), sys.modules[{modules!r}].__file__)\n",
        )
        return self.run_script(sys.executable, "-S", program, **{"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": "", **environment})

    def test_modules_of_another_python_are_given_up(self):
        broken = self.write("other/the_module.py", "raise ImportError('numpy of another Python\\nin many lines')\n").parent
        self.write("the_module.py", "")
        self.assertEqual(self.need(), (0, f" {self.folder / 'the_module.py'}\n", ""))
        self.write("the_module.py", "import os\nif os.environ.get('PYTHONPATH'):\n    raise ImportError('x')\n")
        self.assertEqual(self.need(PYTHONPATH=str(broken)), (0, f" {self.folder / 'the_module.py'}\n", ""))
        (self.folder / "the_module.py").unlink()
        self.write("debian", STAND_IN + 'echo "Debian\'s [${PYTHONPATH:-}] $*"\n')
        found = self.need(PYTHONPATH=str(broken))
        self.assertEqual(found, (0, f"Debian's [] {self.folder / 'program.py'}\n", ""))
        self.assertEqual(self.need(PARALLAX_PYTHON="mine"), (3, "", "program: No module named 'the_module'\n"))

    def test_matplotlib_in_a_home_that_is_none(self):
        self.write("matplotlib/__init__.py", "")
        self.write("matplotlib/figure.py", "")
        self.write("file", "")
        (self.folder / "home").mkdir()
        for home, calm in (("home", False), ("file", True), ("file/absent", True)):
            with self.subTest(home):
                status, out, err = self.need("matplotlib.figure", HOME=str(self.folder / home), MPLCONFIGDIR="", XDG_CONFIG_HOME="", XDG_CACHE_HOME="")
                self.assertEqual((status, err), (0, ""))
                self.assertEqual(bool(out.split(" ")[0]), calm)
                self.assertFalse(calm and Path(out.split(" ")[0]).exists())  # gone with the program
        self.assertEqual(self.need("matplotlib.figure", HOME="file", MPLCONFIGDIR="mine")[1].split(" ")[0], "mine")

    def test_the_trees_python_takes_no_other_pythons_modules(self):
        self.copy_scripts()
        (self.folder / "build/sandbox/usr/lib/x86_64-linux-gnu").mkdir(parents=True)
        self.write("build/sandbox/usr/bin/python3", "")
        self.write("build/sandbox/lib64/ld-linux.so.2", STAND_IN + 'echo "[${PYTHONPATH:-}] $PYTHONNOUSERSITE ${PYTHONHOME##*/}"\n')
        self.assertEqual(self.run_script("scripts/tree-python", "x", PYTHONPATH="/other"), (0, "[] 1 usr\n", ""))
        mine = str(self.folder / "python")
        self.assertEqual(self.run_script("scripts/tree-python", "x", PYTHONPATH=f"/other:{mine}:"), (0, f"[{mine}] 1 usr\n", ""))


class Builds(InFolder):
    def setUp(self):
        super().setUp()
        self.copy_scripts()

    def test_two_builds_wait_for_each_other(self, says="another build is at work in build: waiting"):
        # The stand-in for CMake notes when it begins and ends, and in between waits for a word from here.
        os.mkfifo(self.folder / "word")
        self.write(
            "stand-ins/cmake",
            STAND_IN + 'if [[ $1 == --build ]]; then echo begin >>log; read -r _ <word; echo end >>log; fi\n'
            "mkdir -p build/host/bin && cp stand-ins/program build/host/bin/parallax\n",
        )
        self.write("stand-ins/program", STAND_IN + 'echo "ran $*"\n')
        with self.start("scripts/parallax", "a", PARALLAX_WAY="host") as first:
            with open(self.folder / "word", "w") as word:  # opens when the first build reads
                with self.start("scripts/parallax", "b", PARALLAX_WAY="host") as second:
                    self.assertIn(says, second.stderr.readline())
                    self.assertEqual((self.folder / "log").read_text(), "begin\n")
                    word.write("go\n")
                    word.close()
                    self.assertEqual(first.communicate()[0], "ran a\n")
                    # The first has built what the second runs.
                    self.assertEqual(second.communicate()[0], "ran b\n")
        self.assertEqual((first.returncode, second.returncode), (0, 0))
        self.assertEqual((self.folder / "log").read_text(), "begin\nend\n")

    def without_flock(self):
        """flock as where the file system has no locks: ENOSYS."""
        self.write("stand-ins/flock", STAND_IN + 'echo "flock: $*: Function not implemented" >&2; exit 65\n')

    def test_two_builds_wait_for_each_other_where_flock_does_not_work(self):
        self.without_flock()
        self.write("stand-ins/sleep", STAND_IN + "exec /bin/sleep 0.01\n")
        self.test_two_builds_wait_for_each_other("another build is at work in build: waiting until process ")
        self.assertEqual([name for name in self.everything() if ".held" in name], [])

    def test_a_lock_of_a_process_that_has_ended_is_taken_over(self):
        self.without_flock()
        self.write("build/host/bin/parallax", STAND_IN + "ls -A build\n")
        with self.start("true") as ended:
            ended.communicate()
        (self.folder / "build/.build.lock.held").symlink_to(f"{os.uname().nodename} {ended.pid}")
        self.assertEqual(self.run_script("scripts/parallax"), (0, ".build.lock\nhost\n", ""))

    def test_where_nothing_locks_it_goes_on_and_says_so(self):
        self.without_flock()
        self.write("stand-ins/ln", STAND_IN + "exit 1\n")
        self.write("build/host/bin/parallax", STAND_IN + "echo ran\n")
        status, out, err = self.run_script("scripts/parallax")
        self.assertEqual((status, out, err), (0, "ran\n", "parallax: locks do not work in build: start no second build in this clone\n"))

    def test_a_clone_of_another_user(self):
        """What is built there runs; what would write there is refused in a line."""
        self.write("build/host/bin/parallax", STAND_IN + "echo ran\n")
        self.write("build/.build.lock", "", 0o644)
        self.write("stand-ins/nvidia-smi", STAND_IN + 'echo "NVIDIA H200, 9.0"\n')
        self.write("stand-ins/python3", STAND_IN)  # with MkDocs
        folders = [self.folder, *(p for p in self.folder.rglob("*") if p.is_dir())]
        other = ()
        if os.geteuid() == 0:
            other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
            if shutil.which("setpriv") is None:
                self.skipTest("no setpriv")
        for folder in folders:
            folder.chmod(0o755 if other else 0o555)
            if not other:
                self.addCleanup(folder.chmod, 0o755)
        self.assertEqual(self.run_script(*other, "scripts/parallax"), (0, "ran\n", ""))
        for command in ("run-demo", "run-tests", "fuzz", "compile-check hip", "gpu-check --preset cuda-h200", "site", "measure",
                        "all-accelerators", "sandbox true"):
            with self.subTest(command):
                status, out, err = self.run_script(*other, *f"scripts/{command}".split(), PARALLAX_WAY="host")
                self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
                self.assertRegex(err, f"^parallax: cannot write in {self.folder}/build.*: work in a copy of your own\n$")

    CONFIGURES = """case $1 in
  -S) mkdir -p "$4/build"; echo x >"$4/build/found"
      if [[ $2 != */probe ]]; then
        echo "CMAKE_CACHEFILE_DIR:INTERNAL=$4" >"$4/CMakeCache.txt"; printf '%s\\n' "$@" >"$4/arguments"
      fi ;;
  --build) echo "built ${2##*/}" >&2; mkdir -p "$2/bin" && cp "${0%/*}/program" "$2/bin/parallax" ;;
esac
"""

    def test_a_clone_that_was_moved_or_copied_is_built_anew(self):
        self.write("stand-ins/cmake", STAND_IN + self.CONFIGURES)
        self.write("stand-ins/program", STAND_IN + 'echo "ran $*"\n')
        build = self.folder / "build/host"
        self.run_script("scripts/parallax", "a", PARALLAX_WAY="host")
        self.assertEqual(self.run_script("scripts/parallax", "b", PARALLAX_WAY="host"), (0, "ran b\n", ""))
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for old in (elsewhere, self.folder / "absent"):  # copied, moved
            for script, out in (("parallax", "ran list\n"), ("run-demo", "ran run all")):
                (build / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={old}\n")
                self.write("build/host/bin/parallax", "#!/absent/loader\n")
                status, found, err = self.run_script(f"scripts/{script}", "list", PARALLAX_WAY="host")
                self.assertEqual(status, 0, err)
                self.assertTrue(found.startswith(out), found)
                self.assertIn("parallax: build/host was made before this clone was moved or copied here: making it anew\n", err)
        # A build that the user names is never made anew.
        (build / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={elsewhere}\n")
        self.assertEqual(self.run_script("scripts/parallax", "c", PARALLAX_BUILD=str(build)), (0, "ran c\n", ""))
        self.write("build/host/bin/parallax", "#!/absent/loader\n")
        status, out, err = self.run_script("scripts/parallax", "c", PARALLAX_BUILD=str(build))
        self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
        self.assertIn("whose program does not start", err)

    def test_the_programs_of_a_tree_that_is_gone_are_not_run(self):
        self.write("build/debian-openmp/bin/parallax", STAND_IN + "echo ran\n")
        self.write("build/debian-openmp/way", "sandbox OFF\n", 0o644)
        self.write("stand-ins/id", STAND_IN + "echo 1000\n")
        status, out, err = self.run_script("scripts/parallax", PARALLAX_WAY="sandbox")
        self.assertEqual((status, out), (3, ""))
        self.assertIn("the Debian tree needs root", err)

    def clone(self, name):
        """The scripts in a clone of another name, with a Debian tree that has a compiler."""
        root = self.folder / name
        shutil.copytree(self.folder / "scripts", root / "scripts")
        (root / "build/sandbox/etc").mkdir(parents=True)
        shutil.copytree(self.folder / "libraries", root / "build/sandbox/usr/lib/x-linux-gnu")
        loader = root / "build/sandbox/lib64/ld-linux-x.so.2"
        loader.parent.mkdir()
        loader.symlink_to(self.loader())
        return root, loader

    def loader(self):
        """This machine's loader, which the system's own programs name."""
        said = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=True).stdout
        return re.search(r"(/\S*/ld-linux\S+)", said)[1]

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("cc") and shutil.which("ldd"), "no CMake or compiler")
    def test_odd_characters_in_the_path_of_a_clone(self):
        """The flags that link to the tree's loader and libraries, through CMake and the compiler."""
        (self.folder / "libraries").mkdir()
        sandbox = (self.folder / "scripts/sandbox").read_text()
        begin = sandbox.index("recipe() {")
        recipe = f'{sandbox[sandbox.index("packages=("):sandbox.index("# in_tree FOLDER")]}{sandbox[begin : sandbox.index(chr(10), begin)]}\nrecipe\n'
        for name in ("plain", "a b", "(x)", "don't", "a&b", "a,b", "a#b", "a$b", "a=b@c", "back`tick"):
            with self.subTest(name):
                root, loader = self.clone(name)
                ready = subprocess.run(["bash", "-c", recipe], capture_output=True, text=True, check=True).stdout
                (root / "build/sandbox/ready").write_text(ready)
                status, out, err = self.run_script(root / "scripts/sandbox", "--linker-flags")
                self.assertEqual((status, err), (0, ""))
                self.assertRegex(out, r"^@/etc/[\w-]+\n$")  # the tree's /etc
                (root / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\nproject(x C)\nadd_executable(x x.c)\n")
                (root / "x.c").write_text("int main(void) { return 7; }\n")
                # Where there is no tree around the compiler, its /etc has another name, which has nothing odd.
                (self.folder / "flags").write_text((root / f"build/sandbox{out.strip()[1:]}").read_text())
                flags = f"@{self.folder}/flags"
                generator = {"CMAKE_GENERATOR": "Ninja"} if shutil.which("ninja") else {}
                made = self.run_script("cmake", "-S", root, "-B", root / "b", f"-DCMAKE_EXE_LINKER_FLAGS={flags}", **generator)
                self.assertEqual(made[0], 0, made[2])
                made = self.run_script("cmake", "--build", root / "b")
                self.assertEqual(made[0], 0, made[1])
                self.assertEqual(self.run_script(root / "b/x")[0], 7)
                self.assertIn(str(loader).encode() + b"\0", (root / "b/x").read_bytes())

    def test_a_path_that_cmake_cannot_take_is_said(self):
        (self.folder / "libraries").mkdir()
        for name in ("a;b", "a[b", "a]b", "a:b", 'a"b', "a\\b", "a|b", "a<b", "a\nb"):
            with self.subTest(name):
                root, _ = self.clone(name)
                for script in ("run-demo", "parallax"):
                    status, out, err = self.run_script(root / "scripts" / script, PARALLAX_WAY="host")
                    self.assertEqual((status, out), (3, ""))
                    self.assertRegex(err, r"^parallax: CMake cannot build below [\s\S]*: none of .* may be in its path\n$")

    def test_nothing_is_installed_where_only_the_tree_is(self):
        self.write("stand-ins/id", STAND_IN + "echo 0\n")
        self.write("build/host/CMakeCache.txt", "CMAKE_INSTALL_PREFIX:PATH=/usr/local\n", 0o644)
        (self.folder / "build/sandbox").mkdir()
        sandbox = self.folder / "scripts/sandbox"
        # The tree is there, and what is asked of it is only said.
        text = sandbox.read_text().replace("$(recipe)", "").replace('  in_tree "$tree" "$@"', '  echo "$*"')
        sandbox.write_text(text)
        self.write("build/sandbox/ready", "")
        for words, installed in (
            ("--prefix /opt/outside", False), ("--prefix=/opt/outside", False), ("", False), ("--prefix ../outside", False),
            ("--prefix build/installed", True), (f"--prefix={self.folder}/build/installed --strip", True),
        ):
            with self.subTest(words):
                status, out, err = self.run_script("scripts/sandbox", "cmake", "--install", "build/host", *words.split())
                self.assertEqual((status, bool(out)), (0, True) if installed else (2, False))
                self.assertEqual(err.count("\n"), 0 if installed else 1, err)

    def test_the_demo_leaves_binding_to_the_program(self):
        self.write("stand-ins/cmake", STAND_IN + "mkdir -p build/host/bin && cp stand-ins/program build/host/bin/parallax\n")
        self.write("stand-ins/program", STAND_IN + 'echo "$1 [$OMP_PROC_BIND]"\n')
        status, out, err = self.run_script("scripts/run-demo", PARALLAX_WAY="host", OMP_PROC_BIND="")
        self.assertEqual((status, out), (0, "run []\n"), err)

    def test_the_demo_compares_one_core_with_all_in_one_program_where_openmp_is_all_there_is(self):
        self.write("stand-ins/cmake", STAND_IN + "mkdir -p build/host/bin && cp stand-ins/program build/host/bin/parallax\n")
        for spaces, asked in (("openmp", ["1 one_core.json", " all.json"]), ("openmp, serial", [" all.json"])):
            with self.subTest(spaces):
                self.write("stand-ins/program", STAND_IN + f'''
if [[ $1 == list ]]; then echo "spaces built in: {spaces}"; fi
if [[ "$1 $2 $4" == "run all demo" ]]; then echo "$OMP_NUM_THREADS ${{*: -1:1}}" >>asked; echo "table $OMP_NUM_THREADS"; fi
''')
                status, out, err = self.run_script("scripts/run-demo", PARALLAX_WAY="host", OMP_NUM_THREADS="")
                self.assertEqual((status, out), (0, "table \n"), err)
                self.assertEqual([line.replace(f"{self.folder}/build/demo/", "") for line in (self.folder / "asked").read_text().splitlines()], asked)
                (self.folder / "asked").unlink()

    def test_a_build_that_fails_shows_its_first_error_and_no_more(self):
        lines = "\n".join(f"[{k}/9] Building base/error.cpp.o" for k in range(1, 9))
        self.write("stand-ins/cmake", STAND_IN + f'''
if [[ $1 == --build ]]; then printf '%s\n' "{lines}" "FAILED: a.o" "a.cpp:1: error: no"; exit 1; fi
''')
        status, out, err = self.run_script("scripts/run-demo", PARALLAX_WAY="host")
        self.assertEqual((status, out), (3, ""))
        self.assertTrue(err.endswith("25 % built\nparallax: 50 % built\nparallax: 75 % built\nFAILED: a.o\na.cpp:1: error: no\n"
                                     "parallax: build/host does not build; the whole log is build/host/build.log\n"), err)

    def test_the_lock_ends_where_the_program_begins(self):
        self.write("build/host/bin/parallax", STAND_IN + "flock --nonblock build/.build.lock echo free\n")
        self.assertEqual(self.run_script("scripts/parallax"), (0, "free\n", ""))

    def test_a_space_chooses_the_build_that_has_it(self):
        for name in ("openmp", "serial"):
            self.write(f"build/debian-{name}/bin/parallax", STAND_IN + f'echo {name} "$@"\n')
        for arguments, name in {
            "run": "openmp", "run --space serial": "serial", "run --space=serial": "serial",
            "run --space openmp,serial": "openmp", "run serial --space openmp": "openmp",
            "run matmul --variant kokkos_kernels": "serial", "run matmul --variant kokkos_kernels --space openmp": "openmp",
        }.items():
            with self.subTest(arguments):
                found = self.run_script("scripts/parallax", *arguments.split())
                self.assertEqual(found, (0, f"{name} {arguments}\n", ""))

    def test_the_report_and_the_cascade_are_drawn_by_the_trees_python(self):
        self.write("build/debian-openmp/bin/parallax", STAND_IN + 'echo "$1 ${PARALLAX_PYTHON:-none}"\n')
        self.write("build/sandbox/ready", "")
        (self.folder / "build/sandbox/usr/lib/python3/dist-packages/matplotlib").mkdir(parents=True)
        tree = str(self.folder / "scripts" / "tree-python")
        for environment, found in (({}, tree), ({"PARALLAX_PYTHON": "mine"}, "mine")):
            for command in ("report", "portability"):
                self.assertEqual(self.run_script("scripts/parallax", command, **environment), (0, f"{command} {found}\n", ""))
        self.assertEqual(self.run_script("scripts/parallax", "list"), (0, "list none\n", ""))

    @unittest.skipUnless(os.access("/usr/bin/python3", os.X_OK), "no /usr/bin/python3")
    def test_a_python3_that_does_not_start_is_passed_over(self):
        self.write("build/host/bin/parallax", STAND_IN + 'echo "${PARALLAX_PYTHON:-none} ${PYTHONHOME:-none}"\n')
        self.assertEqual(self.run_script("scripts/parallax", "report", PYTHONHOME="/absent"), (0, "/usr/bin/python3 none\n", ""))
        self.write("stand-ins/python3", STAND_IN + "echo 'pyenv: python3: command not found' >&2; exit 127\n")
        self.assertEqual(self.run_script("scripts/parallax", "report"), (0, "/usr/bin/python3 none\n", ""))
        self.assertEqual(self.run_script("scripts/parallax", "report", PARALLAX_PYTHON="mine"), (0, "mine none\n", ""))
        self.assertEqual(self.run_script("scripts/parallax", "list"), (0, "none none\n", ""))

    def test_all_accelerators_are_measured_and_what_there_is_is_drawn(self):
        program = STAND_IN + "case $1 in list) echo '{\"spaces\": [\"NAME\"]}' ;; run) touch \"${@: -1}\" ;;& *) echo NAME \"$@\" ;; esac\n"
        for name in ("openmp", "serial"):
            self.write(f"build/debian-{name}/bin/parallax", program.replace("NAME", name))
        arguments = ("-o", "out", "quadratic", "--size", "tiny")
        status, out, err = self.run_script("scripts/all-accelerators", *arguments, PARALLAX_PYTHON="false")
        files = [f"out/kokkos-{name}.json" for name in ("openmp", "serial")]
        runs = "".join(f"== {s}\n{s} run quadratic --size tiny --space {s} --json {f}\n" for s, f in zip(("openmp", "serial"), files))
        report = f"openmp report {' '.join(files)} --bars quadratic -o out/quadratic.svg\n"
        self.assertEqual((status, out), (0, f"{runs}== Python\n{report}"), err)
        self.assertEqual(err, "parallax: not all of it could be run: drawing what there is\n")
        self.run_script("scripts/all-accelerators", *arguments, PARALLAX_PYTHON="false")
        self.assertIn(f"{files[0]}.old", self.everything())
        self.assertEqual(self.run_script("scripts/all-accelerators", "-o")[0], 2)
        status, _, err = self.run_script("scripts/all-accelerators", "-o", "none", PARALLAX_PYTHON="false", PARALLAX_SPACES=" ")
        self.assertEqual((status, err.splitlines()[-1]), (3, "parallax: all-accelerators: nothing was measured: there is nothing to draw"))


class Pages(InFolder):
    """scripts/check-commands sees a command that fails, one that is not there, and output that is not the page's."""

    def check(self, page):
        self.write("README.md", page, 0o644)
        return self.run_script(sys.executable, "scripts/check-commands", PYTHONDONTWRITEBYTECODE="1")

    def test_what_it_sees(self):
        self.copy_scripts()
        self.write("scripts/say", STAND_IN + 'echo "said $*"; touch "$1"; [[ $1 != wrong ]]\n')
        (self.folder / "apps/new_exercise").mkdir()
        for page, failed, run in (
            ("    scripts/say a    # a comment\n    scripts/say b\n\nText\n", 0, 2),
            ("    scripts/say wrong\n", 1, 1),
            ("    scripts/absent\n", 1, 1),
            ("    no command\n\n```text\nscripts/absent\n```\n", 0, 0),
            ("```console\n$ scripts/say 1 2 3\nsaid 1 ... 3\n$ scripts/say\nsaid\n```\n", 0, 2),
            ("```console\n$ scripts/say 1 2 3\nsaid 1 ... 4\n```\n", 1, 1),
            ("    scripts/say a -A PROJECT\n", 0, 0),
            ("    an event:   a drawing\n                1 2 3\n", 0, 0),
            ("    new_exercise --n 1\n", 1, 1),
        ):
            with self.subTest(page):
                status, out, err = self.check(page)
                self.assertEqual((status, err), (int(failed > 0), ""), out)
                self.assertIn(f"{run} commands, {failed} failed", out)
        self.assertFalse((self.folder / "a").exists())


class Prose(InFolder):
    """`scripts/lint prose` in a tree with a phrase that does not help in every kind of file, among code and right uses that pass."""

    FILES = {
        "README.md": "A sum is that of\nall ranks.\n\n```cpp\nint x;  // nobody\n```\n\n    ls alone\n\n`nobody`, [x](nobody.md)<!-- so many -->.\n",
        "src/a.cpp": 'const char* s = "nobody // alone";  // its sum, that\nint of = 1\'000;  // of those\n/// A sum of its\n/// own.\nint b;  /* as many */\n',
        "apps/x/lesson.hpp": "// Who bears it?\n// `nobody`\nint nobody = 0;\n",
        "docs/a.cu": "int so_many;  // so many\n",
        "cmake/a.cmake": 'set(X "# alone")  # X alone\n',
        "CMakeLists.txt": "# parted\n",
        "apps/x/twin.py": '"""Of which."""\nX = """nobody"""  # not as much\n\n\ndef f():\n    """It lies\n    here."""\n    return "# alone"\n',
        "configs/a.bash": "echo '# alone' \"$#\" ${x#of which}\n# wherein\n",
        "sbatch/a.sbatch": "#!/bin/bash\n#SBATCH -n 1\n# It stands in a.\n",
        "scripts/tool": "#!/usr/bin/env python3\nX = 'alone'\n# Those of X.\n",
        "apps/x/steps.json": '{"hints": ["Nobody waits."], "alone": ["only"]}\n',
        "right.md": "It stands alone. Leave the rest alone. Half as many, two times as much. A median lies between two, and stands for all.\n",
    }
    FOUND = {
        "README.md:1: 'that of'", "src/a.cpp:3: 'of its own'", "src/a.cpp:5: 'as many'", "apps/x/lesson.hpp:1: 'bears'", "docs/a.cu:1: 'so many'",
        "cmake/a.cmake:1: 'alone'", "CMakeLists.txt:1: 'parted'", "apps/x/twin.py:1: 'Of which'", "apps/x/twin.py:2: 'as much'",
        "apps/x/twin.py:6: 'lies'", "configs/a.bash:2: 'wherein'", "sbatch/a.sbatch:3: 'stands'", "scripts/tool:3: 'Those of'",
        "apps/x/steps.json:1: 'Nobody'",
    }

    def test_every_kind_of_file(self):
        self.copy_scripts()
        for script in (self.folder / "scripts").iterdir():  # of the suite's scripts only what the check itself needs
            if script.name not in ("lint", "prose", "common.bash"):
                shutil.rmtree(script) if script.is_dir() else script.unlink()
        for name, text in self.FILES.items():
            self.write(name, text, mode=0o644)
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        status, out, err = self.run_script(self.folder / "scripts" / "lint", "prose")
        self.assertEqual({": ".join(line.split(": ")[:2]) for line in out.splitlines()}, self.FOUND)
        self.assertEqual(len(out.splitlines()), len(self.FOUND))
        self.assertTrue(all(line.count(": ") >= 2 for line in out.splitlines()), out)
        self.assertEqual((status, err.splitlines()[-1]), (1, "parallax: lint: failed: prose"))
        for name in self.FILES.keys() - {"right.md"}:
            (self.folder / name).unlink()
        self.assertEqual(self.run_script(self.folder / "scripts" / "lint", "prose")[:2], (0, ""))


class WithoutNetwork(InFolder):
    """Few lines, that say what to do: not the log of the tool that failed."""

    LOG = "\n".join(f"a line of a long log, {k}" for k in range(50))

    def setUp(self):
        super().setUp()
        self.copy_scripts()
        # A machine without Debian's keys, whoever runs this test.
        self.write("stand-ins/id", STAND_IN + "echo 0\n")

    def refused(self, lines, *words, **environment):
        status, out, err = self.run_script("scripts/run-demo", **environment)
        said = [line for line in err.splitlines() if not line.startswith(("parallax: builds ", "parallax: then runs "))]
        self.assertEqual((status, out, len(said)), (3, "", lines), err)
        for word in words:
            self.assertIn(word, "\n".join(said))

    def test_cmake_cannot_fetch(self):
        error = "CMake Error at cmake/Fetch.cmake:7 (message):\n  Kokkos could\n  not be fetched\nCall Stack (most recent call first):"
        self.write("stand-ins/cmake", STAND_IN + f"cat <<'END'\n{self.LOG}\n{error}\n{self.LOG}\nEND\nexit 1\n")
        for _ in range(2):  # the second time there is a cache of the first
            self.refused(3, "Kokkos could not be fetched\n", "Kokkos_ROOT", "build/host/configure.log", PARALLAX_WAY="fetch")
            self.write("build/host/CMakeCache.txt", "")

    def test_apt_cannot_fetch(self):
        failing = STAND_IN + f"cat <<'END'\n{self.LOG}\nE: Failed to fetch InRelease\nEND\nexit 100\n"
        for name in ("apt-get", "debootstrap"):
            self.write(f"stand-ins/{name}", failing)
        self.write("stand-ins/apt-config", STAND_IN)
        _, _, err = self.run_script("scripts/sandbox", "true")
        self.assertIn("E: Failed to fetch InRelease", err)
        said = err[err.index("could not be made") :]
        self.assertEqual(said.count("\n"), 3, err)
        self.assertIn("Kokkos_ROOT", said)
        self.assertIn("build/sandbox.log", said)

    def test_neither_cmake_nor_root(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("bash", "dirname", "readlink", "mkdir", "flock"):
            (tools / name).symlink_to(shutil.which(name))
        self.write("tools/id", STAND_IN + "echo 1000\n")
        status, out, err = self.run_script(shutil.which("bash"), "scripts/run-demo", PATH=str(tools))
        self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
        self.assertIn("install both, or run this as root on Debian", err)

    @unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
    def test_the_configuration_names_what_to_do(self):
        lines = [
            "cmake_minimum_required(VERSION 3.22)", "project(x NONE)", f'include("{ROOT}/cmake/Fetch.cmake")',
            "parallax_dependency(Nonsuch TARGET Nonsuch::x PACKAGE libnonsuch-dev",
            f'  URL "file://{self.folder}/nonsuch-1.tar.gz" SHA256 {"0" * 64})',
        ]
        self.write("CMakeLists.txt", "\n".join(lines) + "\n", 0o644)

        generator = {"CMAKE_GENERATOR": "Ninja"} if shutil.which("ninja") else {}

        def configure():
            status, _, err = self.run_script("cmake", "-S", ".", "-B", "b", **generator)
            self.assertNotEqual(status, 0)
            self.assertLess(len(err.splitlines()), 15, err)
            return " ".join(err.split())

        said = configure()
        for words in ("nonsuch-1.tar.gz", "could not be fetched", "libnonsuch-dev", "Nonsuch_ROOT", "FETCHCONTENT_SOURCE_DIR_NONSUCH"):
            self.assertIn(words, said)
        self.write("nonsuch-1.tar.gz", "something else")
        self.assertIn("another SHA-256", configure())


if __name__ == "__main__":
    unittest.main()
