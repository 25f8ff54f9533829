"""The document of the open prediction markets."""

from __future__ import annotations

from service.forecasting.predictions.documents import list_market, predictions_document
from service.jobs import imported
from service.jobs.documents import header
from service.jobs.job import Effects, JobContext
from service.jobs.predict import odds_sources
from service.market.instants import MINUTE
from service.store import predictions, prices, snapshots, user_votes
from service.store.user_votes import Tally

EVERY_S = MINUTE


def list_markets(job_context: JobContext, slot: int) -> Effects:
    """Publish every market that is open at the wall second `slot`, with the votes of callers and current prices."""
    now = job_context.clock.at(slot)
    with job_context.database.reading() as db:
        markets = predictions.active(db, now)
        tallies = user_votes.tallies(db, [market.id for market in markets])
        by_asset, sources = prices.by_asset(prices.latest(db)), imported.sources(db)
    listed = [
        list_market(market, tally=tallies.get(market.id, Tally()), price=by_asset.get(market.question.asset), now=now)
        for market in markets
    ]
    odds = {market.odds.source: f"odds ({market.odds.source})" for market in markets if market.odds}
    document = predictions_document(
        listed, header(job_context, now, EVERY_S, sources=odds | odds_sources(job_context) | sources)
    )
    return lambda db: snapshots.publish(db, now, {"predictions": document})
