"""Prices from the sources: the bars of every tick, older history, other coins, exchange rates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import structlog
from sqlalchemy import Connection

from service.errors import SourceFailed, WrongClock
from service.jobs.job import Effects, JobContext, bar_sources
from service.market.bars import (
    LARGEST_MOVE,
    Bars,
    CoinBars,
    merge,
    near,
    newest_run,
    oldest_run,
    resample,
    with_silent_bars,
)
from service.market.coverage import Coverage, Span, gap, merged
from service.market.instants import DAY, HOUR, iso
from service.market.prices import describe
from service.sources.feeds.feed import CAUGHT_UP_S, AssetUnlisted, CoinFeed, extend
from service.store import bars, coins, predictions, snapshots

log = structlog.stdlib.get_logger(__name__)

LIVE_SPAN_S = 2 * DAY  # of short bars that a tick requests from a live source; `history` fetches what is older
COMPARED_S = 30 * DAY  # within which a new price is compared with the last stored one
# A bar fetched in the second it ends may lack its last trades, and stored bars are never replaced.
LIVE_DELAY_S = 5
# A day of bars, and enough before it for the price 24 h ago.
SHOWN_S = DAY + 2 * HOUR


class Outcome(NamedTuple):
    """What a fetch changes: the bars to store, None where it failed, and the coverage of bars of `step` seconds."""

    asset: str
    step: int
    bars: Bars | None
    change: Callable[[Coverage], Coverage]


def tick(job_context: JobContext, slot: int) -> Effects:
    """Bring every asset up to `slot` and publish the prices.

    An asset whose source fails keeps its old bars and their `as_of`. The tick fails, and is retried, only when no
    source answered, or when bars are stored that lie ahead of it: the clock was ahead when they were stored.
    """
    _refuse_future_bars(job_context, slot)
    outcomes = [fetch_latest(job_context, asset, slot) for asset in job_context.feed.assets]
    if all(outcome.bars is None for outcome in outcomes):
        with job_context.database.writing() as db:
            keep_outcomes(db, job_context, outcomes, slot)
        raise SourceFailed("no source answered for any asset: check the network, SOURCE_PROXY and EXCHANGES")

    def write(db: Connection) -> None:
        keep_outcomes(db, job_context, outcomes, slot)
        publish_prices(db, job_context, slot)

    return write


def fetch_latest(job_context: JobContext, asset: str, slot: int) -> Outcome:
    """The bars of an asset since the last stored one, up to `slot`; in the live world those of two days at most.

    What is stored settles markets for ever, so in the live world a price far from the last one is no price.
    """
    step = job_context.feed.step
    with job_context.database.reading() as db:
        coverage, newest = bars.find_coverage(db, asset, step), bars.last_bar(db, asset, step)
    is_live = job_context.clock.world == "live"
    floor = max(job_context.history_from, (slot - LIVE_SPAN_S) // HOUR * HOUR if is_live else 0)
    last = coverage.windows[-1][1] if coverage and coverage.windows else None
    since = floor if last is None else max(floor, last)
    # After the last stored bar the whole span counts as answered, also where it begins without a trade. Without a
    # stored bar, what is older than the first one may be beyond the reach of the source.
    price = newest.close if newest and slot - newest.time < COMPARED_S else None
    check = partial(near, price=price) if is_live else None
    outcome = fetch(job_context, asset, step, (since, slot), slot, joins=since == last or not is_live, check=check)
    if last is None and outcome.bars is not None and not len(outcome.bars):
        return outcome._replace(change=partial(Coverage.failed, fault="no trade in two days", at=slot, is_listed=False))
    return outcome


def short_bars_from(db: Connection, job_context: JobContext, slot: int) -> int:
    """The unix second from which short bars are wanted: that of the whole history outside the live world.

    In the live world it is two days ago, or the instant of the oldest open answer where that is earlier: answers are
    asked and end within an hour, so short bars settle them.
    """
    if job_context.clock.world != "live":
        return job_context.history_from
    earliest = predictions.oldest_open_answer(db)
    start = slot - LIVE_SPAN_S if earliest is None else min(slot - LIVE_SPAN_S, earliest)
    return max(job_context.history_from, start // HOUR * HOUR)


def fetch(
    job_context: JobContext,
    asset: str,
    step: int,
    span: Span,
    now: int,
    *,
    joins: bool = False,
    past_of: int = 0,
    check: Callable[[Bars], Bars] | None = None,
) -> Outcome:
    """The bars of a span, asked for at the unix second `now`; those that a `check` leaves out count as never sent.

    A span that `joins` the stored bars is answered from its beginning, else from its first bar; one of the past, where
    `past_of` assets take turns, to its end. Where a source failed, only bars next to the stored ones count.
    """
    began = job_context.panel.timer() if past_of else 0.0
    try:
        answer = job_context.feed.fetch(asset, *span, step)
    except SourceFailed as error:
        is_listed = not isinstance(error, AssetUnlisted)
        fault = error.detail.removeprefix(f"no bars of {asset}: ")
        return Outcome(asset, step, None, partial(Coverage.failed, fault=fault, at=now, is_listed=is_listed))
    if answer.refused:
        first = answer.refused[0]
        log.warning("bars_refused", asset=asset, count=len(answer.refused), first=first.time, reason=first.reason)
    bars, fault = check(answer.bars) if check else answer.bars, answer.fault
    if wild := len(answer.bars) - len(bars):
        fault = fault or f"{wild} prices are more than {LARGEST_MOVE:g} times away from the others"
    if fault and (past_of or joins):
        bars = newest_run(bars, span[1]) if past_of else oldest_run(bars, span[0])
    if not len(bars):
        failure = partial(Coverage.failed, fault=fault, at=now)
        exhaustion = partial(Coverage.exhausted, before=span[1], at=now)
        return Outcome(asset, step, None if fault else bars, failure if fault else exhaustion if past_of else replace)
    took_s = job_context.panel.timer() - began if past_of else 0.0
    window = span[0] if joins else int(bars.time[0]), span[1] if past_of else bars.as_of
    change = partial(Coverage.answered, span=window, at=now + int(took_s), source=answer.source)
    return Outcome(asset, step, bars, partial(change, took_s=took_s * past_of))


def keep_outcomes(db: Connection, job_context: JobContext, outcomes: list[Outcome], now: int) -> None:
    """Store the fetched bars with the hours that they complete, and what the sources have answered by `now`."""
    wanted_from = {HOUR: job_context.history_from, job_context.feed.step: short_bars_from(db, job_context, now)}
    faults: dict[str, list[str]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.bars is not None and len(outcome.bars):
            _store(db, job_context, outcome.asset, outcome.bars)
        for length, since in wanted_from.items():
            change = outcome.change if length == outcome.step else replace
            before, after = bars.change_coverage(db, outcome.asset, length, Coverage(since, now), change)
            if after.fault and after.fault != before.fault:
                faults[after.fault].append(outcome.asset)
            if before.fault and not after.fault:
                log.info("source_answers", asset=outcome.asset, source=after.source)
    for fault, assets in faults.items():
        log.warning("source_failed", assets=", ".join(assets), detail=fault)


def _store(db: Connection, job_context: JobContext, asset: str, new: Bars) -> None:
    if new.step == HOUR != job_context.feed.step:
        bars.renew_bars(db, asset, new)  # also in place of an hour that was built from a part of its bars
        return
    last = bars.last_bar(db, asset, new.step)
    first = min(int(new.time[0]), last.time if last else new.as_of) // HOUR * HOUR
    around = merge(bars.load_bars(db, asset, first, new.as_of, new.step), new)
    if job_context.clock.world == "live":
        around = with_silent_bars(around)
    if bars.add_bars(db, asset, around) and new.step != HOUR:
        bars.renew_bars(db, asset, resample(around, HOUR))


def _refuse_future_bars(job_context: JobContext, slot: int) -> None:
    """Raise WrongClock where a stored bar ends after `slot`."""
    step = job_context.feed.step
    with job_context.database.reading() as db:
        ends = [bar.time + step for bar in bars.last_bars(db, job_context.feed.assets, step).values()]
    if max(ends, default=0) > slot:
        raise WrongClock(f"the last bar ends at {iso(max(ends))}, but the clock shows {iso(slot)}")


def publish_prices(db: Connection, job_context: JobContext, slot: int) -> None:
    """Publish the prices of the stored bars, as soon as an asset has one."""
    feed, clock = job_context.feed, job_context.clock
    ends = {asset: bar.time + feed.step for asset, bar in bars.last_bars(db, feed.assets, feed.step).items()}
    if not ends:
        return
    by_asset = {asset: bars.load_bars(db, asset, end - SHOWN_S, end, feed.step) for asset, end in ends.items()}
    histories = bars.histories(db, feed.assets, feed.step, slot)
    sources = bar_sources(db) | {asset: history.source for asset, history in histories.items() if history.source}
    ended = clock.has_ended(slot)
    document = describe(by_asset, histories, made_at=slot, world=clock.world, ended=ended, sources=sources)
    snapshots.publish(db, slot, {"prices": document})


# The span requested at a time: what one call returns within its deadline.
HOURLY_PIECE_S = 60 * DAY
SHORT_PIECE_S = 2 * DAY


def misses_history(db: Connection, job_context: JobContext) -> bool:
    """Whether bars of the past are missing that a source may have."""
    return any(_missing(db, job_context, asset) for asset in job_context.feed.assets)


def history(job_context: JobContext, slot: int) -> Effects:
    """Fetch what is missing piece by piece, all assets in turn; each piece is stored at once, so progress shows."""
    timer = job_context.panel.timer
    began = timer()

    def now() -> int:
        return slot + int(timer() - began)

    has_arrived = False
    while True:
        with job_context.database.reading() as db:
            missing = {asset: _missing(db, job_context, asset, now()) for asset in job_context.feed.assets}
        due = {asset: part for asset, part in missing.items() if part}
        successes = [_piece(job_context, asset, *part, now, len(due)) for asset, part in due.items()]
        if not any(successes):
            return lambda db: publish_prices(db, job_context, now()) if has_arrived else None
        has_arrived = True


def _piece(job_context: JobContext, asset: str, step: int, span: Span, now: Callable[[], int], assets: int) -> bool:
    """Fetch and store the newest piece of a missing span, of so many assets; False where the source failed."""
    piece = max(span[0], span[1] - (HOURLY_PIECE_S if step == HOUR else SHORT_PIECE_S)), span[1]
    outcome = (
        fetch(job_context, asset, step, piece, now(), past_of=assets)
        if span[1]
        else fetch_latest(job_context, asset, now())
    )
    with job_context.database.writing() as db:
        keep_outcomes(db, job_context, [outcome], now())
    return outcome.bars is not None


def _missing(db: Connection, job_context: JobContext, asset: str, now: int | None = None) -> tuple[int, Span] | None:
    """The length of the missing bars of an asset and their span, which ends at 0 where none were stored yet.

    Those that a source may give at the unix second `now`, or at any time.
    """
    short = job_context.feed.step
    short_bars, hourly = bars.find_coverage(db, asset, short), bars.find_coverage(db, asset, HOUR)
    if short_bars is None or hourly is None:
        return None  # the first tick has not come yet
    if not short_bars.windows:
        return (short, (0, 0)) if short_bars.is_listed and short_bars.may_be_asked((0, 1), now) else None
    for step, part, windows in (
        (short, short_bars, short_bars.windows),
        (HOUR, hourly, merged((*hourly.windows, *short_bars.windows))),
    ):
        if (span := gap(windows, part.wanted_from)) and part.may_be_asked(span, now):
            return step, span
    return None


COIN_TIMEOUT_S = 5.0  # to fetch the bars of one coin: all coins in less than a job's time
COIN_LIMIT = 10_000


def list_coins(job_context: JobContext, slot: int) -> Effects:
    """Store the list of the coins that questions may name."""
    feed = job_context.feed.coins
    keys = sorted(feed.list_coins())[:COIN_LIMIT] if feed else []
    return lambda db: coins.save_coin_list(db, keys, slot)


def follow_coins(job_context: JobContext, slot: int) -> Effects:
    """Fetch the bars of every coin with an open answer up to `slot`; a source that fails is asked again later."""
    feed = job_context.feed.coins
    with job_context.database.reading() as db:
        keys = coins.needed_coins(db, slot) if feed else []
    answers = {key: _extended(job_context, feed, key, slot) for key in keys} if feed else {}

    def write(db: Connection) -> None:
        for key, series in answers.items():
            if series:
                coins.add_coin_bars(db, key, series)

    return write


def _extended(job_context: JobContext, feed: CoinFeed, key: str, slot: int) -> CoinBars | None:
    start = slot - CAUGHT_UP_S
    with job_context.database.reading() as db:
        series = coins.coin_bars(db, key, job_context.feed.step, start, start, slot)
    try:
        return extend(feed, key, series, slot, COIN_TIMEOUT_S)
    except SourceFailed as error:
        log.warning("coin_failed", coin=key, detail=error.detail)
        return None


def read_rates(job_context: JobContext, slot: int) -> Effects:
    """Store the rates of the feed; a currency whose sources fail keeps its last rate, which says its time."""
    rates = job_context.feed.rates()
    with job_context.database.reading() as db:
        last_rates = snapshots.latest_rates(db)
    return lambda db: snapshots.publish(db, slot, {snapshots.RATES: {**last_rates, **rates}})
