"""What counts of a forecaster's forecasts, and for how long."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.errors import InvalidRequest
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.market_forecasts import (
    MarketForecast,
    MarketForecastScore,
    check_forecastable,
    score_forecasts,
)
from service.market.instants import HOUR
from tests.forecasting.markets import MONDAY, settled, waiting

MARKET = settled(hours=24)  # voted on at MONDAY, came out yes a second after 24 hours
LENGTH = MARKET.closes_at - MONDAY


def forecast(hours: float, p: float) -> MarketForecast:
    return MarketForecast(int(hours * 60), "one", "owl", int(MONDAY + hours * HOUR), p, "salt")


def score(market: Prediction, *forecasts: MarketForecast) -> MarketForecastScore:
    scored = score_forecasts(market, forecasts)
    assert scored
    return scored


def test_each_forecast_counts_as_long_as_it_stood():
    scored = score(MARKET, forecast(6, 0.5), forecast(12, 0.9))
    six, rest = 6 * HOUR, LENGTH - 12 * HOUR
    assert scored.brier == pytest.approx((six * 0.25 + rest * 0.01) / (six + rest))
    assert scored.coverage == pytest.approx((LENGTH - 6 * HOUR) / LENGTH)


def test_the_last_forecast_of_the_first_hour_is_the_opening():
    scored = score(MARKET, forecast(0.1, 0.3), forecast(0.9, 0.4), forecast(1, 0.8))
    assert scored.opening == 0.4


def test_a_later_forecast_has_no_opening():
    assert score(MARKET, forecast(1, 0.8)).opening is None


def test_a_forecast_before_the_votes_counts_from_the_votes():
    """A challenge is voted on seconds after it was created."""
    scored = score(MARKET, forecast(-0.1, 0.3), forecast(-0.05, 0.7))
    assert scored == MarketForecastScore(0.7, pytest.approx(0.09), pytest.approx(0.35667, abs=1e-5), 1.0)


def test_the_hour_before_an_early_settlement_does_not_count():
    """A level that was touched at 9:05 settles its market at 10:00: until then it would be known."""
    market = settled(hours=24, resolved=MONDAY + 10 * HOUR, comparator="touch_above")
    scored = score(market, forecast(4.5, 0.5), forecast(9.2, 0.999))
    assert (scored.brier, scored.coverage) == (pytest.approx(0.25), pytest.approx(0.5))
    assert score_forecasts(market, [forecast(9.2, 0.999)]) is None
    at_once = settled(hours=24, resolved=MONDAY + HOUR, comparator="touch_above")
    assert score_forecasts(at_once, [forecast(0, 0.5)]) is None


@pytest.mark.parametrize(
    "market",
    [
        waiting(),
        settled(outcome="void"),
        settled(backfilled=True),
        settled(comparator="open"),
        replace(MARKET, commitment=None),
        replace(MARKET, resolver="hand"),
    ],
)
def test_a_market_without_a_live_outcome_is_not_scored(market: Prediction):
    assert score_forecasts(market, [forecast(0.5, 0.5)]) is None


def test_without_a_forecast_there_is_no_score():
    assert score_forecasts(MARKET, []) is None


def test_only_what_prices_settle_with_yes_or_no_is_forecast():
    for market in (replace(waiting(), resolver="hand"), waiting(comparator="open")):
        with pytest.raises(InvalidRequest, match="takes no forecasts"):
            check_forecastable(market)
    for resolver in ("bars", "polymarket", "kalshi"):
        check_forecastable(replace(waiting(), resolver=resolver))
