"""The record of the price forecasts: scores of those that are due, then the forecasts of this hour."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from service.forecasting.price_record import committed
from service.forecasting.price_record.book import Outcomes, PriceBook, price_record_document, resolve
from service.forecasting.price_record.committed import EVERY_S, PriceForecast
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext, header
from service.market.assets import LONGEST_CLOSURE_S
from service.market.bars import Bars
from service.market.instants import HOUR
from service.store import bars, forecasts, knowledge, ledger, snapshots
from service.store.forecasts import WaitingForecast
from service.store.pages import price_books

BOOKS = {False: "live", True: "backfilled"}


def record_prices(job_context: JobContext, slot: int) -> Effects:
    """Score the committed price forecasts that are due at `slot`, publish their record, and commit those of this hour.

    The work does not grow with the past.
    """
    new = _forecasts(job_context, slot)
    with job_context.database.reading() as db:
        whole_since = job_context.whole_since(db, slot)
        due = [row for row in forecasts.due_price_forecasts(db, slot) if row.forecast.asset in whole_since]
        hourly = _bars(db, [row.forecast for row in due], slot)
        books = {backfilled: _book(db, backfilled) for backfilled in BOOKS}
    outcomes = {backfilled: _outcomes(due, hourly, slot, backfilled) for backfilled in BOOKS}
    books = {backfilled: book.plus(outcomes[backfilled]) for backfilled, book in books.items()}
    head = header(job_context, slot, EVERY_S)

    def write(db: Connection) -> None:
        for backfilled, rows in ((name, outcomes[name].decided) for name in BOOKS):
            if rows:
                keep_book(db, books[backfilled], slot, backfilled=backfilled)
                forecasts.remove_price_forecasts(db, rows)
        if not _is_late(db, job_context, slot):
            keep_forecasts(db, new, slot)
        document = price_record_document(books, forecasts.count_price_forecasts(db), head, [*whole_since])
        snapshots.publish(db, slot, {"forecasts/record": document})

    return write


def _forecasts(job_context: JobContext, slot: int) -> list[PriceForecast]:
    """The forecasts of this hour, from its complete hourly bars."""
    by_asset = job_context.contexts.of(hours(job_context, slot))
    return committed.commit(knowledge.knowledge_of(job_context.database, by_asset), slot)


def _bars(db: Connection, due: Sequence[PriceForecast], slot: int) -> dict[str, Bars]:
    """The hourly bars of the assets of due forecasts from before the earliest deadline on."""
    since = min((row.deadline for row in due), default=slot) - LONGEST_CLOSURE_S
    return {asset: bars.load_bars(db, asset, since, slot, HOUR) for asset in {row.asset for row in due}}


def _book(db: Connection, backfilled: bool) -> PriceBook:
    return PriceBook.from_plain(price_books.find(db, BOOKS[backfilled]) or {})


def _outcomes(due: Sequence[WaitingForecast], hourly: dict[str, Bars], slot: int, backfilled: bool) -> Outcomes:
    return resolve([row.forecast for row in due if row.backfilled == backfilled], hourly, slot)


def _is_late(db: Connection, job_context: JobContext, slot: int) -> bool:
    """Whether a real bar after `slot` is stored already: what it shows cannot be forecast any more.

    A simulated or replayed world goes on where it was interrupted, so that it is the same as without a pause.
    """
    if job_context.clock.world != "live":
        return False
    step = job_context.feed.step
    lasts = (bars.last_bar(db, asset, step) for asset in job_context.feed.assets)
    return any(bar.time + step > slot for bar in lasts if bar)


def keep_book(db: Connection, book: PriceBook, slot: int, *, backfilled: bool) -> None:
    """Store the sums of a book."""
    price_books.save(db, BOOKS[backfilled], book.to_plain(), as_of=slot)


def keep_forecasts(db: Connection, new: Sequence[PriceForecast], slot: int) -> None:
    """Record the forecasts of one hour in the ledger and store them, unless they are recorded."""
    for row in committed.ledger_rows(new, backfilled=False):
        if not ledger.entries(db, 1, 1, subject=row.subject):
            ledger.append(db, [row], slot)
            forecasts.add_price_forecasts(db, new, backfilled=False)
