"""The document of the open prediction markets."""

from __future__ import annotations

from sqlalchemy import Connection

from service.forecasting.predictions.documents import list_all, predictions_document
from service.jobs import imported
from service.jobs.documents import header
from service.jobs.job import Effects, JobContext
from service.jobs.predict import odds_sources
from service.market.instants import MINUTE
from service.store import listings, predictions, snapshots
from service.store.listings import MarketSelection

EVERY_S = MINUTE
MOST = 200


def is_wanted(db: Connection, _job_context: JobContext) -> bool:
    """Whether any market was ever opened."""
    return predictions.has_markets(db)


def list_markets(job_context: JobContext, slot: int) -> Effects:
    """Publish the markets that are open at the wall second `slot`, at most 200."""
    now = job_context.clock.at(slot)
    with job_context.database.reading() as db:
        page = listings.market_page(db, MarketSelection(), now, MOST)
        markets, ids = page.markets, [market.id for market in page.markets]
        tallies, held = listings.vote_tallies(db, ids), listings.latest_opinions(db, ids)
        by_asset, sources = snapshots.prices_by_asset(snapshots.latest_prices(db)), imported.sources(db)
    listed = list_all(markets, tallies=tallies, prices=by_asset, opinions=held, now=now)
    odds = {market.odds.source: f"odds ({market.odds.source})" for market in markets if market.odds}
    document = predictions_document(
        listed, header(job_context, now, EVERY_S, sources=odds | odds_sources(job_context) | sources), page.following
    )
    return lambda db: snapshots.publish(db, now, {"predictions": document})
