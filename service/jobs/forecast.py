"""What the voters know: the state of each asset, hour by hour, and what they have learnt, month by month."""

from __future__ import annotations

import time

import structlog
from sqlalchemy import Connection

from service.errors import NoVoters
from service.forecasting import context, oracle, training
from service.forecasting.context import Context
from service.forecasting.fits import Fits
from service.forecasting.next_day import up_in_a_day
from service.forecasting.record import Record
from service.jobs import children
from service.jobs.job import Effects, Workshop
from service.jobs.schedules import Monthly
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.store import bars, contexts, fits, hourly_votes, knowledge
from service.trading.lanes import CONSENSUS_ASSETS

log = structlog.stdlib.get_logger(__name__)

# More than any look-back and any training window needs, so that what came before changes nothing.
LOOK_BACK_S = 600 * DAY


def observe(workshop: Workshop, slot: int) -> Effects:
    """Write down what is known of every asset at `slot`, which a request then reads instead of bars.

    Once an hour the voters also say whether the assets of the consensus lane will cost more in a day.
    """
    known = context.build_all(hours(workshop, slot), slot)
    hour = slot // HOUR * HOUR
    voted = _vote(workshop, hour, known) if any(told.as_of == hour for told in known.values()) else {}

    def write(db: Connection) -> None:
        for asset, told in known.items():
            contexts.save(db, asset, told.as_of, told.to_plain())
        hourly_votes.add(db, hour, voted)

    return write


def _vote(workshop: Workshop, hour: int, known: dict[str, Context]) -> dict[str, float]:
    """P(up in a day) of each asset that enough voters speak on; nothing where that was voted before."""
    with workshop.database.reading() as db:
        if hourly_votes.since(db, hour):
            return {}
        learnt, record = knowledge.newest_fits(workshop.database, db), knowledge.newest_record(db)
    awake = [asset for asset in CONSENSUS_ASSETS if asset in known and known[asset].as_of == hour]
    answers = {asset: _p_up(workshop, known, asset, learnt, record) for asset in awake}
    return {asset: p for asset, p in answers.items() if p is not None}


def _p_up(
    workshop: Workshop, known: dict[str, Context], asset: str, learnt: Fits | None, record: Record
) -> float | None:
    """The pool's P(up in a day), asked at the end of the context's hour; None where too few voters speak."""
    hour, quorum = known[asset].as_of, workshop.settings.oracle_quorum
    question = up_in_a_day(known[asset], hour)
    try:
        verdict = oracle.ask(
            question, hour, known, learnt, oracle.voters(), record, quorum=quorum, timer=time.perf_counter
        )
    except NoVoters as silence:
        log.debug("nobody_voted", asset=asset, hour=hour, detail=silence.detail)
        return None
    return verdict.pooled.p


def refit(workshop: Workshop, slot: int) -> Effects:
    """Fit the learning voters to what was decided before this month; never done while a caller waits.

    Where the month began with too little history, they learn from what there is by now, until it is enough.
    """
    month = Monthly().slot_at(slot)
    with workshop.database.reading() as db:
        newest = fits.latest(db)
    if newest and newest.slot >= month and not newest.body["missing"]:
        return lambda _: None
    hourly = hours(workshop, slot)
    learnt = children.call(training.fit, hourly, month)
    if learnt.missing:
        learnt = children.call(training.fit, hourly, slot)
    return lambda db: fits.save(db, learnt.slot, learnt.to_plain())


def hours(workshop: Workshop, slot: int) -> dict[str, Bars]:
    """The hourly bars of every asset that voters may learn from or look at, as they were known at `slot`."""
    since = max(workshop.history_from, slot - LOOK_BACK_S)
    with workshop.database.reading() as db:
        return {asset: bars.load(db, asset, since, slot, HOUR) for asset in workshop.feed.assets}
