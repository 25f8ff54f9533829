"""The tick: fetch the bars that the store lacks, and say what everything costs now."""

from __future__ import annotations

import json

import structlog
from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.errors import SourceFailed
from service.jobs.job import Effects, Workshop
from service.market.bars import Bars, merge, resample
from service.market.instants import DAY, HOUR
from service.market.prices import Prices, describe
from service.sources.feeds import Fetched
from service.store import bars, snapshots

log = structlog.stdlib.get_logger(__name__)

# A live source is asked for this much at a time: what one call brings within its deadline.
LIVE_REACH_S = 2 * DAY
# A bar fetched in the second it ends may lack its last trades, and what is stored stays.
LIVE_SETTLES_S = 5
# How often `fill` runs; it fetches another piece each time.
FILL_EVERY_S = 60
# How far back a tick looks for holes: an exchange that was down for an hour is asked again for that hour.
MENDED_S = 2 * DAY
# A day of bars, and enough before it for the price of 24 h ago.
SHOWN_S = DAY + 2 * HOUR

PRICES = TypeAdapter(Prices)


def tick(workshop: Workshop, slot: int) -> Effects:
    """Bring every asset up to `slot` and publish the prices.

    An asset whose source fails keeps its old bars and their age. Only when nothing answered at all has the
    tick itself failed, to be tried again.
    """
    answers = {asset: _fetch(workshop, asset, _since(workshop, asset, slot), slot) for asset in workshop.feed.assets}
    fetched = {asset: answer for asset, answer in answers.items() if answer}
    if not fetched:
        raise SourceFailed("no source answered for any asset")
    document = _document(workshop, slot, fetched)
    store = _storing(workshop, slot, fetched)

    def write(db: Connection) -> None:
        store(db)
        if document:
            snapshots.save(db, "prices", slot, document)

    return write


def fill(workshop: Workshop, slot: int) -> Effects:
    """Fetch one piece of what the live past still lacks, another one at each slot.

    Turning through the holes, instead of mending the first one first, keeps a hole that no exchange can fill
    from hiding the others.
    """
    fetched = {asset: answer for asset in workshop.feed.assets if (answer := _fetch_missing(workshop, asset, slot))}
    return _storing(workshop, slot, fetched)


def sources(workshop: Workshop) -> dict[str, str]:
    """Where the stored bars of each asset came from last, in words."""
    with workshop.database.reading() as db:
        told = snapshots.latest(db, "prices")
    return json.loads(told.body)["sources"] if told else {}


def _storing(workshop: Workshop, slot: int, fetched: dict[str, Fetched]) -> Effects:
    """Store the bars that came, and the hours that they complete or mend."""
    fresh = {asset: answer.bars for asset, answer in fetched.items() if len(answer.bars)}
    hours = {asset: _hours(workshop, slot, asset, came) for asset, came in fresh.items()}

    def write(db: Connection) -> None:
        for asset, came in fresh.items():
            bars.add(db, asset, came)
            if came.step != HOUR:
                bars.renew(db, asset, hours[asset])

    return write


def _hours(workshop: Workshop, slot: int, asset: str, came: Bars) -> Bars:
    """Every hour that holds a bar that came, or was the last one when it came, as far as it is complete."""
    with workshop.database.reading() as db:
        last = bars.last(db, asset, came.step)
        first = min(int(came.time[0]), last.time if last else slot) // HOUR * HOUR
        stored = bars.load(db, asset, first, max(slot, came.as_of), came.step)
    return resample(merge(stored, came), HOUR)


def _since(workshop: Workshop, asset: str, slot: int) -> int:
    """Where fetching begins: after the last stored bar, or at the first hole of the last days."""
    floor = workshop.history_from
    if workshop.clock.world == "live":
        floor = max(floor, slot - LIVE_REACH_S)
    with workshop.database.reading() as db:
        last = bars.last(db, asset, workshop.feed.step)
        if last is None:
            return floor
        mended = bars.holes(db, asset, max(floor, slot - MENDED_S), slot, workshop.feed.step)
    after = last.time + workshop.feed.step
    return max(floor, min([after, *(start for start, _ in mended)]))


def _fetch_missing(workshop: Workshop, asset: str, slot: int) -> Fetched | None:
    with workshop.database.reading() as db:
        missing = bars.holes(db, asset, workshop.history_from, slot - MENDED_S, workshop.feed.step)
    pieces = [start for first, end in missing for start in range(first, end, LIVE_REACH_S)]
    if not pieces:
        return None
    start = pieces[-1 - slot // FILL_EVERY_S % len(pieces)]
    return _fetch(workshop, asset, start, min(start + LIVE_REACH_S, slot))


def _fetch(workshop: Workshop, asset: str, since: int, until: int) -> Fetched | None:
    try:
        answer = workshop.feed.fetch(asset, since, until)
    except SourceFailed as error:
        log.warning("source_failed", asset=asset, detail=error.detail)
        return None
    if answer.refused:
        first = answer.refused[0]
        log.warning("bars_refused", asset=asset, count=len(answer.refused), first=first.time, reason=first.reason)
    return answer


def _document(workshop: Workshop, slot: int, fetched: dict[str, Fetched]) -> bytes | None:
    """The prices document; None while no asset has a bar."""
    shown = {}
    with workshop.database.reading() as db:
        for asset in workshop.feed.assets:
            known = _last_day(db, workshop, asset)
            if asset in fetched:
                known = merge(known, fetched[asset].bars)
            if len(known):
                shown[asset] = known.since(known.as_of - SHOWN_S)
    told = sources(workshop) | {asset: answer.source for asset, answer in fetched.items() if len(answer.bars)}
    if not shown:
        return None
    ended = workshop.clock.has_ended(slot)
    made = describe(shown, made_at=slot, world=workshop.clock.world, ended=ended, sources=told)
    return PRICES.dump_json(made)


def _last_day(db: Connection, workshop: Workshop, asset: str) -> Bars:
    """The stored bars of the last day that has any."""
    step = workshop.feed.step
    last = bars.last(db, asset, step)
    end = last.time + step if last else 0
    return bars.load(db, asset, end - SHOWN_S, end, step)
