"""Predictions: markets, challenges and the oracle's answers, with their commitments, odds and settlements.

Commitments, odds and settlements are written once and never changed. Unless its docstring says otherwise, a function
reads only markets and challenges, which are listed and recorded in the ledger; answers are not listed, and the ledger
has their outcomes alone.

The track record of the voters is carried on from the resolved questions of each UTC day. A settlement outdates the days
of what it settles, in its own transaction, so that stored questions and settlements never differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from pydantic_core import to_json
from sqlalchemy import ColumnElement, Connection, Row, TextClause, func, insert, literal, select, update

from service import canonical
from service.forecasting.predictions import (
    APEX,
    Commitment,
    CommittedVote,
    LedgerPosition,
    Odds,
    Prediction,
    Settlement,
    resolution_order,
)
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.track_record import Resolved
from service.market.instants import DAY
from service.questions import Question
from service.store.database import is_among, put_rows
from service.store.tables import IS_MARKET, odds, prediction, prediction_vote, resolved_day

LAST = 2**62  # later than every instant
MOST_ANSWERS = 500  # settled in one run, so that a run ends in time even after a long pause

# The columns of a prediction, without the answer as it was published and what pages of markets are selected by.
_UNREAD = ("body", "asset", "template", "divergence")
_PREDICTIONS = select(*(column for column in prediction.c if column.name not in _UNREAD)).order_by(
    prediction.c.deadline, prediction.c.id
)
_VOTE_COLUMNS = [
    prediction_vote.c[name] for name in ("prediction", "voter", "engine", "weight", *Forecast.__dataclass_fields__)
]
# What is scored of a vote; its reasoning is five sixths of its bytes.
_SCORED_COLUMNS = [literal("").label("reasoning") if column.name == "reasoning" else column for column in _VOTE_COLUMNS]
_VOTES, _SCORED_VOTES = (
    select(*columns).order_by(prediction_vote.c.prediction, prediction_vote.c.place)
    for columns in (_VOTE_COLUMNS, _SCORED_COLUMNS)
)
_ODDS = select(odds.c.prediction, *(odds.c[name] for name in Odds.__dataclass_fields__))
# The columns that are fields of a prediction as they are, and not as JSON.
_JSON = ("question", "commitment")
_PLAIN = [name for name in Prediction.__dataclass_fields__ if name in prediction.c and name not in _JSON]

_IS_ANSWER = prediction.c.category == "answer"
_IS_OPEN = prediction.c.outcome.is_(None)
_IS_BY_HAND = prediction.c.resolver == "hand"
_AWAITS_VOTES = prediction.c.number.is_not(None) & prediction.c.voted_at.is_(None) & _IS_OPEN


def add_predictions(db: Connection, predictions: Sequence[Prediction], body: dict[str, Any] | None = None) -> None:
    """Store new predictions with everything recorded about them; raises IntegrityError if an id exists.

    `body` is for an answer of the oracle: the answer as it was published, as plain JSON. The order of its names stays.
    """
    if not predictions:
        return
    text = None if body is None else to_json(body).decode()
    db.execute(insert(prediction), [_row(record) | {"body": text} for record in predictions])
    votes = [row for record in predictions for row in _vote_rows(record.id, record.votes)]
    if votes:
        db.execute(insert(prediction_vote), votes)
    quotes = [asdict(record.odds) | {"prediction": record.id} for record in predictions if record.odds]
    if quotes:
        db.execute(insert(odds), quotes)
    outdate_days(db, (record.settlement.resolved_at for record in predictions if record.settlement))


def next_challenge_number(db: Connection) -> int:
    """The number of the next challenge; it must be read and used under the lock of the ledger."""
    return (db.scalar(select(func.max(prediction.c.number))) or 0) + 1


def add_commitment(db: Connection, id: str, commitment: Commitment, position: LedgerPosition) -> bool:
    """Store a commitment and its ledger row; returns False if the prediction already has a commitment."""
    done = db.execute(
        update(prediction)
        .where(prediction.c.id == id, prediction.c.voted_at.is_(None))
        .values(**_commitment_row(commitment), seq=position.seq, hash=position.hash)
    )
    if done.rowcount and commitment.votes:
        db.execute(insert(prediction_vote), _vote_rows(id, commitment.votes))
    return done.rowcount == 1


def add_settlement(db: Connection, id: str, settlement: Settlement) -> bool:
    """Store the settlement of a prediction; returns False if it is already settled."""
    done = db.execute(update(prediction).where(prediction.c.id == id, _IS_OPEN).values(**_settlement_row(settlement)))
    if done.rowcount:
        outdate_days(db, (settlement.resolved_at,))
    return done.rowcount == 1


# Columns that repeat what the others say, so that the database can select and sort by them.
_SELECTION_COLUMNS = ("asset", "template", "divergence", "voted_at")


def unequal_columns(db: Connection, records: Sequence[Prediction]) -> list[str]:
    """The ids of those records whose columns for selection differ from what the others say."""
    expected = {record.id: _row(record) for record in records}
    query = select(prediction.c.id, *(prediction.c[name] for name in _SELECTION_COLUMNS))
    rows = db.execute(query.where(is_among(prediction.c.id, list(expected))))
    return [id for id, *values in rows if values != [expected[id][name] for name in _SELECTION_COLUMNS]]


def replace_texts(db: Connection, record: Prediction) -> None:
    """Store the texts of a prediction in place of those that it had, with the reasons of its voters."""
    values = {"question": canonical.write(record.question.to_plain()), "rule": record.rule, "salt": record.salt}
    db.execute(update(prediction).where(prediction.c.id == record.id).values(values))
    if record.odds:
        db.execute(update(odds).where(odds.c.prediction == record.id).values(url=record.odds.url))
    for vote in record.votes:
        is_own = (prediction_vote.c.prediction == record.id) & (prediction_vote.c.voter == vote.voter)
        db.execute(update(prediction_vote).where(is_own).values(reasoning=vote.forecast.reasoning))


def market_ids(db: Connection, since: int = 0) -> set[str]:
    """The ids of the markets with a deadline at the world second `since` or later, settled or not."""
    return set(db.scalars(select(prediction.c.id).where(IS_MARKET, prediction.c.deadline >= since)))


def find_prediction(db: Connection, id: str) -> Prediction | None:
    """The prediction with this id, which may be an answer; None if there is none."""
    return next(iter(_load(db, prediction.c.id == id)), None)


def find_predictions(
    db: Connection, ids: Sequence[str], *, with_votes: bool = True, with_reasoning: bool = True
) -> list[Prediction]:
    """The predictions with these ids, in their order; without their votes, or those without their reasoning."""
    if not ids:
        return []
    records = _load(db, is_among(prediction.c.id, ids), with_votes=with_votes, with_reasoning=with_reasoning)
    by_id = {record.id: record for record in records}
    return [by_id[id] for id in ids if id in by_id]


def vote_probabilities(db: Connection, ids: Sequence[str]) -> dict[str, list[float]]:
    """P(YES) of every vote in the pool of these predictions; where there are none, the id is absent."""
    votes: dict[str, list[float]] = defaultdict(list)
    query = select(prediction_vote.c.prediction, prediction_vote.c.p).where(
        is_among(prediction_vote.c.prediction, ids), prediction_vote.c.voter != APEX
    )
    for id, p in map(tuple, db.execute(query)):
        votes[id].append(p)
    return votes


def find_challenge(db: Connection, number: int) -> Prediction | None:
    return next(iter(_load(db, prediction.c.number == number)), None)


def active_markets(db: Connection, now: int) -> list[Prediction]:
    """The markets that were open at the world second `now`, earliest deadline first."""
    is_unsettled = _IS_OPEN | (prediction.c.resolved_at > now)
    return _load(db, IS_MARKET, is_unsettled, prediction.c.created_at <= now, prediction.c.deadline > now)


def listed_predictions(db: Connection) -> list[Prediction]:
    """All markets and challenges by deadline, settled or not; the votes are without their reasoning."""
    return _load(db, ~_IS_ANSWER, with_reasoning=False)


def unresolved_predictions(db: Connection) -> list[Prediction]:
    """The markets and challenges that are not settled, the earliest deadline first."""
    return _load(db, _IS_OPEN, ~_IS_ANSWER)


def due_predictions(db: Connection, slot: int) -> list[Prediction]:
    """The predictions that prices may settle at `slot`: unsettled markets and challenges, and answers that are due.

    Markets may be due before their deadline, because a touch is settled as soon as it is seen. At most 500 answers are
    returned, oldest deadline first.
    """
    by_prices = (_IS_OPEN, prediction.c.resolver == "bars")
    answers = _load(db, *by_prices, _IS_ANSWER, prediction.c.deadline <= slot, limit=MOST_ANSWERS)
    return _load(db, *by_prices, ~_IS_ANSWER) + answers


def oldest_open_answer(db: Connection) -> int | None:
    """The world second of the oldest answer that prices have not settled; None without one."""
    return db.scalar(select(func.min(prediction.c.created_at)).where(_IS_OPEN, _IS_ANSWER, ~_IS_BY_HAND))


def answers_by_hand(db: Connection) -> list[Prediction]:
    """The unsettled answers that the operator resolves, the earliest deadline first."""
    return _load(db, _IS_OPEN, _IS_ANSWER, _IS_BY_HAND)


def awaiting_votes(db: Connection, *, by_hand: bool) -> list[Prediction]:
    """The unsettled challenges without votes, the oldest first; with `by_hand` also those that no price decides."""
    return sorted(_load(db, _awaits_votes(by_hand)), key=lambda challenge: challenge.number or 0)


def has_unanswered(db: Connection, *, by_hand: bool) -> bool:
    """Whether a challenge awaits votes, like `awaiting_votes`."""
    return db.scalar(select(prediction.c.id).where(_awaits_votes(by_hand)).limit(1)) is not None


def has_markets(db: Connection) -> bool:
    return db.scalar(select(prediction.c.id).where(IS_MARKET).limit(1)) is not None


def settled_predictions(db: Connection, since: int = 0, until: int = LAST) -> list[Prediction]:
    """What was resolved from `since` on and before `until`, two world seconds; the votes are without their reasoning.

    Markets and challenges come in order of resolution, then answers by deadline, then by creation.
    """
    in_span = prediction.c.resolved_at.between(since, until - 1)
    answers = _load(db, in_span, _IS_ANSWER, with_reasoning=False)
    answers.sort(key=lambda answer: (answer.deadline, answer.created_at, answer.id))
    markets = _load(db, in_span, ~_IS_ANSWER, with_reasoning=False)
    return sorted(markets, key=resolution_order) + answers


def _awaits_votes(by_hand: bool) -> ColumnElement[bool]:
    is_votable = ~_IS_BY_HAND | (prediction.c.template == "topic") if by_hand else ~_IS_BY_HAND
    return _AWAITS_VOTES & is_votable


def _row(record: Prediction) -> dict[str, Any]:
    position, divergence = record.ledger_position, record.divergence_pts
    return {
        **{name: getattr(record, name) for name in _PLAIN},
        "question": canonical.write(record.question.to_plain()),
        "asset": record.question.asset,
        "template": record.question.comparator,
        "divergence": None if divergence is None else abs(divergence),
        "seq": position.seq if position else None,
        "hash": position.hash if position else None,
        **_commitment_row(record.commitment),
        **_settlement_row(record.settlement),
    }


def _commitment_row(commitment: Commitment | None) -> dict[str, Any]:
    if commitment is None:
        return {"voted_at": None, "commitment": None}
    return {"voted_at": commitment.voted_at, "commitment": canonical.write(commitment.to_plain())}


def _settlement_row(settlement: Settlement | None) -> dict[str, Any]:
    if settlement is None:
        return dict.fromkeys(("outcome", "resolved_at", "evidence", "resolved_by"))
    return {
        "outcome": settlement.outcome,
        "resolved_at": settlement.resolved_at,
        "evidence": settlement.evidence,
        "resolved_by": settlement.source,
    }


def _vote_rows(id: str, votes: Sequence[CommittedVote]) -> list[dict[str, Any]]:
    return [{**vote.to_plain(), "prediction": id, "place": place} for place, vote in enumerate(votes)]


def _load(
    db: Connection,
    *conditions: ColumnElement[bool] | TextClause,
    limit: int | None = None,
    with_votes: bool = True,
    with_reasoning: bool = True,
) -> list[Prediction]:
    """The predictions that meet the conditions, by deadline; votes and odds are read with one query each."""
    rows = db.execute(_PREDICTIONS.where(*conditions).limit(limit)).all()
    ids = [row.id for row in rows]
    votes = _votes(db, ids, with_reasoning) if with_votes else {}
    quotes = {id: Odds(*values) for id, *values in db.execute(_ODDS.where(is_among(odds.c.prediction, ids)))}
    return [_prediction(row, tuple(votes.get(row.id, ())), quotes.get(row.id)) for row in rows]


def _votes(db: Connection, ids: Sequence[str], with_reasoning: bool) -> dict[str, list[CommittedVote]]:
    votes: dict[str, list[CommittedVote]] = defaultdict(list)
    query = _VOTES if with_reasoning else _SCORED_VOTES
    rows = db.execute(query.where(is_among(prediction_vote.c.prediction, ids))).all()  # at once takes half the time
    for id, voter, engine, weight, *forecast in map(list, rows):
        votes[id].append(CommittedVote(voter, engine, Forecast(*forecast), weight=weight))
    return votes


def _prediction(row: Row[Any], votes: tuple[CommittedVote, ...], quote: Odds | None) -> Prediction:
    return Prediction(
        **{name: getattr(row, name) for name in _PLAIN},
        question=Question.from_plain(canonical.read(row.question)),
        commitment=Commitment(**canonical.read(row.commitment), votes=votes) if row.commitment else None,
        odds=quote,
        settlement=Settlement(row.outcome, row.resolved_at, row.evidence, row.resolved_by) if row.outcome else None,
        ledger_position=LedgerPosition(row.seq, row.hash) if row.hash else None,
    )


def outdate_days(db: Connection, resolved_at: Iterable[int]) -> None:
    """Note that predictions were resolved at these instants, or that the resolved ones of these days changed."""
    days = sorted({instant // DAY * DAY for instant in resolved_at})
    put_rows(db, resolved_day, [{"day": day, "body": None} for day in days])


def outdated_days(db: Connection) -> list[int]:
    """The days whose questions are to be stored again."""
    query = select(resolved_day.c.day).where(resolved_day.c.body.is_(None))
    return list(db.scalars(query.order_by(resolved_day.c.day)))


def keep_day(db: Connection, day: int, questions: Iterable[Resolved]) -> None:
    body = canonical.write([question.to_plain() for question in questions])
    put_rows(db, resolved_day, [{"day": day, "body": body}])


def resolved_questions(db: Connection) -> list[Resolved]:
    """The questions of every day that has them, the first day first."""
    bodies = select(resolved_day.c.body).where(resolved_day.c.body.is_not(None)).order_by(resolved_day.c.day)
    return [Resolved.from_plain(plain) for body in db.scalars(bodies) for plain in canonical.read(body)]
