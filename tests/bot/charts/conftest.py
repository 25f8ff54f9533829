"""Every chart, drawn once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from matplotlib.figure import Figure

from bot import charts
from bot.charts import ChartTheme, sheet
from bot.charts.sheet import LIGHT
from tests.bot import documents


@pytest.fixture(scope="session")
def drawn() -> dict[str, DrawnChart]:
    return {name: record(draw) for name, draw in DRAW.items()}


QUOTE = documents.PRICES["prices"][0]

DRAW: dict[str, Callable[[], bytes]] = {
    "price": lambda: price("7d", LIGHT),
    "forecast": lambda: charts.forecast(
        documents.PRICES, QUOTE, documents.candles(), documents.forecast(), "7d", LIGHT
    ),
    "answer": lambda: answer(LIGHT),
}


def price(period: str, theme: ChartTheme, candles: dict[str, Any] | None = None) -> bytes:
    """The price of Bitcoin with its forecast."""
    return charts.price(documents.PRICES, QUOTE, candles or documents.candles(), documents.forecast(), period, theme)


def answer(theme: ChartTheme, **parts: Any) -> bytes:
    """The answer of the examples, understood with other parts."""
    document = documents.ANSWER | {"understood": documents.ANSWER["understood"] | parts}
    return charts.answer(document, QUOTE, documents.candles(), documents.forecast(), documents.ANSWER["answer"], theme)


class DrawnChart(NamedTuple):
    """A chart with what was written on it."""

    figure: Figure
    title: str
    notes: str
    picture: bytes
    subtitle: str = ""

    @property
    def labels(self) -> list[str]:
        """The labels at the ends of the lines, and other texts within the plot."""
        return [text.get_text() for text in self.figure.axes[0].texts]


def record(draw: Callable[[], bytes]) -> DrawnChart:
    """Draw a chart and record the arguments of `png`."""
    drawings: list[DrawnChart] = []
    png = sheet.png

    def recording_png(chart, title, notes, subtitle=""):
        notes = list(notes)
        picture = png(chart, title, notes, subtitle)
        drawings.append(DrawnChart(chart.figure, title, " · ".join(note for note in notes if note), picture, subtitle))
        return picture

    with pytest.MonkeyPatch.context() as patch:
        for module in (sheet, charts.prices):
            patch.setattr(module, "png", recording_png)
        draw()
    return drawings[-1]


def size(picture: bytes) -> tuple[int, int]:
    """Width and height in pixels, from the header of a PNG."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", picture[16:24])
