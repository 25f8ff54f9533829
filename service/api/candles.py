"""The price of every asset, and its bars, for research: every stored price, page by page."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import Field

from service.api import files
from service.api.encoding import BodyBytes, document
from service.api.operations import operation
from service.api.pages import WindowQuery, link
from service.api.services import services
from service.api.snapshots import latest, price_of
from service.errors import FieldError, InvalidRequest, ResourceNotFound, ServiceUnavailable
from service.market.assets import COUNT, AssetCode
from service.market.bars import Bars
from service.market.candles import STEPS, CandlesDocument, Interval, candles_json, candles_table
from service.market.instants import HOUR, unix
from service.market.prices import PricesDocument
from service.store import bars as stored
from service.store import cursors
from service.store.cursors import PageKey

candles = Blueprint("candles", __name__)

MOST = 10_000
MAX_AGE_S = 5
# A page that is complete; a live source may still fill a gap in it.
PAST_MAX_AGE_S = HOUR


class CandlesQuery(WindowQuery):
    """Which bars."""

    asset: AssetCode = Field(description=f"one of the {COUNT}")
    interval: Interval = Field("1h", description="the length of a bar")
    limit: int = Field(1_000, ge=1, le=MOST, description="bars on a page")


@candles.get("/api/v1/candles")
@operation(
    tag="Market",
    limit="telemetry",
    returns=CandlesDocument,
    also=files.described("bar of the page"),
    cached=True,
    raises=(ResourceNotFound, ServiceUnavailable),
)
def bars(query: CandlesQuery) -> Response:
    """The stored bars of an asset: five-minute, hourly or daily, the oldest first, up to 10,000 on a page.

    A page has the bars that open at `since` or later and are complete at `until`; a date stands for its whole day.
    Hours are built from the bars of the source, and days from 00:00 to 24:00 UTC from hours. Only complete bars are
    listed: an hour or a day once a bar at its end or later is stored, so a Friday of the metals comes on Sunday
    evening. A closed market and a gap of the source have no bars; in the live world a five-minute bar without a trade
    repeats the last price with volume 0.

    `world` says what the prices are: simulated, a replay of recorded ones, or live. A stored bar of the source never
    changes; in the live world a gap may be filled later, which changes the ETag of its page. `next` is the `cursor` of
    the next page, also as a `Link` header. With `Accept: text/csv` a page is a CSV file, which `WORLD=replay` can play,
    with `Accept: application/vnd.apache.parquet` a Parquet file.
    """
    price = price_of(query.asset)
    since, until = query.span(services().clock.at(services().now()))
    scope = query.scope("candles", query.asset, query.interval)
    if after := query.after(scope):
        since = max(since, min(int(after.value), until) + 1)
    selected = _bars(query, since, until)
    shown, keys = selected[: query.limit], [PageKey(time, query.asset) for time in selected.time.tolist()]
    next = cursors.following(scope, keys, query.limit)
    link(next)
    is_past = next is not None or (query.until is not None and query.until <= unix(price.as_of))
    max_age = PAST_MAX_AGE_S if is_past else MAX_AGE_S
    if media := files.wanted():
        return files.file(candles_table(shown), media, max_age)
    world = services().clock.world
    body = candles_json(query.asset, query.interval, shown, world=world, source=price.source, next=next)
    return document(BodyBytes(body), max_age=max_age)


def _bars(query: CandlesQuery, since: int, until: int) -> Bars:
    """One bar more than a page has, if there is one. Raises InvalidRequest for bars shorter than the stored ones."""
    step, shortest = STEPS[query.interval], services().step
    if step % shortest:
        message = f"must be 1h or 1d: the source of this world has bars of {shortest} seconds"
        raise InvalidRequest("There are no such bars.", [FieldError("interval", message)])
    base = HOUR if step >= HOUR else shortest
    with services().database.reading() as db:
        return stored.first(db, query.asset, since, until, step, query.limit + 1, stored=base)


prices = Blueprint("prices", __name__)


@prices.get("/api/v1/prices")
@operation(tag="Market", limit="telemetry", returns=PricesDocument, cached=True, raises=(ServiceUnavailable,))
def current() -> Response:
    """The price of every asset, its change over 24 hours, and the time of the price.

    The document is renewed with every bar. After `stale_after` the source is silent; `ended`: a replay is over.
    """
    return document(latest("prices"), max_age=MAX_AGE_S)
