"""The forecast of an asset's price as a distribution."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.errors import ResourceNotFound, ServiceUnavailable
from service.forecasting.voters.price_forecasts import ForecastDocument
from service.market.assets import ASSETS

forecasts = Blueprint("forecasts", __name__)

MAX_AGE_S = 30


@forecasts.get("/api/v1/forecasts/<asset>")
@operation(
    tag="Market",
    limit="telemetry",
    returns=ForecastDocument,
    cached=True,
    raises=(ResourceNotFound, ServiceUnavailable),
)
def forecast(asset: str) -> Response:
    """Where the price of an asset will be after 1 hour to 30 days: nine quantiles, pooled and of each voter.

    The price ends below the quantile `25` with a probability of 25%, so half of the outcomes lie between `25` and `75`.
    The voters differ in how much movement they expect (`sigma_pct`: one standard deviation of the return); none assumes
    a direction. The pooled quantiles are the means of theirs. The document is renewed with every bar.
    """
    if asset not in ASSETS:
        raise ResourceNotFound(f"There is no such asset; the forecasts are of {', '.join(ASSETS)}.")
    return document(latest(f"forecasts/{asset}"), max_age=MAX_AGE_S)
