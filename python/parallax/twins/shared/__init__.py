# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What twins of several exercises have in common: random streams, events, and the kernels of `a[i] += 1`."""
