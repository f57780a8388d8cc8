# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Notebooks: pages.py makes them from the lessons' pages, lesson.py is what their cells call, execute.py runs them."""
