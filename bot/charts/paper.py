"""The sheet every chart is drawn on: its size, its colours, its words, and how it becomes a PNG.

No pyplot: a Figure of its own has no global state, so charts may be drawn in several threads at once.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, DateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

DPI = 100
AS_IT_IS = {"parse_math": False}  # a name with two dollar signs is no formula
WIDTH_PX = 1080
SHARE = 0.9  # of the height an axes is first given, what titles and notes leave to it
SMALL, TEXT, TITLE = 16, 18, 22  # points; at 100 dots an inch 16 of them are 22 pixels

INK, QUIET, GRID = "#1b1f24", "#57606a", "#d8dee4"
# Told apart by the colour-blind and on white.
COLOURS = ("#0072B2", "#B88000", "#008A63", "#C0609A", "#8A3B12", "#4B9CD3")
OURS, THEIRS, REFERENCE = COLOURS[0], COLOURS[1], "#8b949e"
WORLDS = {"simulated": "SIMULATED market", "replay": "REPLAY of past prices", "live": "live prices"}

# How an instant is written below a span of fewer than so many days.
DATES = ((3, "%d %b %H:%M"), (300, "%d %b"), (float("inf"), "%b %Y"))

Points = Sequence[Mapping[str, Any]]


def sheet(height_px: int, rows: int = 1, shares: Sequence[float] = (1,)) -> tuple[Figure, list[Axes]]:
    """A figure WIDTH_PX wide, and its axes from top to bottom."""
    figure = Figure(figsize=(WIDTH_PX / DPI, height_px / DPI), dpi=DPI, facecolor="white")
    axes = figure.subplots(rows, 1, squeeze=False, gridspec_kw={"height_ratios": shares})[:, 0]
    for each in axes:
        _plain(each)
    return figure, list(axes)


def png(figure: Figure, title: str, notes: Iterable[str], *, right: float = 0.96) -> bytes:
    """The figure under what it says and above what its numbers are, as a PNG."""
    height = figure.get_figheight() * DPI
    head = textwrap.wrap(title, 50)
    figure.text(0.04, 1 - 26 / height, "\n".join(head), fontsize=TITLE, color=INK, weight="bold", va="top", **AS_IT_IS)
    foot = _lines([note for note in notes if note], 82)
    figure.text(0.04, 20 / height, "\n".join(foot), fontsize=SMALL, color=QUIET, va="bottom", **AS_IT_IS)
    top, bottom = 1 - (78 + 36 * len(head)) / height, (88 + 27 * len(foot)) / height
    figure.subplots_adjust(left=0.13, right=right, top=top, bottom=bottom, hspace=0.28)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def notes(told: Mapping[str, Any], *more: str, paper: bool = True) -> list[str]:
    """What the numbers of a document are: on paper or not, of which market, of when in UTC."""
    world = WORLDS.get(told["world"]) or str(told["world"])
    return ["PAPER" if paper else "", world, *more, f"as of {stamp(told['as_of'])}"]


def stamp(text: str) -> str:
    """An instant of the API to the minute."""
    return f"{moment(text):%Y-%m-%d %H:%M} UTC"


def moment(text: str) -> datetime:
    """An instant of the API."""
    return datetime.fromisoformat(text)


def moments(points: Points, name: str = "time") -> list[datetime]:
    """When each point is."""
    return [moment(point[name]) for point in points]


def over_time(axes: Axes) -> None:
    """Dates below, in UTC, few enough to be read."""
    first, last = axes.get_xlim()
    shown = next(shown for days, shown in DATES if last - first < days)
    axes.xaxis.set_major_locator(AutoDateLocator(minticks=4, maxticks=7))
    axes.xaxis.set_major_formatter(DateFormatter(shown))


def spread(heights: Sequence[float], least: float) -> list[float]:
    """Where to write labels that belong at `heights`, so that no two are nearer than `least`; in the same order."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = [heights[place] for place in order]
    for _ in range(100):
        moved = False
        for below in range(len(placed) - 1):
            lacking = least - (placed[below + 1] - placed[below])
            if lacking > least / 1000:
                placed[below] -= lacking / 2
                placed[below + 1] += lacking / 2
                moved = True
        if not moved:
            break
    written = [0.0] * len(heights)
    for place, height in zip(order, placed, strict=True):
        written[place] = height
    return written


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], pixels: int = 30) -> None:
    """A label at the right end of each line: its last value, its text, its colour."""
    low, high = axes.get_ylim()
    height = SHARE * axes.get_position().height * axes.figure.get_figheight() * DPI
    heights = spread([value for value, _, _ in ends], (high - low) * pixels / height)
    for (_, text, colour), at in zip(ends, heights, strict=True):
        place = {"xy": (1.02, at), "xycoords": axes.get_yaxis_transform()}
        axes.annotate(text, **place, color=colour, fontsize=TEXT, va="center", annotation_clip=False, **AS_IT_IS)


def percents(axes: Axes) -> None:
    """Percent on the left."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}%"))


def dollars(axes: Axes) -> None:
    """Whole USD on the left."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def nothing(told: Mapping[str, Any], title: str, missing: str, *, paper: bool = True) -> bytes:
    """A sheet that says what is missing and when it comes."""
    figure, (axes,) = sheet(620)
    axes.set_axis_off()
    axes.text(0.5, 0.5, textwrap.fill(missing, 44), fontsize=TEXT, color=QUIET, ha="center", va="center")
    return png(figure, title, notes(told, paper=paper))


def _lines(notes: Sequence[str], width: int) -> list[str]:
    """The notes in lines of at most `width` characters, none broken where it fits on one."""
    lines: list[str] = []
    for note in notes:
        joined = f"{lines[-1]} · {note}" if lines else note
        lines[-1:] = [joined] if len(joined) <= width else [*lines[-1:], *textwrap.wrap(note, width)]
    return lines


def _plain(axes: Axes) -> None:
    axes.tick_params(labelsize=SMALL, colors=QUIET, length=0)
    axes.tick_params(axis="x", pad=14)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
