"""Opening prediction markets: the question, nine votes, then the odds of the simulated market."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import structlog

from service.errors import NoVoters
from service.forecasting.predictions import Prediction, series
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.predictions.simulated_odds import SOURCE, SimulatedMarket
from service.forecasting.voters.context import Knowledge
from service.jobs.committing import keep_opened
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext
from service.sources.feeds.simulated import SimulatedFeed
from service.store import knowledge, predictions

log = structlog.stdlib.get_logger(__name__)


def predict(job_context: JobContext, slot: int) -> Effects:
    """Open every market of the series that is due at `slot` and not stored yet."""
    contexts = job_context.contexts.of(hours(job_context, slot))
    with job_context.database.reading() as db:
        stored = predictions.market_ids(db, slot)
    basis = knowledge.knowledge_of(job_context.database, contexts)
    opened = vote(job_context, slot, series.opening(slot, contexts, stored), basis)
    if outside := outside_market(job_context):
        opened = [replace(market, odds=outside.quote(market, basis, slot)) for market in opened]
    return lambda db: keep_opened(db, opened, slot)


def outside_market(job_context: JobContext) -> SimulatedMarket | None:
    """The simulated outside market, None in the live world; in the simulated world it knows the law of that world."""
    if job_context.clock.world == "live":
        return None
    feed = job_context.feed
    true_law = feed.expected_return if isinstance(feed, SimulatedFeed) else None
    return SimulatedMarket(job_context.settings.simulated_seed, true_law)


def odds_sources(job_context: JobContext) -> dict[str, str]:
    """What the odds of this world's own markets are, by the name of their source; empty in the live world."""
    outside = outside_market(job_context)
    return {SOURCE: outside.description} if outside else {}


def vote(job_context: JobContext, slot: int, markets: Iterable[Prediction], basis: Knowledge) -> list[Prediction]:
    """The markets with their votes; those on which too few voters voted are left out."""

    def committed(market: Prediction) -> Prediction | None:
        try:
            informed = knowledge.with_evidence(job_context.database, job_context.panel, basis, market.question, slot)
            result = job_context.panel.ask(market.question, slot, informed)
        except NoVoters as error:
            log.info("no_votes", market=market.id, detail=error.detail)
            return None
        return replace(market, commitment=commitment_of(result, basis))

    with ThreadPoolExecutor(job_context.at_once) as executor:
        return [market for market in executor.map(committed, markets) if market]
