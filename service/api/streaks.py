"""Streaks: consecutive correct votes of each voter."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import TypeAdapter

from service.api.encoding import document
from service.api.operations import operation
from service.api.pages import WindowQuery, sequence_page
from service.api.snapshots import latest
from service.forecasting.predictions.scores.streaks import StreakHistoryDocument, StreaksDocument

streaks = Blueprint("streaks", __name__, url_prefix="/api")

MAX_AGE_S = 30
HISTORY = TypeAdapter(StreakHistoryDocument)


@streaks.get("/streaks")
@operation(tag="Predictions", limit="telemetry", returns=StreaksDocument, cached=True)
def running() -> Response:
    """The streaks of correct votes of each of the nine voters and their consensus, on resolved questions.

    `current` is the streak that still runs, `best` the longest one. A NEUTRAL vote and a void question neither extend
    nor break a streak. Of overlapping questions on the same asset, kind and window only the first counts. `resolved`
    counts the questions that came out yes or no, `n` those on which the vote was not NEUTRAL, and `correct` those of
    the `n` whose side was right. The 95% interval of `accuracy_pct` is clustered by week of resolution; `n_eff` is the
    number of independent questions that the `n` are worth. Compare the accuracy with `likelier_side_pct` (always the
    side that such questions took more often before) and `always_no_pct` (always NO). `luck` says how often a forecaster
    whose probabilities are right would reach such a streak and such an accuracy, where answers of a week come true
    together as usual. Live streaks come before `backfilled`
    ones and are never joined with them; each book has its own ranks, and equal streaks share one.
    """
    return document(latest("streaks"), max_age=MAX_AGE_S)


@streaks.get("/streaks/history")
@operation(tag="Predictions", limit="telemetry", returns=StreakHistoryDocument, cached=True)
def history(query: WindowQuery) -> Response:
    """Every question that counts in the streaks with the answers of the voters, newest first, page by page.

    `right` says whether the side of a vote came true, `streak` is the run of right answers after it: the last one of
    a voter with its engine is `current` in `/api/streaks`, the largest one `best`. Live questions and `backfilled` ones
    have runs of their own. The rows are renewed every hour.
    """
    return sequence_page("streaks", query, HISTORY, "streak-history/1", "questions", MAX_AGE_S)
