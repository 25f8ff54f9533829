"""The first start: the past of the market is lived through once, so that there is a track record to look at.

All of it is marked as backfilled. In the live world nothing is: there the record begins with the first vote.
"""

from __future__ import annotations

from sqlalchemy import Connection

from service.forecasting import relive as pure
from service.forecasting.relive import LivedMarket, Past
from service.jobs import children
from service.jobs.committing import keep_opened
from service.jobs.forecast import hours
from service.jobs.job import Effects, Workshop
from service.jobs.rank import fight
from service.market.instants import DAY
from service.store import apex_calls, headlines, knowledge, predictions, records
from service.store.apex_calls import ApexCall
from service.store.predictions import Stored
from service.trading.swarm import net_history

# Sixty days of the fund, and the two at whose beginning nothing is known yet.
LIVED_S = 62 * DAY
# Before that every voter has the history that it learns from.
LEARNT_S = 90 * DAY


def relive(workshop: Workshop, slot: int) -> Effects:
    """Live through the days before `slot`, unless there are markets already or nothing to live through."""
    since = max(slot - LIVED_S, workshop.history_from + LEARNT_S) // DAY * DAY
    with workshop.database.reading() as db:
        newest, has_begun = knowledge.newest_fits(workshop.database, db), predictions.has_any(db)
    if has_begun or newest is None or since >= slot:
        return lambda _: None
    settings = workshop.settings
    times, net = net_history(fight(workshop, slot), pure.ASSET)
    past = children.call(
        pure.relive,
        hours(workshop, slot),
        since,
        slot,
        newest,
        settings.simulated_seed,
        settings.oracle_quorum,
        dict(zip(times.tolist(), net.tolist(), strict=True)),
    )
    return lambda db: _keep(db, past, slot)


def _keep(db: Connection, past: Past, slot: int) -> None:
    records.save(db, slot, past.record.to_plain())
    headlines.add(db, past.headlines)
    apex_calls.add(db, [ApexCall(call.at, call.p_up, call.backfilled, call.to_plain()) for call in past.calls])
    keep_opened(db, [_stored(one) for one in past.markets], slot)


def _stored(one: LivedMarket) -> Stored:
    return Stored(one.market, None, one.commitment, one.odds, one.settlement, None, None)
