# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""A picture of times or speed-ups as SVG: a line for each variant, a column of bars for each device, each column with its own scale."""

from __future__ import annotations

from html import escape

COLOURS = {"lesson": "#4e79a7", "tuned": "#f28e2b", "library": "#8c8c8c"}
LINE, TOP, NAMES, COLUMN, BAR = 26, 66, 210, 250, 130  # pixels


def svg(title: str, devices: list[str], rows: list[tuple[str, str, list[tuple[float, str] | None]]], best=min) -> str:
    """`rows`: (variant, tier, for each device the time in any unit and its text, or None where there is none). A device's longest bar is its
    slowest variant's; the `best` one's time is bold."""
    width, height = NAMES + COLUMN * len(devices) + 10, TOP + LINE * len(rows) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]

    def text(x: float, y: float, words: str, more: str = "") -> None:
        parts.append(f'<text x="{x}" y="{y}" fill="#222"{more}>{escape(words)}</text>')

    for k, tier in enumerate(tier for tier in COLOURS if any(row[1] == tier for row in rows)):
        parts.append(f'<rect x="{10 + 90 * k}" y="10" width="12" height="12" fill="{COLOURS[tier]}"/>')
        text(27 + 90 * k, 21, tier)
    for k, device in enumerate(devices):
        x = NAMES + COLUMN * k
        text(x, TOP - 12, device, ' font-weight="bold"')
        times = [row[2][k][0] for row in rows if row[2][k]]
        for line, (_, tier, cells) in enumerate(rows):
            y = TOP + LINE * line
            if cells[k]:
                ns, words = cells[k]
                length = max(1.0, BAR * ns / max(times))
                parts.append(f'<rect x="{x}" y="{y}" width="{length:.1f}" height="{LINE - 8}" fill="{COLOURS[tier]}"/>')
                text(round(x + length + 6, 1), y + 14, words, ' font-weight="bold"' if ns == best(times) else "")
            else:
                text(x, y + 14, "-")
    for line, (variant, _, _) in enumerate(rows):
        text(10, TOP + LINE * line + 14, variant)
    return "\n".join([*parts, "</svg>\n"])
