"""What became of the markets and challenges whose time has come, by what the bars show."""

from __future__ import annotations

from sqlalchemy import Connection

from service.forecasting.predictions import PredictionMarket, Settlement
from service.forecasting.predictions.settling import settle as settle_one
from service.forecasting.resolution import TOUCHES
from service.jobs import records
from service.jobs.committing import keep_settlement
from service.jobs.job import Effects, Workshop
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.store import bars, predictions

# Opened while a market is closed, a question starts from the last price before: over a long weekend at the most.
LONGEST_CLOSURE_S = 4 * DAY


def settle(workshop: Workshop, slot: int) -> Effects:
    """Settle every market and challenge that prices decide and have decided by `slot`, then count the votes."""
    with workshop.database.reading() as db:
        due = [one for one in predictions.unresolved(db) if _is_due(one.market, slot)]
        found = {one.market.id: _settlement(db, workshop, one.market, slot) for one in due}
    settled = {market_id: settlement for market_id, settlement in found.items() if settlement}

    def write(db: Connection) -> None:
        for market_id, settlement in settled.items():
            keep_settlement(db, market_id, settlement, slot)
        if settled:
            records.renew(db, slot)

    return write


def _is_due(market: PredictionMarket, slot: int) -> bool:
    if market.resolver != "bars" or slot <= market.created_at:
        return False
    return slot > market.deadline or market.question.comparator in TOUCHES


def _settlement(db: Connection, workshop: Workshop, market: PredictionMarket, slot: int) -> Settlement | None:
    question = market.question
    assets = [asset for asset in (question.asset, question.other_asset) if asset]
    return settle_one(market, {asset: _bars(db, workshop, asset, market, slot) for asset in assets}, slot)


def _bars(db: Connection, workshop: Workshop, asset: str, market: PredictionMarket, slot: int) -> Bars:
    """Hours where the market was opened on one: they tell the same, and a month of them is quickly read."""
    step = HOUR if market.created_at % HOUR == 0 else workshop.feed.step
    return bars.load(db, asset, market.created_at - LONGEST_CLOSURE_S, slot, step)
