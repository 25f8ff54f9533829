"""The contexts and price forecasts of the assets, their record, the votes of the consensus lane, the monthly fits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import sqrt

import structlog
from sqlalchemy import Connection

from service.errors import NoVoters
from service.forecasting.densities.density import VERSION
from service.forecasting.densities.fitting import fit, least_history_h
from service.forecasting.price_record import committed
from service.forecasting.price_record.book import PriceBook, price_record_document, resolve
from service.forecasting.price_record.committed import EVERY_S, PriceForecast
from service.forecasting.voters import price_forecasts
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.panel import Panel
from service.forecasting.voters.price_forecasts import up_in_a_day
from service.forecasting.voters.votes import direction_of
from service.jobs import processes
from service.jobs.job import Effects, JobContext, header
from service.ledger.chain import LedgerRow
from service.market.assets import LONGEST_CLOSURE_S, Calendar, calendar_of
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.market.months import month_start
from service.store import bars, forecasts, knowledge, lanes, ledger, snapshots
from service.store.pages import contexts, fits, price_books
from service.trading.lanes import VOTED
from service.trading.lanes.lane import LaneVote
from service.trading.performance import DAYS_A_YEAR

log = structlog.stdlib.get_logger(__name__)

WEEK = 7 * DAY
# Longer than any look-back and training window, so earlier bars change nothing.
LOOK_BACK_S = 600 * DAY


def observe(job_context: JobContext, slot: int) -> Effects:
    """Store the context of every asset at `slot`, which requests read instead of bars.

    Once an hour the voters also forecast direction and volatility of the assets of the consensus lane; a change of
    direction is recorded in the ledger.
    """
    by_asset = job_context.contexts.of(hours(job_context, slot))
    hour = slot // HOUR * HOUR
    votes = _vote(job_context, hour, by_asset) if any(state.as_of == hour for state in by_asset.values()) else {}

    def write(db: Connection) -> None:
        for asset, state in by_asset.items():
            contexts.save(db, asset, state.to_plain(), as_of=state.as_of)
        ledger.append(db, changes(hour, votes, lanes.hourly_votes_before(db, hour)), slot)
        lanes.add_hourly_votes(db, hour, votes)

    return write


def changes(hour: int, votes: Mapping[str, LaneVote], before: Mapping[str, LaneVote]) -> list[LedgerRow]:
    """A row for each asset whose direction at the end of an hour is not that of the votes before."""
    rows = []
    for asset, vote in votes.items():
        pair = (vote, before.get(asset, vote))
        direction, direction_before = (direction_of(round(100 * moment.p_up, 1)) for moment in pair)
        if direction != direction_before:
            body = {"at": hour, "direction": direction, "previous": direction_before, "p_up": round(vote.p_up, 3)}
            rows.append(LedgerRow("consensus", asset, body, backfilled=False))
    return rows


def _vote(job_context: JobContext, hour: int, by_asset: dict[str, Context]) -> dict[str, LaneVote]:
    """The vote on each asset with enough voters and a bar that ends at `hour`; empty where they are stored."""
    with job_context.database.reading() as db:
        if lanes.hourly_votes_since(db, hour):
            return {}
    basis = knowledge.knowledge_of(job_context.database, by_asset)
    assets = [asset for asset in VOTED if asset in by_asset and by_asset[asset].as_of == hour]
    votes = {asset: _lane_vote(job_context.embedded, basis, asset) for asset in assets}
    return {asset: vote for asset, vote in votes.items() if vote}


def _lane_vote(panel: Panel, basis: Knowledge, asset: str) -> LaneVote | None:
    """The pool's forecast at the end of the context's hour; None below the quorum and before the models are fitted."""
    hour = basis.contexts[asset].as_of
    sigma = price_forecasts.pooled_sigma(basis, asset, hour, hour + WEEK)
    try:
        p_up = panel.ask(up_in_a_day(asset, basis.contexts[asset].spot, hour), hour, basis).pool.p
    except NoVoters as error:
        log.debug("quorum_missed", asset=asset, hour=hour, detail=error.detail)
        return None
    return LaneVote(sigma * sqrt(DAYS_A_YEAR * DAY / WEEK), p_up) if sigma else None


def refit(job_context: JobContext, slot: int) -> Effects:
    """Fit the models to the bars before this month, unless current fits are stored.

    Where the month began with too little history, they are fitted to the history until `slot`, as soon as that suffices
    for another calendar. Fits of another version are replaced; fits of no calendar are not stored. Stored
    fits have the key of the slot that made them, so the latest are those of the largest key.
    """
    month = month_start(slot)
    with job_context.database.reading() as db:
        newest = fits.latest(db)
        assets = job_context.whole_since(db, slot).keys()
    is_current = newest is not None and newest["slot"] >= month and newest["version"] == VERSION
    current = newest["calendars"].keys() if newest and is_current else ()
    if is_current and {calendar_of(asset) for asset in assets} <= set(current):
        return lambda _: None
    hourly = hours(job_context, slot)
    if is_current and not due(current, hourly):
        return lambda _: None
    result = processes.call_child(fit, hourly, month)
    if due(result.calendars, hourly):
        result = processes.call_child(fit, hourly, slot)
    return lambda db: fits.save(db, slot, result.to_plain()) if result.calendars else None


def due(calendars: Collection[str], hourly: Mapping[str, Bars]) -> list[Calendar]:
    """The calendars without models whose assets have enough history for them by now."""
    lengths: dict[Calendar, list[int]] = {}
    for asset, history in hourly.items():
        length = (history.as_of - int(history.time[0])) // HOUR if len(history) else 0
        lengths.setdefault(calendar_of(asset), []).append(length)
    return [
        calendar
        for calendar, hours_of in lengths.items()
        if calendar not in calendars and min(hours_of) >= least_history_h(len(hours_of))
    ]


def forecast_prices(job_context: JobContext, slot: int) -> Effects:
    """Publish where the price of every asset will be, once the models are fitted."""
    basis = knowledge.latest_knowledge(job_context.database, job_context.feed.step)
    documents = price_forecasts.describe(basis, slot, header(job_context, slot, every_s=0))
    return lambda db: snapshots.publish(db, slot, price_forecasts.by_name(documents))


def hours(job_context: JobContext, slot: int) -> dict[str, Bars]:
    """The hourly bars of every asset that were complete at `slot`."""
    earliest = slot // HOUR * HOUR - LOOK_BACK_S
    with job_context.database.reading() as db:
        since = {asset: max(first, earliest) for asset, first in job_context.whole_since(db, slot).items()}
        return job_context.hourly_bars.load(db, since, slot)


BOOKS = {False: "live", True: "backfilled"}


def record_prices(job_context: JobContext, slot: int) -> Effects:
    """Score the committed price forecasts that are due at `slot`, publish the record, and commit those of this hour.

    The work does not grow with the past.
    """
    by_asset = job_context.contexts.of(hours(job_context, slot))
    new = committed.commit(knowledge.knowledge_of(job_context.database, by_asset), slot)
    with job_context.database.reading() as db:
        whole_since = job_context.whole_since(db, slot)
        due = [pair for pair in forecasts.due_price_forecasts(db, slot) if pair[0].asset in whole_since]
        since = min((row.deadline for row, _ in due), default=slot) - LONGEST_CLOSURE_S
        hourly = {asset: bars.load_bars(db, asset, since, slot, HOUR) for asset in {row.asset for row, _ in due}}
        plain_books = {backfilled: price_books.find(db, name) or {} for backfilled, name in BOOKS.items()}
    parts = {backfilled: [row for row, is_past in due if is_past == backfilled] for backfilled in BOOKS}
    outcomes = {backfilled: resolve(rows, hourly, slot) for backfilled, rows in parts.items()}
    books = {name: PriceBook.from_plain(plain).plus(outcomes[name]) for name, plain in plain_books.items()}
    head = header(job_context, slot, EVERY_S)

    def write(db: Connection) -> None:
        for backfilled, outcome in outcomes.items():
            if outcome.decided:
                keep_book(db, books[backfilled], slot, backfilled=backfilled)
                forecasts.remove_price_forecasts(db, outcome.decided)
        if not _is_late(db, job_context, slot):
            keep_forecasts(db, new, slot)
        document = price_record_document(books, forecasts.count_price_forecasts(db), head, [*whole_since])
        snapshots.publish(db, slot, {"forecasts/record": document})

    return write


def _is_late(db: Connection, job_context: JobContext, slot: int) -> bool:
    """Whether a real bar after `slot` is stored already: what it shows cannot be forecast any more.

    A simulated or replayed world goes on where it was interrupted, so that it is the same as without a pause.
    """
    if job_context.clock.world != "live":
        return False
    step = job_context.feed.step
    return any(bar.time + step > slot for bar in bars.last_bars(db, job_context.feed.assets, step).values())


def keep_book(db: Connection, book: PriceBook, slot: int, *, backfilled: bool) -> None:
    price_books.save(db, BOOKS[backfilled], book.to_plain(), as_of=slot)


def keep_forecasts(db: Connection, new: Sequence[PriceForecast], slot: int) -> None:
    """Record the forecasts of one hour in the ledger and store them, unless they are recorded."""
    for row in committed.ledger_rows(new, backfilled=False):
        if not ledger.entries(db, 1, 1, subject=row.subject):
            ledger.append(db, [row], slot)
            forecasts.add_price_forecasts(db, new, backfilled=False)
