# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of counters share: what tools print, written from their documentation, and stand-ins that print it."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "python"), str(HERE.parent), str(HERE.parent / "report")]
import processes
import samples
from processes import ROOT

from parallax.counters import names

NCU_VALUES = {  # of a kernel of 1 ms
    "dram__bytes_read.sum": "8,000,000",
    "dram__bytes_write.sum": "4,000,000",
    "lts__t_bytes.sum": "13,000,000",
    "l1tex__t_bytes.sum": "14,000,000",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "250,000",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "31,250",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "125,000",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "31,250",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "0",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "12",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "80.50",
    "sm__maximum_warps_per_active_cycle_pct": "100",
    "smsp__thread_inst_executed_per_inst_executed.ratio": "31.5",
    "smsp__inst_executed.avg.per_cycle_active": "0.25",
    "smsp__inst_executed.sum": "1,000,000",
    "sm__cycles_elapsed.max": "1,500,000",
    "gpu__time_duration.sum": "1,000,000",
    "launch__occupancy_limit_blocks": "32",
    "launch__occupancy_limit_registers": "16",
    "launch__occupancy_limit_shared_mem": "28",
    "launch__occupancy_limit_warps": "8",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": "6.0",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": "3.0",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": "1.0",
}


def ncu_unit(metric):
    return "nsecond" if metric == "gpu__time_duration.sum" else "byte" if "bytes" in metric else ""


def ncu_text(*kernels, before="==PROF== Connected to process 7 (/x/parallax)\n==PROF== Profiling \"add\" - 0: 0%....100% - 9 passes\n"):
    """`kernels`: what differs from NCU_VALUES; None takes a metric away from the value."""
    table = ["ID", "Process ID", "Kernel Name", "Block Size", *NCU_VALUES]
    lines = [table, ["", "", "", "", *map(ncu_unit, NCU_VALUES)]]
    for k, other in enumerate(kernels):
        lines.append([str(k), "7", 'void add<"x", 2>(int, int)'.replace('"', '""'), "(256, 1, 1)", *{**NCU_VALUES, **other}.values()])
    return before + "==PROF== Disconnected from process 7\n" + "".join(",".join(f'"{c}"' for c in line) + "\n" for line in lines)


PERF_TEXT = """# started on Fri Nov 27 03:23:32 2026

4000000,,instructions:u,103993266,100.00,2.00,insn per cycle
2000000,,cycles:u,103993266,100.00,,
500000,,branches:u,103993266,100.00,,
25000,,branch-misses:u,103993266,100.00,5.00,of all branches
80000,,cache-misses:u,103993266,100.00,,
120,,page-faults:u,103993266,100.00,,
<not counted>,,context-switches:u,0,100.00,,
103.99,msec,task-clock:u,103993266,100.00,0.067,CPUs utilized
"""
NO_HARDWARE = "\n".join(
    f"<not supported>,,{event},0,100.00,," for event in ("instructions", "cycles", "branches", "branch-misses", "cache-misses")
) + "\n120,,page-faults,103993266,100.00,,\n3,,context-switches,103993266,100.00,,\n103.99,msec,task-clock,103993266,100.00,,\n"

ROCPROF_HEAD = '"Correlation_Id","Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n'


def rocprof_text(*lines):
    return ROCPROF_HEAD + "".join(f'1,1,"kernels::x::add",{name},{value},1000,{1000 + ns}\n' for name, value, ns in lines)


PROGRAM = """#!{python}
import json, os, pathlib, sys
here, words = pathlib.Path({folder!r}), sys.argv[1:]
if words == ["list", "--json"]:
    sys.exit(3)  # it does not say which variants have teams
with open(here / "program.log", "a") as log:
    print(json.dumps([words, {{n: v for n, v in os.environ.items() if n.startswith("PARALLAX_COUNTED")}}]), file=log)
if "--verify-only" not in words:
    print("the table")
    if "--json" in words:
        pathlib.Path(words[words.index("--json") + 1]).write_text((here / "written.json").read_text())
    sys.exit(int((here / "status").read_text()))
"""
TOOL = """#!{python}
import json, pathlib, subprocess, sys
here, words = pathlib.Path({folder!r}), sys.argv[1:]
with open(here / "{name}.log", "a") as log:
    print(json.dumps(words), file=log)
output = next((words[k + 1] for k, w in enumerate(words) if w in ("-o", "--log-file", "-d")), None)
begin = next(k for k, w in enumerate(words) if w.endswith("program"))
status = subprocess.run(words[begin:]).returncode
counter = words[words.index("--pmc") + 1] if "--pmc" in words else ""
for name in ("{name}-" + counter, "{name}"):
    if (here / (name + ".txt")).exists():
        target = pathlib.Path(output)
        if counter:
            target.mkdir(parents=True, exist_ok=True)
            target /= "counted_counter_collection.csv"
        target.write_text((here / (name + ".txt")).read_text())
        break
if (here / "{name}.err").exists():
    print((here / "{name}.err").read_text(), file=sys.stderr)
    status = 1
sys.exit(status)
"""


class Counting(processes.InFolder):
    """counters.py as the program starts it, with a stand-in for the program, and for each tool that `prints`."""

    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        self.script("program", PROGRAM)
        self.status(0)

    def script(self, name, text):
        path = self.folder / ("bin" if name != "program" else "") / name
        path.write_text(text.format(python=sys.executable, folder=str(self.folder), name=name), encoding="utf-8")
        path.chmod(0o755)

    def status(self, number):
        (self.folder / "status").write_text(str(number))

    def prints(self, tool, text="", error=""):
        """`tool` may name a counter of rocprofv3, too: rocprofv3-FETCH_SIZE."""
        self.script(tool.partition("-")[0], TOOL)
        if text:
            (self.folder / f"{tool}.txt").write_text(text, encoding="utf-8")
        if error:
            (self.folder / f"{tool}.err").write_text(error, encoding="utf-8")

    def rows(self, *rows, **context):
        data = samples.results(list(rows), **context)
        for space in {"hip", "sycl"} & set(data["context"]["spaces"]):
            data["context"]["spaces"][space]["on_host"] = False
        samples.write(self.folder / "written.json", json.dumps(data, indent=1) + "\n")

    def count(self, *words, status=0):
        """With no tool but the stand-ins."""
        command = [sys.executable, "-c", STARTER.format(folder=str(self.folder / "bin")), str(self.folder / "program"), *words]
        done = self.start(command, {"PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        return done

    def written(self):
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))["benchmarks"]

    def log(self, name):
        path = self.folder / f"{name}.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# The tools of the machine that the test runs on are none of its business.
STARTER = """import os, sys
from parallax.counters import cli, tools
tools.FOLDERS = {{name: () for name in tools.FOLDERS}}
tools.shutil.which = lambda name: os.path.exists(path := os.path.join({folder!r}, name)) and path or None
sys.exit(cli.main())
"""
assert set(NCU_VALUES) <= set(names.ncu_metrics()), "the stand-in has a metric that is not asked for"
