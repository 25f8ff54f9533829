"""The embed kit: a page made to be framed by other sites, the script that inserts the frame, and its document."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Literal

from flask import Blueprint, Response
from pydantic import Field

from service.api.docs import HOUR_S, static
from service.api.encoding import document
from service.api.inputs import Query
from service.api.limits import LIMITS
from service.api.operations import operation
from service.api.snapshots import latest
from service.forecasting.widget import WidgetDocument
from service.market.assets import AssetCode

embed = Blueprint("embed", __name__)

PAGE = "embed.html"
SCRIPT = "embed.js"


class FrameQuery(Query):
    """What the frame shows."""

    asset: AssetCode = Field("btc", description="the asset")
    theme: Literal["light", "dark", "auto"] = Field(
        "auto", description="`auto` follows the reader's browser or the `color-scheme` of your page"
    )


@embed.get("/embed")
@operation(tag="Intelligence", limit="telemetry", returns=str, media="text/html", cached=True)
def frame(query: FrameQuery) -> Response:  # noqa: ARG001  # the page reads them from its own address
    """A small page to be framed by other sites: an asset's price and where it will be in 24 hours.

    Put `<script async src="http://127.0.0.1:8000/embed.js" data-asset="btc" data-theme="auto"></script>` where it is to
    be shown: the script inserts the frame and keeps it as high as its contents. The page renews itself every 30
    seconds by asking with an ETag, loads nothing from another host and sets no cookie. For bitcoin it also shows the
    consensus, the news and the track record of `/api/widget/consensus`.
    """
    response = document(static(PAGE), max_age=HOUR_S, media="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _policy()
    return response


@embed.get("/embed.js")
@LIMITS["telemetry"]
def script() -> Response:
    """The script that inserts the frame. It is not part of the API, so the OpenAPI document does not list it."""
    response = document(static(SCRIPT), max_age=HOUR_S, media="text/javascript; charset=utf-8")
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@cache
def _policy() -> str:
    """Any page may frame this one; it runs its own script alone and calls this service alone."""
    page = static(PAGE).body.decode()
    (code,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
    )


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
