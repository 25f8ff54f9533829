"""What the forecasts of a settled market score, each against the others, and that the published rules say so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Set
from dataclasses import replace
from math import log
from pathlib import Path
from random import Random

import pytest

from service.api.entries import MOST_FORECASTS, NewForecast
from service.api.limits import LIMITS
from service.errors import InvalidRequest
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.forecasters import MOST_CALLERS, TimeWeightedScores, skill_of
from service.forecasting.predictions.scores.market_forecasts import (
    OPENING_S,
    SETTLED_EVERY_S,
    MarketForecast,
    MarketForecastScore,
    check_forecastable,
    score_forecasts,
)
from service.market.instants import HOUR, MINUTE
from service.scores.intervals import LEAST_N
from service.scores.proper import CLIP
from tests.forecasting.markets import MONDAY, settled, waiting

MARKET = settled(hours=24)  # voted on at MONDAY, came out yes a second after 24 hours
LENGTH, POOL = MARKET.closes_at - MONDAY, MARKET.commitment.p
BIRDS = frozenset({"owl", "jay", "tit"})
RULES = " ".join((Path(__file__).parents[4] / "service" / "docs" / "scoring.md").read_text(encoding="utf-8").split())


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
    """Its peer score is of the last ones of all."""
    result = score(MARKET, forecast(0.1, 0.3), forecast(0.9, 0.4), forecast(1, 0.8))
    assert result.opening == 0.4
    assert score(MARKET, forecast(1, 0.8)).opening is None
    result = scores(MARKET, forecast(0.1, 0.3), forecast(0.2, 0.8), forecast(0.9, 0.4, "jay"), forecast(1, 0.1, "tit"))
    assert result["owl"].opening_peer == pytest.approx(log(0.8) - (log(POOL) + log(0.4)) / 2)
    assert result["tit"].opening_peer is None


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


def numbers(pattern: str) -> list[float]:
    """The numbers in a sentence of the rules."""
    (groups,) = re.findall(pattern, RULES)
    return [float(text) for text in ([groups] if isinstance(groups, str) else groups)]


def test_the_numbers_of_the_rules_are_those_of_the_code():
    """And so are the ranks."""
    schema = NewForecast.model_json_schema()["properties"]["p_yes"]
    assert numbers(r"P\(YES\) of a market, from ([\d.]+) to ([\d.]+)\. ") == [schema["minimum"], schema["maximum"]]
    assert numbers(r"it ends (\d+) minutes before the settlement") == [SETTLED_EVERY_S / MINUTE]
    assert numbers(r"before (\d+) minutes after the votes") == [OPENING_S / MINUTE]
    assert numbers(r"limited to ([\d.]+) to ([\d.]+)\. ") == [CLIP, 1 - CLIP]
    assert numbers(r"from (\d+) markets on") == [LEAST_N]
    assert numbers(r"At most (\d+) callers are listed") == [MOST_CALLERS]
    votes, count, lists = numbers(
        r"one of (\d+) votes and forecasts an hour.* at most (\d+) forecasts and counts as one of (\d+)"
    )
    assert count == MOST_FORECASTS
    assert LIMITS["votes"].summary == f"{votes:.0f} per hour per caller"
    assert LIMITS["forecast lists"].summary == f"{lists:.0f} per hour per caller"
    (names,) = re.findall(r"The `rank` is by `time_weighted\.(\w+)`, .*? or by `time_weighted\.(\w+)` where", RULES)
    low = dict.fromkeys(TimeWeightedScores.__dataclass_fields__, 0.1) | {"n": LEAST_N}
    for name in names:
        assert skill_of(TimeWeightedScores(**{**low, name: 0.05})) == 0.05
    assert skill_of(TimeWeightedScores(**{**low, "n": LEAST_N - 1})) is None


def test_the_example_of_the_rules_is_computed_as_it_says():
    entries = (forecast(0.5, 0.7), forecast(6, 0.5, "jay"), forecast(12, 0.9))
    market = replace(settled(p=0.6, hours=24), closes_at=MONDAY + 24 * HOUR)
    score = scores(market, *entries)["owl"]
    pool, other, first, last = (-log(p) for p in (0.6, 0.5, 0.7, 0.9))
    values = numbers(
        r"pool said 0.6, a log score of ([\d.]+)\. .* 0.5 at 06:00, a log score of ([\d.]+), .* have ([\d.]+)\. You"
    )
    assert values == pytest.approx([pool, other, (pool + other) / 2], abs=1e-4)
    assert numbers(r"00:30 \| 0.7 \| ([\d.]+) \| ([\d.]+) \|") == pytest.approx([0.09, first], abs=1e-4)
    assert numbers(r"12:00 \| 0.9 \| ([\d.]+) \| ([\d.]+) \|") == pytest.approx([0.01, last], abs=1e-4)
    assert score.opening == 0.7
    values = numbers(r"a Brier score of ([\d.]+) and a `peer` of [\d.]+ - [\d.]+ = ([\d.]+)\.")
    assert values == pytest.approx([0.3**2, score.opening_peer], abs=1e-4)
    values = numbers(
        r"a Brier score of ([\d.]+), a coverage of 23.5 of 24 hours, ([\d.]+), and a `peer` of .*24 = ([\d.]+)\. Had"
    )
    assert values == pytest.approx([score.brier, score.coverage, score.peer], abs=1e-4)
    assert score.peer == pytest.approx(
        (5.5 * (pool - first) + 6 * ((pool + other) / 2 - first) + 12 * ((pool + other) / 2 - last)) / 24
    )
    market = replace(market, settlement=replace(market.settlement, resolved_at=MONDAY + 12 * HOUR + HOUR // 2))
    coverage = scores(market, *entries)["owl"].coverage
    assert numbers(r"with a coverage of 11 of 24 hours, ([\d.]+)\.") == pytest.approx([coverage], abs=1e-4)
