# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The Python snippets of docs/dictionary.md are run; and what its tables name is in the files that are compiled or run."""

import re
import sys
import types
import unittest
import warnings
from pathlib import Path

import numpy
import simulator

simulator.simulate()
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "dictionary"
sys.path.insert(0, str(FOLDER))

import cupy_arrays  # noqa: E402

FILES = {"Kokkos": "kokkos.cpp", "CUDA": "cuda.cu", "Numba-CUDA": "numba_kernels.py", "OpenMP": "openmp.cpp", "CuPy": "cupy_arrays.py"}


class Snippets(unittest.TestCase):
    def run_all(self, snippets, *arguments):
        for snippet in snippets:
            with self.subTest(snippet.__name__):
                snippet(*arguments)

    def test_numba_cuda(self):
        try:
            import numba_kernels
        except ImportError as missing:
            self.skipTest(str(missing))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the simulator says that its times are none
            self.run_all(numba_kernels.SNIPPETS)

    def test_cupy(self):
        try:
            import cupy

            cupy.cuda.runtime.getDeviceCount()
        except Exception as missing:  # CuPy has special errors where there is no GPU
            self.skipTest(str(missing))
        self.run_all(cupy_arrays.SNIPPETS, cupy)

    def test_cupy_arrays_with_numpy(self):
        self.run_all(cupy_arrays.ARRAYS, types.SimpleNamespace(**vars(numpy), asnumpy=numpy.asarray))


class Terms(unittest.TestCase):
    def test_every_term_is_in_a_file_that_is_compiled_or_run(self):
        words = dict.fromkeys(FILES, "")
        for line in (ROOT / "docs" / "dictionary.md").read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| term"):
                languages = cells
            elif line.startswith("| "):
                for language, cell in zip(languages, cells):
                    if language in FILES:
                        words[language] += " ".join(re.findall(r"`([^`]+)`", cell)) + " "
        for language, file in FILES.items():
            terms = set(re.findall(r"\w{4,}", words[language]))
            self.assertGreater(len(terms), 10, language)
            code = re.findall(r"\w+", (FOLDER / file).read_text(encoding="utf-8"))
            self.assertEqual(terms - set(code), set(), f"{language}: not in {file}")


if __name__ == "__main__":
    unittest.main()
