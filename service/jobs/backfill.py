"""The first start: the past is backfilled once, so that there is a track record; live, without odds and headlines."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from service.forecasting import backfill as pure
from service.forecasting.apex.layers import NetView
from service.forecasting.price_record.committed import ledger_rows
from service.jobs import processes
from service.jobs.committing import keep_opened
from service.jobs.forecast import hours, keep_book
from service.jobs.job import Effects, JobContext
from service.jobs.predict import outside_market
from service.jobs.rank import run_arena
from service.market.instants import DAY
from service.store import forecasts, knowledge, ledger, predictions
from service.store.pages import RECORD, apex_calls, records
from service.trading.arena import net_history

# Sixty days of the fund, after two days in which the first markets resolve.
BACKFILLED_S = 62 * DAY
# The history before it, from which the models can be fitted.
TRAINING_S = 30 * DAY


def backfill(job_context: JobContext, slot: int) -> Effects:
    """Backfill the days before `slot`, unless there are markets already, no fits, or too little history."""
    with job_context.database.reading() as db:
        newest, has_begun = knowledge.newest_fits(job_context.database, db), predictions.has_markets(db)
        first = min(job_context.whole_since(db, slot).values(), default=slot)
    since = max(slot - BACKFILLED_S, first + TRAINING_S) // DAY * DAY
    if has_begun or newest is None or since >= slot:
        return lambda _: None
    settings = job_context.settings
    positions = net_history(run_arena(job_context, slot), pure.ASSET)
    past = processes.call_child(
        partial(pure.backfill, mapper=processes.call_children),  # months in processes of their own
        hours(job_context, slot),
        since,
        slot,
        newest,
        outside_market(job_context),
        settings.oracle_quorum,
        {time: NetView(**vars(net)) for time, net in positions.items()},
    )
    rows = ledger_rows(past.prices.forecasts, backfilled=True)

    def write(db: Connection) -> None:
        records.save(db, RECORD, past.record.to_plain(), as_of=slot)
        knowledge.add_headlines(db, past.headlines)
        for call in past.calls:
            apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=True)
        keep_opened(db, past.markets, slot)
        ledger.append(db, rows, slot)
        forecasts.add_price_forecasts(db, past.prices.pending, backfilled=True)
        keep_book(db, past.prices.book, slot, backfilled=True)

    return write
