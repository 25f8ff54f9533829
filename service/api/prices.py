"""What every asset costs: the document that the last tick made, as it lies in the store."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api import examples
from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.errors import Unavailable
from service.market.prices import Prices

prices = Blueprint("prices", __name__)

MAX_AGE_S = 5


@prices.get("/api/v1/prices")
@operation(tag="Market", limit="telemetry", returns=Prices, cached=True, raises=(Unavailable,), example=examples.PRICES)
def current() -> Response:
    """The price of every asset, its move over 24 hours, and how old that knowledge is.

    Made once per bar. After `stale_after` the source has gone quiet; `ended` says that a replay has run out.
    """
    return document(latest("prices"), max_age=MAX_AGE_S)
