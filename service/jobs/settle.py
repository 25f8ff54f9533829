"""Settling markets, challenges and answers by prices, and the daily signed root over the rows of the ledger."""

from __future__ import annotations

from sqlalchemy import Connection

from service.forecasting.predictions import Prediction, Settlement
from service.forecasting.predictions.open_markets import is_due
from service.forecasting.predictions.open_markets import settle as settle_by_bars
from service.jobs.committing import keep_settlements
from service.jobs.job import Effects, JobContext
from service.market.assets import LONGEST_CLOSURE_S
from service.market.instants import HOUR, iso
from service.store import bars, ledger, predictions
from service.store.secret import ledger_key


def settle(job_context: JobContext, slot: int) -> Effects:
    """Settle every prediction that prices have decided by `slot`, then renew the track record."""
    with job_context.database.reading() as db:
        late = set(job_context.feed.assets) - job_context.whole_since(db, slot).keys()  # their bars are still to come
        waiting = (prediction for prediction in predictions.due_predictions(db, slot) if is_due(prediction, slot))
        due = [prediction for prediction in waiting if late.isdisjoint(prediction.question.assets)]
        settlements = {prediction.id: _settlement(db, job_context, prediction, slot) for prediction in due}
    settled = {id: settlement for id, settlement in settlements.items() if settlement}
    return lambda db: keep_settlements(db, settled, slot)


def _settlement(db: Connection, job_context: JobContext, prediction: Prediction, slot: int) -> Settlement | None:
    since, step = prediction.created_at - LONGEST_CLOSURE_S, _step(job_context, prediction)
    shown = {asset: bars.load_bars(db, asset, since, slot, step) for asset in prediction.question.assets}
    return settle_by_bars(prediction, shown, slot)


def _step(job_context: JobContext, prediction: Prediction) -> int:
    """The length of the bars in seconds: hours for a market opened on one, as they show the same in less time."""
    is_hourly = prediction.category != "answer" and prediction.created_at % HOUR == 0
    return HOUR if is_hourly else job_context.feed.step


def seal(job_context: JobContext, slot: int) -> Effects:
    """Sign all rows recorded up to `slot`, unless this day already has a root."""
    key = ledger_key(job_context.settings)
    return lambda db: ledger.seal(db, iso(slot)[:10], key, slot)
