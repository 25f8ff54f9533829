"""The forecasts of forecasters: callers who give P(YES) of a market, hidden until it is settled, and are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from service.errors import InvalidRequest
from service.forecasting.predictions import Prediction
from service.market.instants import HOUR
from service.scores.proper import brier, log_score

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

    `opening` is P(YES) at the voters' instant, None without a forecast then. `brier` and `log_score` are time-weighted
    means over the time in which a forecast stood, `coverage` (0-1] of the time from the votes to the end.
    """

    opening: float | None
    brier: float
    log_score: float
    coverage: float


def check_forecastable(market: Prediction) -> None:
    """Raise InvalidRequest unless prices or an outside market will settle the question with yes or no."""
    if market.resolver == "hand":
        raise InvalidRequest("The operator resolves this challenge, not prices, so it takes no forecasts.")
    if market.question.comparator == "open":
        raise InvalidRequest("This question has no yes or no, so it takes no forecasts.")


def is_counted(market: Prediction) -> bool:
    """Whether forecasts of the market count in the table of forecasters, once it is settled with yes or no.

    Votes that were backfilled are no commitments, so forecasters are not compared with them.
    """
    return not market.backfilled and market.resolver != "hand" and market.question.comparator != "open"


def opening_until(market: Prediction) -> int:
    """The world second until which a forecast counts at the voters' instant."""
    return market.voted_at + OPENING_S


def score_forecasts(market: Prediction, forecasts: Sequence[MarketForecast]) -> MarketForecastScore | None:
    """The scores of one forecaster, whose `forecasts` are in order of time; None if none of them counts.

    The last forecast stands until the next one. The time runs from the votes to the close, or to an hour before a
    settlement that came earlier, when nothing was decided yet.
    """
    if market.settlement is None or market.commitment is None or not (market.is_scored and is_counted(market)):
        return None
    begin, end = market.voted_at, _end(market, market.settlement.resolved_at)
    timely = [forecast for forecast in forecasts if forecast.at < end]
    if not timely or end <= begin:
        return None
    starts = np.maximum([forecast.at for forecast in timely], begin)
    lasted = np.diff(starts, append=end)
    p = np.array([forecast.p for forecast in timely])
    happened = np.full(len(p), float(market.outcome == "yes"))
    early = [forecast.p for forecast in timely if forecast.at < opening_until(market)]
    return MarketForecastScore(
        opening=early[-1] if early else None,
        brier=float(np.average(brier(p, happened), weights=lasted)),
        log_score=float(np.average(log_score(p, happened), weights=lasted)),
        coverage=float(lasted.sum() / (end - begin)),
    )


def _end(market: Prediction, resolved_at: int) -> int:
    return market.closes_at if resolved_at >= market.closes_at else resolved_at - SETTLED_EVERY_S
