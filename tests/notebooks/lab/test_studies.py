"""Studies in one call, on a planted record and on the seeded service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from notebooks.lab import leave_one_out
from notebooks.lab.record import MarketRecord
from tests.notebooks.lab.planted import P_RISE, planted_record, rises

HELPER, HARMER = "helper", "harmer"


@pytest.fixture(scope="module")
def record() -> MarketRecord:
    """The planted record with a voter that knows the law, one that turns it round, and their pool."""
    plain_record = planted_record()
    markets = []
    for market in plain_record.markets:
        p = P_RISE if rises(plain_record.bars["btc"], market.question.asked_at) else 1 - P_RISE
        votes = {HELPER: p, HARMER: 0.5 + 0.5 * (0.5 - p), **market.votes}
        pool = float(np.mean(list(votes.values())))
        markets.append(replace(market, votes=votes, weights=dict.fromkeys(votes, 1.0), pool=pool))
    return replace(plain_record, markets=tuple(markets))


def test_the_pool_without_a_voter_shows_its_worth(record):
    """Above zero the voter helps."""
    table = leave_one_out(record)
    assert table.loc[HELPER, "low"] > 0
    assert table.loc[HARMER, "high"] < 0
    assert set(table.index) == {HELPER, HARMER, "momentum", "vol"}
    assert (table["n"] == 400).all()
    assert set(table["world"]) == {"simulated"}


def test_the_pool_without_a_voter_keeps_its_weights(record):
    """On two markets; on the second one voter abstains."""
    first, second = record.markets[:2]
    weights = dict(zip(first.votes, (2.0, 1.0, 0.5, 1.5), strict=True))
    others = {voter: vote for voter, vote in second.votes.items() if voter != "vol"}
    markets = [
        replace(market, votes=votes, weights={voter: weights[voter] for voter in votes}, pool=_pool(votes, weights))
        for market, votes in ((first, first.votes), (second, others))
    ]
    gains = []
    for market in markets:
        p = _pool({voter: vote for voter, vote in market.votes.items() if voter != HELPER}, weights)
        gains.append((p - market.happened) ** 2 - (market.pool - market.happened) ** 2)
    table = leave_one_out(replace(record, markets=tuple(markets)))
    assert table.loc[HELPER, "difference"] == pytest.approx(np.mean(gains))
    assert table.loc["vol", "n"] == 1


def _pool(votes: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return float(np.average(list(votes.values()), weights=[weights[voter] for voter in votes]))
