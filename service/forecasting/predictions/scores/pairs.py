"""Resolved markets with a probability of the pool and one of an outside market at the same instant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Literal

import numpy as np

from service.forecasting.predictions import MarketCategory, Odds, Prediction, by_resolution
from service.forecasting.predictions.market_fields import MarketScore
from service.forecasting.predictions.simulated_odds import SOURCE as SIMULATED
from service.forecasting.voters.scoring import Array, Instants, brier, log_score
from service.market.instants import iso


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


@dataclass(frozen=True)
class Pairs:
    """Markets with both probabilities, in order of resolution; the arrays have shape (n,)."""

    markets: tuple[Prediction, ...]
    odds: tuple[Odds, ...]
    ai: Array
    market: Array
    happened: Array
    resolved: Instants

    @property
    def differences(self) -> Array:
        """The pool's Brier score minus the outside market's, for each market."""
        return brier(self.ai, self.happened) - brier(self.market, self.happened)


def pairs_of(markets: Iterable[Prediction]) -> Pairs:
    """The markets that were voted on, had odds and came out yes or no, as columns in order of resolution."""
    rows = [
        (market, market.odds, market.commitment.p, market.settlement.resolved_at)
        for market in by_resolution(markets)
        if market.commitment and market.odds and market.settlement and market.is_scored
    ]
    return Pairs(
        markets=tuple(market for market, *_ in rows),
        odds=tuple(odds for _, odds, *_ in rows),
        ai=np.array([p for _, _, p, _ in rows]),
        market=np.array([odds.p_yes for _, odds, *_ in rows]),
        happened=np.array([float(market.outcome == "yes") for market, *_ in rows]),
        resolved=np.array([resolved_at for *_, resolved_at in rows], dtype=np.int64),
    )


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


def publish(pairs: Pairs, limit: int) -> tuple[PairedMarket, ...]:
    """The last `limit` markets in the form of the document, newest first."""
    newest = slice(None, -limit - 1, -1)
    ai, market, happened = pairs.ai[newest], pairs.market[newest], pairs.happened[newest]
    scores = (
        brier(ai, happened),
        brier(market, happened),
        log_score(ai, happened),
        log_score(market, happened),
        pairs.differences[newest],
    )
    rounded = [np.round(column, 5).tolist() for column in scores]
    shown = (pairs.markets[newest], pairs.odds[newest], ai.tolist(), pairs.resolved[newest].tolist())
    return tuple(_paired(*row) for row in zip(*shown, *rounded, strict=True))


def _paired(
    market: Prediction,
    odds: Odds,
    p_ai: float,
    resolved_at: int,
    brier_ai: float,
    brier_market: float,
    log_ai: float,
    log_market: float,
    difference: float,
) -> PairedMarket:
    assert market.category != "answer"  # answers have no odds
    return PairedMarket(
        id=market.id,
        question=market.question.text,
        asset=market.question.asset,
        category=market.category,
        backfilled=market.backfilled,
        resolved_at=iso(resolved_at),
        outcome="yes" if market.outcome == "yes" else "no",
        p_ai=round(p_ai, 4),
        p_market=round(odds.p_yes, 4),
        brier_ai=brier_ai,
        brier_market=brier_market,
        log_ai=log_ai,
        log_market=log_market,
        difference=difference,
        source=odds.source,
        simulated=odds.source == SIMULATED,
    )
