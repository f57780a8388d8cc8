# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""How scripts/lesson compiles a student's file, by a made-up build, and what it shows of the compiler's words."""

import json
import os
import sys
import tempfile
import textwrap
import unittest
import unittest.mock
from pathlib import Path

from support import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from lessons import compiling, parts  # noqa: E402


class CompilersWords(unittest.TestCase):
    COPY = Path("/build/include/vector_add/lesson.hpp")
    TEXT = "".join(f"line {k}\n" for k in range(1, 50))

    def shown(self, said):
        return compiling.first_error(textwrap.dedent(said), self.COPY, "my-work/vector_add/lesson.hpp", self.TEXT)

    def test_the_students_line(self):
        for said in (
            """\
            In file included from a.cpp:1:
            /build/include/vector_add/lesson.hpp: In function ‘void f()’:
            /build/include/vector_add/lesson.hpp:43:6: error: ‘d’ was not declared in this scope [-Wtemplate-body]
               43 |   d;
            /build/include/vector_add/lesson.hpp:44:6: error: another
            """,
            "/build/include/vector_add/lesson.hpp:43:6: fatal error: 'd' was not declared in this scope\n",
            "/build/include/vector_add/lesson.hpp(43): error #20: 'd' was not declared in this scope\n",
        ):
            self.assertEqual(self.shown(said), "my-work/vector_add/lesson.hpp:43: 'd' was not declared in this scope\n    line 43")

    def test_words_that_go_on_and_words_that_are_too_many(self):
        at = "/build/include/vector_add/lesson.hpp:43:6: error: "
        self.assertEqual(
            self.shown(f"{at}class template argument deduction failed:\n   43 |   Add{{}}\n{at}no matching function for call to ‘Add()’\n"),
            "my-work/vector_add/lesson.hpp:43: class template argument deduction failed: no matching function for call to 'Add()'\n    line 43",
        )
        lambda_ = "parallax::add<Kokkos::OpenMP, Kokkos::View<int*> >(const Kokkos::OpenMP&, const Kokkos::View<int*>&)::<lambda()>"
        self.assertEqual(
            self.shown(f"{at}no match for call to ‘(const {lambda_}) (const For<{lambda_}, Kokkos::OpenMP>::Member&)’\n"),
            "my-work/vector_add/lesson.hpp:43: no match for call to '(const <lambda()>) (const For<<lambda()>, Kokkos::OpenMP>::Member&)'\n    line 43",
        )

    def test_the_students_line_that_asked_for_it(self):
        expected = "my-work/vector_add/lesson.hpp:6: no match for call (in impl/lib.hpp:2, required from here)\n    line 6"
        for said in (
            # GCC, Clang and nvcc
            """\
            /kokkos/impl/lib.hpp: In instantiation of ‘void loop(int, const F&) [with F = Wrong]’:
            /build/include/vector_add/lesson.hpp:6:7:   required from ‘void add(const A&) [with A = B]’
                6 |   loop(a.n, w);
            /build/include/vector_add/lesson.hpp:9:7:   required from ‘void most(const A&) [with A = B]’
            a.cpp:3:17:   required from here
            /kokkos/impl/lib.hpp:2:80: error: no match for call
            /kokkos/impl/lib.hpp:9:80: error: another
            """,
            """\
            /kokkos/impl/lib.hpp:2:79: error: no match for call
            /build/include/vector_add/lesson.hpp:6:3: note: in instantiation of function template specialization 'loop<Wrong>' requested here
              loop(3, Wrong{});
            a.cpp:3:14: note: in instantiation of function template specialization 'add<B>' requested here
            /kokkos/impl/lib.hpp:9:80: error: another
            /build/include/vector_add/lesson.hpp:8:3: note: in instantiation of function template specialization
            """,
            """\
            /kokkos/impl/lib.hpp(2): error: no match for call
                      detected during:
                        instantiation of "void loop(int, const F &) [with F=Wrong]" at line 6 of /build/include/vector_add/lesson.hpp
                        instantiation of "void add(const A &) [with A=B]" at line 3 of a.cu
            """,
        ):
            self.assertEqual(self.shown(said), expected)

    def test_what_is_nobodys_line(self):
        self.assertEqual(self.shown("/suite/apps/exercise.cpp:7:1: error: no such kernel\n"), "apps/exercise.cpp:7: no such kernel")
        driver = "c++: fatal error: too many files\ncompilation terminated.\n"
        self.assertEqual(self.shown(driver), "my-work/vector_add/lesson.hpp: cannot be compiled: c++: fatal error: too many files")
        self.assertEqual(self.shown("c++: out of memory\n\n"), "my-work/vector_add/lesson.hpp: cannot be compiled: c++: out of memory")


