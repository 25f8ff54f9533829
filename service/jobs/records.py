"""How each voter has done so far: counted anew whenever something was settled."""

from __future__ import annotations

from itertools import groupby

from sqlalchemy import Connection

from service.forecasting.predictions.settling import resolved
from service.forecasting.record import Resolved, ResolvedVote, build
from service.market.instants import HOUR
from service.store import answers, predictions, records


def renew(db: Connection, slot: int) -> None:
    """Store the record of everything that was settled by `slot`: markets, challenges and the oracle's answers."""
    counted = [*resolved(predictions.settled(db)), *_answers(db)]
    records.save(db, slot, build(counted, slot).to_plain())


def _answers(db: Connection) -> list[Resolved]:
    """Every resolved answer with its votes, in the order of the deadlines."""
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
