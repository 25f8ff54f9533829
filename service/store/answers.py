"""The oracle's answers as their callers read them again, newest first."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, select, tuple_

from service import canonical
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.callers import KeptAnswer, kept_answer
from service.forecasting.voters.votes import Answer, in_words, understood
from service.store import cursors, predictions
from service.store.cursors import PageKey
from service.store.membership import is_among
from service.store.tables import prediction

_ANSWER = TypeAdapter(Answer)
_SCOPE = "answers"
# Fields that the answers of earlier versions lack.
_LATER_UNDERSTOOD = {"language": "unknown", "rule": None, "alternatives": ()}
_LATER_CONSENSUS: dict[str, Any] = {"pivotal": ()}
_LATER_VOTE: dict[str, Any] = {
    "fallback": False,
    "outlier": False,
    "evidence": None,
    "prompt": None,
    "tokens": None,
    "usd": None,
}


class AnswersPage(NamedTuple):
    """The answers of a page, and the cursor of the next one; None on the last."""

    answers: list[KeptAnswer]
    following: str | None


def page(db: Connection, caller: str, limit: int, *, cursor: str | None, with_votes: bool) -> AnswersPage:
    """At most `limit` answers to a caller from a cursor on; raises InvalidRequest for a cursor of another list."""
    conditions = [_of(caller)]
    if cursor is not None:
        place = tuple_(prediction.c.created_at, prediction.c.id)
        conditions.append(place < cursors.read(_SCOPE, cursor))
    order = (prediction.c.created_at.desc(), prediction.c.id.desc())
    query = select(prediction.c.created_at, prediction.c.id).where(*conditions).order_by(*order).limit(limit + 1)
    keys = [PageKey(*row) for row in db.execute(query)]
    answers = _published(db, [key.id for key in keys[:limit]], with_votes=with_votes)
    return AnswersPage(answers, cursors.following(_SCOPE, keys, limit))


def find(db: Connection, id: str, caller: str) -> KeptAnswer | None:
    """The answer with this id; None if there is none or if it was given to another caller."""
    own = db.scalar(select(prediction.c.id).where(_of(caller), prediction.c.id == id))
    return next(iter(_published(db, [own] if own else [], with_votes=True)), None)


def _of(caller: str) -> ColumnElement[bool]:
    return (prediction.c.author == caller) & (prediction.c.category == "answer")


def _published(db: Connection, ids: list[str], *, with_votes: bool) -> list[KeptAnswer]:
    stored = {answer.id: answer for answer in predictions.by_ids(db, ids, with_votes=False)}
    bodies = db.execute(select(prediction.c.id, prediction.c.body).where(is_among(prediction.c.id, ids)))
    read = {id: canonical.read(body) for id, body in bodies}
    return [kept_answer(_answer(stored[id], read[id], with_votes=with_votes), stored[id]) for id in ids]


def _answer(stored: Prediction, body: dict[str, Any], *, with_votes: bool) -> Answer:
    """An answer as it was published."""
    votes = body["votes"] if with_votes else {}
    return _ANSWER.validate_python(
        body
        | {
            "answer": body.get("answer") if body["p_yes"] is None else in_words(body["p_yes"], None),
            "understood": _LATER_UNDERSTOOD | body["understood"] | vars(understood(stored.question)),
            "consensus": _LATER_CONSENSUS | body["consensus"],
            "votes": {voter: _LATER_VOTE | vote for voter, vote in votes.items()},
        }
    )
