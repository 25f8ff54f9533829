"""What of a market goes into the ledger, and in which words: the same for a job, a request and the operator."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from service.forecasting.predictions import Commitment, Odds, PredictionMarket, Settled, Settlement
from service.forecasting.scoring import brier
from service.ledger.chain import Row

OF_MODELS = ("fallback", "prompt", "tokens", "usd")


def question_row(market: PredictionMarket) -> Row:
    """What is asked, before anybody has voted; who asked is left out."""
    return Row("question", market.id, _asked(market), market.backfilled)


def votes_row(market: PredictionMarket, commitment: Commitment) -> Row:
    """Every vote that was cast at one instant, and on what; nothing of a language model where none was asked."""
    body = asdict(commitment)
    body["votes"] = [_cast(vote) for vote in body["votes"]]
    return Row("votes", market.id, _asked(market) | body, market.backfilled)


def _cast(vote: dict[str, Any]) -> dict[str, Any]:
    return {name: told for name, told in vote.items() if told or name not in OF_MODELS}


def odds_row(market: PredictionMarket, odds: Odds) -> Row:
    """What an outside market gave when the votes were cast."""
    return Row("odds", market.id, asdict(odds), market.backfilled)


def resolution_row(market: PredictionMarket, settlement: Settlement) -> Row:
    """What became of the market, and by whose word."""
    return Row("resolution", market.id, asdict(settlement), market.backfilled)


def score_row(settled: Settled) -> Row | None:
    """The Brier score of each vote, the pool and the outside market; None where there is nothing to score."""
    outcome, commitment, odds = settled.settlement.outcome, settled.commitment, settled.odds
    if commitment is None or not is_scored(settled):
        return None
    happened = float(outcome == "yes")
    body = {
        "outcome": outcome,
        "brier": _score(commitment.p, happened),
        "brier_market": _score(odds.p_yes, happened) if odds else None,
        "brier_by_voter": {vote.voter: _score(vote.p, happened) for vote in commitment.votes},
    }
    return Row("score", settled.market.id, body, settled.market.backfilled)


def is_scored(settled: Settled) -> bool:
    """Whether the votes were on an event that came out yes or no."""
    return settled.settlement.outcome != "void" and settled.market.question.comparator != "open"


def _asked(market: PredictionMarket) -> dict:
    question = market.question.to_plain()
    terms = ("category", "rule", "resolver", "created_at", "closes_at", "deadline")
    return {"question": question, **{name: getattr(market, name) for name in terms}}


def _score(p: float, happened: float) -> float:
    return round(float(brier(p, happened)), 6)
