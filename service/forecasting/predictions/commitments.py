"""Commitments: the votes on a question, the inputs whose hash they name, and the rows of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from pydantic_core import to_json

from service.documents import World
from service.forecasting.densities.models import MODELS
from service.forecasting.predictions import Commitment, CommittedVote, Prediction, resolver_of
from service.forecasting.predictions.scores.market_forecasts import MarketForecast
from service.forecasting.voters.ballots import Ballot, PanelResult, Pooled, is_model_engine
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.inputs import SEAT_INPUTS, WINDOW
from service.forecasting.voters.panel import pool
from service.forecasting.voters.track_record import TrackRecord
from service.ledger import chain
from service.ledger.chain import ChainEntry, Kind, LedgerRow
from service.ledger.commitments import commitment as seal
from service.ledger.commitments import text_hash
from service.market.instants import iso
from service.questions import Question, rule
from service.questions.kinds import KINDS
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
    inputs = inputs_of(result.question, knowledge)
    return Commitment(
        voted_at=result.asked_at,
        as_of=result.as_of,
        p=result.pool.p,
        p_up=result.pool.p_up,
        votes=weighted(result.ballots, result.pool),
        abstained=result.abstained,
        features=sha256(inputs.encode()).hexdigest(),
        fitted_at=knowledge.fits.slot if knowledge.fits else None,
        inputs=inputs,
    )


def weighed(prediction: Prediction, record: TrackRecord) -> Prediction:
    """The prediction with its votes weighed by a track record, and pooled with these weights."""
    commitment, question = prediction.commitment, prediction.question
    assert commitment is not None
    consensus = pool(commitment.votes, record.of(question))
    pools = replace(commitment, p=consensus.p, p_up=consensus.p_up, votes=weighted(commitment.votes, consensus))
    return replace(prediction, commitment=pools)


def weighted(ballots: Iterable[Ballot], consensus: Pooled) -> tuple[CommittedVote, ...]:
    return tuple(CommittedVote.of(ballot, weight) for ballot, weight in zip(ballots, consensus.weights, strict=True))


def inputs_of(question: Question, knowledge: Knowledge) -> str:
    """The voters' inputs as JSON of RFC 8785: the contexts of the question's assets, and which fits."""
    fits = knowledge.fits
    contexts = {asset: knowledge.contexts[asset].to_plain() for asset in question.assets}
    return chain.text({"contexts": contexts, "fits": fits and {"version": fits.version, "slot": fits.slot}})


MODEL_FIELDS = ("fallback", "prompt", "tokens", "usd")
WITHDRAWN = "(text withdrawn)"
TERMS = ("category", "rule", "resolver", "created_at", "closes_at", "deadline")


def question_row(prediction: Prediction) -> LedgerRow:
    """The row of the question, before any vote; it omits the author."""
    return LedgerRow("question", prediction.id, _question(prediction), prediction.backfilled)


def market_rows(markets: Iterable[Prediction]) -> list[LedgerRow]:
    """The rows of voted markets, and of past ones also those of their settlements, in the order of their instants.

    Of one instant settlements come first, then votes.
    """
    rows: list[tuple[int, int, LedgerRow]] = []
    for market in markets:
        if market.commitment:
            rows.append((market.voted_at, 0, votes_row(market, market.commitment)))
        if market.odds:
            quote = asdict(market.odds) | _hidden(market, {"url": market.odds.url})  # it repeats the title
            rows.append((market.voted_at, 1, LedgerRow("odds", market.id, quote, market.backfilled)))
        if market.settlement:
            rows += ((market.settlement.resolved_at, -1, row) for row in settlement_rows(market))
    return [row for _, _, row in sorted(rows, key=itemgetter(0, 1))]


def votes_row(prediction: Prediction, commitment: Commitment) -> LedgerRow:
    """The row of a commitment: the question and every vote; the fields of a language model only if one was used."""
    votes = [
        {name: value for name, value in vote.to_plain().items() if value or name not in MODEL_FIELDS}
        | _hidden(prediction, {"reasoning": vote.forecast.reasoning} if is_model_engine(vote.engine) else {})
        for vote in commitment.votes
    ]
    body = _with_view(commitment.to_plain()) | {"votes": list(map(_with_view, votes))}
    return LedgerRow("votes", prediction.id, _question(prediction) | body, prediction.backfilled)


def _question(prediction: Prediction) -> dict[str, Any]:
    plain, terms = prediction.question.to_plain(), {name: getattr(prediction, name) for name in TERMS}
    rule = {"rule": prediction.rule} if prediction.category == "imported" else {}
    texts = {name: plain[name] for name in _texts(prediction.question.comparator)}
    return {"question": plain | _hidden(prediction, texts), **terms, **_hidden(prediction, rule)}


def _texts(comparator: str) -> tuple[str, ...]:
    """The fields of a question that repeat its text: of a topic the canonical sentence too."""
    return ("text", "notes", "canonical") if KINDS[comparator].is_decided_by_hand else ("text", "notes")


def _hidden(prediction: Prediction, texts: Mapping[str, Any]) -> dict[str, Any]:
    """The hash of each of these texts, where the prediction has a stranger's text; else none."""
    return {name: text_hash(text, prediction.salt) for name, text in texts.items()} if prediction.salt else {}


