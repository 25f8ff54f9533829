"""The charts of prices, forecasts and answers."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from matplotlib.collections import PolyCollection

from bot import charts
from bot.charts.prices import fan
from bot.charts.sheet import LIGHT
from tests.bot import documents
from tests.bot.charts.conftest import QUOTE, DrawnChart, answer, price, record

NOW = datetime.fromisoformat(documents.PRICES["as_of"])


def test_the_price_chart_states_price_and_change(drawn):
    """The change of the period, which begins with its first bar; of 24 hours, the service's own."""
    first = documents.candles()["bars"][0]["close"]
    assert drawn["price"].title == f"Bitcoin 53,212 USD, {100 * (QUOTE['price'] / first - 1):+.1f}% in 7 days"
    assert record(lambda: price("24h", LIGHT)).title == "Bitcoin 53,212 USD, +2.1% in 24 hours"
    assert record(lambda: price("all", LIGHT)).title.endswith("since 14 Nov 2026")


def test_the_curve_ends_now_and_the_fan_begins_there(drawn):
    curve, median = drawn["price"].figure.axes[0].lines
    assert curve.get_xdata()[-1] == median.get_xdata()[0] == NOW
    assert curve.get_ydata()[-1] == pytest.approx(median.get_ydata()[0])


def test_the_bands_hold_half_and_nine_tenths(drawn):
    """Two bands, explained below the chart; the ends of the wider one are labelled."""
    light, dark = _bands(drawn["forecast"])
    week = next(horizon for horizon in documents.forecast()["horizons"] if horizon["horizon"] == "7d")["quantiles"]
    assert (min(light), max(light)) == pytest.approx((week["5"], week["95"]))
    assert (min(dark), max(dark)) == pytest.approx((week["25"], week["75"]))
    assert "inner band: half of all outcomes, outer: 90%" in drawn["forecast"].notes
    assert {f"{week['5']:,.0f}", f"{week['95']:,.0f}"} <= set(drawn["forecast"].labels)
    assert drawn["forecast"].title == f"Bitcoin in 7 days: 90% between {week['5']:,.0f} and {week['95']:,.0f} USD"


def test_without_a_forecast_the_price_is_drawn_alone():
    chart = record(lambda: charts.price(documents.PRICES, QUOTE, documents.candles(), None, "7d", LIGHT))
    assert len(chart.figure.axes[0].lines) == 1
    assert not _bands(chart)
    assert "there is no forecast now" in chart.notes


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
    pictures = {
        charts.answer(
            documents.ANSWER | {"p_yes": p_yes, "consensus": consensus | {"direction": direction}},
            *(QUOTE, documents.candles(), documents.forecast(), "How likely", LIGHT),
        )
        for p_yes, direction in ((0.03, "NEUTRAL"), (0.97, "NEUTRAL"), (0.03, "BEARISH"))
    }
    assert len(pictures) == 1


def test_a_range_shows_both_of_its_levels():
    chart = record(lambda: answer(LIGHT, level=50_000.0, upper_level=56_000.0))
    assert {"level 50,000", "level 56,000"} <= set(chart.labels)


def test_a_level_far_away_is_named_and_not_drawn():
    """It would press the curve flat."""
    chart = record(lambda: answer(LIGHT, level=1_000_000.0))
    assert "level 1,000,000 USD: far above this chart" in chart.notes
    assert chart.figure.axes[0].get_ylim()[1] < 100_000


def test_a_later_deadline_than_the_forecast_is_said():
    chart = record(lambda: answer(LIGHT, deadline="2027-06-30T23:59:59Z"))
    assert "the forecast reaches 21 Dec" in chart.notes
    assert "deadline 2027-06-30 23:59 UTC" in chart.notes


def _bands(chart: DrawnChart) -> list[list[float]]:
    """The prices that each band covers."""
    bands = [band for band in chart.figure.axes[0].collections if isinstance(band, PolyCollection)]
    return [band.get_paths()[0].vertices[:, 1].tolist() for band in bands]


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
    """Its own quantiles at the deadline replace the interpolated ones."""
    until = "2026-11-25T00:00:00Z"
    quantiles = documents.forecast()["horizons"][0]["quantiles"] | {"95": 60_000.0}
    exact = {"until": until, "quantiles": quantiles}
    assert fan(documents.forecast(), datetime.fromisoformat(until), exact).prices["95"][-1] == pytest.approx(60_000)


def test_a_deadline_that_has_passed_has_no_fan():
    assert len(set(fan(documents.forecast(), NOW - timedelta(hours=1)).times)) == 1
