# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Hardware counters of rows, by the vendors' tools: tools (which, and their commands), typed (the row's command), ncu, perf and rocprof (what they
print), names (what it means), counting (row by row), insert (into the results file), table; and rules and why, which say what follows. See
docs/measuring.md, "Counters"."""
