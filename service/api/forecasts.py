"""The forecast of an asset's price as a distribution, and the record of such forecasts."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import Field

from service.api.encoding import document
from service.api.inputs import Query
from service.api.operations import operation
from service.api.snapshots import find, latest, require_listed
from service.errors import ResourceNotFound, ServiceUnavailable
from service.forecasting.price_record.book import PriceRecordDocument
from service.forecasting.voters.price_forecasts import ForecastDocument, Horizon, name_of
from service.market.assets import ASSETS

forecasts = Blueprint("forecasts", __name__)

MAX_AGE_S = 30


class ForecastQuery(Query):
    """How far ahead."""

    horizon: Horizon | None = Field(None, description="one horizon alone; without it all of them")


@forecasts.get("/api/v1/forecasts/<asset>")
@operation(
    tag="Market",
    limit="telemetry",
    returns=ForecastDocument,
    cached=True,
    raises=(ResourceNotFound, ServiceUnavailable),
)
def forecast(asset: str, query: ForecastQuery) -> Response:
    """Where the price of an asset will be after 1 hour to 30 days: nine quantiles, pooled and of each voter.

    The price ends below the quantile `25` with a probability of 25%, so half of the outcomes lie between `25` and `75`.
    The voters differ in how much movement they expect (`sigma_pct`: one standard deviation of the return); none assumes
    a direction, so up and down are equally likely. The pooled quantiles are the means of theirs. The document is
    renewed with every bar; `/api/v1/forecasts/record` says how good such forecasts were.
    """
    code = asset.lower()
    if code not in ASSETS:
        raise ResourceNotFound(f"Unknown asset; forecasts exist for {', '.join(ASSETS)}.")
    snapshot = find(name_of(code, query.horizon))
    require_listed(code)
    if snapshot is None and any(find(name_of(other, None)) for other in ASSETS):
        raise ServiceUnavailable(f"The stored bars of {ASSETS[code].name} are too few or too old for a forecast.")
    return document(snapshot or latest(name_of(code, query.horizon)), max_age=MAX_AGE_S)


@forecasts.get("/api/v1/forecasts/record")
@operation(tag="Market", limit="telemetry", returns=PriceRecordDocument, cached=True)
def record() -> Response:
    """How good the price forecasts were: scores against plain volatility, and calibration.

    Once an hour the forecasts of all assets for 1 hour, 24 hours, 7 days and 30 days are recorded in the ledger (kind
    `price_forecast`), before any later price is known: the half-widths of the central intervals of the pool, in percent
    of log return, named in `columns`. When their deadline passes they are scored against the price at that time, which
    the row of that hour holds. Plain volatility is the benchmark: one average of past volatility, a normal distribution
    and a flat clock, recorded in the same row. The score is the CRPS, twice the mean pinball loss over the levels 1 to
    99% of the recorded distribution; `crps_ratio` below 1 means that the voters' pool was better.

    A forecast without an open market hour is not made. One whose market has no bar at the deadline is void after six
    hours. `books` separate what was committed live from what was `backfilled`; they are never pooled.
    """
    return document(latest("forecasts/record"), max_age=MAX_AGE_S)
