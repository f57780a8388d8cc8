# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Results files to one page: load (read and judge), model, charts by matplotlib, tables, page. See docs/report.md."""
