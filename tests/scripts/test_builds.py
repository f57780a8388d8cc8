# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The scripts that build and run the program, in clones of every kind. Nothing is built here: stand-ins for CMake say what they were
asked for."""

import os
import re
import shutil
import subprocess
import unittest

from support import STAND_IN, InFolder


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

    def test_who_is_in_the_tree_has_nothing_to_enter(self):
        self.write("stand-ins/id", STAND_IN + "echo 1000\n")  # who is not root makes no tree
        (self.folder / "build").mkdir(exist_ok=True)
        (self.folder / "build/sandbox").symlink_to("/")
        self.assertEqual(self.run_script("scripts/sandbox", "echo", "here"), (0, "here\n", ""))

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

    def test_how_far_a_build_is_shows_while_it_runs(self):
        os.mkfifo(self.folder / "word")
        self.write("stand-ins/cmake", STAND_IN + 'if [[ $1 == --build ]]; then echo "[5/9] Building a.cpp.o"; read -r _ <word; exit 1; fi\n')
        with self.start("scripts/run-demo", PARALLAX_WAY="host") as demo:
            self.assertIn("parallax: 50 % built\n", iter(demo.stderr.readline, ""))  # or it waits for ever
            (self.folder / "word").write_text("go\n")
            demo.communicate()
        self.assertEqual(demo.returncode, 3)

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


if __name__ == "__main__":
    unittest.main()
