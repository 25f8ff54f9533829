"""Apex and the fund that follows it, the sentiment of the headlines, and the embed kit for other sites."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Literal

from flask import Blueprint, Response
from pydantic import Field

from service.api import responses
from service.api.inputs import Query
from service.api.limits import LIMITS
from service.api.operations import operation
from service.api.pages import HistoryListing, WindowQuery, page
from service.api.responses import HOUR_S, STATIC, document, static_file
from service.api.services import latest, services
from service.api.windows import charge_rows
from service.forecasting.apex.call import Call
from service.forecasting.apex.document import ApexCallsDocument, ApexDocument, calls_document
from service.forecasting.backfill import ASSET
from service.forecasting.news.pulse import HeadlinesDocument, NewsDocument, headlines_document
from service.forecasting.widget import WidgetDocument
from service.market.assets import LONGEST_CLOSURE_S, AssetCode
from service.market.instants import HOUR
from service.store import bars
from service.store import knowledge as stored
from service.store.pages import PageKey, apex_calls
from service.trading.fund import FundDocument, fund_table

apex = Blueprint("apex", __name__, url_prefix="/api/apex")

news = Blueprint("news", __name__, url_prefix="/api")
embed = Blueprint("embed", __name__)
widget = Blueprint("widget", __name__, url_prefix="/api/widget")
MAX_AGE_S = 30
CALLS = HistoryListing(
    "calls",
    lambda db, window: [Call.from_plain(plain) for plain in apex_calls.newest(db, *window.falling, window.limit)],
    lambda call: PageKey(call.at, call.asset),
)
HEADLINES = HistoryListing(
    "headlines",
    lambda db, window: stored.newest_headlines(db, *window),
    lambda item: PageKey(item.headline.published_at, item.headline.id),
)

PAGE = STATIC / "embed.html"


class FrameQuery(Query):
    """What the frame shows."""

    asset: AssetCode = Field("btc", description="the asset")
    theme: Literal["light", "dark", "auto"] = Field(
        "auto", description="`auto` follows the reader's browser or the `color-scheme` of your page"
    )


@apex.get("/status")
@operation(tag="Intelligence", limit="telemetry", returns=ApexDocument, is_cached=True)
def status() -> Response:
    """The fused forecast of bitcoin's next day from eight layers, and the accuracy of each layer.

    `p_up` is the probability (0-1) that the price is higher after 24 hours. A layer without data is `silent` and says
    why. `agreement` is the weight of the layers on the side of the forecast; `confidence` is that times twice the
    distance of `p_up` from one half. The special mode is on when all `conditions` hold: the distance is beyond 95% of
    those of the earlier forecasts, the agreement is at least their median, and every voting layer has 30 resolved
    forecasts. The `thresholds` are these quantiles, fixed at 0.15 and 0.75 until there are 60 forecasts. So the mode is
    rare by construction, and says nothing of how often such a forecast is right.

    A layer's `skill_coin` is 1 minus its Brier score divided by 0.25: a coin flip has 0, perfect certainty has 1;
    `skill` is the same against the share of rises so far. All intervals are 95% ones, clustered by week. They are given
    for live forecasts and for `backfilled` ones, which are never pooled. Where a layer's constants were fitted on
    prices of the forecast's own time it is `in_sample`: it is shown, has no weight, and is left out of the record,
    which counts such forecasts as `in_sample`. A new forecast is made every four hours. The direction of a single day
    is close to a coin flip.
    """
    return document(latest("apex"), max_age=MAX_AGE_S)


@apex.get("/calls")
@operation(tag="Intelligence", limit="telemetry", returns=ApexCallsDocument, is_cached=True)
def calls(query: WindowQuery) -> Response:
    """Every forecast of apex as it was made, with its layers and its outcome, newest first, page by page.

    `outcome` is yes where bitcoin was higher a day later, null until the day is over. `backfilled` ones were made by
    the first start for a past instant, with what was known then.
    """
    parts = services()
    now = parts.world_now
    calls, next = CALLS.page(query)
    first = min((call.at for call in calls), default=now)
    with parts.database.reading() as db:
        hourly = bars.load_bars(db, ASSET, first - LONGEST_CLOSURE_S, now, HOUR)
    charge_rows(len(hourly) + sum(len(call.layers) for call in calls))
    return page(calls_document(calls, hourly, now, world=parts.clock.world, next=next), MAX_AGE_S)


@apex.get("/fund")
@operation(
    tag="Intelligence",
    limit="telemetry",
    returns=FundDocument,
    alternatives=responses.described("point of `equity`"),
    is_cached=True,
)
def fund() -> Response:
    """A virtual fund of 1,000 USD that follows apex in bitcoin, with exchange fees. No order was placed.

    The fund holds bitcoin and cash: half in bitcoin at even odds. It trades when a forecast changes that share by more
    than 10 pp. `benchmark` keeps half in bitcoin all the time, at the same instants and costs. Points and trades before
    `live_since` are `backfilled`: computed from forecasts of past instants. `books` separates the results of the two
    periods, each relative to the fund's equity when it began. `sharpe` is annualised, with a 95% interval from
    `sharpe_low` to `sharpe_high`; where the interval contains 0 the result may well be luck.
    """
    return responses.snapshot("apex-fund", FundDocument, fund_table, MAX_AGE_S)


@news.get("/predictions/news-pulse")
@operation(tag="Intelligence", limit="telemetry", returns=NewsDocument, is_cached=True)
def pulse() -> Response:
    """The sentiment of the last day's headlines: a score from -1 to 1, its direction and its topics.

    The document is renewed every hour. `score` is the mean tone of `n` unique stories: a story that is `half_life_h`
    hours old counts half, and few stories draw the score towards 0. The direction is NEUTRAL within 0.10 of 0. `topics`
    are words more frequent in the stories of the last day than in those of the week before (`topics_basis` is
    `rising`); `lift` is the ratio of their odds. While no word is, they are the assets named most often (`frequent`).
    Headlines marked `simulated` are generated from the prices of the simulated market. `failed` names
    each source without headlines and the reason.
    """
    return document(latest("news-pulse"), max_age=MAX_AGE_S)


@news.get("/v1/headlines")
@operation(tag="Intelligence", limit="telemetry", returns=HeadlinesDocument, is_cached=True)
def headlines(query: WindowQuery) -> Response:
    """The headlines of the last 200 days with their tone and the assets they name, newest first, page by page.

    Every headline is listed, also where several tell the same story. `simulated` ones are generated from the prices of
    the simulated market.
    """
    items, next = HEADLINES.page(query)
    return page(headlines_document(items, world=services().clock.world, next=next), MAX_AGE_S)


@embed.get("/embed")
@operation(tag="Intelligence", limit="telemetry", returns=str, media="text/html", is_cached=True)
def frame(query: FrameQuery) -> Response:  # noqa: ARG001  # the page reads them from its own address
    """A small page to be framed by other sites: an asset's price and where it will be in 24 hours.

    Put `<script async src="http://127.0.0.1:8000/embed.js" data-asset="btc" data-theme="auto"></script>` where it is to
    be shown: the script inserts the frame and keeps it as high as its contents. The page renews itself every 30
    seconds by asking with an ETag, loads nothing from another host and sets no cookie. For bitcoin it also shows the
    consensus, the news and the track record of `/api/widget/consensus`.
    """
    return static_file(PAGE, HOUR_S, _policy())


@embed.get("/embed.js")
@LIMITS["telemetry"]
def script() -> Response:
    """The script that inserts the frame. It is not part of the API, so the OpenAPI document does not list it."""
    response = static_file(STATIC / "embed.js", HOUR_S)
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@cache
def _policy() -> str:
    """Any page may frame this one; it runs its own script alone and calls this service alone."""
    (code,) = re.findall("<script>(.*?)</script>", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
    )


@widget.get("/consensus")
@operation(tag="Intelligence", limit="telemetry", returns=WidgetDocument, is_cached=True)
def consensus() -> Response:
    """Bitcoin's price, the consensus on its next day, news sentiment and accuracy, for embedding in any page.

    Scripts of any origin may read it (CORS), without a key. `consensus` is in percent: bull is the probability that
    the price is higher `horizon_hours` after `voted_at`; bull and bear add up to 100. `news.score` is from -1 to 1.
    `accuracy` is the share of `n` resolved markets on which the consensus was on the right side, with a 95% interval:
    on live votes once 30 have resolved, before that on `backfilled` ones; with fewer than 30 it is null.
    """
    return document(latest("widget"), max_age=MAX_AGE_S)
