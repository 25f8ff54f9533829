"""The oracle's answers as they were given, their votes, and what became of them. Instants are world seconds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, insert, select, update

from service import canonical
from service.forecasting.predictions import CommittedVote
from service.store.tables import answer, vote

Outcome = Literal["yes", "no", "void"]


@dataclass(frozen=True)
class Answer:
    """An answer as it was given: `kind` is the question's comparator, `body` the whole answer as plain JSON."""

    id: str
    asked_at: int
    caller: str
    asset: str
    question: str
    kind: str
    deadline: int
    p_yes: float
    body: dict[str, Any]


class ResolvedVote(NamedTuple):
    """A vote whose question has an outcome, `happened`: the event came true."""

    answer: str
    voter: str
    engine: str
    p_yes: float
    weight: float
    happened: bool
    asset: str
    kind: str
    asked_at: int
    deadline: int


_GIVEN = [column for column in answer.c if column.name not in ("outcome", "resolved_at", "evidence")]
_RESOLVED_VOTES = (
    select(
        vote.c.answer,
        vote.c.voter,
        vote.c.engine,
        vote.c.p_yes,
        vote.c.weight,
        (answer.c.outcome == "yes").label("happened"),
        answer.c.asset,
        answer.c.kind,
        answer.c.asked_at,
        answer.c.deadline,
    )
    .join(answer, answer.c.id == vote.c.answer)
    .where(answer.c.outcome.in_(("yes", "no")))
    .order_by(answer.c.deadline, answer.c.asked_at, vote.c.answer, vote.c.voter)
)


def add(db: Connection, given: Answer, votes: tuple[CommittedVote, ...]) -> None:
    """Store an answer with its votes."""
    db.execute(insert(answer).values(asdict(given) | {"body": canonical.write(given.body)}))
    db.execute(insert(vote), [_row(given.id, one) for one in votes])


def due(db: Connection, now: int, limit: int = 500) -> list[Answer]:
    """Unresolved answers whose deadline has come at `now`, the oldest deadline first."""
    waiting = select(*_GIVEN).where(answer.c.outcome.is_(None), answer.c.deadline <= now)
    rows = db.execute(waiting.order_by(answer.c.deadline, answer.c.id).limit(limit)).mappings()
    return [Answer(**(dict(row) | {"body": canonical.read(row["body"])})) for row in rows]


def resolve(db: Connection, answer_id: str, outcome: Outcome, evidence: dict[str, Any], resolved_at: int) -> bool:
    """Write what became of an answer, once; False when it was resolved before."""
    done = (
        update(answer)
        .where(answer.c.id == answer_id, answer.c.outcome.is_(None))
        .values(outcome=outcome, evidence=canonical.write(evidence), resolved_at=resolved_at)
    )
    return db.execute(done).rowcount == 1


def resolved_votes(db: Connection) -> list[ResolvedVote]:
    """Every vote on a question that came out yes or no, in the order of the deadlines; void ones count for nobody."""
    return [ResolvedVote(*row) for row in db.execute(_RESOLVED_VOTES)]


def _row(answer_id: str, cast: CommittedVote) -> dict[str, Any]:
    told = asdict(cast)
    return {"answer": answer_id, "p_yes": told.pop("p"), **told}
