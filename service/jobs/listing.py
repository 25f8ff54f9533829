"""The open prediction markets as they are published."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting.predictions.documents import (
    CommitmentTold,
    ListedMarket,
    PredictionsDocument,
    list_market,
    predictions_document,
)
from service.jobs import outside
from service.jobs.documents import made
from service.jobs.job import Effects, Workshop
from service.market.instants import MINUTE
from service.market.prices import Price, Prices
from service.store import predictions, snapshots, user_votes
from service.store.predictions import Stored
from service.store.user_votes import Tally

EVERY_S = MINUTE

PRICES = TypeAdapter(Prices)
PREDICTIONS = TypeAdapter(PredictionsDocument)


def list_markets(workshop: Workshop, slot: int) -> Effects:
    """Publish every market that is open at the wall second `slot`, with what users think of it and what it costs."""
    now = workshop.clock.at(slot)
    with workshop.database.reading() as db:
        found = predictions.active(db, now)
        tallies = user_votes.tallies(db, [one.market.id for one in found])
        costs, read = prices(db), outside.sources(db)
    listed = [_listed(one, tallies.get(one.market.id, Tally()), costs, now) for one in found]
    odds = {one.odds.source: f"odds ({one.odds.source})" for one in found if one.odds}
    document = predictions_document(listed, made(workshop, now, EVERY_S, **odds | read))
    return lambda db: snapshots.save(db, "predictions", now, PREDICTIONS.dump_json(document))


def prices(db: Connection) -> dict[str, Price]:
    """What each asset costs, as it was published last."""
    told = snapshots.latest(db, "prices")
    return {price.asset: price for price in PRICES.validate_json(told.body).prices} if told else {}


def _listed(one: Stored, tally: Tally, costs: dict[str, Price], now: int) -> ListedMarket:
    return list_market(
        one.market,
        commitment=one.commitment,
        odds=one.odds,
        user_votes=tally,
        settlement=one.settlement,
        price=costs.get(one.market.question.asset),
        sealed=CommitmentTold(one.seq, one.hash) if one.hash else None,
        now=now,
    )
