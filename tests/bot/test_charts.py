"""The charts of prices, forecasts and answers: what they show, and their layout on a phone."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from bot import charts
from bot.charts import ChartTheme, sheet
from bot.charts.prices import fan
from bot.charts.sheet import DARK, LIGHT
from tests.bot import documents

QUOTE = documents.PRICES["prices"][0]
NOW = datetime.fromisoformat(documents.PRICES["as_of"])
WEEK = next(horizon for horizon in documents.forecast()["horizons"] if horizon["horizon"] == "7d")["quantiles"]


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


def price(period: str, candles: dict[str, Any] | None = None) -> bytes:
    """The price of Bitcoin with its forecast."""
    return charts.price(documents.PRICES, QUOTE, candles or documents.candles(), documents.forecast(), period, LIGHT)


def forecast() -> bytes:
    """The forecast of Bitcoin for a week."""
    return charts.forecast(documents.PRICES, QUOTE, documents.candles(), documents.forecast(), "7d", LIGHT)


def answer(theme: ChartTheme = LIGHT, document: dict[str, Any] = documents.ANSWER, **parts: Any) -> bytes:
    """An answer, understood with other parts."""
    document = document | {"understood": document["understood"] | parts}
    return charts.answer(document, QUOTE, documents.candles(), documents.forecast(), documents.ANSWER["answer"], theme)


DRAW: dict[str, Callable[[], bytes]] = {"price": lambda: price("7d"), "forecast": forecast, "answer": answer}


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


@pytest.fixture(scope="module")
def drawn() -> dict[str, DrawnChart]:
    """Every chart, drawn once."""
    return {name: record(draw) for name, draw in DRAW.items()}


def bands_of(chart: DrawnChart) -> list[list[float]]:
    """The prices that each band covers."""
    bands = [band for band in chart.figure.axes[0].collections if isinstance(band, PolyCollection)]
    return [band.get_paths()[0].vertices[:, 1].tolist() for band in bands]


def test_the_price_chart_states_price_and_change(drawn):
    """The change of the period, which begins with its first bar; of 24 hours, the service's own."""
    first = documents.candles()["bars"][0]["close"]
    assert drawn["price"].title == f"Bitcoin 53,212 USD, {100 * (QUOTE['price'] / first - 1):+.1f}% in 7 days"
    assert record(lambda: price("24h")).title == "Bitcoin 53,212 USD, +2.1% in 24 hours"
    assert record(lambda: price("all")).title.endswith("since 14 Nov 2026")


def test_the_curve_ends_now_and_the_fan_begins_there(drawn):
    """Without a forecast the price is drawn alone."""
    curve, median = drawn["price"].figure.axes[0].lines
    assert curve.get_xdata()[-1] == median.get_xdata()[0] == NOW
    assert curve.get_ydata()[-1] == pytest.approx(median.get_ydata()[0])
    chart = record(lambda: charts.price(documents.PRICES, QUOTE, documents.candles(), None, "7d", LIGHT))
    assert (len(chart.figure.axes[0].lines), bands_of(chart)) == (1, [])
    assert "there is no forecast now" in chart.notes


def test_the_bands_hold_half_and_nine_tenths(drawn):
    """Two bands, explained below the chart; the ends of the wider one are labelled."""
    light, dark = bands_of(drawn["forecast"])
    assert (min(light), max(light)) == pytest.approx((WEEK["5"], WEEK["95"]))
    assert (min(dark), max(dark)) == pytest.approx((WEEK["25"], WEEK["75"]))
    assert "inner band: half of all outcomes, outer: 90%" in drawn["forecast"].notes
    assert {f"{WEEK['5']:,.0f}", f"{WEEK['95']:,.0f}"} <= set(drawn["forecast"].labels)
    assert drawn["forecast"].title == f"Bitcoin in 7 days: 90% between {WEEK['5']:,.0f} and {WEEK['95']:,.0f} USD"


def test_an_answer_shows_level_and_deadline(drawn):
    """The level as a labelled line, the fan up to the deadline, and the question as understood below the answer."""
    chart = drawn["answer"]
    _, median, level = chart.figure.axes[0].lines
    assert (chart.title, chart.subtitle) == (documents.ANSWER["answer"], documents.ANSWER["understood"]["canonical"])
    assert level.get_ydata()[0] == documents.ANSWER["understood"]["level"]
    assert "level 55,872" in chart.labels
    assert median.get_xdata()[-1] == datetime.fromisoformat(documents.ANSWER["understood"]["deadline"])
    assert "deadline 2026-11-30 23:59 UTC" in chart.notes


def test_an_answer_has_no_colour_of_a_side():
    """An unlikely event is drawn like a likely one, whatever the voters expect of the price."""
    consensus = documents.ANSWER["consensus"]
    views = ((0.03, "NEUTRAL"), (0.97, "NEUTRAL"), (0.03, "BEARISH"))
    parts = [{"p_yes": p_yes, "consensus": consensus | {"direction": direction}} for p_yes, direction in views]
    assert len({answer(document=documents.ANSWER | part) for part in parts}) == 1