class Commands(unittest.TestCase):
    """A made-up build with make's files, whose compiler notes what it is asked."""

    def test_all_units_of_a_build_for_a_gpu(self):
        """Each with the student's file first; one that does not compile is what is told; and all are linked in place of the build's."""
        with tempfile.TemporaryDirectory() as name:
            folder, objects = Path(name), [f"CMakeFiles/app_sums.dir/sums_{k}.cpp.o" for k in (0, 1)]
            compiler = folder / "c++"
            compiler.write_text('#!/bin/sh\ncase "$*" in *sums_1.cpp*) echo "$0: second unit"; exit $FAILS;; *program*) echo "$@" >linked;; esac\n')
            compiler.chmod(0o755)
            (folder / "apps" / "CMakeFiles" / "sums.dir").mkdir(parents=True)
            (folder / "apps" / "CMakeFiles" / "sums.dir" / "link.txt").write_text(f"{compiler} {' '.join(objects)} lib.a -o sums\n")
            (folder / "apps" / "CMakeFiles" / "app_sums.dir").mkdir()
            (folder / "apps" / "CMakeFiles" / "app_sums.dir" / "build.make").write_text("")
            commands = [f"{compiler} -I/src -o {made} -c /build/apps/sums_{k}.cpp" for k, made in enumerate(objects)]
            entries = [{"directory": name, "file": command.rpartition(" ")[2], "command": command} for command in commands]
            (folder / "compile_commands.json").write_text(json.dumps(entries))
            (folder / "mine.hpp").write_text("mine\n")
            build, work = compiling.Build(folder), folder / "work"
            with unittest.mock.patch.dict(os.environ, FAILS="0"):
                self.assertEqual(build.program("sums", folder / "mine.hpp", "mine.hpp", work), (work / "program", ""))
            self.assertEqual((folder / "apps" / "linked").read_text(), f"{work}/exercise.o {work}/exercise_1.o lib.a -o {work}/program\n")
            with unittest.mock.patch.dict(os.environ, FAILS="1"):
                self.assertIn("second unit", build.program("sums", folder / "mine.hpp", "mine.hpp", work)[1])

    def test_the_builds_own_commands_with_the_students_file_first(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            compiler = folder / "c++"
            compiler.write_text('#!/bin/sh\nprintf "%s\\n" "$PWD" $LAUNCHED "$@" >>"$0.log"\nexit 0\n')
            compiler.chmod(0o755)
            link = folder / "apps" / "CMakeFiles" / "sums.dir" / "link.txt"
            link.parent.mkdir(parents=True)
            link.write_text(f"{compiler} -O3 CMakeFiles/app_sums.dir/sums/exercise.cpp.o -o ../bin/sums ../src/lib.a -Wl,--dependency-file=d\n")
            command = "-DX -I/src -O3 -Werror -Werror=shadow -Winvalid-pch -include /pch.hxx -MD -MT t -MF f -o app_sums.dir/exercise.cpp.o -c /root/apps/sums/exercise.cpp"
            entries = [
                {"directory": name, "file": "/root/apps/sums/exercise.cpp", "command": "c++ -o tests/lesson_sums.dir/exercise.cpp.o"},
                {"directory": name, "file": "/root/apps/sums/exercise.cpp", "command": f"{compiler} {command}"},
            ]
            (folder / "compile_commands.json").write_text(json.dumps(entries))
            rules = folder / "apps" / "CMakeFiles" / "app_sums.dir" / "build.make"
            rules.parent.mkdir()
            rules.write_text(f"exercise.cpp.o: flags.make\n\tcd \"/x (a) y\" && /usr/bin/env LAUNCHED=launched {compiler} $(CXX_DEFINES) -c x.cpp\n")
            (folder / "mine.hpp").write_text("mine\n")
            build, work = compiling.Build(folder), folder / "work"
            program, wrong = build.program("sums", folder / "mine.hpp", "mine.hpp", work)
            self.assertEqual((program, wrong), (work / "program", ""))
            self.assertEqual((work / "include" / "sums" / "lesson.hpp").read_text(), "mine\n")
            asked = f"{folder.resolve()} launched -DX -I{work}/include -I/src -O3 -c /root/apps/sums/exercise.cpp -w -o {work}/exercise.o "
            asked += f"{folder.resolve()}/apps -O3 {work}/exercise.o ../src/lib.a -o {work}/program"
            self.assertEqual((folder / "c++.log").read_text().split(), asked.split())
            compiler.write_text('#!/bin/sh\necho "ld: undefined reference to f"\nexit 1\n')
            _, wrong = build.program("sums", folder / "mine.hpp", "mine.hpp", work)
            self.assertIn("undefined reference to f", wrong)
            with self.assertRaisesRegex(parts.Trouble, "does not build other"):
                build.program("other", folder / "mine.hpp", "mine.hpp", work)


if __name__ == "__main__":
    unittest.main()
