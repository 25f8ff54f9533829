"""Apex: a call on bitcoin's next day every four hours, how good the calls were, and the fund that follows them."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting import context
from service.forecasting.apex.call import EVERY_S, Call, consult
from service.forecasting.apex.document import ApexDocument, apex_document
from service.forecasting.apex.scores import record_of, resolved_calls, score
from service.forecasting.record import ClassRecord
from service.forecasting.relive import ASSET
from service.jobs.documents import made
from service.jobs.forecast import hours
from service.jobs.job import Effects, Workshop
from service.jobs.listening import listen
from service.market.bars import Bars
from service.market.instants import HOUR
from service.store import apex_calls, snapshots
from service.store.apex_calls import ApexCall
from service.trading.fund.book import run
from service.trading.fund.document import FundDocument, fund_document

SHOWN_EVERY_S = HOUR

APEX = TypeAdapter(ApexDocument)
FUND = TypeAdapter(FundDocument)


def apex(workshop: Workshop, slot: int) -> Effects:
    """Call when four hours have passed since the last call, and publish the calls' record and the fund."""
    hourly = hours(workshop, slot)
    with workshop.database.reading() as db:
        calls = [Call.from_plain(one.body) for one in apex_calls.every(db)]
    resolved = resolved_calls(calls, hourly, slot)
    made_now = _call(workshop, slot, hourly, calls, record_of(resolved, slot).direction)
    calls += made_now
    if not calls:
        return lambda _: None
    head = made(workshop, slot, SHOWN_EVERY_S, seen=hourly[ASSET].as_of)
    document = apex_document(calls[-1], score(resolved), head)
    live = [call.at for call in calls if not call.backfilled]
    fund = run([(call.at, call.p_up) for call in calls], hourly[ASSET], calls[0].at)
    portfolio = fund_document(fund, live[0] if live else None, **vars(head))

    def write(db: Connection) -> None:
        apex_calls.add(db, [ApexCall(call.at, call.p_up, call.backfilled, call.to_plain()) for call in made_now])
        snapshots.save(db, "apex", slot, APEX.dump_json(document))
        snapshots.save(db, "apex-fund", slot, FUND.dump_json(portfolio))

    return write


def _call(workshop: Workshop, slot: int, hourly: dict[str, Bars], calls: list[Call], record: ClassRecord) -> list[Call]:
    """The call of this slot, when one is due and bitcoin has a price."""
    if calls and slot // EVERY_S == calls[-1].at // EVERY_S:
        return []
    known = context.build_all(hourly, slot)
    return [consult(listen(workshop, slot, known, ASSET), record)] if ASSET in known else []
