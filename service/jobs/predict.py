"""Opening prediction markets: the question, nine votes, then the odds of the simulated market."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import structlog

from service.errors import NoVoters
from service.forecasting.predictions import Prediction, series, simulated_odds
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.voters.context import Context
from service.jobs.committing import keep_opened
from service.jobs.forecast import contexts_at, hours
from service.jobs.job import Effects, JobContext
from service.store import evidence, knowledge, predictions

log = structlog.stdlib.get_logger(__name__)


def predict(job_context: JobContext, slot: int) -> Effects:
    """Open every market of the series that is due at `slot` and not stored yet."""
    contexts = contexts_at(job_context, slot, hours(job_context, slot))
    with job_context.database.reading() as db:
        stored = predictions.ids(db)
    opened = vote(job_context, slot, series.opening(slot, contexts, stored), contexts)
    if job_context.clock.world != "live":
        seed = job_context.settings.simulated_seed
        opened = [replace(market, odds=simulated_odds.quote(market, contexts, slot, seed)) for market in opened]
    return lambda db: keep_opened(db, opened, slot)


def vote(
    job_context: JobContext, slot: int, markets: Iterable[Prediction], contexts: Mapping[str, Context]
) -> list[Prediction]:
    """The markets with their votes; those on which too few voters voted are left out."""
    basis = knowledge.beside(job_context.database, contexts)

    def committed(market: Prediction) -> Prediction | None:
        try:
            informed = evidence.beside(job_context.database, job_context.panel, basis, market.question, slot)
            result = job_context.panel.ask(market.question, slot, informed)
        except NoVoters as error:
            log.info("no_votes", market=market.id, detail=error.detail)
            return None
        return replace(market, commitment=commitment_of(result, basis))

    with ThreadPoolExecutor(job_context.at_once) as executor:
        return [market for market in executor.map(committed, markets) if market]
