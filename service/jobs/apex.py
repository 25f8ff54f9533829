"""Apex: a call on bitcoin's next day every four hours, the accuracy of the calls, and the fund that follows them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from service.forecasting.apex.call import EVERY_S, Call, fuse
from service.forecasting.apex.document import apex_document
from service.forecasting.apex.scores import ResolvedCall, record_of
from service.forecasting.backfill import ASSET
from service.jobs.documents import header
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext
from service.jobs.layer_inputs import gather_inputs
from service.ledger.chain import LedgerRow
from service.market.instants import HOUR
from service.store import knowledge, ledger, pages, snapshots
from service.store.pages import apex_calls
from service.trading.fund import fund_document, published_trade, run

SHOWN_EVERY_S = HOUR


def apex(job_context: JobContext, slot: int) -> Effects:
    """Make a call where four hours have passed since the last one, and publish the calls' accuracy and the fund."""
    with job_context.database.reading() as db:
        calls, resolved, bars = job_context.call_memory.read(db, job_context.hourly_bars, slot)
    new = _call(job_context, slot, calls, resolved)
    calls = (*calls, *new)
    if not calls:
        return lambda _: None
    head = header(job_context, slot, SHOWN_EVERY_S, seen=bars.as_of if len(bars) else calls[-1].at)
    document = apex_document(
        calls[-1], job_context.apex_thresholds.of(calls[:-1]), job_context.apex_scores.of(resolved), head
    )
    live = [call.at for call in calls if not call.backfilled]
    fund = run([(call.at, call.p_up) for call in calls], bars, calls[0].at)
    live_since = live[0] if live else None
    portfolio = fund_document(fund, live_since, head)
    times = [trade.time for trade in fund.trades]

    def write(db: Connection) -> None:
        for call in new:
            apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=False)
        ledger.append(db, [LedgerRow("apex", call.asset, call.to_plain(), backfilled=False) for call in new], slot)
        snapshots.publish(db, slot, {"apex": document, "apex-fund": portfolio})
        pages.keep_sequence(
            db, "fund_trades", times, lambda place: vars(published_trade(fund.trades[place], live_since))
        )

    return write


def _call(job_context: JobContext, slot: int, calls: Sequence[Call], resolved: Sequence[ResolvedCall]) -> list[Call]:
    """The call of this slot, if one is due and bitcoin has a price."""
    if calls and slot // EVERY_S == calls[-1].at // EVERY_S:
        return []
    contexts = job_context.contexts.of(hours(job_context, slot))
    if ASSET not in contexts:
        return []
    latest = knowledge.knowledge_of(job_context.database, contexts)
    record = record_of(resolved, slot).of_band("day")
    return [fuse(gather_inputs(job_context, slot, latest, ASSET), record, job_context.apex_thresholds.of(calls))]
