"""Draws charts and records their figure, title and notes on the way to the PNG."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

import pytest
from matplotlib.figure import Figure

from bot import charts
from bot.charts import sheet
from tests.bot import documents, examples

DRAW: dict[str, Callable[[], bytes]] = {
    "lanes": lambda: charts.lanes(documents.history(), examples.BATTLE),
    "lane": lambda: charts.lane(documents.history(), examples.BATTLE, "breakout"),
    "strategy": lambda: charts.strategy(documents.strategy()),
    "accuracy": lambda: charts.accuracy(documents.versus()),
    "fund": lambda: charts.fund(documents.fund()),
}
DRAW_EMPTY: dict[str, Callable[[], bytes]] = {
    "lanes": lambda: charts.lanes(documents.history() | {"lanes": []}, examples.BATTLE),
    "lane": lambda: charts.lane(documents.history(), examples.BATTLE, "moon"),
    "strategy": lambda: charts.strategy(documents.strategy(0)),
    "accuracy": lambda: charts.accuracy({**documents.versus(), "books": documents.versus()["books"][:1]}),
    "fund": lambda: charts.fund(documents.fund(0)),
}


class DrawnChart(NamedTuple):
    """A chart with what was written on it."""

    figure: Figure
    title: str
    notes: str
    picture: bytes


def record(draw: Callable[[], bytes]) -> DrawnChart:
    """Draw a chart and record the arguments of `png`."""
    drawn: list[DrawnChart] = []
    png = sheet.png

    def recording_png(figure, title, notes, **options):
        notes = list(notes)
        drawn.append(DrawnChart(figure, title, " · ".join(notes), png(figure, title, notes, **options)))
        return drawn[-1].picture

    with pytest.MonkeyPatch.context() as patch:
        for module in (sheet, charts.battle, charts.equity, charts.ai_vs_market):
            patch.setattr(module, "png", recording_png)
        draw()
    return drawn[-1]


def size(picture: bytes) -> tuple[int, int]:
    """Width and height in pixels, from the header of a PNG."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", picture[16:24])
