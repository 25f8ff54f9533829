"""What the forecasts of a settled market score, each against the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from dataclasses import replace
from math import log
from random import Random

import pytest

from service.errors import InvalidRequest
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.market_forecasts import (
    MarketForecast,
    MarketForecastScore,
    check_forecastable,
    score_forecasts,
)
from service.market.instants import HOUR
from tests.forecasting.markets import MONDAY, settled, waiting

MARKET = settled(hours=24)  # voted on at MONDAY, came out yes a second after 24 hours
LENGTH, POOL = MARKET.closes_at - MONDAY, MARKET.commitment.p


BIRDS = frozenset({"owl", "jay", "tit"})


def forecast(hours: float, p: float, forecaster: str = "owl") -> MarketForecast:
    return MarketForecast(int(hours * 60), "one", forecaster, int(MONDAY + hours * HOUR), p, "salt")


def scores(market: Prediction, *forecasts: MarketForecast, peers: Set[str] = BIRDS) -> dict[str, MarketForecastScore]:
    by_forecaster = defaultdict(list)
    for forecast in forecasts:
        by_forecaster[forecast.forecaster].append(forecast)
    return score_forecasts(market, by_forecaster, peers)


def score(market: Prediction, *forecasts: MarketForecast) -> MarketForecastScore:
    """Those of `owl`."""
    return scores(market, *forecasts)["owl"]


def test_each_forecast_counts_as_long_as_it_stood():
    result = score(MARKET, forecast(6, 0.5), forecast(12, 0.9))
    six, rest = 6 * HOUR, LENGTH - 12 * HOUR
    assert result.brier == pytest.approx((six * 0.25 + rest * 0.01) / (six + rest))
    assert result.coverage == pytest.approx((LENGTH - 6 * HOUR) / LENGTH)


def test_the_last_forecast_of_the_first_hour_is_the_opening():
    result = score(MARKET, forecast(0.1, 0.3), forecast(0.9, 0.4), forecast(1, 0.8))
    assert result.opening == 0.4
    assert score(MARKET, forecast(1, 0.8)).opening is None


def test_a_forecast_before_the_votes_counts_from_the_votes():
    """A challenge is voted on seconds after it was created."""
    result = score(MARKET, forecast(-0.1, 0.3), forecast(-0.05, 0.7))
    gain = pytest.approx(log(0.7 / POOL))
    assert result == MarketForecastScore(0.7, gain, pytest.approx(0.09), pytest.approx(-log(0.7)), 1.0, gain)


def test_a_peer_score_is_against_those_that_stand_at_the_time():
    """The pool from the votes on, and each other caller from its first forecast on; unvisited time counts 0."""
    entries = [forecast(3, 0.7), forecast(6, 0.5, "jay"), forecast(12, 0.9), forecast(18, 0.2, "jay")]
    result = scores(MARKET, *entries)
    pool, hour = log(POOL), HOUR / LENGTH
    spans = [
        (3, log(0.7) - pool),
        (6, log(0.7) - (pool + log(0.5)) / 2),
        (6, log(0.9) - (pool + log(0.5)) / 2),
        (LENGTH / HOUR - 18, log(0.9) - (pool + log(0.2)) / 2),
    ]
    assert result["owl"].peer == pytest.approx(sum(hours * gain for hours, gain in spans) * hour)
    assert result["jay"].peer < 0
    assert scores(MARKET, entries[0])["owl"].peer == pytest.approx((LENGTH / HOUR - 3) * spans[0][1] * hour)


def test_the_peer_score_of_the_opening_is_of_its_last_forecasts():
    result = scores(MARKET, forecast(0.1, 0.3), forecast(0.2, 0.8), forecast(0.9, 0.4, "jay"), forecast(1, 0.1, "tit"))
    assert result["owl"].opening_peer == pytest.approx(log(0.8) - (log(POOL) + log(0.4)) / 2)
    assert result["tit"].opening_peer is None


def test_peer_scores_of_all_callers_and_the_pool_sum_to_zero():
    """As on Metaculus, where all of them cover the whole time."""
    dice = Random(3)
    entries = [forecast(dice.uniform(-1, 24), dice.uniform(0.01, 0.99), bird) for bird in BIRDS for _ in range(20)]
    entries += [forecast(-2, 0.5, bird) for bird in BIRDS]
    result = scores(MARKET, *sorted(entries, key=lambda entry: entry.at))
    of_pool = sum(score.log_score for score in result.values()) / 3 + log(POOL)
    assert sum(score.peer for score in result.values()) + of_pool == pytest.approx(0, abs=1e-9)


def test_whoever_the_ledger_does_not_name_is_no_peer():
    """Of a name from an earlier version there is no row; its forecasts are scored, and count in nobody else's score."""
    entries = [forecast(0, 0.7), forecast(0, 0.2, "jay")]
    result = scores(MARKET, *entries, peers={"owl"})
    assert result["owl"] == score(MARKET, entries[0])
    assert vars(result["jay"]) == pytest.approx(vars(scores(MARKET, *entries)["jay"]))


def test_the_hour_before_an_early_settlement_does_not_count():
    """A level that was touched at 9:05 settles its market at 10:00: until then it would be known."""
    market = settled(hours=24, resolved=MONDAY + 10 * HOUR, comparator="touch_above")
    result = score(market, forecast(4.5, 0.5), forecast(9.2, 0.999))
    assert (result.brier, result.coverage) == (pytest.approx(0.25), pytest.approx(4.5 * HOUR / LENGTH))
    assert scores(market, forecast(9.2, 0.999)) == {}
    at_once = settled(hours=24, resolved=MONDAY + HOUR, comparator="touch_above")
    assert scores(at_once, forecast(0, 0.5)) == {}


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
    assert scores(market, forecast(0.5, 0.5)) == {}
    assert scores(MARKET) == score_forecasts(MARKET, {"owl": []}, BIRDS) == {}, "nor is one without a forecast"


def test_only_what_prices_settle_with_yes_or_no_is_forecast():
    for market in (replace(waiting(), resolver="hand"), waiting(comparator="open")):
        with pytest.raises(InvalidRequest, match="takes no forecasts"):
            check_forecastable(market)
    for resolver in ("bars", "polymarket", "kalshi"):
        check_forecastable(replace(waiting(), resolver=resolver))