def test_levels_and_deadlines_beyond_the_chart_are_named():
    """A range has two levels; one far away is not drawn, since it would press the curve flat."""
    chart = record(lambda: answer(level=50_000.0, upper_level=56_000.0))
    assert {"level 50,000", "level 56,000"} <= set(chart.labels)
    chart = record(lambda: answer(level=1_000_000.0))
    assert "level 1,000,000 USD: far above this chart" in chart.notes
    assert chart.figure.axes[0].get_ylim()[1] < 100_000
    chart = record(lambda: answer(deadline="2027-06-30T23:59:59Z"))
    assert "the forecast reaches 21 Dec" in chart.notes
    assert "deadline 2027-06-30 23:59 UTC" in chart.notes


@pytest.mark.parametrize("days", [0.5, 2, 5, 10, 20])
def test_the_fan_grows_like_the_square_root_of_time(days):
    """Between the horizons too; the quantiles never cross."""
    until = NOW + timedelta(days=days)
    curve = fan(documents.forecast(), until)
    assert curve.times[-1] == until
    assert curve.prices["95"][-1] == pytest.approx(QUOTE["price"] * 2.718281828 ** (0.0329 * days**0.5), rel=1e-4)
    for prices in zip(*curve.prices.values(), strict=True):
        assert list(prices) == sorted(prices)


def test_the_forecast_of_a_question_is_met_exactly():
    """Its own quantiles at the deadline replace the interpolated ones; a deadline that has passed has no fan."""
    until = "2026-11-25T00:00:00Z"
    exact = {"until": until, "quantiles": documents.forecast()["horizons"][0]["quantiles"] | {"95": 60_000.0}}
    assert fan(documents.forecast(), datetime.fromisoformat(until), exact).prices["95"][-1] == pytest.approx(60_000)
    assert len(set(fan(documents.forecast(), NOW - timedelta(hours=1)).times)) == 1


@pytest.mark.parametrize("name", DRAW)
def test_a_chart_fits_a_phone(name, drawn):
    """A PNG of 1,080 pixels within Telegram's limits; no text is below 27 pixels or cut, and no dates overlap."""
    chart = drawn[name]
    assert chart.picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", chart.picture[16:24])
    assert width == 1080
    assert 600 <= height <= 1400
    assert len(chart.picture) < 1_000_000
    for text in chart.figure.findobj(lambda artist: hasattr(artist, "get_fontsize")):
        assert not text.get_text() or text.get_fontsize() * sheet.DPI / 72 >= 27
    renderer, axes = FigureCanvasAgg(chart.figure).get_renderer(), chart.figure.axes[0]
    for text in [*chart.figure.texts, *(text for part in chart.figure.axes for text in part.texts)]:
        box = text.get_window_extent(renderer)
        assert min(box.x0, box.y0) >= 0
        assert (box.x1 <= width, box.y1 <= height) == (True, True)
    boxes = [label.get_window_extent(renderer) for label in axes.get_xticklabels() if label.get_text()]
    visible_boxes = [box for box in boxes if axes.bbox.x0 <= (box.x0 + box.x1) / 2 <= axes.bbox.x1]
    assert all(box.x1 < following.x0 for box, following in pairwise(visible_boxes))


def test_dollar_signs_in_a_name_are_not_a_formula():
    """Matplotlib would fail to parse this one."""
    chart = record(lambda: answer(canonical="Buy $low_{ and $high"))
    assert "Buy $low_{ and $high" in chart.subtitle
    assert not any(text.get_parse_math() for text in chart.figure.texts)


@pytest.mark.parametrize(("theme", "label_contrast"), [(LIGHT, 3), (DARK, 4.5)], ids=["light", "dark"])
def test_everything_is_seen_against_the_paper(theme, label_contrast):
    """No area has another colour; lines and large labels need a contrast of 3 to 1, texts of 4.5 to 1 (WCAG 2.2)."""
    chart = record(lambda: answer(theme))
    axes = chart.figure.axes[0]
    assert {chart.figure.get_facecolor(), axes.get_facecolor()} == {to_rgba(theme.paper)}
    assert all(contrast(line.get_color(), theme.paper) >= 3 for line in axes.lines)
    texts = [*chart.figure.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
    assert all(contrast(text.get_color(), theme.paper) >= 4.5 for text in texts)
    assert all(contrast(text.get_color(), theme.paper) >= label_contrast for text in axes.texts)


def contrast(colour, paper) -> float:
    first, second = sorted(map(luminance, (colour, paper)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def luminance(colour) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgba(colour)[:3]]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_overlapping_labels_are_moved_apart():
    """They keep their order and the minimum distance."""
    positions = sheet.spread([1.0, 1.0, 1.1, 9.0], 2.0)
    assert positions == sorted(positions)
    assert all(above - below >= 1.99 for below, above in pairwise(positions))
    assert positions[-1] == pytest.approx(9.0)


@pytest.mark.parametrize(("hours", "period", "mark"), [(24 * 700, "all", "2026"), (20, "24h", ":")])
def test_the_date_format_follows_the_time_span(hours, period, mark):
    axes = record(lambda: price(period, documents.candles(hours))).figure.axes[0]
    assert any(mark in label.get_text() for label in axes.get_xticklabels())
