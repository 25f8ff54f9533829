"""Resolved markets with a probability of the pool and one of an outside market at the same instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Literal

import numpy as np

from service.forecasting.predictions import MarketCategory, Prediction
from service.forecasting.predictions.market_fields import MarketScore
from service.forecasting.predictions.scores.columns import MarketColumns
from service.forecasting.predictions.simulated_odds import SOURCE as SIMULATED
from service.market.instants import iso
from service.scores.proper import Array, brier, log_score


@dataclass(frozen=True)
class PairedMarket:
    """A resolved market with both probabilities; `difference` is the pool's Brier score minus the market's."""

    id: str
    question: str
    asset: str
    category: MarketCategory
    backfilled: bool
    resolved_at: str
    outcome: Literal["yes", "no"]
    p_ai: float
    p_market: float
    brier_ai: float
    brier_market: float
    log_ai: float
    log_market: float
    difference: float
    source: str
    simulated: bool


def pairs_of(markets: MarketColumns) -> MarketColumns:
    """The markets that were voted on, had odds and came out yes or no."""
    return markets.where(np.isfinite(markets.pool) & np.isfinite(markets.quoted) & np.isfinite(markets.happened))


def differences(pairs: MarketColumns) -> Array:
    """The pool's Brier score minus the outside market's, for each market."""
    return brier(pairs.pool, pairs.happened) - brier(pairs.quoted, pairs.happened)


def scores_of(markets: Sequence[Prediction]) -> list[MarketScore | None]:
    """The scores of each market; None unless it was voted on and came out yes or no."""
    ai = np.array([market.commitment.p if market.commitment and market.is_scored else nan for market in markets])
    quoted = np.array([market.odds.p_yes if market.odds else nan for market in markets])
    happened = np.array([float(market.outcome == "yes") for market in markets])
    scores = (score(p, happened) for score in (brier, log_score) for p in (ai, quoted))
    return [_score(*row) for row in zip(*(np.round(column, 5).tolist() for column in scores), strict=True)]


def _score(brier_ai: float, brier_market: float, log_ai: float, log_market: float) -> MarketScore | None:
    """The scores of a market; NaN is what it has no score for."""
    if isnan(brier_ai):
        return None
    if isnan(brier_market):
        return MarketScore(brier_ai, None, log_ai, None, None)
    return MarketScore(brier_ai, brier_market, log_ai, log_market, round(brier_ai - brier_market, 5))


def publish(pairs: MarketColumns, limit: int) -> tuple[PairedMarket, ...]:
    """The last `limit` markets in the form of the document, newest first."""
    shown = pairs.where(np.arange(len(pairs))[: -limit - 1 : -1])
    scores = (
        brier(shown.pool, shown.happened),
        brier(shown.quoted, shown.happened),
        log_score(shown.pool, shown.happened),
        log_score(shown.quoted, shown.happened),
        differences(shown),
    )
    rounded = [np.round(column, 5).tolist() for column in scores]
    return tuple(_paired(*row) for row in zip(shown.market.tolist(), *rounded, strict=True))


def _paired(
    market: Prediction, brier_ai: float, brier_market: float, log_ai: float, log_market: float, difference: float
) -> PairedMarket:
    commitment, odds, settlement = market.commitment, market.odds, market.settlement
    assert commitment
    assert odds
    assert settlement
    assert market.category != "answer"  # answers have no odds
    return PairedMarket(
        id=market.id,
        question=market.question.text,
        asset=market.question.asset,
        category=market.category,
        backfilled=market.backfilled,
        resolved_at=iso(settlement.resolved_at),
        outcome="yes" if market.outcome == "yes" else "no",
        p_ai=round(commitment.p, 4),
        p_market=round(odds.p_yes, 4),
        brier_ai=brier_ai,
        brier_market=brier_market,
        log_ai=log_ai,
        log_market=log_market,
        difference=difference,
        source=odds.source,
        simulated=odds.source == SIMULATED,
    )
