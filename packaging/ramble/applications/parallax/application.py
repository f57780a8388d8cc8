# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Parallax as an application of Ramble, and so of Benchpark: its figures of merit are the lines of `parallax run --fom`
(docs/command-line.md, "Figures of merit"). packaging/README.md says how to use it."""

from ramble.appkit import (
    ExecutableApplication,
    executable,
    figure_of_merit,
    figure_of_merit_context,
    required_package,
    software_spec,
    success_criteria,
    tags,
    workload,
    workload_variable,
)


class Parallax(ExecutableApplication):
    """Exercises of a GPU course, each written once with Kokkos, checked and timed in every execution space."""

    name = "parallax"

    tags("kokkos", "performance-portability", "micro-benchmark")

    software_spec("parallax", pkg_spec="parallax", package_manager="spack*")
    required_package("parallax", package_manager="spack*")

    executable(
        "run",
        "{program} run {exercises} --size {size} --space {space} --fom --quiet --json {experiment_run_dir}/results.json {options}",
        use_mpi=False,
    )
    workload("suite", executable="run")
    # Spack sets parallax_path, the folder that holds bin/; without a package manager the experiment does.
    workload_variable("program", default="{parallax_path}/bin/parallax", description="The program", workload="suite")
    workload_variable("exercises", default="all", description="Names of exercises, separated by blanks", workload="suite")
    workload_variable("size", default="course", description="tiny, demo, course, large or a file of sizes", workload="suite")
    workload_variable("space", default="all", description="serial, openmp, cuda, hip or all", workload="suite")
    workload_variable("options", default="", description="More options of parallax run", workload="suite")

    figure_of_merit_context("row", regex=r"^parallax\.fom (?P<row>\S.*) \S+ ns$", output_format="{row}")
    figure_of_merit("time", fom_regex=r"^parallax\.fom \S.* (?P<time>\S+) ns$", group_name="time", units="ns", contexts=["row"])

    # Rows without a failed check, by a run that was not stopped.
    success_criteria("timed", mode="string", match=r"^parallax\.fom .*")
    success_criteria("verified", mode="string", anti_match=r".* FAILED: .*")
    success_criteria("finished", mode="string", anti_match=r"^parallax: stopped by signal .*")