def withdrawn(prediction: Prediction) -> Prediction:
    """The prediction without the texts of strangers, and without what language models wrote about them."""
    question, commitment = prediction.question, prediction.commitment
    text = WITHDRAWN if question.kind.is_decided_by_hand else question.canonical
    if commitment:
        votes = (
            replace(vote, forecast=replace(vote.forecast, reasoning="")) if is_model_engine(vote.engine) else vote
            for vote in commitment.votes
        )
        commitment = replace(commitment, votes=tuple(votes))
    return replace(
        prediction,
        question=replace(question, text=text, canonical=text, notes=()),
        rule=f"As {prediction.resolver.title()} settles it." if prediction.category == "imported" else prediction.rule,
        salt=None,
        commitment=commitment,
        odds=prediction.odds and replace(prediction.odds, url=None),
    )


def withdrawal_row(entry: ChainEntry) -> LedgerRow:
    """The row which says that the text of the question in the row `entry` was withdrawn."""
    body = {"corrects": entry.seq, "note": "The text of the question was withdrawn.", "withdrawn": True}
    return LedgerRow("correction", entry.subject, body, entry.backfilled)


def without_texts(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a row without what `withdrawn` replaces."""
    plain = {name: value for name, value in body.items() if name != "url"}
    if question := plain.get("question"):
        texts = _texts(question["comparator"])
        plain = {name: value for name, value in plain.items() if name != "rule"}
        plain["question"] = {name: value for name, value in question.items() if name not in texts}
    if votes := plain.get("votes"):
        plain["votes"] = [
            {name: value for name, value in vote.items() if name != "reasoning" or not is_model_engine(vote["engine"])}
            for vote in votes
        ]
    return plain


def _with_view(row: dict[str, Any]) -> dict[str, Any]:
    """A vote or a commitment without P(higher) where it has none, as on a topic and in rows of earlier versions."""
    return {name: value for name, value in row.items() if name != "p_up" or value is not None}


def forecast_row(market_id: str, forecaster: str, p_yes: float, salt: str) -> LedgerRow:
    """The row that commits to a forecast without showing it; it names no person."""
    hidden = seal(market_id, forecaster, p_yes, salt)
    return LedgerRow("forecast", forecaster, {"market": market_id, "commitment": hidden}, False)


def reveal_row(forecast: MarketForecast) -> LedgerRow:
    """The row that shows a forecast when its market is settled, with what its commitment was made of."""
    body = {"market": forecast.market, "forecast": forecast.seq, "p_yes": forecast.p, "salt": forecast.salt}
    return LedgerRow("reveal", forecast.forecaster, body, False)


def settlement_rows(prediction: Prediction) -> list[LedgerRow]:
    """The rows of a settled prediction: the resolution and the score, if there is one; empty before the settlement.

    An answer has one row: its outcome, without its question, which is its author's alone.
    """
    if prediction.settlement is None:
        return []
    bodies: dict[Kind, dict[str, Any]] = {"resolution": asdict(prediction.settlement)}
    if prediction.category == "answer":
        bodies = {"answer": {name: bodies["resolution"][name] for name in ("outcome", "resolved_at")}}
    elif scores := brier_scores(prediction):
        bodies["score"] = {"outcome": prediction.outcome} | scores
    return [LedgerRow(kind, prediction.id, body, prediction.backfilled) for kind, body in bodies.items()]


def brier_scores(prediction: Prediction) -> dict[str, Any] | None:
    """The Brier score of the pool, of the outside market and of each vote; None if there is nothing to score."""
    commitment, odds = prediction.commitment, prediction.odds
    if commitment is None or not prediction.is_scored:
        return None
    outcome = np.array(float(prediction.outcome == "yes"))

    def score(p: float) -> float:
        return round(float(brier(np.array(p), outcome)), 6)

    return {
        "brier": score(commitment.p),
        "brier_market": score(odds.p_yes) if odds else None,
        "brier_by_voter": {vote.voter: score(vote.p) for vote in commitment.votes},
    }


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

    A language model in its seat reads `inputs`, and what the `calendar` of a horizon gives.
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

    def names(voter: str, is_calendar: bool) -> tuple[str, ...]:
        return tuple(name for name in SEAT_INPUTS.get(voter, ()) if (name in WINDOW) == is_calendar)

    return {voter: VoterInputs(names(voter, False), model.names, names(voter, True)) for voter, model in MODELS.items()}


def features_json(rows: Iterable[VoteInputs], *, world: World, next: str | None) -> bytes:
    """The FeaturesDocument of these rows; the text of their inputs is the one that was hashed, byte for byte."""
    bodies = [row_json(row) for row in rows]
    header = {"schema": "features/1", "world": world, "count": len(bodies), "next": next, "voters": by_voter()}
    return to_json(header)[:-1] + b',"rows":[' + b",".join(bodies) + b"]}"


def row_json(row: VoteInputs) -> bytes:
    fields = to_json({"hash": row.hash, "voted_at": iso(row.voted_at), "asset": row.asset})
    return fields[:-1] + b',"inputs":' + row.body.encode() + b"}"
