"""The common layout of all charts: size, colours, title, notes, axes, and the conversion to a PNG.

Charts do not use pyplot: a Figure of its own has no global state, so several threads can draw at the same time.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, DateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

DPI = 100
WIDTH_PX = 1080
PLOT_SHARE = 0.9  # the share of an axes' initial height that remains below the title and above the notes
SMALL, TEXT, TITLE = 16, 18, 22  # points; at 100 dots per inch, 16 points are 22 pixels

INK, QUIET, GRID = "#1b1f24", "#57606a", "#d8dee4"
# Distinguishable on white, also for colour-blind readers.
COLOURS = ("#0072B2", "#B88000", "#008A63", "#C0609A", "#8A3B12", "#4B9CD3")
OURS, THEIRS, REFERENCE = COLOURS[0], COLOURS[1], "#8b949e"
WORLDS = {"simulated": "SIMULATED market", "replay": "REPLAY of past prices", "live": "live prices"}

# The date format for a time span below so many days.
DATES = ((3, "%d %b %H:%M"), (300, "%d %b"), (float("inf"), "%b %Y"))

Points = Sequence[Mapping[str, Any]]


def sheet(height_px: int, rows: int = 1, shares: Sequence[float] = (1,)) -> tuple[Figure, list[Axes]]:
    """A figure WIDTH_PX wide, and its axes from top to bottom with the given shares of the height."""
    figure = Figure(figsize=(WIDTH_PX / DPI, height_px / DPI), dpi=DPI, facecolor="white")
    column = list(figure.subplots(rows, 1, squeeze=False, gridspec_kw={"height_ratios": shares})[:, 0])
    for axes in column:
        _set_style(axes)
    return figure, column


def png(figure: Figure, title: str, notes: Iterable[str], *, right: float = 0.96) -> bytes:
    """The figure with its title above and its notes below, as a PNG."""
    height = figure.get_figheight() * DPI
    head = textwrap.wrap(title, 50)
    foot = _lines([note for note in notes if note], 82)
    written = [
        figure.text(0.04, 1 - 26 / height, "\n".join(head), fontsize=TITLE, color=INK, weight="bold", va="top"),
        figure.text(0.04, 20 / height, "\n".join(foot), fontsize=SMALL, color=QUIET, va="bottom"),
    ]
    for text in written:
        text.set_parse_math(False)  # a name with two dollar signs is not a formula
    top, bottom = 1 - (78 + 36 * len(head)) / height, (88 + 27 * len(foot)) / height
    figure.subplots_adjust(left=0.13, right=right, top=top, bottom=bottom, hspace=0.28)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def notes(document: Mapping[str, Any], *more: str, paper: bool = True) -> list[str]:
    """The source of a document's numbers: paper trading or not, the market, and the time in UTC."""
    world = WORLDS.get(document["world"]) or str(document["world"])
    return ["PAPER" if paper else "", world, *more, f"as of {stamp(document['as_of'])}"]


def stamp(text: str) -> str:
    """An instant of the API to the minute, such as "2026-11-21 08:00 UTC"."""
    return f"{moment(text):%Y-%m-%d %H:%M} UTC"


def moment(text: str) -> datetime:
    """An instant of the API as an aware datetime."""
    return datetime.fromisoformat(text)


def moments(points: Points, field: str = "time") -> list[datetime]:
    """The instant of each point."""
    return [moment(point[field]) for point in points]


def draw_line(axes: Axes, times: Sequence[datetime], heights: Sequence[float], **style: Any) -> None:
    """A line over time."""
    axes.plot(np.asarray(times), np.asarray(heights), **style)


def draw_events(axes: Axes, points: Points, heights: Sequence[float], events: Iterable[tuple[str, str, str]]) -> None:
    """Open markers on the line through `points` at `heights`, one for each event.

    An event is its instant in the API's format, its marker and its colour; its height is interpolated on the line.
    """
    seconds = [time.timestamp() for time in moments(points)]
    for time, marker, colour in events:
        at = moment(time)
        height = float(np.interp(at.timestamp(), seconds, heights))
        style = {"marker": marker, "markersize": 12, "markerfacecolor": "white", "markeredgecolor": colour, "mew": 2.5}
        draw_line(axes, [at], [height], linestyle="none", **style)


def format_time_axis(axes: Axes) -> None:
    """Dates in UTC below the axes, few enough to read."""
    first, last = axes.get_xlim()
    date_format = next(date_format for days, date_format in DATES if last - first < days)
    axes.xaxis.set_major_locator(AutoDateLocator(minticks=4, maxticks=7))
    axes.xaxis.set_major_formatter(DateFormatter(date_format))


def spread(heights: Sequence[float], distance: float) -> list[float]:
    """Positions for labels near given heights that do not overlap.

    Neighbours that are too close are moved apart by equal amounts until all distances hold, for at most 100 rounds.

    Parameters
    ----------
    heights
        The wanted positions, in any unit and order; may be empty.
    distance
        The minimum distance of two labels, above 0, in the unit of `heights`.

    Returns
    -------
    list[float]
        One position for each height, in the order of `heights`.
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = [heights[index] for index in order]
    for _ in range(100):
        moved = False
        for below in range(len(placed) - 1):
            missing = distance - (placed[below + 1] - placed[below])
            if missing > distance / 1000:
                placed[below] -= missing / 2
                placed[below + 1] += missing / 2
                moved = True
        if not moved:
            break
    positions = [0.0] * len(heights)
    for index, height in zip(order, placed, strict=True):
        positions[index] = height
    return positions


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], pixels: int = 30) -> None:
    """A label at the right end of each line, given as its last value, its text and its colour."""
    low, high = axes.get_ylim()
    figure = axes.get_figure(root=True)
    assert figure is not None  # the axes come from `sheet`
    height = PLOT_SHARE * axes.get_position().height * figure.get_figheight() * DPI
    heights = spread([value for value, _, _ in ends], (high - low) * pixels / height)
    across = axes.get_yaxis_transform()
    for (_, text, colour), at in zip(ends, heights, strict=True):
        style = {"color": colour, "fontsize": TEXT, "va": "center"}
        label = axes.annotate(text, (1.02, at), xycoords=across, annotation_clip=False, **style)
        label.set_parse_math(False)


def format_percents(axes: Axes) -> None:
    """Percent on the left."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}%"))


def format_dollars(axes: Axes) -> None:
    """Whole USD on the left."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def empty_chart(document: Mapping[str, Any], title: str, reason: str, *, paper: bool = True) -> bytes:
    """A chart without data, with the reason in its middle."""
    figure, (axes,) = sheet(620)
    axes.set_axis_off()
    axes.text(0.5, 0.5, textwrap.fill(reason, 44), fontsize=TEXT, color=QUIET, ha="center", va="center")
    return png(figure, title, notes(document, paper=paper))


def _lines(notes: Sequence[str], width: int) -> list[str]:
    """The notes in lines of at most `width` characters; a note is broken only if it is longer than a line."""
    lines: list[str] = []
    for note in notes:
        joined = f"{lines[-1]} · {note}" if lines else note
        lines[-1:] = [joined] if len(joined) <= width else [*lines[-1:], *textwrap.wrap(note, width)]
    return lines


def _set_style(axes: Axes) -> None:
    axes.tick_params(labelsize=SMALL, colors=QUIET, length=0)
    axes.tick_params(axis="x", pad=14)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
