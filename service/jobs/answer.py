"""The votes on challenges, which are cast once, within seconds of their creation."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import structlog
from sqlalchemy import Connection

from service.errors import NoVoters
from service.forecasting.apex.call import commit_challenge, fuse
from service.forecasting.apex.scores import record_of
from service.forecasting.predictions import Commitment, Prediction
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.track_record import BandRecord
from service.jobs.committing import keep_votes
from service.jobs.job import Effects, JobContext
from service.jobs.layer_inputs import gather_inputs, swarm
from service.store import knowledge, predictions

EVERY_S = 2

log = structlog.stdlib.get_logger(__name__)


def is_wanted(db: Connection, job_context: JobContext) -> bool:
    """Whether a challenge awaits votes; without language models, those that no price decides get none."""
    return predictions.has_unanswered(db, by_hand=job_context.panel.answers_topics)


def answer(job_context: JobContext, slot: int) -> Effects:
    """Collect the votes on every open challenge without votes, at the wall second `slot`."""
    now = job_context.clock.at(slot)
    by_hand = job_context.panel.answers_topics
    with job_context.database.reading() as db:
        waiting = [market for market in predictions.awaiting_votes(db, by_hand=by_hand) if now < market.closes_at]
        if not waiting:
            return lambda _: None
        history = job_context.call_memory.read(db, job_context.hourly_bars, now)
    latest = knowledge.latest_knowledge(job_context.database, job_context.feed.step)
    record = record_of(history.resolved, now).of_band("day")
    with ThreadPoolExecutor(job_context.at_once) as executor:
        commitments = executor.map(lambda market: _commit(job_context, market, now, latest, record), waiting)
        committed = list(zip(waiting, commitments, strict=True))

    def write(db: Connection) -> None:
        for market, commitment in committed:
            if commitment:
                keep_votes(db, market, commitment, now)

    return write


def _commit(
    job_context: JobContext, market: Prediction, now: int, latest: Knowledge, record: BandRecord
) -> Commitment | None:
    asset, net = market.question.asset, swarm(job_context)
    at = max(now, market.created_at)
    if asset not in latest.contexts or asset not in net:
        log.info("no_votes", market=market.id, detail=f"no data on {asset} yet")
        return None
    informed = knowledge.with_evidence(job_context.database, job_context.panel, latest, market.question, at)
    try:
        return commit_challenge(
            market,
            at,
            informed,
            job_context.panel,
            net=net[asset],
            call=fuse(gather_inputs(job_context, at, latest, asset), record),
        )
    except NoVoters as error:
        log.warning("no_votes", market=market.id, detail=error.detail)
        return None
