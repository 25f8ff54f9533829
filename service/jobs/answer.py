"""The votes on challenges, cast within seconds of their creation, and once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import structlog
from sqlalchemy import Connection

from service.errors import NoVoters
from service.forecasting.apex.call import Call, consult
from service.forecasting.apex.scores import record_of, resolved_calls
from service.forecasting.predictions import Commitment, PredictionMarket
from service.forecasting.predictions.challenge_votes import commit_challenge
from service.forecasting.record import ClassRecord
from service.jobs.committing import keep_votes
from service.jobs.forecast import hours
from service.jobs.job import Effects, Workshop
from service.jobs.listening import listen, swarm
from service.store import apex_calls, knowledge, predictions
from service.store.knowledge import Knowledge

EVERY_S = 2

log = structlog.stdlib.get_logger(__name__)


def is_wanted(db: Connection) -> bool:
    """Whether there is a challenge that nobody has voted on."""
    return predictions.has_unanswered(db)


def answer(workshop: Workshop, slot: int) -> Effects:
    """Let everybody vote on every new challenge at the wall second `slot`; when it is over nobody does any more."""
    now = workshop.clock.at(slot)
    with workshop.database.reading() as db:
        waiting = [one.market for one in predictions.awaiting_votes(db) if now < one.market.closes_at]
        calls = [Call.from_plain(one.body) for one in apex_calls.every(db)] if waiting else []
    if not waiting:
        return lambda _: None
    known = knowledge.latest(workshop.database, workshop.feed.step)
    record = record_of(resolved_calls(calls, hours(workshop, now), now), now).direction
    with ThreadPoolExecutor(workshop.at_once) as executor:
        commitments = executor.map(lambda market: _commit(workshop, market, now, known, record), waiting)
        committed = list(zip(waiting, commitments, strict=True))

    def write(db: Connection) -> None:
        for market, commitment in committed:
            if commitment:
                keep_votes(db, market, commitment, now)

    return write


def _commit(
    workshop: Workshop, market: PredictionMarket, now: int, known: Knowledge, record: ClassRecord
) -> Commitment | None:
    asset, net = market.question.asset, swarm(workshop)
    at = max(now, market.created_at)
    if asset not in known.contexts or asset not in net:
        log.info("nobody_voted", market=market.id, detail=f"nothing is known of {asset} yet")
        return None
    try:
        return commit_challenge(
            market,
            at,
            known.contexts,
            known.fits,
            workshop.voters,
            known.record,
            quorum=workshop.settings.oracle_quorum,
            timer=time.perf_counter,
            polling=workshop.polling,
            net=net[asset],
            call=consult(listen(workshop, at, known.contexts, asset), record),
        )
    except NoVoters as silence:
        log.warning("nobody_voted", market=market.id, detail=silence.detail)
        return None
