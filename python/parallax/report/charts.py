# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""What all charts share: matplotlib's figures as SVG that takes its colours and fonts from the page.

Text stays text, so that it can be found, read aloud and restyled. Colours are Okabe and Ito's, told apart by
colour-blind readers; the page maps them to variables, so that dark and light each have their own.
"""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import matplotlib

matplotlib.rcdefaults()  # whatever a matplotlibrc says
matplotlib.use("svg")
from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.font_manager import findfont, get_font  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator  # noqa: E402

from ..files import refuse_output, write_text  # noqa: E402
from .text import h, readable_time, three_digits  # noqa: E402

INK, MUTED, GRID, PAPER = "#101112", "#606162", "#d0d1d2", "#fefdfc"
SERIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#7f7f7e")
MARKERS = "osD^vPX*<>hp"
VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--grid", PAPER: "--paper"}
VARIABLES.update({colour: f"--c{k}" for k, colour in enumerate(SERIES)})

matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "parallax",  # the same data, the same page
        "text.parse_math": False,  # a dollar sign in a name is a dollar sign
        "font.size": 9,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.titlesize": 9.5,
        "axes.titlelocation": "left",
        "axes.titlecolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": GRID,
        "grid.linewidth": 0.6,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "legend.frameon": False,
        "hatch.color": PAPER,
        "hatch.linewidth": 1.0,
    }
)

WIDTH = 8.0  # inches; the page scales it


def colour(index: int) -> str:
    return SERIES[index % len(SERIES)]


def figure(height: float, left: float = 0.8, right: float = 0.2, top: float = 0.3, bottom: float = 0.5, columns=None):
    """A figure and its axes; margins in inches. columns: relative widths of panels that share their y axis."""
    fig = Figure(figsize=(WIDTH, height))
    FigureCanvasSVG(fig)
    grid = fig.add_gridspec(
        1,
        len(columns or (1,)),
        width_ratios=columns or (1,),
        left=left / WIDTH,
        right=1 - right / WIDTH,
        top=1 - top / height,
        bottom=bottom / height,
        wspace=0.1,
    )
    axes = [fig.add_subplot(grid[0, 0])]
    for k in range(1, len(columns or (1,))):
        axes.append(fig.add_subplot(grid[0, k], sharey=axes[0]))
        axes[k].tick_params(labelleft=False)
    return fig, axes


_font = get_font(findfont("DejaVu Sans"))


def text_width(text: str, size: float = 9) -> float:
    """Inches in the font that matplotlib brings, one of the widest: what a reader has instead is hardly wider."""
    _font.set_size(size, 72)
    _font.set_text(text, 0.0)
    return _font.get_width_height()[0] / 64 / 72


def log_axis(axis, low: float, high: float, format_tick, most: int = 6) -> None:
    """Ticks between the least and the greatest value: decades, not all where there are many; 2 and 5 where few."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high * 1.01)) + 1)
    ticks = [10.0**k for k in decades if low * 0.7 <= 10.0**k <= high * 1.3]
    for steps in ((1, 2, 5), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        if len(ticks) < 3:
            ticks = [f * 10.0**k for k in decades for f in steps if low * 0.85 <= f * 10.0**k <= high * 1.15]
    axis.set_major_locator(FixedLocator(ticks[:: math.ceil(len(ticks) / most)] or [low]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda x, _: format_tick(x)))
    axis.set_minor_formatter(NullFormatter())


def tick_time(ns: float) -> str:
    return re.sub(r"(\.\d*?)0+(?= )", lambda m: m.group(1).rstrip("."), readable_time(ns))


def tick_number(x: float) -> str:
    """1, 10, 1k, 1M... then powers."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= factor * 0.9995:
            return f"{x / factor:g}{prefix}"
    return f"{x:g}"


def values_on_axis(axis, values) -> None:
    """Ticks where the data are."""
    axis.set_major_locator(FixedLocator(sorted(values)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


class Tips:
    """What shows when the pointer rests on a mark, and what a screen reader may find there."""

    def __init__(self):
        self.texts: list[str] = []

    def on(self, artist, text: str) -> None:
        artist.set_gid(f"tip-{len(self.texts)}")
        self.texts.append(text)


HOLLOW = "disturbed"


def mark(disturbed, colour: str) -> dict:
    """How a point is drawn: hollow where it is disturbed."""
    return {"color": colour, "markerfacecolor": PAPER if disturbed else colour}


def bar(disturbed, colour: str) -> dict:
    return {"color": PAPER, "edgecolor": colour, "linewidth": 1.4} if disturbed else {"color": colour}


def explain_hollow(axis, disturbed: bool) -> None:
    """The legend's entry, where a point is."""
    if disturbed:
        axis.plot([], [], "o", **mark(True, MUTED), label=HOLLOW)


def bars_figure(height: float, colours: dict[str, str], disturbed: bool, hatched: str = "", **more):
    """A figure of bars, with a line above that says what the colours are, what a hollow bar is, and what a hatched one."""
    handles = [Patch(facecolor=colour, label=name) for name, colour in colours.items()]
    handles += [Patch(facecolor=SERIES[-1], hatch="///", label=hatched)] if hatched else []
    handles += [Patch(facecolor=PAPER, edgecolor=MUTED, label=HOLLOW)] if disturbed else []
    columns = max(1, int((WIDTH - 0.2) / (0.65 + max((text_width(h.get_label(), 8) for h in handles), default=0))))
    extra = 0.22 * math.ceil(len(handles) / columns)
    fig, axes = figure(height + extra, top=0.32 + extra, bottom=0.4, **more)
    if handles:
        fig.legend(handles=handles, loc="upper left", fontsize=8, borderpad=0.2, ncols=columns, labelspacing=0.3)
    return fig, axes


_number = 0
folder: Path | None = None  # where each chart is also written as a file, for other documents
taken: list[str] = []  # files that none of them may replace
LIGHT = {INK: "#1b1f24", MUTED: "#5b6470", GRID: "#d9dde2", PAPER: "#ffffff"}


def alone(body: str, box: str, title: str, description: str) -> str:
    """The chart as an SVG file that stands for itself: on white, with plain colours."""
    for name, value in LIGHT.items():
        body = body.replace(name, value)
    _, _, width, height = box.split()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{box}" role="img"'
        f' width="{width}" height="{height}" font-family="system-ui, sans-serif" stroke-linejoin="round">'
        f"<title>{h(title)}</title><desc>{h(description)}</desc>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>{body}'
    )


