"""Erasure of what callers wrote: answers after a time, or everything of one email at once.

A settled answer counts in the voters' track record, so its row stays with its numbers, without text, reasons and
caller. The ledger holds no person and does not change.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, or_, select, update

from service import canonical
from service.store import forecasters, keys, webhooks
from service.store.membership import is_among
from service.store.tables import api_key, idempotency, odds, opinion, prediction, prediction_vote, user_vote

ERASED = "(erased)"

_IS_ANSWER = prediction.c.category == "answer"
_HAS_TEXT = prediction.c.author.is_not(None)


@dataclass(frozen=True)
class Erasure:
    """What was erased of one email, as numbers of rows."""

    keys: int
    answers: int
    challenges: int
    votes: int
    webhooks: int


def erase_answers(db: Connection, before: int) -> int:
    """Erase the answers whose deadline lies before the world second `before`, and return their number."""
    return _erase_answers(db, prediction.c.deadline < before)


def forget(db: Connection, email: str) -> Erasure:
    """Erase the keys of a normalised email and everything that was asked, voted and stored with them.

    Challenges stay without their author, because their text is in the ledger; votes stay counted, without a caller.
    Forecasts stay under an id that nothing ties to the email.
    """
    answers = challenges = votes = endpoints = 0
    rows = keys.listed(db, email)
    for row in rows:
        answers += _erase_answers(db, _by(prediction.c.author, row.id))
        own = _by(prediction.c.author, row.id)
        challenges += db.execute(update(prediction).where(own).values(author=None)).rowcount
        nobody = f"forgotten:{secrets.token_hex(8)}"
        votes += _forget_votes(db, row.id, nobody)
        db.execute(delete(idempotency).where(_by(idempotency.c.caller, row.id)))
        forecasters.forget(db, row.id)
        for endpoint in webhooks.of_key(db, row.id):
            webhooks.remove(db, endpoint.id)
            endpoints += 1
        db.execute(delete(api_key).where(api_key.c.id == row.id))
    return Erasure(len(rows), answers, challenges, votes, endpoints)


def _by(column: ColumnElement[str], key: str) -> ColumnElement[bool]:
    """Whether a caller is the holder of a key, or one of its end users; an id of a key has no wildcard in it."""
    return or_(column == f"key:{key}", column.like(f"key:{key}:%"))


def _forget_votes(db: Connection, key: str, nobody: str) -> int:
    """Rename the callers of votes; an end user of a delegating key gets a name of its own."""
    callers = db.scalars(select(user_vote.c.caller).where(_by(user_vote.c.caller, key)).distinct()).all()
    return sum(
        db.execute(update(user_vote).where(user_vote.c.caller == caller).values(caller=f"{nobody}:{number}")).rowcount
        for number, caller in enumerate(callers)
    )


def _erase_answers(db: Connection, condition: ColumnElement[bool]) -> int:
    """Delete the unsettled answers that meet a condition, and take text and caller from the settled ones."""
    wanted = select(prediction.c.id, prediction.c.question, prediction.c.outcome)
    rows = db.execute(wanted.where(_IS_ANSWER, _HAS_TEXT, condition)).all()
    _delete(db, [row.id for row in rows if row.outcome is None])
    settled = [row for row in rows if row.outcome is not None]
    is_settled = is_among(prediction_vote.c.prediction, [row.id for row in settled])
    db.execute(update(prediction_vote).where(is_settled).values(reasoning=""))
    for row in settled:
        values = {"question": _without_text(row.question), "rule": "", "author": None, "body": None}
        db.execute(update(prediction).where(prediction.c.id == row.id).values(**values))
    return len(rows)


def _delete(db: Connection, ids: list[str]) -> None:
    for table in (prediction_vote, odds, opinion, user_vote):
        db.execute(delete(table).where(is_among(table.c.prediction, ids)))
    db.execute(delete(prediction).where(is_among(prediction.c.id, ids)))


def _without_text(question: str) -> str:
    plain = canonical.read(question)
    return canonical.write(plain | {"text": ERASED, "canonical": ERASED, "notes": []})
