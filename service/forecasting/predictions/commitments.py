"""Commitments: the votes on a question, the inputs whose hash they name, and the rows of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from pydantic_core import to_json

from service import canonical
from service.documents import World
from service.forecasting.densities.models import MODELS
from service.forecasting.predictions import Commitment, CommittedVote, Odds, Prediction, Settlement, resolver_of
from service.forecasting.predictions.scores.forecasters import MarketForecast
from service.forecasting.voters.ballots import PanelResult
from service.forecasting.voters.consensus import pool
from service.forecasting.voters.context import Context
from service.forecasting.voters.inputs import SEAT_INPUTS, WINDOW
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.track_record import TrackRecord
from service.ledger.chain import LedgerRow
from service.ledger.commitments import commitment as seal
from service.market.instants import iso
from service.questions import Question, rule
from service.scores.proper import brier


def answer(result: PanelResult, knowledge: Knowledge, id: str, caller: str) -> Prediction:
    """The prediction that stores an answer of the oracle; callers do not vote on it."""
    question = result.question
    return Prediction(
        id=id,
        category="answer",
        question=question,
        rule=rule(question, result.asked_at) if question.comparator == "topic" else question.canonical,
        resolver=resolver_of(question),
        created_at=result.asked_at,
        closes_at=result.asked_at,
        deadline=int(question.deadline.timestamp()),
        author=caller,
        commitment=commitment_of(result, knowledge),
    )


def commitment_of(result: PanelResult, knowledge: Knowledge) -> Commitment:
    """The commitment to the ballots of a panel, each with its weight; `knowledge` is the panel's input."""
    weighted = zip(result.ballots, result.pooled.weights, strict=True)
    inputs = inputs_of(result.question, knowledge)
    return Commitment(
        voted_at=result.asked_at,
        as_of=result.as_of,
        p=result.pooled.p,
        p_up=result.pooled.p_up,
        votes=tuple(CommittedVote(ballot, weight) for ballot, weight in weighted),
        abstained=result.abstained,
        features=sha256(inputs.encode()).hexdigest(),
        fitted_at=knowledge.fits.slot if knowledge.fits else None,
        inputs=inputs,
    )


def weighed(prediction: Prediction, record: TrackRecord) -> Prediction:
    """The prediction with its votes weighed by a track record, and pooled with these weights."""
    commitment, question = prediction.commitment, prediction.question
    assert commitment is not None
    ballots = [vote.ballot for vote in commitment.votes]
    pooled = pool(ballots, record.of(question))
    weighted = zip(ballots, pooled.weights, strict=True)
    votes = tuple(CommittedVote(ballot, weight) for ballot, weight in weighted)
    return replace(prediction, commitment=replace(commitment, p=pooled.p, p_up=pooled.p_up, votes=votes))


def inputs_of(question: Question, knowledge: Knowledge) -> str:
    """The voters' inputs as canonical JSON: the contexts of the question's assets, and which fits."""
    fits = knowledge.fits
    inputs = {
        "contexts": {asset: knowledge.contexts[asset].to_plain() for asset in question.assets},
        "fits": {"version": fits.version, "slot": fits.slot} if fits else None,
    }
    return canonical.write(inputs)


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
    hidden = seal(market_id, forecaster, p_yes, salt)
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


class VoteInputs(NamedTuple):
    """The inputs of the votes on questions about `asset`, first cast at the unix second `voted_at`.

    `hash` is the SHA-256 of `body`, which is canonical JSON.
    """

    hash: str
    voted_at: int
    asset: str
    body: str


@dataclass(frozen=True)
class VoterInputs:
    """What a voter reads of a context: its embedded engine the names of `variance`, beside `spot` and `level`.

    A language model in its seat is told of `inputs`, and of what the `calendar` of a horizon gives.
    """

    inputs: tuple[str, ...]
    variance: tuple[str, ...]
    calendar: tuple[str, ...]


@dataclass(frozen=True)
class FitsName:
    """Which fits the voters used: the version of their arithmetic, and the unix second `slot` that they end at."""

    version: str
    slot: int


@dataclass(frozen=True)
class CommittedInputs:
    """The contexts of the assets of a question, and the fits; null before the first fit."""

    contexts: dict[str, Context]
    fits: FitsName | None


@dataclass(frozen=True)
class FeaturesRow:
    """The inputs of all votes whose `features` is `hash`: the SHA-256 of the canonical JSON of `inputs`."""

    hash: str
    voted_at: str
    asset: str
    inputs: CommittedInputs


@dataclass(frozen=True)
class FeaturesDocument:
    """A page of inputs, the oldest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    world: World
    count: int
    next: str | None
    voters: dict[str, VoterInputs]
    rows: tuple[FeaturesRow, ...]


def by_voter() -> dict[str, VoterInputs]:
    """What each voter reads."""
    inputs_of = {voter: SEAT_INPUTS.get(voter, ()) for voter in MODELS}
    return {
        voter: VoterInputs(
            inputs=tuple(name for name in names if name not in WINDOW),
            variance=MODELS[voter].names,
            calendar=tuple(name for name in names if name in WINDOW),
        )
        for voter, names in inputs_of.items()
    }


def features_json(rows: Iterable[VoteInputs], *, world: World, next: str | None) -> bytes:
    """The FeaturesDocument of these rows; the text of their inputs is the one that was hashed, byte for byte."""
    shown = [row_json(row) for row in rows]
    header = {"schema": "features/1", "world": world, "count": len(shown), "next": next, "voters": by_voter()}
    return to_json(header)[:-1] + b',"rows":[' + b",".join(shown) + b"]}"


def row_json(row: VoteInputs) -> bytes:
    """The FeaturesRow of these inputs."""
    fields = to_json({"hash": row.hash, "voted_at": iso(row.voted_at), "asset": row.asset})
    return fields[:-1] + b',"inputs":' + row.body.encode() + b"}"
