"""Resolved markets that both the pool and an outside market gave a probability, at the same instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.forecasting.predictions import Category, Settled
from service.forecasting.predictions.outside import SOURCE as SIMULATED
from service.forecasting.scoring import Array, Instants, brier, log_score
from service.market.instants import iso


@dataclass(frozen=True)
class PairedMarket:
    """A resolved market that both gave a probability; `difference` is the pool's Brier score less the market's."""

    id: str
    question: str
    asset: str
    category: Category
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
    """Markets that both gave a probability, in order of resolution; the arrays have shape (n,)."""

    settled: tuple[Settled, ...]
    ai: Array
    market: Array
    happened: Array
    asked: Instants
    resolved: Instants

    @property
    def differences(self) -> Array:
        """The pool's Brier score less the market's, one number for each market."""
        return brier(self.ai, self.happened) - brier(self.market, self.happened)


def pairs_of(both: Sequence[Settled]) -> Pairs:
    """The columns of markets that both gave a probability, in the order of these rows."""
    return Pairs(
        settled=tuple(both),
        ai=np.array([one.commitment.p for one in both]),
        market=np.array([one.odds.p_yes for one in both]),
        happened=np.array([float(one.settlement.outcome == "yes") for one in both]),
        asked=np.array([one.commitment.voted_at for one in both], dtype=np.int64),
        resolved=np.array([one.settlement.resolved_at for one in both], dtype=np.int64),
    )


def told(pairs: Pairs) -> tuple[PairedMarket, ...]:
    """The rows of the document, newest first."""
    ai, market, happened = pairs.ai, pairs.market, pairs.happened
    columns = (
        brier(ai, happened),
        brier(market, happened),
        log_score(ai, happened),
        log_score(market, happened),
        pairs.differences,
    )
    rounded = [np.round(column, 5).tolist() for column in columns]
    rows = zip(pairs.settled, *rounded, strict=True)
    return tuple(_paired(*row) for row in rows)[::-1]


def _paired(
    one: Settled, brier_ai: float, brier_market: float, log_ai: float, log_market: float, difference: float
) -> PairedMarket:
    market = one.market
    return PairedMarket(
        id=market.id,
        question=market.question.text,
        asset=market.question.asset,
        category=market.category,
        backfilled=market.backfilled,
        resolved_at=iso(one.settlement.resolved_at),
        outcome=one.settlement.outcome,
        p_ai=round(one.commitment.p, 4),
        p_market=round(one.odds.p_yes, 4),
        brier_ai=brier_ai,
        brier_market=brier_market,
        log_ai=log_ai,
        log_market=log_market,
        difference=difference,
        source=one.odds.source,
        simulated=one.odds.source == SIMULATED,
    )
