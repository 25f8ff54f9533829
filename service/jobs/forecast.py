"""The contexts and price forecasts of the assets after every bar, the votes of the consensus lane, the monthly fits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import structlog
from sqlalchemy import Connection

from service.errors import NoVoters
from service.forecasting.densities.fitting import least_history_h
from service.forecasting.voters import context, price_forecasts, training
from service.forecasting.voters.context import Context
from service.forecasting.voters.fits import VERSION
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.next_day import up_in_a_day
from service.forecasting.voters.panel import Panel
from service.jobs import children
from service.jobs.documents import header
from service.jobs.job import Effects, JobContext
from service.jobs.schedules import Monthly
from service.market.assets import Calendar, calendar_of
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.store import bars, hourly_votes, knowledge, snapshots
from service.store.plain import contexts, fits
from service.trading.lanes import CONSENSUS_ASSETS

log = structlog.stdlib.get_logger(__name__)

# Longer than any look-back and training window, so earlier bars change nothing.
LOOK_BACK_S = 600 * DAY


def observe(job_context: JobContext, slot: int) -> Effects:
    """Store the context of every asset at `slot`, which requests read instead of bars.

    Once an hour the voters also forecast whether the assets of the consensus lane will be higher in a day.
    """
    by_asset = context.build_all(hours(job_context, slot), slot)
    hour = slot // HOUR * HOUR
    votes = _vote(job_context, hour, by_asset) if any(state.as_of == hour for state in by_asset.values()) else {}

    def write(db: Connection) -> None:
        for asset, state in by_asset.items():
            contexts.save(db, asset, state.to_plain(), as_of=state.as_of)
        hourly_votes.add(db, hour, votes)

    return write


def _vote(job_context: JobContext, hour: int, by_asset: dict[str, Context]) -> dict[str, float]:
    """P(up in a day) of each asset with enough votes and a bar that ends at `hour`; empty where it is stored."""
    with job_context.database.reading() as db:
        if hourly_votes.since(db, hour):
            return {}
    basis = knowledge.beside(job_context.database, by_asset)
    trading = [asset for asset in CONSENSUS_ASSETS if asset in by_asset and by_asset[asset].as_of == hour]
    answers = {asset: _p_up(job_context.embedded, basis, asset) for asset in trading}
    return {asset: p for asset, p in answers.items() if p is not None}


def _p_up(panel: Panel, basis: Knowledge, asset: str) -> float | None:
    """The pool's P(up in a day), asked at the end of the context's hour; None below the quorum."""
    hour = basis.contexts[asset].as_of
    try:
        return panel.ask(up_in_a_day(asset, basis.contexts[asset].spot, hour), hour, basis).pooled.p
    except NoVoters as error:
        log.debug("quorum_missed", asset=asset, hour=hour, detail=error.detail)
        return None


def refit(job_context: JobContext, slot: int) -> Effects:
    """Fit the voters that learn to the questions decided before this month, unless current fits are stored.

    Where the month began with too little history, they are fitted to the history until `slot`, every hour until it
    suffices for every voter and for the views of every calendar. Fits of another version are outdated and replaced.
    """
    month = Monthly().slot_at(slot)
    with job_context.database.reading() as db:
        current = _current(fits.latest(db), month)
    calendars = {calendar_of(asset) for asset in job_context.feed.assets}
    if current and calendars <= current["densities"].keys():
        return lambda _: None
    hourly = hours(job_context, slot)
    if current and not due_views(current["densities"], hourly):
        return lambda _: None
    fitted = children.call(training.fit, hourly, month)
    if fitted.missing or due_views(fitted.densities, hourly):
        fitted = children.call(training.fit, hourly, slot)
    return lambda db: fits.save(db, fitted.slot, fitted.to_plain())


def _current(newest: Mapping[str, Any] | None, month: int) -> Mapping[str, Any] | None:
    """The newest fits, if they are of this version and month and every voter is fitted."""
    is_current = newest and newest["slot"] >= month and newest["version"] == VERSION and not newest["missing"]
    return newest if is_current else None


def due_views(fitted: Collection[str], hourly: Mapping[str, Bars]) -> list[Calendar]:
    """The calendars without views whose assets have enough history for them by now."""
    lengths: dict[Calendar, list[int]] = {}
    for asset, history in hourly.items():
        length = (history.as_of - int(history.time[0])) // HOUR if len(history) else 0
        lengths.setdefault(calendar_of(asset), []).append(length)
    return [
        calendar
        for calendar, hours_of in lengths.items()
        if calendar not in fitted and min(hours_of) >= least_history_h(len(hours_of))
    ]


def forecast_prices(job_context: JobContext, slot: int) -> Effects:
    """Publish where the price of every asset will be, once the views of volatility are fitted."""
    stored = knowledge.latest(job_context.database, job_context.feed.step)
    documents = price_forecasts.describe(stored, slot, header(job_context, slot, every_s=0))
    return lambda db: snapshots.publish(db, slot, price_forecasts.by_name(documents))


def hours(job_context: JobContext, slot: int) -> dict[str, Bars]:
    """The hourly bars of every asset that were complete at `slot`."""
    since = max(job_context.history_from, slot - LOOK_BACK_S)
    with job_context.database.reading() as db:
        return {asset: bars.load(db, asset, since, slot, HOUR) for asset in job_context.feed.assets}
