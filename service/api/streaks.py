"""How often in a row each voter was right."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api import examples
from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.forecasting.scores.streaks import StreaksDocument

streaks = Blueprint("streaks", __name__, url_prefix="/api")

MAX_AGE_S = 30


@streaks.get("/streaks")
@operation(tag="Predictions", limit="telemetry", returns=StreaksDocument, cached=True, example=examples.STREAKS)
def running() -> Response:
    """Consecutive resolved questions on which a voter had the right side, for each of the nine and their consensus.

    `current` is the streak that still runs, `best` the longest there was. A NEUTRAL vote and a void question neither
    extend nor break one, and of overlapping questions on the same asset, of the same kind and window, only the first
    counts. `resolved` are the questions that came out yes or no, `n` those on which the vote had a side. The 95 %
    interval of `accuracy_pct` is that of the `n_eff` independent questions they are worth. Live streaks (`backfilled`
    false) stand before those of the past, and the two are never joined. `luck` is the longest streak that the best of
    nine coin flippers is expected to have in as many questions.
    """
    return document(latest("streaks"), max_age=MAX_AGE_S)
