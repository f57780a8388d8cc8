# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Documents damaged at random, the same ones every time: for tests of what reads files."""

import copy
import json

VALUES = (
    None, True, -1, 0, 10**400, -(2**63), 2**64, 1e308, -1e308, 1e-320, 5e-324, float("nan"), float("inf"), "", "0", "\ud800",
    "\x1b[2J\n", "x" * 3000, [], {}, [[]], [None], {"": {}}, [1e308, 1e-320], [0, 0, 0, 0], {"n": [[1]]}, "ns", "s", "cuda",
)  # fmt: skip


def places(data, found):
    """Every object or list in it, with each key."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        found.append((data, key))
        if isinstance(value, (dict, list)):
            places(value, found)
    return found


def mutant(document, random):
    """The bytes of the document with up to three fields changed or gone, or of one that is cut or garbled."""
    data = copy.deepcopy(document)
    for _ in range(random.randint(1, 3)):
        within, key = random.choice(places(data, [(None, None)])[1:] or [(None, None)])
        if within is None:
            break
        if isinstance(within, dict) and random.random() < 0.2:
            del within[key]
        else:
            within[key] = copy.deepcopy(random.choice(VALUES))
    text = json.dumps(data).encode()
    if random.random() < 0.15:
        text = text[: random.randrange(len(text))]
    elif random.random() < 0.1:
        at = random.randrange(len(text))
        text = text[:at] + random.randbytes(random.randint(1, 4)) + text[at + 1 :]
    return text
