"""What the voters know: the state of each asset, hour by hour, and what they have learnt, month by month."""

from __future__ import annotations

from sqlalchemy import Connection

from service.forecasting import context, training
from service.jobs.job import Effects, Workshop
from service.jobs.schedules import Monthly
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.store import bars, contexts, fits

# More than any look-back and any training window needs, so that what came before changes nothing.
LOOK_BACK_S = 600 * DAY


def observe(workshop: Workshop, slot: int) -> Effects:
    """Write down what is known of every asset at `slot`; a request then reads this and no bar."""
    known = context.build_all(_hourly(workshop, slot), slot)

    def write(db: Connection) -> None:
        for asset, told in known.items():
            contexts.save(db, asset, told.as_of, told.to_plain())

    return write


def refit(workshop: Workshop, slot: int) -> Effects:
    """Fit the learning voters to what was decided before this month; never done while a caller waits.

    Where the month began with too little history, they learn from what there is by now, until it is enough.
    """
    month = Monthly().slot_at(slot)
    with workshop.database.reading() as db:
        newest = fits.latest(db)
    if newest and newest.slot >= month and not newest.body["missing"]:
        return lambda _: None
    hourly = _hourly(workshop, slot)
    learnt = training.fit(hourly, month)
    if learnt.missing:
        learnt = training.fit(hourly, slot)
    return lambda db: fits.save(db, learnt.slot, learnt.to_plain())


def _hourly(workshop: Workshop, slot: int) -> dict[str, Bars]:
    since = max(workshop.history_from, slot - LOOK_BACK_S)
    with workshop.database.reading() as db:
        return {asset: bars.load(db, asset, since, slot, HOUR) for asset in workshop.feed.assets}
