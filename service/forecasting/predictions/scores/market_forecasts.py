"""The forecasts that callers give of a market, and their scores once it is settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import nan

import numpy as np

from service.errors import InvalidRequest
from service.forecasting.predictions import Prediction
from service.market.instants import HOUR
from service.scores.proper import Array, brier, log_score

# How long after the votes a forecast still counts at their instant: before the opinions of the next hour are published.
OPENING_S = HOUR
# Prices settle a market at full hours, so what decided it early happened in the hour before.
SETTLED_EVERY_S = HOUR


@dataclass(frozen=True)
class MarketForecast:
    """P(YES) that a forecaster gave at the world second `at`; row `seq` of the ledger commits to it with `salt`."""

    seq: int
    market: str
    forecaster: str
    at: int
    p: float
    salt: str


@dataclass(frozen=True)
class MarketForecastScore:
    """The scores of one forecaster on one settled market.

    `opening` is P(YES) at the voters' instant and `opening_peer` the peer score of it, None without a forecast then.
    `brier` and `log_score` are time-weighted means over the time in which a forecast stood, which is `coverage` (0-1]
    of the life of the market. `peer` is the peer score of that time; the rest of the life counts 0.
    """

    opening: float | None
    opening_peer: float | None
    brier: float
    log_score: float
    coverage: float
    peer: float


def check_forecastable(market: Prediction) -> None:
    """Raise InvalidRequest unless prices or an outside market will settle the question with yes or no."""
    if market.resolver == "hand":
        raise InvalidRequest("The operator resolves this challenge, not prices, so it takes no forecasts.")
    if market.question.comparator == "open":
        raise InvalidRequest("This question has no yes or no, so it takes no forecasts.")


def is_counted(market: Prediction) -> bool:
    """Whether forecasts of the market count in the table of forecasters, once it is settled with yes or no.

    Votes that were backfilled are no commitments, so forecasters are not compared with them. Challenges are asked by
    callers: thirty of them about the same event would be thirty right answers.
    """
    is_asked_by_service = market.category != "challenge" and market.resolver != "hand"
    return is_asked_by_service and not market.backfilled and market.question.comparator != "open"


def opening_until(market: Prediction) -> int:
    """The world second until which a forecast counts at the voters' instant."""
    return market.voted_at + OPENING_S


def counted_until(market: Prediction) -> int:
    """The end of the time that counts: the close, or an hour before a settlement that came earlier.

    Nothing was decided then. The time after it counts 0, as on Metaculus: if it counted as the whole life, a level that
    may be touched any day would reward whoever says YES at first.
    """
    if market.settlement is None or market.settlement.resolved_at >= market.closes_at:
        return market.closes_at
    return market.settlement.resolved_at - SETTLED_EVERY_S


def score_forecasts(
    market: Prediction, forecasts: Mapping[str, Sequence[MarketForecast]], peers: Set[str]
) -> dict[str, MarketForecastScore]:
    """The scores of forecasters from their `forecasts`, in order of time; without those of whom none counts.

    A peer score is the mean log score of the others, who are the pool and the `peers`, less the own one, as on
    Metaculus: at each instant of the forecasts that stand then, and 0 without an own one.
    """
    start, end, life = market.voted_at, counted_until(market), market.closes_at - market.voted_at
    is_live = market.is_scored and not market.backfilled and market.resolver != "hand"
    if market.settlement is None or market.commitment is None or not is_live or end <= start:
        return {}
    parts = {id: timely for id, part in forecasts.items() if (timely := [row for row in part if row.at < end])}
    edges = np.unique([start, end, *(max(start, forecast.at) for part in parts.values() for forecast in part)])
    seconds, outcome = np.diff(edges), np.array(float(market.outcome == "yes"))
    opening = np.count_nonzero(edges[:-1] < opening_until(market)) - 1
    sums, counts = np.full(len(seconds), log_score(np.array(market.commitment.p), outcome)), np.ones(len(seconds))
    for id in parts:
        if id in peers:
            p = _standing(parts[id], edges)
            sums, counts = sums + np.nan_to_num(log_score(p, outcome)), counts + np.isfinite(p)
    scores: dict[str, MarketForecastScore] = {}
    for id, part in parts.items():
        p, is_peer = _standing(part, edges), id in peers
        losses, stands = log_score(p, outcome), np.isfinite(p)
        peer = (sums - is_peer * losses) / np.maximum(counts - is_peer, 1) - losses
        scores[id] = MarketForecastScore(
            opening=float(p[opening]) if stands[opening] else None,
            opening_peer=float(peer[opening]) if stands[opening] else None,
            brier=float(np.average(brier(p, outcome)[stands], weights=seconds[stands])),
            log_score=float(np.average(losses[stands], weights=seconds[stands])),
            coverage=float(seconds[stands].sum() / life),
            peer=float((peer * seconds)[stands].sum() / life),
        )
    return scores


def _standing(forecasts: Sequence[MarketForecast], edges: Array) -> Array:
    """P(YES) of one forecaster from each of the `edges` on until the next one, shape (n - 1,); NaN before the first."""
    last = np.searchsorted([forecast.at for forecast in forecasts], edges[:-1], side="right")
    return np.array([nan, *(forecast.p for forecast in forecasts)])[last]
