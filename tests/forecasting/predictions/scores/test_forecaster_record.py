"""The record of a forecaster: live markets alone, and each forecast for the time in which it stood."""

from __future__ import annotations

from dataclasses import replace

from service.forecasting.predictions.market_forecasts import MarketForecast, score_forecasts
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecaster_record import (
    CountedMarkets,
    ForecasterRecord,
    counted_markets,
    record_of,
)
from service.scores.luck import SimulatedRecords
from tests.forecasting.markets import many, settled

MARKETS = many(300, seed=3)
COUNTED = counted_markets(columns_of(MARKETS))


def record(p: dict[str, float], counted: CountedMarkets = COUNTED, delay_s: int = 0) -> ForecasterRecord:
    """The record of a caller who gave P(YES) of markets by id, `delay_s` after the votes."""
    markets = {market.id: market for market in counted.markets.market}
    scores = {
        id: score_forecasts(markets[id], [MarketForecast(1, id, "owl", markets[id].voted_at + delay_s, value, "salt")])
        for id, value in p.items()
    }
    return record_of({id: score for id, score in scores.items() if score}, counted, SimulatedRecords(1))


def pool(count: int = 300) -> dict[str, float]:
    return {market.id: market.commitment.p for market in COUNTED.markets.market[:count]}


def test_only_live_markets_with_an_outcome_count():
    assert {market.backfilled for market in COUNTED.markets.market} == {False}
    assert len(COUNTED.markets) == 150
    others = [settled(outcome="void"), replace(MARKETS[0], resolver="hand")]
    assert len(counted_markets(columns_of(others)).markets) == 0


def test_late_forecasts_count_for_their_time_alone():
    outcomes = {market.id: 0.9 if market.outcome == "yes" else 0.1 for market in COUNTED.markets.market}
    early, late = record(outcomes), record(outcomes, delay_s=24 * 3600)
    assert (late.opening.n, late.opening.brier, late.opening.luck, late.opening.best) == (0, None, None, 0)
    assert late.time_weighted.brier == early.time_weighted.brier == 0.01
    assert late.time_weighted.coverage_pct < 95
    assert 0 < late.time_weighted.peer_pool < early.time_weighted.peer_pool
