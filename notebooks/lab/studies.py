"""Studies of the record in one call each; their intervals are 95% ones, clustered by week."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from notebooks.lab.archive import Archive, record_from
from notebooks.lab.record import MarketRecord, RecordedMarket
from notebooks.lab.scores import Array, calibration, weekly_mean, weeks_of
from service.scores.dependence import DIFFERENCES, Dependence
from service.scores.proper import brier

DAYS_A_YEAR = 365.25
RETURNS = Dependence(0.0)  # of successive bars
DAY_S = 86_400


def lane_sharpes(archive: Archive) -> pd.DataFrame:
    """The Sharpe ratio of each lane from its equity at every bar, annualised, on paper.

    One row per lane and book, index `lane` and `backfilled`. `sharpe` has an interval clustered by week, in which
    returns depend on each other; `sharpe_daily` is the same from the last equity of each day. `bars` returns of
    `step_s` seconds each are averaged; interest is not subtracted.
    """
    equity = archive.lane_equity()
    rows = []
    for lane in archive.lanes:
        for backfilled in (False, True):
            points = equity.loc[(equity["lane"] == lane) & (equity["backfilled"] == backfilled), "equity_usd"]
            if len(points) > 2:
                rows.append({"lane": lane, **_sharpe(points), "backfilled": backfilled, "world": archive.world})
    return pd.DataFrame(rows).set_index(["lane", "backfilled"])


def _sharpe(equity: pd.Series) -> dict[str, Any]:
    """The Sharpe ratio of a curve; NaN where it lasts no two weeks, which say nothing about a year."""
    seconds = pd.DatetimeIndex(equity.index).as_unit("s").asi8
    step = int(np.median(np.diff(seconds)))
    returns, weeks = _returns(equity), weeks_of(equity.index.to_series())[1:]
    mean, count = weekly_mean(returns, weeks, RETURNS), len(np.unique(weeks))
    scale = _ratio(np.sqrt(DAYS_A_YEAR * DAY_S / step), returns) if count > 1 else np.nan
    daily = _returns(equity.groupby(seconds // DAY_S).last())
    return {
        "sharpe": scale * mean.mean,
        "low": scale * mean.low,
        "high": scale * mean.high,
        "sharpe_daily": _ratio(np.sqrt(DAYS_A_YEAR), daily) * daily.mean() if count > 1 else np.nan,
        "return_pct": 100 * (equity.iloc[-1] / equity.iloc[0] - 1),
        "bars": len(returns),
        "step_s": step,
        "weeks": count,
    }


def _returns(equity: pd.Series) -> Array:
    values = equity.to_numpy(dtype=float)
    return values[1:] / values[:-1] - 1


def _ratio(scale: float, returns: Array) -> float:
    """A scale over the standard deviation of returns; NaN where they do not vary."""
    deviation = float(returns.std(ddof=1)) if len(returns) > 1 else 0.0
    return float(scale / deviation) if deviation > 0 else np.nan


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


def calibration_by_template(source: Archive | MarketRecord, forecaster: str = "pool") -> pd.DataFrame:
    """How often YES came for similar forecasts, for each kind of question apart.

    `forecaster` is `pool`, `market` or a voter. One row per kind, bin and book, index `comparator` and `bin`, in bins
    of equal count; a kind with fewer than 30 resolved markets in a book has no rows.
    """
    rows = [
        {"comparator": kind, "bin": number, **bin_, "backfilled": backfilled, "world": record.world}
        for record in (record_from(source),)
        for backfilled, markets in _books(record)
        for kind in sorted({market.question.comparator for market in markets})
        for number, bin_ in _bins([market for market in markets if market.question.comparator == kind], forecaster)
    ]
    return pd.DataFrame(rows).set_index(["comparator", "bin"]) if rows else pd.DataFrame()


def _books(record: MarketRecord) -> Iterator[tuple[bool, list[RecordedMarket]]]:
    """The resolved markets of the live and of the backfilled book."""
    for backfilled in (False, True):
        markets = [market for market in record.markets if market.happened is not None]
        yield backfilled, [market for market in markets if market.backfilled == backfilled]


def _bins(markets: list[RecordedMarket], forecaster: str) -> Iterator[tuple[int, dict[str, float]]]:
    p = np.array([_p_of(market, forecaster) for market in markets], dtype=float)
    gave = np.isfinite(p)
    yield from enumerate(calibration(p[gave], _outcomes(markets)[gave], _weeks(markets)[gave]), 1)


def _p_of(market: RecordedMarket, forecaster: str) -> float | None:
    references = {"pool": market.pool, "market": market.odds}
    return references[forecaster] if forecaster in references else market.votes.get(forecaster)


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
