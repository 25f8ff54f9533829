"""Opening prediction markets: the question, nine votes, the odds; and the hourly opinions on those that are open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import structlog
from sqlalchemy import Connection

from service.errors import NoVoters
from service.forecasting.predictions import Opinion, Prediction, series
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.predictions.open_markets import lead_of, of_now
from service.forecasting.predictions.simulated_odds import SOURCE, SimulatedMarket
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Knowledge
from service.jobs.committing import keep_opened
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext
from service.market.assets import LONGEST_CLOSURE_S
from service.market.instants import HOUR
from service.sources.feeds.simulated import SimulatedFeed
from service.store import bars, knowledge, listings, predictions

log = structlog.stdlib.get_logger(__name__)


def predict(job_context: JobContext, slot: int) -> Effects:
    """Open every market of the series that is due at `slot` and not stored yet."""
    contexts = job_context.contexts.of(hours(job_context, slot))
    with job_context.database.reading() as db:
        ids = predictions.market_ids(db, slot)
    basis = knowledge.knowledge_of(job_context.database, contexts)
    markets = vote(job_context, slot, series.opening(slot, contexts, ids), basis)
    if outside := outside_market(job_context):
        markets = [replace(market, odds=outside.quote(market, basis, slot)) for market in markets]
    return lambda db: keep_opened(db, markets, slot)


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
            inputs = knowledge.with_evidence(job_context.database, job_context.panel, basis, market.question, slot)
            result = job_context.panel.ask(market.question, slot, inputs)
        except NoVoters as error:
            log.info("no_votes", market=market.id, detail=error.detail)
            return None
        return replace(market, commitment=commitment_of(result, basis))

    with ThreadPoolExecutor(job_context.at_once) as executor:
        return [market for market in executor.map(committed, markets) if market]


def renew_opinions(job_context: JobContext, slot: int) -> Effects:
    """Store what is thought of every open market at `slot`; opinions are shown and never scored."""
    contexts = job_context.contexts.of(hours(job_context, slot))
    basis = knowledge.knowledge_of(job_context.database, contexts)
    with job_context.database.reading() as db:
        questions = list(_questions_of_now(db, predictions.active_markets(db, slot), slot, basis))
    outside = outside_market(job_context)
    ai: dict[str, Opinion] = {}
    odds: dict[str, Opinion] = {}
    for market, inputs in questions:
        try:
            ai[market.id] = Opinion(slot, job_context.embedded.ask(market.question, slot, inputs).pool.p)
        except NoVoters as error:
            log.debug("no_opinion", market=market.id, detail=error.detail)
        if outside:
            with suppress(Abstention):  # with the shocks of its opening
                quote = outside.quote(market, inputs, slot)
                odds[market.id] = Opinion(slot, quote.p_yes, quote.bid, quote.ask)

    def write(db: Connection) -> None:
        listings.add_opinions(db, "ai", ai)
        listings.add_opinions(db, "odds", odds)

    return write


def _questions_of_now(
    db: Connection, markets: list[Prediction], slot: int, basis: Knowledge
) -> Iterator[tuple[Prediction, Knowledge]]:
    """Each market that can be asked of now with its question of now, and what the voters forecast from."""
    for market in markets:
        question = market.question
        if not set(question.assets) <= basis.contexts.keys():
            continue
        present = of_now(question, slot, basis.spots[question.asset])
        opened_at = market.created_at
        starts = {asset: bars.close_at(db, asset, opened_at, HOUR, LONGEST_CLOSURE_S) for asset in question.assets[1:]}
        if present is None or None in starts.values():
            continue
        origins = {asset: price for asset, price in starts.items() if price} | {question.asset: question.spot}
        inputs = replace(basis, lead=lead_of(question, basis.spots, origins))
        yield replace(market, question=present), inputs
