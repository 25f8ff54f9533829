"""The tick: fetch the bars the store lacks, and publish the current prices."""

from __future__ import annotations

import structlog
from sqlalchemy import Connection

from service.errors import SourceFailed, WrongClock
from service.jobs.documents import bar_sources
from service.jobs.job import Effects, JobContext
from service.market.bars import Bars, merge, resample
from service.market.instants import DAY, HOUR, iso
from service.market.prices import PricesDocument, describe
from service.sources.feeds import FetchedBars
from service.store import bars, snapshots

log = structlog.stdlib.get_logger(__name__)

# The longest span requested from a live source at a time: what one call returns within its deadline.
LIVE_SPAN_S = 2 * DAY
# A bar fetched in the second it ends may lack its last trades, and stored bars are never replaced.
LIVE_DELAY_S = 5
# How often `fill` runs; each run fetches one piece.
FILL_EVERY_S = 60
# How far back a tick looks for gaps, such as an hour in which the exchange was down.
GAPS_CHECKED_S = 2 * DAY
# A day of bars, and enough before it for the price 24 h ago.
SHOWN_S = DAY + 2 * HOUR


def tick(job_context: JobContext, slot: int) -> Effects:
    """Bring every asset up to `slot` and publish the prices.

    An asset whose source fails keeps its old bars and their `as_of`. The tick fails, and is retried, only when no
    source answered, or when bars are stored that lie ahead of it: the clock was ahead when they were stored.
    """
    _refuse_future_bars(job_context, slot)
    answers = {
        asset: _fetch(job_context, asset, _since(job_context, asset, slot), slot) for asset in job_context.feed.assets
    }
    fetched = {asset: answer for asset, answer in answers.items() if answer}
    if not fetched:
        raise SourceFailed("no source answered for any asset")
    document = _document(job_context, slot, fetched)
    store = _storing(job_context, slot, fetched)

    def write(db: Connection) -> None:
        store(db)
        if document:
            snapshots.publish(db, slot, {"prices": document})

    return write


def _refuse_future_bars(job_context: JobContext, slot: int) -> None:
    """Raise WrongClock where a stored bar ends after `slot`."""
    step = job_context.feed.step
    with job_context.database.reading() as db:
        ends = [bar.time + step for asset in job_context.feed.assets if (bar := bars.last(db, asset, step))]
    if max(ends, default=0) > slot:
        raise WrongClock(f"the last bar ends at {iso(max(ends))}, but the clock shows {iso(slot)}")


def fill(job_context: JobContext, slot: int) -> Effects:
    """Fetch one missing piece of the live history, a different one at each slot.

    The pieces take turns, so that a gap no exchange can fill does not block the others.
    """
    fetched = {
        asset: answer for asset in job_context.feed.assets if (answer := _fetch_missing(job_context, asset, slot))
    }
    return _storing(job_context, slot, fetched)


def _storing(job_context: JobContext, slot: int, fetched: dict[str, FetchedBars]) -> Effects:
    """Store the fetched bars, and the hours that they complete or correct."""
    fresh = {asset: answer.bars for asset, answer in fetched.items() if len(answer.bars)}
    hours = {asset: _hours(job_context, slot, asset, fetched_bars) for asset, fetched_bars in fresh.items()}

    def write(db: Connection) -> None:
        for asset, fetched_bars in fresh.items():
            added = bars.add(db, asset, fetched_bars)
            if added and fetched_bars.step != HOUR:
                bars.renew(db, asset, hours[asset])

    return write


def _hours(job_context: JobContext, slot: int, asset: str, fresh: Bars) -> Bars:
    """Every complete hour that contains a fresh bar or the last bar stored before."""
    with job_context.database.reading() as db:
        last = bars.last(db, asset, fresh.step)
        first = min(int(fresh.time[0]), last.time if last else slot) // HOUR * HOUR
        stored = bars.load(db, asset, first, max(slot, fresh.as_of), fresh.step)
    return resample(merge(stored, fresh), HOUR)


def _since(job_context: JobContext, asset: str, slot: int) -> int:
    """The start of the span to fetch: after the last stored bar, or at the first gap of the last days."""
    floor = job_context.history_from
    if job_context.clock.world == "live":
        floor = max(floor, slot - LIVE_SPAN_S)
    with job_context.database.reading() as db:
        last = bars.last(db, asset, job_context.feed.step)
        if last is None:
            return floor
        gaps = bars.holes(db, asset, max(floor, slot - GAPS_CHECKED_S), slot, job_context.feed.step)
    after = last.time + job_context.feed.step
    return max(floor, min([after, *(start for start, _ in gaps)]))


def _fetch_missing(job_context: JobContext, asset: str, slot: int) -> FetchedBars | None:
    with job_context.database.reading() as db:
        missing = bars.holes(db, asset, job_context.history_from, slot - GAPS_CHECKED_S, job_context.feed.step)
    pieces = [start for first, end in missing for start in range(first, end, LIVE_SPAN_S)]
    if not pieces:
        return None
    start = pieces[-1 - slot // FILL_EVERY_S % len(pieces)]
    return _fetch(job_context, asset, start, min(start + LIVE_SPAN_S, slot))


def _fetch(job_context: JobContext, asset: str, since: int, until: int) -> FetchedBars | None:
    try:
        answer = job_context.feed.fetch(asset, since, until)
    except SourceFailed as error:
        log.warning("source_failed", asset=asset, detail=error.detail)
        return None
    if answer.refused:
        first = answer.refused[0]
        log.warning("bars_refused", asset=asset, count=len(answer.refused), first=first.time, reason=first.reason)
    return answer


def _document(job_context: JobContext, slot: int, fetched: dict[str, FetchedBars]) -> PricesDocument | None:
    """The document of prices; None while no asset has a bar."""
    shown = {}
    with job_context.database.reading() as db:
        for asset in job_context.feed.assets:
            history = _last_day(db, job_context, asset)
            if asset in fetched:
                history = merge(history, fetched[asset].bars)
            if len(history):
                shown[asset] = history.since(history.as_of - SHOWN_S)
    sources = bar_sources(job_context) | {asset: answer.source for asset, answer in fetched.items() if len(answer.bars)}
    if not shown:
        return None
    ended = job_context.clock.has_ended(slot)
    return describe(shown, made_at=slot, world=job_context.clock.world, ended=ended, sources=sources)


def _last_day(db: Connection, job_context: JobContext, asset: str) -> Bars:
    """The stored bars of the last day that has any."""
    step = job_context.feed.step
    last = bars.last(db, asset, step)
    end = last.time + step if last else 0
    return bars.load(db, asset, end - SHOWN_S, end, step)
