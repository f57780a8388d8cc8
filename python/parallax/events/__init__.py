# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Conversion of events to HDF5: cli (options), sources (ROOT, Parquet), json_source, writer (HDF5)."""
