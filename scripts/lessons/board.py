# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A board: verified results of a class as one page, without a server. A table for each step, space and precision, the largest share of the
ceiling first."""

import collections
import html

from lessons import reports

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 0 0 2rem; }
th, td { border-bottom: 1px solid #8886; padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; }
th.number, td.number { text-align: right; }
"""


def page(results):
    """The page, and the results that it leaves out because they are not right or have no time."""
    boards, left_out = collections.defaultdict(dict), []
    for found in results:
        times = [time for time in found["times"] if time["phase"] == "kernel"] or found["times"]
        if not found["right"] or not times:
            left_out.append(found)
            continue
        for time in times:
            board = boards[found["exercise"], found["step"], time["space"], time["precision"], time["n"]]
            # Each name once on a machine: its best.
            key = (found["name"], found["machine"], found["processor"])
            if key not in board or time["min_time"] < board[key]["min_time"]:
                board[key] = time
    body = "".join(table(of, board) for of, board in sorted(boards.items()))
    text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Board</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Board</h1>
<p>Kernels that <code>parallax lesson check</code> found right. The ceiling is what the machine can do, measured there; a time can
be above it where data fit a cache.</p>
{body or '<p>No right kernel with a time yet.</p>'}
</body>
</html>
"""
    return text, left_out


def table(of, board):
    exercise, step, space, precision, n = of
    size = f", n = {n:.0f}" if n else ""
    rows = sorted(board.items(), key=lambda item: (-(item[1]["percent_of_ceiling"] or 0), item[1]["min_time"]))
    lines = "".join(
        f"<tr><td>{html.escape(name)}</td>{number(share(time))}{number(reports.readable(time['min_time']))}<td>{html.escape(processor)}, {html.escape(machine)}</td></tr>\n"
        for (name, machine, processor), time in rows
    )
    return f"""<h2>{html.escape(exercise)} {html.escape(step)}: {html.escape(space)}, {html.escape(precision)}{size}</h2>
<table>
<tr><th>name</th><th class="number">of the ceiling</th><th class="number">time</th><th>machine</th></tr>
{lines}</table>
"""


def number(text):
    return f'<td class="number">{text}</td>'


def share(time):
    return f"{time['percent_of_ceiling']:.0f} %" if time["percent_of_ceiling"] else ""
