"""The oracle's answers as their callers read them again, and erasure of what callers wrote.

Answers are erased after a time, or with everything else of one email at once. A settled answer counts in the voters'
track record, so its row stays with its numbers, without text, reasons and caller. The ledger holds no person.

What was erased stands as ids in a file beside the database: a backup from before still has it, until it is restored. A
line is `key ID` or `text ID`, of a key or of a prediction; neither names a person.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, delete, select, update

from service import canonical
from service.documents import adapter
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.callers import KeptAnswer, kept_answer
from service.forecasting.predictions.commitments import WITHDRAWN
from service.forecasting.voters.votes import Answer, in_words, understood
from service.store import forecasts, notifications, pages, predictions
from service.store.database import is_among
from service.store.keys import is_of_key
from service.store.tables import api_key, idempotency, odds, opinion, prediction, prediction_vote, user_vote

_AUTHOR = prediction.c.author
# Fields that the answers of earlier versions lack.
_LATER_FIELDS = {
    "language": "unknown",
    **dict.fromkeys(("rule", "certainty", "follows")),
    **dict.fromkeys(("assumed", "carryover", "alternatives"), ()),
}
_LATER_CONSENSUS: dict[str, Any] = {"pivotal": ()}
_LATER_VOTE = {"fallback": False, "outlier": False, **dict.fromkeys(("evidence", "prompt", "tokens", "usd"))}


def answers_page(
    db: Connection, caller: str, limit: int, *, cursor: str | None, with_votes: bool
) -> tuple[list[KeptAnswer], str | None]:
    """At most `limit` answers to a caller from a cursor on, and the cursor of the next page, None on the last.

    Raises InvalidRequest for a cursor of another list.
    """
    place = (prediction.c.created_at, prediction.c.id)
    query = select(*place).where(_of(caller)).order_by(*(column.desc() for column in place))
    ids, following = pages.ids_page(db, "answers", query, limit, cursor)
    return _published(db, ids, with_votes=with_votes), following


def find_answer(db: Connection, id: str, caller: str) -> KeptAnswer | None:
    """The answer with this id; None if there is none or if it was given to another caller."""
    own_id = db.scalar(select(prediction.c.id).where(_of(caller), prediction.c.id == id))
    return next(iter(_published(db, [own_id] if own_id else [], with_votes=True)), None)


def _of(caller: str) -> ColumnElement[bool]:
    return (prediction.c.author == caller) & (prediction.c.category == "answer")


def _published(db: Connection, ids: list[str], *, with_votes: bool) -> list[KeptAnswer]:
    by_id = {answer.id: answer for answer in predictions.find_predictions(db, ids, with_votes=False)}
    bodies = db.execute(select(prediction.c.id, prediction.c.body).where(is_among(prediction.c.id, ids)))
    read = {id: canonical.read(body) for id, body in bodies}
    return [kept_answer(_answer(by_id[id], read[id], with_votes=with_votes), by_id[id]) for id in ids]


def _answer(market: Prediction, body: dict[str, Any], *, with_votes: bool) -> Answer:
    votes = body["votes"] if with_votes else {}
    return adapter(Answer).validate_python(
        body
        | {
            "answer": body.get("answer") if body["p_yes"] is None else in_words(body["p_yes"], None),
            "understood": _LATER_FIELDS | body["understood"] | vars(understood(market.question)),
            "consensus": _LATER_CONSENSUS | body["consensus"],
            "votes": {voter: _LATER_VOTE | vote for voter, vote in votes.items()},
        }
    )


def erase_answers(db: Connection, before: int) -> int:
    """Erase the answers whose deadline lies before the world second `before`, and return their number."""
    return _erase_answers(db, prediction.c.deadline < before)


def authored_challenges(db: Connection, key_ids: Iterable[str]) -> list[str]:
    """The ids of the challenges that were opened with these keys."""
    query = select(prediction.c.id).where(prediction.c.category == "challenge")
    return [id for key in key_ids for id in db.scalars(query.where(is_of_key(_AUTHOR, key)))]


def erase_keys(db: Connection, ids: Sequence[str]) -> dict[str, int]:
    """Erase keys and everything that was asked, voted and stored with them; returns the numbers of rows.

    Challenges stay without their author; votes stay counted, without a caller; those with a free key have only a hash
    of its address. Forecasts stay under an id that nothing ties to the key.
    """
    counts = {"keys": len(ids), "answers": 0, "challenges": 0, "votes": 0, "webhooks": 0}
    for id in ids:
        counts["answers"] += _erase_answers(db, is_of_key(_AUTHOR, id))
        authored = update(prediction).where(is_of_key(_AUTHOR, id))
        counts["challenges"] += db.execute(authored.values(author=None)).rowcount
        counts["votes"] += _forget_votes(db, id, f"forgotten:{secrets.token_hex(8)}")
        db.execute(delete(idempotency).where(is_of_key(idempotency.c.caller, id)))
        forecasts.forget_forecasters(db, id)
        for endpoint in notifications.key_webhooks(db, id):
            notifications.remove_webhook(db, endpoint.id)
            counts["webhooks"] += 1
        db.execute(delete(api_key).where(api_key.c.id == id))
    return counts


def _forget_votes(db: Connection, key: str, nobody: str) -> int:
    """Rename the callers of votes; an end user of a delegating key gets a name of its own."""
    callers = db.scalars(select(user_vote.c.caller).where(is_of_key(user_vote.c.caller, key)).distinct()).all()
    return sum(
        db.execute(update(user_vote).where(user_vote.c.caller == caller).values(caller=f"{nobody}:{number}")).rowcount
        for number, caller in enumerate(callers)
    )


def _erase_answers(db: Connection, condition: ColumnElement[bool]) -> int:
    """Delete the unsettled answers that meet a condition, and take text and caller from the settled ones."""
    query = select(prediction.c.id, prediction.c.question, prediction.c.outcome)
    rows = db.execute(query.where(prediction.c.category == "answer", _AUTHOR.is_not(None), condition)).all()
    unsettled_ids = [row.id for row in rows if row.outcome is None]
    for table in (prediction_vote, odds, opinion, user_vote):
        db.execute(delete(table).where(is_among(table.c.prediction, unsettled_ids)))
    db.execute(delete(prediction).where(is_among(prediction.c.id, unsettled_ids)))
    settled_rows = [row for row in rows if row.outcome is not None]
    is_settled = is_among(prediction_vote.c.prediction, [row.id for row in settled_rows])
    db.execute(update(prediction_vote).where(is_settled).values(reasoning=""))
    for row in settled_rows:
        values = {"question": _without_text(row.question), "rule": "", "author": None, "body": None}
        db.execute(update(prediction).where(prediction.c.id == row.id).values(**values))
    return len(rows)


def _without_text(question: str) -> str:
    plain = canonical.read(question)
    return canonical.write(plain | {"text": WITHDRAWN, "canonical": WITHDRAWN, "notes": []})


ERASED_FILE = "erased"


def note_erased(folder: Path, kind: Literal["key", "text"], ids: Iterable[str]) -> None:
    """Add ids to the list; to be called before they are erased, so that none is missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(folder / ERASED_FILE, "a", encoding="ascii") as file:
        file.writelines(f"{kind} {id}\n" for id in ids)


def erased_ids(folder: Path) -> dict[str, list[str]]:
    """The ids on the list: of keys under `key`, of predictions under `text`."""
    path = folder / ERASED_FILE
    lines = path.read_text(encoding="ascii").split("\n") if path.is_file() else []
    pairs = [line.split(" ", 1) for line in lines if line]
    return {kind: [id for name, id in pairs if name == kind] for kind in ("key", "text")}
