"""What became of the questions whose time has come, and what that says of every voter."""

from __future__ import annotations

from itertools import groupby

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting import record, resolution
from service.forecasting.questions import Question
from service.forecasting.record import Resolved, ResolvedVote
from service.jobs.job import Effects, Workshop
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.store import answers, bars, records

# Asked while a market is closed, a question starts from the last price before: over a long weekend at the most.
LONGEST_CLOSURE_S = 4 * DAY

QUESTION = TypeAdapter(Question)


def resolve(workshop: Workshop, slot: int) -> Effects:
    """Resolve every answer that is due at `slot` by what the bars show, then count how each voter has done."""
    with workshop.database.reading() as db:
        due = answers.due(db, slot)
    outcomes = {answer.id: _outcome(workshop, answer, slot) for answer in due}

    def write(db: Connection) -> None:
        for answer_id, found in outcomes.items():
            if found:
                answers.resolve(db, answer_id, found.outcome, {"bars": found.evidence}, slot)
        if any(outcomes.values()):
            records.save(db, slot, record.build(_resolved(db), slot).to_plain())

    return write


def _outcome(workshop: Workshop, answer: answers.Answer, slot: int) -> resolution.Resolution | None:
    question = QUESTION.validate_python(answer.body["understood"] | {"text": answer.question})
    assets = [asset for asset in (question.asset, question.other_asset) if asset]
    with workshop.database.reading() as db:
        known = {asset: _bars(db, workshop, asset, answer.asked_at, slot) for asset in assets}
    return resolution.resolve(question, answer.asked_at, known, slot)


def _bars(db: Connection, workshop: Workshop, asset: str, asked_at: int, slot: int) -> Bars:
    return bars.load(db, asset, asked_at - LONGEST_CLOSURE_S, slot, workshop.feed.step)


def _resolved(db: Connection) -> list[Resolved]:
    """Every resolved question with its votes, in the order of the deadlines."""
    found = []
    for _, group in groupby(answers.resolved_votes(db), key=lambda vote: vote.answer):
        votes = list(group)
        first = votes[0]
        found.append(
            Resolved(
                comparator=first.kind,
                asked_at=first.asked_at,
                horizon_hours=(first.deadline - first.asked_at) / HOUR,
                happened=first.happened,
                votes=tuple(ResolvedVote(vote.voter, vote.engine, vote.p_yes, vote.weight) for vote in votes),
            )
        )
    return found
