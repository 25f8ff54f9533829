"""The price of every asset."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.errors import ServiceUnavailable
from service.market.prices import PricesDocument

prices = Blueprint("prices", __name__)

MAX_AGE_S = 5


@prices.get("/api/v1/prices")
@operation(tag="Market", limit="telemetry", returns=PricesDocument, cached=True, raises=(ServiceUnavailable,))
def current() -> Response:
    """The price of every asset, its change over 24 hours, and the time of the price.

    The document is renewed with every bar. After `stale_after` the source is silent; `ended`: a replay is over.
    """
    return document(latest("prices"), max_age=MAX_AGE_S)
