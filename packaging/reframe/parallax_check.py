# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Parallax as a test of ReFrame 4: every row of a run is a performance variable. packaging/README.md says how to run it.

    reframe -C packaging/reframe/settings.py -c packaging/reframe/parallax_check.py --system alvis:a100 -J account=PROJECT -r \
        -S arguments='all --size course' -S baseline=$PWD/before.json -S tolerance=0.1
"""

import shlex
import sys
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from parallax.errors import Refusal  # noqa: E402
from parallax.figures import figures  # noqa: E402


@rfm.simple_test
class Parallax(rfm.RunOnlyRegressionTest):
    space = parameter(["serial", "openmp", "cuda", "hip"])
    # The program; if empty, what `scripts/submit SITE GPU build` built for the partition.
    program = variable(str, value="")
    arguments = variable(str, value="all --size course")
    figure = variable(str, value="time")  # time, rate or percent_of_ceiling
    # An earlier results file: a row that is worse by more than the tolerance fails.
    baseline = variable(str, value="")
    tolerance = variable(float, value=0.1)
    valid_prog_environs = ["*"]
    time_limit = "30m"

    @run_after("init")
    def choose_systems(self):
        self.descr = f"Parallax on {self.space}"
        self.valid_systems = [f"+{self.space}"]

    @run_after("setup")
    def set_command(self):
        extras = self.current_partition.extras
        self.executable = shlex.quote(self.program or extras["program"])
        self.executable_opts = ["run", *map(shlex.quote, shlex.split(self.arguments)), "--space", self.space, "--json", "results.json"]
        self.num_tasks = 1
        if "cores" in extras:
            self.num_cpus_per_task = int(extras["cores"])
            self.env_vars = {"OMP_NUM_THREADS": extras["cores"]}

    def read(self, path):
        try:
            return figures(str(path), self.figure)
        except Refusal as refusal:
            raise rfm.core.exceptions.SanityError(str(refusal)) from None

    @sanity_function
    def every_check_passed(self):
        sn.evaluate(sn.assert_eq(self.job.exitcode, 0, "the program ended with status {0}"))
        return sn.assert_true(self.read(Path(self.stagedir, "results.json")))

    @run_before("performance")
    def set_variables(self):
        if self.is_dry_run():  # there are no results
            return
        found = self.read(Path(self.stagedir, "results.json"))
        # ReFrame separates scopes by colons.
        names = {name: name.replace(":", "=") for name in found}
        self.perf_variables = {
            names[name]: sn.make_performance_function(lambda value=one.value: value, one.unit) for name, one in found.items()
        }
        if self.baseline:
            before = self.read(Path(self.baseline))
            limits = {names[name]: (*before[name].limits(self.tolerance), before[name].unit) for name in found if name in before}
            self.reference = {self.current_partition.fullname: limits}
