"""What became of the questions that callers asked, once their time has come."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting import resolution
from service.forecasting.questions import Question
from service.jobs import records
from service.jobs.job import Effects, Workshop
from service.jobs.settle import LONGEST_CLOSURE_S
from service.market.bars import Bars
from service.store import answers, bars

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
            records.renew(db, slot)

    return write


def _outcome(workshop: Workshop, answer: answers.Answer, slot: int) -> resolution.Resolution | None:
    question = QUESTION.validate_python(answer.body["understood"] | {"text": answer.question})
    assets = [asset for asset in (question.asset, question.other_asset) if asset]
    with workshop.database.reading() as db:
        known = {asset: _bars(db, workshop, asset, answer.asked_at, slot) for asset in assets}
    return resolution.resolve(question, answer.asked_at, known, slot)


def _bars(db: Connection, workshop: Workshop, asset: str, asked_at: int, slot: int) -> Bars:
    return bars.load(db, asset, asked_at - LONGEST_CLOSURE_S, slot, workshop.feed.step)
