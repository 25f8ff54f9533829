"""The document for embedding in other pages."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.forecasting.widget import WidgetDocument

widget = Blueprint("widget", __name__, url_prefix="/api/widget")

MAX_AGE_S = 30


@widget.get("/consensus")
@operation(tag="Intelligence", limit="telemetry", returns=WidgetDocument, cached=True)
def consensus() -> Response:
    """Bitcoin's price, the consensus on its next day, news sentiment and accuracy, for embedding in any page.

    Scripts of any origin may read it (CORS), without a key. `consensus` is in percent: bull is the probability that
    the price is higher `horizon_hours` after `voted_at`; bull and bear add up to 100. `news.score` is from -1 to 1.
    `accuracy` is the share of `n` resolved markets on which the consensus was on the right side, with a 95% interval:
    on live votes once 30 have resolved, before that on `backfilled` ones; with fewer than 30 it is null.
    """
    return document(latest("widget"), max_age=MAX_AGE_S)
