"""Prices: the last of every asset, stored bars page by page, and forecasts as distributions with their record."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import Field
from sqlalchemy import Connection

from service.api import responses
from service.api.inputs import Query
from service.api.operations import operation
from service.api.pages import HistoryListing, PageWindow, WindowQuery
from service.api.responses import BodyBytes, document
from service.api.services import find, latest, price_of, require_listed, services
from service.errors import FieldError, InvalidRequest, ResourceNotFound, ServiceUnavailable
from service.forecasting.price_record.book import PriceRecordDocument
from service.forecasting.voters.price_forecasts import ForecastDocument, Horizon, name_of
from service.market.assets import ASSETS, COUNT, AssetCode
from service.market.bars import Bars
from service.market.instants import HOUR, unix
from service.market.prices import STEPS, CandlesDocument, Interval, PricesDocument, candles_json, candles_table
from service.store import bars as stored
from service.store.pages import PageKey

candles = Blueprint("candles", __name__)

prices = Blueprint("prices", __name__)
forecasts = Blueprint("forecasts", __name__)
PAGE_LIMIT = 10_000
MAX_AGE_S = 5
FORECAST_MAX_AGE_S = 30
# A page that is complete; a live source may still fill a gap in it.
PAST_MAX_AGE_S = HOUR


class CandlesQuery(WindowQuery):
    """Which bars."""

    asset: AssetCode = Field(description=f"one of the {COUNT}")
    interval: Interval = Field("1h", description="the length of a bar")
    limit: int = Field(1_000, ge=1, le=PAGE_LIMIT, description="bars on a page")


class ForecastQuery(Query):
    """How far ahead."""

    horizon: Horizon | None = Field(None, description="one horizon alone; without it all of them")


@prices.get("/api/v1/prices")
@operation(tag="Market", limit="telemetry", returns=PricesDocument, is_cached=True, raises=(ServiceUnavailable,))
def current() -> Response:
    """The price of every asset, its change over 24 hours, and the time of the price.

    The document is renewed with every bar. After `stale_after` the source is silent; `ended`: a replay is over.
    """
    return document(latest("prices"), max_age=MAX_AGE_S)


def _select_bars(db: Connection, window: PageWindow, asset: str, interval: Interval) -> Bars:
    """The bars of a window. Raises InvalidRequest for bars shorter than the stored ones."""
    step, shortest = STEPS[interval], services().step
    if step % shortest:
        message = f"must be 1h or 1d: the source of this world has bars of {shortest} seconds"
        raise InvalidRequest("There are no such bars.", [FieldError("interval", message)])
    base = HOUR if step >= HOUR else shortest
    return stored.first_bars(db, asset, *window.rising, step, window.limit, stored_step=base)


CANDLES = HistoryListing("candles", _select_bars, lambda bar, asset, _: PageKey(int(bar.time), asset))


@candles.get("/api/v1/candles")
@operation(
    tag="Market",
    limit="telemetry",
    returns=CandlesDocument,
    alternatives=responses.described("bar of the page"),
    is_cached=True,
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
    series, next = CANDLES.page(query, query.asset, query.interval)
    is_past = next is not None or (query.until is not None and query.until <= unix(price.as_of))
    max_age = PAST_MAX_AGE_S if is_past else MAX_AGE_S
    if media := responses.wanted():
        return responses.file(candles_table(series), media, max_age)
    world = services().clock.world
    body = candles_json(query.asset, query.interval, series, world=world, source=price.source, next=next)
    return document(BodyBytes(body), max_age=max_age)


@forecasts.get("/api/v1/forecasts/<asset>")
@operation(
    tag="Market",
    limit="telemetry",
    returns=ForecastDocument,
    is_cached=True,
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
    return document(snapshot or latest(name_of(code, query.horizon)), max_age=FORECAST_MAX_AGE_S)


@forecasts.get("/api/v1/forecasts/record")
@operation(tag="Market", limit="telemetry", returns=PriceRecordDocument, is_cached=True)
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
    return document(latest("forecasts/record"), max_age=FORECAST_MAX_AGE_S)
