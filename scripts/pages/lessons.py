# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What was measured, for the page of an exercise: a picture, and tables of all variants, of large sizes, and of the Python twins."""

import re

from pages import bars
from pages.results import (
    KOKKOS, LIBRARIES, ROOT, cases_once, cell, digits, in_order, is_tuned, measured_on, number, rival, table, time_of, time_text,
    with_cases)  # fmt: skip
from parallax.report.load import TIERS


def kokkos_table(rows):
    """A line for each case and variant, lessons first, whichever file a row is from; f32 beside f64."""
    spaces = [space for space in KOKKOS if any(row["space"] == space for row in rows)]
    both = {row["case"][1] for row in rows} == {"f32", "f64"}
    columns = [(space, precision) for space in spaces for precision in (("f32", "f64") if both else ("",))]

    def line_of(row):
        return (row["case"][0], "" if both else row["case"][1], f"`{row['variant']}`")

    found = {(line_of(row), row["space"], row["case"][1] if both else ""): row for row in rows}
    tier = {line_of(row): row["tier"] for row in rows if row.get("tier")}
    head = ["case", "precision", "variant", "tier", *(", ".join(filter(None, (KOKKOS[space], precision))) for space, precision in columns)]
    of_rows = in_order(map(line_of, rows))
    cases = in_order(line[:2] for line in of_rows)
    of_rows.sort(key=lambda line: (cases.index(line[:2]), TIERS.index(tier.get(line, "lesson"))))
    lines = [[*line, tier.get(line, ""), *(cell(found.get((line, *column))) for column in columns)] for line in of_rows]
    return table(head, cases_once(lines, 0))


def twins_table(kokkos, python):
    """Each case of our best variant and the fastest Python twin, on one clock."""
    lines = []
    for case in in_order(row["case"] for row in kokkos):
        for gpu in (True, False):
            found = rival(kokkos, python, case, gpu)
            if found:
                times, mine, twin, clock = found
                by = f"`{twin['variant']}`, {LIBRARIES[twin['space']]}"
                ours = [time_text(time_of(mine, clock)), f"`{mine['variant']}`, {KOKKOS[mine['space']]}"]
                lines.append([*case, *ours, time_text(time_of(twin, clock)), by, digits(times), clock if gpu else ""])
    return table(["case", "precision", "Kokkos", "by", "best Python twin", "by", "times as fast", "clock"], cases_once(lines, 0)) if lines else []


VARIANT = re.compile(
    r"""(?:\b(lesson|tuned|library)(?:_with_teams)?\(|\{)\s*"(\w+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)(?:,\s*Tier::(\w+))?""")  # fmt: skip


def variants(exercise):
    """The variants of an exercise as its source registers them: (name, tier, what it does)."""
    text = (ROOT / "apps" / exercise / "exercise.cpp").read_text(encoding="utf-8").partition(".variants")[2]
    return [(name, tier or other, "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words))) for tier, name, words, other in VARIANT.findall(text) if tier or other]


def at_one_size(exercise, course_rows, rows):
    """(the rows of its variants' kernels, the spaces, each space's parameters) in the first precision that was measured: at the course's size,
    else at another. Each space has its size: the larger one, where a GPU was run at a host's as well."""
    mine = [row for row in course_rows if row["exercise"] == exercise] or [row for row in rows if row["exercise"] == exercise]
    mine = [row for row in mine if row["space"] in KOKKOS and not is_tuned(row)]
    mine = [row for row in mine if row["precision"] == mine[0]["precision"]]
    with_kernel = {row["variant"] for row in mine if row["phase"] == "kernel"}
    mine = [row for row in mine if row["phase"] == "kernel" or row["variant"] not in with_kernel]
    spaces = [space for space in KOKKOS if any(row["space"] == space for row in mine)]
    largest = {space: max((row for row in mine if row["space"] == space), key=lambda row: row["items"])["parameters"] for space in spaces}
    return [row for row in mine if row["parameters"] == largest[row["space"]]], spaces, largest


def every_variant(exercise, course_rows, rows):
    """A picture and a table with a line for each variant, measured or not: what it does, and its kernel's time."""
    mine, spaces, largest = at_one_size(exercise, course_rows, rows)
    found = {(row["variant"], row["space"]): row for row in mine}
    head = ["variant", "tier", "what it does", *(KOKKOS[space] for space in spaces)]
    lines = [[f"`{name}`", tier, words.replace("|", r"\|"), *(cell(found.get((name, space))) for space in spaces)] for name, tier, words in variants(exercise)]
    sizes = {}
    for space in spaces:
        size = ", ".join(f"{name} = {number(value)}" for name, value in largest[space].items() if name != "seed" and value != "")
        sizes.setdefault(size, []).append(KOKKOS[space])
    size = "; ".join(f"{words} ({', '.join(names)})" if len(sizes) > 1 else words for words, names in sizes.items())
    shown = f"![Times of each variant of {exercise}](../../{picture_of(exercise).relative_to(ROOT)})"
    first = [shown, "", f"In {mine[0]['precision']}: {size}. {measured_on(mine)}", ""] if mine else []
    return [*first, *table(head, lines)]


def picture_of(exercise):
    return ROOT / "docs" / "images" / "variants" / f"{exercise}.svg"


def picture(exercise, course_rows, rows):
    """The times of that table as bars; nothing where nothing was measured."""
    mine, spaces, _ = at_one_size(exercise, course_rows, rows)
    found = {(row["variant"], row["space"]): (time_of(row), time_text(time_of(row))) for row in mine if row.get("verified")}
    lines = [(name, tier, [found.get((name, space)) for space in spaces]) for name, tier, _ in variants(exercise)]
    lines = [line for line in lines if any(line[2])]
    return bars.svg(f"Times of each variant of {exercise}", [KOKKOS[space] for space in spaces], lines) if mine else ""


def section(exercise, rows, course_rows):
    """The lines between the markers of one lesson: every variant, then what was measured at large sizes, and the twins."""
    kokkos = [row for row in rows if row["exercise"] == exercise and row["space"] in KOKKOS]
    python = [row for row in rows if row["exercise"] == exercise and row["space"] in LIBRARIES]
    first = every_variant(exercise, course_rows, rows)
    if not kokkos:
        return ["Not measured at large sizes yet.", "", *first]
    same = with_cases(kokkos + python)
    lines = [*first, "", f"{measured_on(kokkos)} Medians; per cent of the ceiling that the same run measured.", ""]
    if same:
        lines += [f"Every row: {same}.", ""]
    lines += kokkos_table(kokkos)
    twins = twins_table(kokkos, python)
    if twins:
        dates = sorted({row["context"]["date"][:10] for row in python})
        when = f"of {dates[0]}" if len(dates) == 1 else f"of {dates[0]} to {dates[-1]}"
        lines += ["", f"The best variant beside the best [Python twin](../../docs/python.md) on the same kind of machine ({when}):", "", *twins]
    return lines