def write_chart(text: str, title: str) -> None:
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "chart"
    path, k = folder / f"{stem}.svg", 2
    while path in _written:
        path, k = folder / f"{stem}-{k}.svg", k + 1
    _written.add(path)
    refuse_output(str(path), taken)
    write_text(str(path), text)


_written: set[Path] = set()


def drawn(fig, tips: Tips | None) -> tuple[str, str]:
    """The figure's elements, and its view box."""
    global _number
    _number += 1
    out = io.StringIO()
    fig.savefig(
        out, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
    )
    text = out.getvalue()
    body = text[text.index("<svg") :]
    box = re.search(r'viewBox="([^"]+)"', body).group(1)
    body = body[body.index(">") + 1 :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.S)
    body = re.sub(r"<style[^>]*>.*?</style>", "", body, flags=re.S)
    body = body.replace("<defs>\n </defs>", "")
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
    # Identifiers that are referred to are made unique in the page, the others dropped.
    body = re.sub(r'(<(?:clipPath|path|pattern)\b[^>]*? )id="([^"]+)"', rf'\1id="f{_number}-\2"', body)
    body = re.sub(r'(url\(#|href="#)', rf"\1f{_number}-", body)
    texts = tips.texts if tips else []
    body = re.sub(r'<g id="tip-(\d+)">', lambda m: f'<g class="mark"><title>{h(texts[int(m.group(1))])}</title>', body)
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    body = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", body)
    return re.sub(r"font-family: [^;\"]*;?", "", body), box


def svg(fig, title: str, description: str, tips: Tips | None = None) -> str:
    """The figure as an element of the page, with a title and a description for those who cannot see it."""
    body, box = drawn(fig, tips)
    if folder:
        write_chart(alone(body, box, title, description), title)
    body = re.sub(
        r"#[0-9a-f]{6}", lambda m: f"var({VARIABLES[m.group()]})" if m.group() in VARIABLES else m.group(), body
    )
    ids = f"chart{_number}-title chart{_number}-desc"
    return (
        f'<svg class="plot" role="img" aria-labelledby="{ids}" viewBox="{box}" xmlns="http://www.w3.org/2000/svg"'
        f' xmlns:xlink="http://www.w3.org/1999/xlink"><title id="chart{_number}-title">{h(title)}</title>'
        f'<desc id="chart{_number}-desc">{h(description)}</desc>{body}'
    )


def percent(x: float) -> str:
    return three_digits(x) + " %"
