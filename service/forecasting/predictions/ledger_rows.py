"""The ledger rows of a prediction and its forecasts, which are the same for jobs, requests and the operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from service.forecasting.predictions import Commitment, Odds, Prediction, Settlement
from service.forecasting.predictions.market_forecasts import MarketForecast
from service.ledger.chain import LedgerRow
from service.ledger.commitments import commitment as commitment_of
from service.scores.proper import brier

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
    body = _with_view(commitment.to_plain()) | {"votes": [_vote(vote.to_plain()) for vote in commitment.votes]}
    return LedgerRow("votes", prediction.id, _question(prediction) | body, prediction.backfilled)


def odds_row(prediction: Prediction, odds: Odds) -> LedgerRow:
    """The row of the outside market's prices when the votes were cast."""
    return LedgerRow("odds", prediction.id, asdict(odds), prediction.backfilled)


def resolution_row(prediction: Prediction, settlement: Settlement) -> LedgerRow:
    """The row of the settlement: the outcome, who decided it, and the evidence."""
    return LedgerRow("resolution", prediction.id, asdict(settlement), prediction.backfilled)


def answer_row(answer: Prediction, settlement: Settlement) -> LedgerRow:
    """The row of a settled answer of the oracle: its outcome, without its question, which is its author's alone."""
    body = {"outcome": settlement.outcome, "resolved_at": settlement.resolved_at}
    return LedgerRow("answer", answer.id, body, answer.backfilled)


def forecast_row(market_id: str, forecaster: str, p_yes: float, salt: str) -> LedgerRow:
    """The row that commits to a forecast without showing it; it names no person."""
    hidden = commitment_of(market_id, forecaster, p_yes, salt)
    return LedgerRow("forecast", forecaster, {"market": market_id, "commitment": hidden}, False)


def reveal_row(forecast: MarketForecast) -> LedgerRow:
    """The row that shows a forecast when its market is settled, with what its commitment was made of."""
    body = {"market": forecast.market, "forecast": forecast.seq, "p_yes": forecast.p, "salt": forecast.salt}
    return LedgerRow("reveal", forecast.forecaster, body, False)


def score_row(prediction: Prediction) -> LedgerRow | None:
    """The row with the Brier score of each vote, the pool and the outside market; None if there is nothing to score."""
    scores = brier_scores(prediction)
    if scores is None:
        return None
    return LedgerRow("score", prediction.id, {"outcome": prediction.outcome} | scores, prediction.backfilled)


def brier_scores(prediction: Prediction) -> dict[str, Any] | None:
    """The Brier score of the pool, of the outside market and of each vote; None if there is nothing to score."""
    commitment, odds = prediction.commitment, prediction.odds
    if commitment is None or not prediction.is_scored:
        return None
    happened = float(prediction.outcome == "yes")
    return {
        "brier": _score(commitment.p, happened),
        "brier_market": _score(odds.p_yes, happened) if odds else None,
        "brier_by_voter": {vote.voter: _score(vote.p, happened) for vote in commitment.votes},
    }


def settlement_rows(prediction: Prediction) -> list[LedgerRow]:
    """The rows of a settled prediction: the resolution and the score, if there is one; empty before the settlement.

    An answer has one row, which keeps its question private.
    """
    if prediction.settlement is None:
        return []
    if prediction.category == "answer":
        return [answer_row(prediction, prediction.settlement)]
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
    return _with_view({name: value for name, value in vote.items() if value or name not in MODEL_FIELDS})


def _with_view(row: dict[str, Any]) -> dict[str, Any]:
    """A vote or a commitment without P(higher) where it has none, as on a topic and in rows of earlier versions."""
    return {name: value for name, value in row.items() if name != "p_up" or value is not None}


def _score(p: float, happened: float) -> float:
    return round(float(brier(np.array(p), np.array(happened))), 6)
