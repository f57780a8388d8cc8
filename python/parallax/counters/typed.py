# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""The command of a row: what was typed, without all that belongs to other rows. Parameters that were not typed are left to the program, which
refuses some of them together with others (an input file decides the number of events, say)."""

from __future__ import annotations

import re

ITEM = re.compile(r",(?=[\w-]+=)")  # between n=1000 and bins=120; a value may hold commas
SHORTEST = ("--verify-only", "--verify", "sampled", "--no-ceilings", "--verify-repeat", "1", "--quiet", "--no-results")


def underscored(name: str) -> str:
    return name.replace("-", "_")


def given(words: list[str], row: dict, teams: bool) -> list[str]:
    """The options that make this row what it is."""
    own = {*row.get("parameters", {}), "seed"} | ({"team_size"} if teams else set()) | ({"threads"} if row.get("space_threads") else set())
    kept = []
    for word, after in zip(words, [*words[1:], ""]):
        option, equals, value = word.partition("=")
        value = value if equals else after
        name = underscored(option[2:])
        if not option.startswith("--"):
            continue
        if option.startswith("--kokkos-") or (option == "--tuned-for-this-machine" and row.get("tuned_for_this_machine")):
            kept.append(word)
        elif option == "--set":
            items = [item for item in ITEM.split(value) if underscored(item.partition("=")[0]) in own]
            kept += ["--set", ",".join(items)] if items else []
        elif option == "--size" or name in own:
            kept += [option, value]
    return kept


def command(program: str, words: list[str], row: dict, teams: bool) -> list[str]:
    """The shortest run of the row: without ceilings and times. A program of one exercise has no `run`."""
    start = [program, "run", row["exercise"]] if words[:1] == ["run"] else [program]
    selected = ["--variant", row["variant"], "--precision", row["precision"], "--space", row["space"]]
    return [*start, *selected, *SHORTEST, *given(words, row, teams)]
