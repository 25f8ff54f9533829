"""The fan of a price forecast."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.charts.fan import fan
from tests.bot import documents, examples
from tests.bot.charts.drawing import QUOTE

NOW = datetime.fromisoformat(examples.PRICES["as_of"])


@pytest.mark.parametrize("days", [0.5, 2, 5, 10, 20])
def test_the_fan_grows_like_the_square_root_of_time(days):
    """Between the horizons too; the quantiles never cross."""
    until = NOW + timedelta(days=days)
    drawn = fan(documents.forecast(), until)
    assert drawn.times[-1] == until
    assert drawn.prices["95"][-1] == pytest.approx(QUOTE["price"] * 2.718281828 ** (0.0329 * days**0.5), rel=1e-4)
    for prices in zip(*drawn.prices.values(), strict=True):
        assert list(prices) == sorted(prices)


def test_the_forecast_of_a_question_is_met_exactly():
    """Its own quantiles at the deadline replace the interpolated ones."""
    until = "2026-11-25T00:00:00Z"
    quantiles = documents.forecast()["horizons"][0]["quantiles"] | {"95": 60_000.0}
    exact = {"until": until, "quantiles": quantiles}
    assert fan(documents.forecast(), datetime.fromisoformat(until), exact).prices["95"][-1] == pytest.approx(60_000)


def test_a_deadline_that_has_passed_has_no_fan():
    assert len(set(fan(documents.forecast(), NOW - timedelta(hours=1)).times)) == 1
