# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Parallax in Python: the twins of the exercises, the report, and the converter of events."""
