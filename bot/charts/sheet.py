"""The common layout of all charts, without pyplot, whose global state would let only one thread draw at a time."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.dates import AutoDateLocator, DateFormatter
from matplotlib.figure import Figure
from matplotlib.text import Text

from bot.languages import zone
from bot.messages import formats
from bot.messages.formats import Document

DPI = 100
WIDTH_PX = 1080
MARGIN_PX = 40
PLOT_SHARE = 0.9  # the share of an axes' initial height that remains below the title and above the notes
# Points. A phone shows a photo about 360 dots wide, a third of its pixels: 20 points become 9 dots.
NOTE, TEXT, TITLE = 20, 21, 28
LABEL_PX = 38  # between the middles of two labels
TITLE_CHARACTERS, SMALL_CHARACTERS = 43, 62  # that fit on a line
TITLE_PX, SMALL_PX = 46, 34  # the height of a line

# The date format for a time span below so many days.
DATES = ((1.6, "%H:%M"), (3, "%a %H:%M"), (300, "%d %b"), (float("inf"), "%b %Y"))

MOST_TICKS = {"%H:%M": 7, "%a %H:%M": 5}


@dataclass(frozen=True)
class Sheet:
    """A chart that is being drawn."""

    figure: Figure
    axes: Axes
    theme: ChartTheme


def sheet(height_px: int, theme: ChartTheme) -> Sheet:
    """An empty chart WIDTH_PX wide."""
    figure = Figure(figsize=(WIDTH_PX / DPI, height_px / DPI), dpi=DPI, facecolor=theme.paper)
    axes = figure.add_subplot()
    axes.set_facecolor(theme.paper)
    axes.tick_params(labelsize=NOTE, colors=theme.soft_ink, length=0)
    axes.tick_params(axis="x", pad=12)
    axes.grid(axis="y", color=theme.grid, linewidth=1)
    axes.set_axisbelow(True)
    axes.margins(x=0.02)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    return Sheet(figure, axes, theme)


def png(sheet: Sheet, title: str, notes: Iterable[str], subtitle: str = "") -> bytes:
    """The chart with its title above and its notes below, as a PNG; the plot gets the room that its labels leave."""
    figure, theme = sheet.figure, sheet.theme
    height = figure.get_figheight() * DPI
    head, below = textwrap.wrap(title, TITLE_CHARACTERS), textwrap.wrap(subtitle, SMALL_CHARACTERS)
    foot = _lines([note for note in notes if note], SMALL_CHARACTERS)
    under_title = 28 + TITLE_PX * len(head)
    texts = [
        _write(sheet, 1 - 28 / height, head, fontsize=TITLE, color=theme.ink, weight="bold", va="top"),
        _write(sheet, 1 - (under_title + 6) / height, below, fontsize=NOTE, color=theme.soft_ink, va="top"),
        _write(sheet, 24 / height, foot, fontsize=NOTE, color=theme.soft_ink, va="bottom"),
    ]
    for text in texts:
        text.set_parse_math(False)  # a name with two dollar signs is not a formula
    left, right = _side_margins(sheet)
    top = 1 - (under_title + SMALL_PX * len(below) + 40) / height
    bottom = (SMALL_PX * len(foot) + 100) / height
    figure.subplots_adjust(left=left, right=right, top=top, bottom=bottom)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def notes(document: Document, *remarks: str) -> list[str]:
    """The source of a document's numbers: the market, and the time in the zone of the person."""
    return [formats.world(document), *remarks, formats.as_of(document["as_of"])]


moment = datetime.fromisoformat  # an instant of the API as an aware datetime


def format_time_axis(axes: Axes) -> None:
    """Dates in the zone of the person below the axes, few enough to read."""
    first, last = axes.get_xlim()
    date_format = next(date_format for days, date_format in DATES if last - first < days)
    # Multiples of four days restart on the 1st: the labels of the 29th and the 1st would overlap.
    max_ticks, round_steps = MOST_TICKS.get(date_format, 6), date_format != "%d %b"
    axes.xaxis.set_major_locator(
        AutoDateLocator(zone(), minticks=2, maxticks=max_ticks, interval_multiples=round_steps)
    )
    axes.xaxis.set_major_formatter(DateFormatter(date_format, zone()))


def spread(heights: Sequence[float], distance: float) -> list[float]:
    """Positions for labels near the heights, in their order, at least `distance` apart after at most 100 rounds."""
    order = np.argsort(heights, kind="stable")
    middles = np.asarray(heights, dtype=float)[order]
    for _ in range(100):
        for below in range(len(middles) - 1):
            missing = max(distance - (middles[below + 1] - middles[below]), 0)
            middles[below] -= missing / 2
            middles[below + 1] += missing / 2
        if not (np.diff(middles) < distance * 0.999).any():
            break
    return middles[np.argsort(order)].tolist()


def label_ends(sheet: Sheet, ends: Sequence[tuple[float, str, str]]) -> None:
    """A label at the right end of each line, given as its last value, its text and its colour."""
    axes, figure = sheet.axes, sheet.figure
    low, high = axes.get_ylim()
    height = PLOT_SHARE * axes.get_position().height * figure.get_figheight() * DPI
    heights = spread([value for value, _, _ in ends], (high - low) * LABEL_PX / height)
    across = axes.get_yaxis_transform()
    for (_, text, colour), at in zip(ends, heights, strict=True):
        style = {"color": colour, "fontsize": TEXT, "va": "center"}
        label = axes.annotate(text, (1.015, at), xycoords=across, annotation_clip=False, **style)
        label.set_parse_math(False)


def _write(sheet: Sheet, height: float, lines: Sequence[str], **style: Any) -> Text:
    return sheet.figure.text(MARGIN_PX / WIDTH_PX, height, "\n".join(lines), **style)


def _side_margins(sheet: Sheet) -> tuple[float, float]:
    """The left and right end of the plot: beside it is room for the numbers on the left and the labels on the right."""
    renderer = FigureCanvasAgg(sheet.figure).get_renderer()

    def widest(texts: Iterable[Text]) -> float:
        return max((text.get_window_extent(renderer).width for text in texts if text.get_text()), default=0)

    numbers = widest(sheet.axes.get_yticklabels()) if sheet.axes.axison else 0
    labels = widest(
        text
        for text in sheet.axes.texts
        if text.get_verticalalignment() == "center" and text.get_horizontalalignment() == "left"
    )
    return (MARGIN_PX + numbers + 8) / WIDTH_PX, 1 - (MARGIN_PX + (labels + 8 if labels else 0)) / WIDTH_PX


def _lines(notes: Sequence[str], width: int) -> list[str]:
    """The notes in lines of at most `width` characters; a note is broken only if it is longer than a line."""
    lines: list[str] = []
    for note in notes:
        line = f"{lines[-1]} · {note}" if lines else note
        lines[-1:] = [line] if len(line) <= width else [*lines[-1:], *textwrap.wrap(note, width)]
    return lines


@dataclass(frozen=True)
class ChartTheme:
    """`ink` is for the title, `soft_ink` for other text, `line` for the curve, `level` for the levels."""

    paper: str
    ink: str
    soft_ink: str
    grid: str
    line: str
    level: str


LIGHT = ChartTheme("#ffffff", ink="#1b1f24", soft_ink="#57606a", grid="#d8dee4", line="#0072B2", level="#B88000")
DARK = ChartTheme("#15191f", ink="#e6edf3", soft_ink="#9aa7b4", grid="#2b323b", line="#56A8E0", level="#E0A93B")
THEMES = {"light": LIGHT, "dark": DARK}
