"""Opening prediction markets: the question, nine votes, and then what an outside market gives."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import structlog

from service.errors import NoVoters
from service.forecasting import context
from service.forecasting.context import Context
from service.forecasting.predictions import PredictionMarket, outside, series
from service.forecasting.predictions.votes import commit
from service.jobs.committing import keep_opened
from service.jobs.forecast import hours
from service.jobs.job import Effects, Workshop
from service.store import knowledge, predictions
from service.store.predictions import Stored

log = structlog.stdlib.get_logger(__name__)


def predict(workshop: Workshop, slot: int) -> Effects:
    """Open every market of the series whose time has come at `slot` and that is not there yet."""
    known = context.build_all(hours(workshop, slot), slot)
    with workshop.database.reading() as db:
        there = predictions.ids(db)
    due = [market for market in series.opening(slot, known) if market.id not in there]
    opened = vote(workshop, slot, due, known)
    if workshop.clock.world != "live":
        seed = workshop.settings.simulated_seed
        opened = [replace(one, odds=outside.quote(one.market, known, slot, seed)) for one in opened]
    return lambda db: keep_opened(db, opened, slot)


def vote(workshop: Workshop, slot: int, due: Iterable[PredictionMarket], known: Mapping[str, Context]) -> list[Stored]:
    """The markets on which enough voters voted; the others are not opened."""
    with workshop.database.reading() as db:
        learnt, record = knowledge.newest_fits(workshop.database, db), knowledge.newest_record(db)
    asked = partial(
        commit,
        now=slot,
        contexts=known,
        fits=learnt,
        voters=workshop.voters,
        record=record,
        quorum=workshop.settings.oracle_quorum,
        timer=time.perf_counter,
        polling=workshop.polling,
    )

    def opened(market: PredictionMarket) -> Stored | None:
        try:
            return Stored(market, None, asked(market), None, None, None, None)
        except NoVoters as silence:
            log.info("nobody_voted", market=market.id, detail=silence.detail)
            return None

    with ThreadPoolExecutor(workshop.at_once) as executor:
        return [one for one in executor.map(opened, due) if one]
