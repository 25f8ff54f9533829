"""Other coins, in the live world: the daily list of them, and the bars of those with open answers."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from sqlalchemy import Connection

from service.errors import SourceFailed
from service.jobs.job import Effects, JobContext
from service.market.bars import CoinBars
from service.market.instants import HOUR
from service.sources.feeds.feed import CAUGHT_UP_S, CoinFeed, extend
from service.store import coins

log = structlog.stdlib.get_logger(__name__)

EVERY_S = HOUR
SECONDS_EACH = 5.0  # to fetch the bars of one coin: all coins in less than a job's time
MOST_LISTED = 10_000


def list_coins(job_context: JobContext, slot: int) -> Effects:
    """Store the list of the coins that questions may name."""
    feed = job_context.feed.coins
    keys = sorted(feed.list_coins())[:MOST_LISTED] if feed else []
    return lambda db: coins.save_coin_list(db, keys, slot)


def follow_coins(job_context: JobContext, slot: int) -> Effects:
    """Fetch the bars of every coin with an open answer up to `slot`; a source that fails is asked again later."""
    feed = job_context.feed.coins
    with job_context.database.reading() as db:
        keys = coins.needed_coins(db, slot) if feed else []
    answers = {key: _extended(job_context, feed, key, slot) for key in keys} if feed else {}
    fetched = {key: series for key, series in answers.items() if series}
    return lambda db: _store(db, fetched)


def _extended(job_context: JobContext, feed: CoinFeed, key: str, slot: int) -> CoinBars | None:
    begin = slot - CAUGHT_UP_S
    with job_context.database.reading() as db:
        stored = coins.coin_bars(db, key, job_context.feed.step, begin, begin, slot)
    try:
        return extend(feed, key, stored, slot, SECONDS_EACH)
    except SourceFailed as error:
        log.warning("coin_failed", coin=key, detail=error.detail)
        return None


def _store(db: Connection, fetched: Mapping[str, CoinBars]) -> None:
    for key, series in fetched.items():
        coins.add_coin_bars(db, key, series)
