"""Studies in one call, on a planted record and on the seeded service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from notebooks.lab import Archive, calibration_by_template, lane_sharpes, leave_one_out
from notebooks.lab.record import MarketRecord
from service.client import Client
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


def test_a_calibration_is_of_one_kind_of_question(record):
    half = [replace(m, question=replace(m.question, comparator="down")) for m in record.markets[::2]]
    moves = [replace(m, question=replace(m.question, comparator="move")) for m in record.markets[1:20:2]]
    mixture = replace(record, markets=(*half, *moves, *record.markets[21::2]))
    table = calibration_by_template(mixture, HELPER)
    assert set(table.index.get_level_values("comparator")) == {"down", "up"}
    assert table.loc["down", "n"].sum() == 200
    assert table.loc["up", "n"].sum() == 190
    assert ((table["low_pct"] <= 100 * table["p"]) & (100 * table["p"] <= table["high_pct"])).all()


@pytest.mark.slow
def test_the_sharpe_of_a_lane_uses_every_bar(client: Client, tmp_path: Path):
    archive = Archive(client, tmp_path, progress=False)
    table = lane_sharpes(archive)
    backfilled = table.xs(True, level="backfilled")
    assert list(backfilled.index) == list(archive.lanes)
    points = [p["equity_usd"] for p in client.pages("lane_equity", "trend") if p["time"] < "2026-11-21T08:02:00Z"]
    returns = np.diff(points) / points[:-1]
    row = backfilled.loc["trend"]
    assert row["bars"] == len(returns) > 30_000
    assert row["step_s"] == 300
    assert row["sharpe"] == pytest.approx(returns.mean() / returns.std(ddof=1) * np.sqrt(365.25 * 288))
    assert row["low"] < row["sharpe"] < row["high"]
