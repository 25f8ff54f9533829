"""The ledger rows of a prediction, which are the same for jobs, requests and the operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from service.forecasting.predictions import Commitment, Odds, Prediction, Settlement
from service.forecasting.voters.scoring import brier
from service.ledger.chain import LedgerRow

MODEL_FIELDS = ("fallback", "prompt", "tokens", "usd")
TERMS = ("category", "rule", "resolver", "created_at", "closes_at", "deadline")


def question_row(prediction: Prediction) -> LedgerRow:
    """The row of the question, before any vote; it omits the author."""
    return LedgerRow("question", prediction.id, _question(prediction), prediction.backfilled)


def market_rows(markets: Iterable[Prediction]) -> list[LedgerRow]:
    """The rows of voted markets, and of past ones also those of their settlements, in the order of their instants.

    Of one instant settlements come first, then votes.
    """
    timed = sorted((row for market in markets for row in _timed_rows(market)), key=lambda row: row[0])
    return [row for _, row in timed]


def votes_row(prediction: Prediction, commitment: Commitment) -> LedgerRow:
    """The row of a commitment: the question and every vote; the fields of a language model only if one was used."""
    body = vars(commitment) | {"votes": [_vote(vote.to_plain()) for vote in commitment.votes]}
    return LedgerRow("votes", prediction.id, _question(prediction) | body, prediction.backfilled)


def odds_row(prediction: Prediction, odds: Odds) -> LedgerRow:
    """The row of the outside market's prices when the votes were cast."""
    return LedgerRow("odds", prediction.id, asdict(odds), prediction.backfilled)


def resolution_row(prediction: Prediction, settlement: Settlement) -> LedgerRow:
    """The row of the settlement: the outcome, who decided it, and the evidence."""
    return LedgerRow("resolution", prediction.id, asdict(settlement), prediction.backfilled)


def score_row(prediction: Prediction) -> LedgerRow | None:
    """The row with the Brier score of each vote, the pool and the outside market; None if there is nothing to score."""
    commitment, odds = prediction.commitment, prediction.odds
    if commitment is None or not prediction.is_scored:
        return None
    happened = float(prediction.outcome == "yes")
    body = {
        "outcome": prediction.outcome,
        "brier": _score(commitment.p, happened),
        "brier_market": _score(odds.p_yes, happened) if odds else None,
        "brier_by_voter": {vote.voter: _score(vote.p, happened) for vote in commitment.votes},
    }
    return LedgerRow("score", prediction.id, body, prediction.backfilled)


def settlement_rows(prediction: Prediction) -> list[LedgerRow]:
    """The rows of a settled prediction: the resolution and the score, if there is one; empty before the settlement."""
    if prediction.settlement is None:
        return []
    score = score_row(prediction)
    return [resolution_row(prediction, prediction.settlement), *([score] if score else [])]


def _timed_rows(market: Prediction) -> Iterator[tuple[tuple[int, int], LedgerRow]]:
    """The rows of a market, each with its instant and its place there."""
    if market.commitment:
        yield (market.voted_at, 0), votes_row(market, market.commitment)
    if market.odds:
        yield (market.voted_at, 1), odds_row(market, market.odds)
    if market.settlement:
        for row in settlement_rows(market):
            yield (market.settlement.resolved_at, -1), row


def _question(prediction: Prediction) -> dict[str, Any]:
    return {"question": prediction.question.to_plain(), **{name: getattr(prediction, name) for name in TERMS}}


def _vote(vote: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in vote.items() if value or name not in MODEL_FIELDS}


def _score(p: float, happened: float) -> float:
    return round(float(brier(np.array(p), np.array(happened))), 6)
