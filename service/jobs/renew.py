"""The hourly opinions on open markets: of the embedded voters, and of the simulated outside market."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import structlog
from sqlalchemy import Connection

from service.errors import NoVoters
from service.forecasting.predictions import Opinion, Prediction
from service.forecasting.predictions.open_markets import lead_of, of_now
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Knowledge
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext
from service.jobs.predict import outside_market
from service.market.assets import LONGEST_CLOSURE_S
from service.market.instants import HOUR
from service.store import bars, knowledge, listings, predictions

EVERY_S = HOUR

log = structlog.stdlib.get_logger(__name__)


def renew_opinions(job_context: JobContext, slot: int) -> Effects:
    """Store what is thought of every open market at `slot`; opinions are shown and never scored."""
    contexts = job_context.contexts.of(hours(job_context, slot))
    basis = knowledge.knowledge_of(job_context.database, contexts)
    with job_context.database.reading() as db:
        questions = list(_questions_of_now(db, predictions.active_markets(db, slot), slot, basis))
    ai = {market.id: opinion for market, informed in questions if (opinion := _ai(job_context, market, slot, informed))}
    odds: dict[str, Opinion] = {}
    if outside := outside_market(job_context):
        quoted = {market.id: _odds(outside, market, slot, informed) for market, informed in questions}
        odds = {id: opinion for id, opinion in quoted.items() if opinion}

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
        starts = {asset: _price_before(db, asset, market.created_at) for asset in question.assets[1:]}
        if present is None or None in starts.values():
            continue
        measured = {asset: price for asset, price in starts.items() if price} | {question.asset: question.spot}
        informed = replace(basis, lead=lead_of(question, basis.spots, measured))
        yield replace(market, question=present), informed


def _price_before(db: Connection, asset: str, instant: int) -> float | None:
    """The close from which a move of an asset is measured at a unix second; None without a bar before it."""
    before = bars.load_bars(db, asset, instant - LONGEST_CLOSURE_S, instant, HOUR)
    return float(before.close[-1]) if len(before) else None


def _ai(job_context: JobContext, market: Prediction, slot: int, basis: Knowledge) -> Opinion | None:
    try:
        return Opinion(slot, job_context.embedded.ask(market.question, slot, basis).pooled.p)
    except NoVoters as error:
        log.debug("no_opinion", market=market.id, detail=error.detail)
        return None


def _odds(outside: SimulatedMarket, market: Prediction, slot: int, basis: Knowledge) -> Opinion | None:
    """The price of the simulated market, with the shocks of its opening; None without a usable context."""
    try:
        quote = outside.quote(market, basis, slot)
    except Abstention:
        return None
    return Opinion(slot, quote.p_yes, quote.bid, quote.ask)
