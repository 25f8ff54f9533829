"""What a page of another host may show."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api import examples
from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.forecasting.widget import WidgetDocument

widget = Blueprint("widget", __name__, url_prefix="/api/widget")

MAX_AGE_S = 30


@widget.get("/consensus")
@operation(tag="Intelligence", limit="telemetry", returns=WidgetDocument, cached=True, example=examples.WIDGET)
def consensus() -> Response:
    """Bitcoin's price, what the voters say of its next day, the mood of the news and the record, to embed anywhere.

    A script on a page of any origin may read it (CORS), without a key. `consensus` is percent: bull is the
    probability that the price is higher `horizon_hours` after `voted_at`, and bull and bear add up to 100.
    `news.score` is from -1 to 1. `accuracy` is how often the voters' side came true on `n` resolved markets, with a
    95 % interval: of what was committed live once 30 of it have resolved, until then of what was `backfilled`; below
    30 it is null.
    """
    return document(latest("widget"), max_age=MAX_AGE_S)
