"""Scores: the tournament of forecasters, who are callers with a name, voters and the market, and streaks of voters."""

from __future__ import annotations

import re
from functools import lru_cache

from flask import Blueprint, Response

from service import canonical
from service.api.operations import operation
from service.api.responses import document
from service.api.services import latest, services
from service.documents import DocumentHeader, adapter
from service.errors import ResourceNotFound
from service.forecasting.predictions.scores import forecasters as tables
from service.forecasting.predictions.scores.forecasters import ForecasterDocument, ForecastersDocument, RevealedForecast
from service.forecasting.predictions.scores.streaks import StreaksDocument
from service.market.instants import iso
from service.store import forecasts
from service.store.snapshots import Snapshot

forecasters = Blueprint("forecasters", __name__, url_prefix="/api/v1/forecasters")

streaks = Blueprint("streaks", __name__, url_prefix="/api")
MAX_AGE_S = 30
MOST_FORECASTS = 40
NAME = re.compile(tables.NAMES)


@forecasters.get("")
@operation(tag="Predictions", limit="telemetry", returns=ForecastersDocument, is_cached=True)
def table() -> Response:
    """The tournament: callers who chose a name beside the nine voters, their pool and the outside market.

    POST /api/v1/predictions/{market_id}/forecast gives a forecast, PATCH /api/v1/me a name. Everybody is scored on the
    live markets that they forecast, twice. `time_weighted` counts every forecast as long as it stood. `opening` counts
    the last forecast within an hour of the voters' votes, when all know about the same. `brier` is the mean squared
    error of a probability (0 is perfect, 0.25 the score of a constant 50%), `log_score` the mean of -ln of the
    probability given to the outcome, which is limited to 0.01 to 0.99; of both a lower one is better. `peer` is how
    much lower the log score was than the mean of the others' at the same time, weighted by the share of the life of the
    market, as on Metaculus; `peer_pool` is the same against the pool alone, which forecasts once. Above 0 is better.
    Every interval is a 95% one, clustered by week of resolution, in which markets come out alike; `n_eff` is the number
    of independent markets that the `n` are worth.

    Of many forecasters without skill the best looks good by luck. So every interval is wider by what luck gives the
    best of `entrants`: the callers with a settled forecast, also those who gave up their name, the voters and the
    outside markets, rounded up to a power of two. The `rank` is by the lower one of `peer_low` and `peer_pool_low` in
    `time_weighted`, from 30 markets on. Whoever ranks above `pool` forecast better than the others and than the pool at
    the opening, and in at most 5 of 100 such tables is that an error; of the rest it is not known.

    /docs/scoring has the rules with an example. Odds marked `simulated` are of no real market. The table is
    computed every hour; a name that was given up leaves it then.
    """
    return document(latest("forecasters"), max_age=MAX_AGE_S)


@forecasters.get("/<name>")
@operation(tag="Predictions", limit="telemetry", raises=(ResourceNotFound,))
def forecaster(name: str) -> ForecasterDocument:
    """One forecaster by name: the scores, and the last 40 forecasts of settled markets.

    Forecasts of markets that are not settled are in no answer but their author's own.
    """
    table = _listed(latest("forecasters"))
    with services().database.reading() as db:
        row = forecasts.find_forecaster(db, name) if NAME.fullmatch(name) else None
        recent = forecasts.settled_forecasts(db, row.id, MOST_FORECASTS) if row else []
    if row is None and name not in tables.OWN_NAMES:
        raise ResourceNotFound("No forecaster has this name; /api/v1/forecasters lists them.")
    entries = tuple(entry for entry in table.entries if entry.name == name)
    if row and row.record:
        rank = next((entry.rank for entry in entries), None)
        entries = (tables.caller_entry(row.name, row.id, row.record, rank),)
    header = {field: getattr(table, field) for field in DocumentHeader.__dataclass_fields__}
    revealed = tuple(
        RevealedForecast(
            market_id=forecast.market,
            question=canonical.read(forecast.question)["text"],
            p_yes=forecast.p,
            forecast_at=iso(forecast.at),
            seq=forecast.seq,
            outcome=forecast.outcome,
            resolved_at=iso(forecast.resolved_at),
        )
        for forecast in recent
    )
    return ForecasterDocument(schema="forecaster/1", **header, name=name, entries=entries, forecasts=revealed)


@lru_cache(maxsize=2)
def _listed(snapshot: Snapshot) -> ForecastersDocument:
    return adapter(ForecastersDocument).validate_json(snapshot.body)


@streaks.get("/streaks")
@operation(tag="Predictions", limit="telemetry", returns=StreaksDocument, is_cached=True)
def running() -> Response:
    """The streaks of correct votes of each of the nine voters and their consensus, on resolved questions.

    `current` is the streak that still runs, `best` the longest one. A NEUTRAL vote and a void question neither extend
    nor break a streak. Of overlapping questions on the same asset, kind and window only the first counts, see
    /docs/scoring. `resolved` counts the questions that came out yes or no, `n` those on which the vote was not NEUTRAL,
    and `correct` those of the `n` whose side was right. The 95% interval of `accuracy_pct` is clustered by week of
    resolution; `n_eff` is the number of independent questions that the `n` are worth. Compare the accuracy with
    `likelier_side_pct` (always the side that such questions took more often before) and `always_no_pct` (always NO).
    `luck` says how often the luckiest of `among` forecasters whose probabilities are right would reach such a streak
    and such an accuracy, where answers of a week come true together as usual; the interval is wider by what luck gives
    the best of them. Live streaks come before `backfilled` ones and are never joined with them; each book has its own
    ranks, and equal streaks share one.
    """
    return document(latest("streaks"), max_age=MAX_AGE_S)
