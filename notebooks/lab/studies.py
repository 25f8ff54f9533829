"""Studies of the record in one call each; their intervals are 95% ones, clustered by week."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from notebooks.lab.archive import Archive, record_from
from notebooks.lab.record import MarketRecord, RecordedMarket
from notebooks.lab.reliability import MARKET, POOL, forecasters_of, forecasts_table
from notebooks.lab.scores import Array, weekly_mean, weeks_of
from service.scores.intervals import DIFFERENCES
from service.scores.proper import brier

MEMBERS = "mean of the members"


def differences(source: Archive | MarketRecord, forecaster: str = POOL) -> pd.DataFrame:
    """The Brier score of a forecaster minus that of each other on the same markets: below 0 it is the better one.

    `forecaster` is `pool`, `market` or a voter. One row per other and book, index `forecaster`, the lowest difference
    first; `brier` is the other's. The mean of the members is that of the scores of all who voted.
    """
    record, rows = record_from(source), []
    table = forecasts_table(record)
    for backfilled, markets in table.groupby("backfilled"):
        scores = markets[forecasters_of(table)].rsub(markets["happened"], axis=0) ** 2
        scores[MEMBERS] = scores.drop(columns=[POOL, MARKET], errors="ignore").mean(axis=1)
        for other in scores.columns.drop(forecaster):
            gap = scores.loc[:, forecaster].to_numpy() - scores.loc[:, other].to_numpy()
            mask = np.isfinite(gap)
            mean = weekly_mean(gap[mask], markets.loc[mask, "week"].to_numpy(), DIFFERENCES)
            ends = {"difference": mean.mean, "low": mean.low, "high": mean.high, "n": mean.n, "n_eff": mean.n_eff}
            origin = {"backfilled": bool(backfilled), "world": record.world}
            rows.append({"forecaster": other, "brier": scores.loc[mask, other].mean(), **ends, **origin})
    columns = ["forecaster", "brier", "difference", "low", "high", "n", "n_eff", "backfilled", "world"]
    return pd.DataFrame(rows, columns=columns).set_index("forecaster").sort_values(["backfilled", "difference"])


def leave_one_out(source: Archive | MarketRecord) -> pd.DataFrame:
    """The Brier score of the pool without each voter, minus that of the pool: above 0 the voter helps.

    One row per voter and book, index `voter`. The votes of the others keep their weights. Markets of earlier versions,
    whose pool was no plain mean, are approximate.
    """
    rows = [
        {"voter": voter, **row, "backfilled": backfilled, "world": record.world}
        for record in (record_from(source),)
        for backfilled, markets in _books(record)
        for voter, row in _without_each(markets).items()
    ]
    return pd.DataFrame(rows).set_index("voter") if rows else pd.DataFrame()


def _books(record: MarketRecord) -> Iterator[tuple[bool, list[RecordedMarket]]]:
    """The resolved markets of the live and of the backfilled book."""
    for backfilled in (False, True):
        markets = [market for market in record.markets if market.happened is not None]
        yield backfilled, [market for market in markets if market.backfilled == backfilled]


def _without_each(markets: list[RecordedMarket]) -> dict[str, dict[str, float]]:
    if not markets:
        return {}
    votes = pd.DataFrame([market.votes for market in markets]).to_numpy()
    voters = list(pd.DataFrame([market.votes for market in markets]))
    weights = pd.DataFrame([market.weights for market in markets])[voters].to_numpy()
    pool, outcomes, weeks = np.array([market.pool for market in markets]), _outcomes(markets), _weeks(markets)
    rows = {}
    for column, voter in enumerate(voters):
        mask = np.isfinite(votes[:, column])
        others = np.delete(votes, column, axis=1), np.delete(weights, column, axis=1)
        without = _pooled(*others)
        gain = weekly_mean((brier(without, outcomes) - brier(pool, outcomes))[mask], weeks[mask], DIFFERENCES)
        rows[voter] = {"difference": gain.mean, "low": gain.low, "high": gain.high, "n": gain.n, "n_eff": gain.n_eff}
    return rows


def _pooled(votes: Array, weights: Array) -> Array:
    """The weighted mean of those who voted."""
    shares = np.where(np.isfinite(votes), weights, 0.0)
    return np.nansum(shares * votes, axis=1) / shares.sum(axis=1)


def _outcomes(markets: list[RecordedMarket]) -> Array:
    return np.array([market.happened for market in markets], dtype=float)


def _weeks(markets: list[RecordedMarket]) -> np.ndarray:
    return weeks_of(pd.Series([market.resolved_at for market in markets], dtype="datetime64[us, UTC]"))
