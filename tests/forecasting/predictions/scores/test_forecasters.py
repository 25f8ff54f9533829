"""The table of forecasters has the scores of the other documents, on the same markets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecasters import (
    counted_markets,
    forecasters_document,
    own_entries,
    record_of,
)
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, score_forecasts
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.market.instants import HOUR
from tests.forecasting.markets import HEADER, many, settled

MARKETS = many(300, seed=3)
SAMPLE = counted_markets(columns_of(MARKETS))
SURE = {market.id: 0.9 if market.outcome == "yes" else 0.1 for market in SAMPLE.columns.market}  # and always right


def record(p: dict[str, float], sample=SAMPLE, delay_s: int = 0):
    """The record of a caller who gave P(YES) of markets by id, `delay_s` after the votes."""
    markets = {market.id: market for market in sample.columns.market}
    scores = {}
    for id, value in p.items():
        forecast = MarketForecast(1, id, "owl", markets[id].voted_at + delay_s, value, "salt")
        if score := score_forecasts(markets[id], {"owl": [forecast]}, {"owl"}).get("owl"):
            scores[id] = score
    return record_of(scores, sample)


def pool(count: int = 300) -> dict[str, float]:
    return {market.id: market.commitment.p for market in SAMPLE.columns.market[:count]}


def table(*callers):
    return forecasters_document([(name, name[::-1], row) for name, row in callers], 7, own_entries(SAMPLE), HEADER)


def test_voters_pool_and_market_have_their_other_scores():
    """The live book of the comparison with the market has the same numbers; intervals are of more forecasters here."""
    (book, _) = ai_vs_market_document(columns_of(MARKETS), HEADER, np.random.default_rng(1)).books
    rows = {row.name: row for row in table().entries}
    expected = {"pool": book.ai, "market": book.market} | {score.voter: score for score in book.voters}
    assert set(rows) == set(expected)
    for name, scores in expected.items():
        for field in vars(scores).keys() - {"voter", "engine", "kind"}:
            if not {"low", "high"}.intersection(field.split("_")):
                assert getattr(rows[name].opening, field) == getattr(scores, field), field
        assert rows[name].time_weighted.brier == scores.brier
    assert rows["market"].engine == "simulated"
    assert rows["pool"].opening.peer == rows["pool"].time_weighted.peer == 0
    gain = book.ai.log_score - book.market.log_score
    assert rows["market"].opening.peer_pool == rows["market"].opening.peer == pytest.approx(gain, abs=1e-5)


def test_a_copy_of_the_pool_is_as_good_as_the_pool():
    copy = record(pool())
    assert (copy.opening.peer_pool, copy.opening.peer_pool_low, copy.opening.peer_pool_high) == (0, 0, 0)
    (entry,) = (row for row in table().entries if row.name == "pool")
    assert (copy.opening, copy.time_weighted) == (entry.opening, entry.time_weighted)


def test_ranks_begin_at_thirty_markets_and_ties_share_one():
    """The better forecaster has the better rank."""
    document = table(("owl", record(pool(30))), ("jay", record(pool(30))), ("few", record(pool(29))))
    ranks = {row.name: row.rank for row in document.entries}
    assert ranks["owl"] == ranks["jay"] == ranks["pool"]
    assert ranks["few"] is None
    assert sorted(rank for rank in ranks.values() if rank)[0] == 1
    assert (document.entries[-1].name, document.count, document.forecasters) == ("few", len(document.entries), 7)
    assert {row.name: row.id for row in document.entries}["owl"] == "lwo"
    document = table(("owl", record(SURE)), ("jay", record({id: 1 - p for id, p in SURE.items()})))
    assert (document.entries[0].name, document.entries[-1].name) == ("owl", "jay")


def test_whoever_may_be_lucky_ranks_below_the_pool():
    """Better than the pool on the whole, but not beyond what luck gives the best of all entrants."""
    markets = SAMPLE.columns.market[:40]
    sides = [1 if (market.outcome == "yes") == (place % 3 > 0) else -1 for place, market in enumerate(markets)]
    pairs = [(market.id, market.commitment.p, side) for market, side in zip(markets, sides, strict=True)]
    owl = record({id: p + 0.2 * side * p * (1 - p) for id, p, side in pairs})
    assert owl.time_weighted.peer > 0 > owl.time_weighted.peer_low
    ranks = {row.name: row.rank for row in table(("owl", owl)).entries}
    assert ranks["pool"] < ranks["owl"]


def test_intervals_widen_with_the_number_of_entrants():
    """Callers with a score, the nine voters, their pool and the outside market, up to the next power of two."""
    for callers, entrants in ((0, 16), (5, 16), (6, 32), (1000, 1024)):
        sample = counted_markets(columns_of(MARKETS), callers)
        assert record(pool(), sample).entrants == entrants
    samples = (counted_markets(columns_of(MARKETS), callers) for callers in (5, 1000))
    small_table, large_table = (record({id: 0.1 + 0.8 * p for id, p in pool().items()}, sample) for sample in samples)
    for name in ("brier_low", "peer_low", "peer_pool_low", "accuracy_low_pct", "skill_low", "skill_vol_low"):
        assert getattr(small_table.opening, name) > getattr(large_table.opening, name), name
    for name in ("brier_low", "peer_low", "peer_pool_low"):
        assert getattr(small_table.time_weighted, name) > getattr(large_table.time_weighted, name), name


def test_a_caller_without_a_settled_market_is_not_listed():
    newcomer = record({})
    assert (newcomer.opening.n, newcomer.time_weighted.brier, newcomer.time_weighted.coverage_pct) == (0, None, None)
    assert "owl" not in {row.name for row in table(("owl", newcomer)).entries}
    entries = own_entries(counted_markets(columns_of([])))
    assert forecasters_document([], 0, entries, HEADER).entries == (), "before the first market the table is empty"


@pytest.mark.parametrize("count", [3, 500, 520])
def test_at_most_500_callers_are_listed(count: int):
    row = record(pool(1))
    document = table(*((f"owl-{number}", row) for number in range(count)))
    assert sum(entry.kind == "forecaster" for entry in document.entries) == min(count, 500)
    assert {"pool", "vol", "market"} <= {entry.name for entry in document.entries}


def test_only_live_markets_with_an_outcome_count():
    assert {market.backfilled for market in SAMPLE.columns.market} == {False}
    assert len(SAMPLE.columns) == 150
    others = [settled(outcome="void"), replace(MARKETS[0], resolver="hand"), replace(MARKETS[0], category="challenge")]
    assert len(counted_markets(columns_of(others)).columns) == 0


def test_late_forecasts_count_for_their_time_alone():
    """Ranks are of the whole life of the markets, so whoever comes after the opening has one too."""
    early, late = record(SURE), record(SURE, delay_s=24 * HOUR)
    assert (late.opening.n, late.opening.brier, late.opening.luck, late.opening.best) == (0, None, None, 0)
    assert late.time_weighted.brier == early.time_weighted.brier == 0.01
    assert late.time_weighted.coverage_pct < 95
    assert 0 < late.time_weighted.peer < early.time_weighted.peer
    assert (late.time_weighted.peer, late.opening.peer) == (late.time_weighted.peer_pool, None)
    first = table(("owl", record(SURE, delay_s=2 * HOUR))).entries[0]
    assert (first.name, first.rank, first.opening.n) == ("owl", 1, 0)


def test_whoever_beats_the_others_alone_does_not_rank_above_the_pool():
    """Callers who lose on purpose would lift another, who copies the pool."""
    copy = record(pool())
    favourite = replace(copy, time_weighted=replace(copy.time_weighted, peer=0.3, peer_low=0.2, peer_high=0.4))
    beaten = replace(copy, time_weighted=replace(copy.time_weighted, peer=-0.3, peer_low=-0.4, peer_high=-0.2))
    ranks = {row.name: row.rank for row in table(("owl", favourite), ("jay", beaten)).entries}
    assert ranks["owl"] == ranks["pool"] < ranks["jay"]
