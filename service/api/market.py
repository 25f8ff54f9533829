"""Prices: the last of every asset, stored bars page by page, and forecasts as distributions with their record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

from flask import Blueprint, Response
from pydantic import BeforeValidator, Field, WithJsonSchema
from sqlalchemy import Connection

from service.api import responses
from service.api.inputs import Query, WindowEnd, WindowStart, split_commas
from service.api.operations import operation
from service.api.pages import HistoryListing, PageWindow, WindowQuery, page
from service.api.responses import BodyBytes, document
from service.api.services import find, latest, price_of, require_listed, services
from service.api.windows import charge_rows
from service.documents import DocumentHeader, adapter
from service.errors import FieldError, InvalidRequest, ResourceNotFound, ServiceUnavailable
from service.forecasting.price_record.book import PriceRecordDocument
from service.forecasting.price_record.committed import recorded_document, subject_of
from service.forecasting.voters import price_forecasts
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.price_forecasts import ForecastDocument, Horizon, LevelsDocument, name_of
from service.market.assets import ASSETS, COUNT, AssetCode
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, iso, unix
from service.market.prices import STEPS, CandlesDocument, Interval, PricesDocument, candles_json, candles_table
from service.store import bars as stored
from service.store import ledger
from service.store.knowledge import latest_knowledge
from service.store.pages import PageKey

candles = Blueprint("candles", __name__)

prices = Blueprint("prices", __name__)
forecasts = Blueprint("forecasts", __name__)
PAGE_LIMIT = 10_000
MAX_AGE_S = 5
FORECAST_MAX_AGE_S = 30
PAST_MAX_AGE_S = HOUR  # a page that is complete; a live source may still fill a gap in it


class CandlesQuery(WindowQuery):
    """Which bars."""

    asset: AssetCode = Field(description=f"one of the {COUNT}")
    interval: Interval = Field("1h", description="the length of a bar")
    limit: int = Field(1_000, ge=1, le=PAGE_LIMIT, description="bars on a page")


MOST_LEVELS = 200
LONGEST_S = 366 * DAY
MOST_STEPS = 100  # of a path, about
Levels = Annotated[
    tuple[Annotated[float, Field(gt=0, lt=1e12)], ...],
    BeforeValidator(split_commas),
    Field(max_length=MOST_LEVELS),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9.]+(,[0-9.]+)*$", "examples": ["60000,70000"]}),
]


class ForecastQuery(Query):
    """How far ahead, at which levels, or as of when: one of these alone. `at` stands alone or with `levels`."""

    horizon: Horizon | None = Field(None, description="one horizon alone; without it all of them")
    levels: Levels | None = Field(
        None,
        description=f"P(above) of up to {MOST_LEVELS} levels in USD, with commas between them, instead of quantiles",
    )
    at: WindowEnd | None = Field(
        None,
        description="one instant alone, or a date for its end, at most 366 days ahead; of `levels` 24 hours without it",
    )
    as_of: WindowStart | None = Field(None, description="the forecasts of that hour, as the ledger has recorded them")


@prices.get("/api/v1/prices")
@operation(tag="Market", limit="telemetry", returns=PricesDocument, is_cached=True)
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
    raises=(ResourceNotFound,),
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
    returns=ForecastDocument | LevelsDocument,
    is_cached=True,
    raises=(ResourceNotFound,),
)
def forecast(asset: str, query: ForecastQuery) -> Response:
    """Where the price of an asset will be in 1 hour to 30 days or `at` an instant: quantiles, pooled and of each voter.

    The price ends below the quantile `25` with a probability of 25%, so half of the outcomes lie between `25` and `75`.
    The voters differ in how much movement they expect (`sigma_pct`: one standard deviation of the return); none assumes
    a direction, so up and down are equally likely. The pooled quantiles are the means of theirs. The document is
    renewed with every bar; `/api/v1/forecasts/record` says how good such forecasts were.

    There are nine quantiles. With `at` the one horizon ends at that instant. With `levels` the answer is a
    LevelsDocument: P(above) of each level at the instant `at`. Both are from the same distribution as the answers of
    the oracle. With `as_of` it has the forecasts of an earlier hour for 1 hour, 24 hours, 7 days and 30 days, pooled
    and without voters, from the row of the ledger that `sources` names.
    """
    code = _code(asset)
    instant = query.levels or query.at
    if (instant, query.horizon, query.as_of).count(None) < 2:
        detail = "`horizon`, `as_of`, and `levels` or `at` exclude each other."
        name = "levels" if query.levels else "as_of" if query.at is None else "at"
        raise InvalidRequest(detail, [FieldError(name, detail)])
    if instant is not None:
        return _at(code, query.levels, query.at)
    if query.as_of is not None:
        return _recorded(code, query.as_of)
    snapshot = find(name_of(code, query.horizon))
    require_listed(code)
    if snapshot is None and any(find(name_of(other, None)) for other in ASSETS):
        raise ServiceUnavailable(f"The stored bars of {ASSETS[code].name} are too few or too old for a forecast.")
    return document(snapshot or latest(name_of(code, query.horizon)), max_age=FORECAST_MAX_AGE_S)


class PathsQuery(Query):
    """How many paths, and until when."""

    at: WindowEnd | None = Field(
        None, description="the end of the paths, an instant or a date, at most 366 days ahead; 24 hours without it"
    )
    count: int = Field(100, ge=2, le=1_000, description="paths")


@forecasts.get("/api/v1/forecasts/<asset>/paths")
@operation(
    tag="Market",
    limit="telemetry",
    returns=str,
    media=responses.CSV,
    alternatives={responses.PARQUET: "the same table, its columns with their types"},
    is_cached=True,
    raises=(ResourceNotFound,),
)
def samples(asset: str, query: PathsQuery) -> Response:
    """Sample paths of the price of an asset, for research: a table with a row for each path and step, CSV or Parquet.

    The steps are of an hour and longer towards the end. Each pair of paths is read in the distribution of one of the
    voters, so that over many paths the last prices follow the pooled distribution, and the order of levels, ranges and
    averages are as likely as the oracle says. With `Accept: application/vnd.apache.parquet` it is a Parquet file.
    """
    code = _code(asset)
    with _future(code, query.at) as (knowledge, now, until):
        table = price_forecasts.sample_paths(knowledge, code, now, until, query.count)
    charge_rows(query.count * MOST_STEPS)
    return responses.file(table, responses.wanted() or responses.CSV, FORECAST_MAX_AGE_S)


def _code(asset: str) -> str:
    """The asset of an address in any case of its letters; raises ResourceNotFound."""
    if asset.lower() not in ASSETS:
        raise ResourceNotFound(f"Unknown asset; forecasts exist for {', '.join(ASSETS)}.")
    return asset.lower()


@contextmanager
def _future(asset: str, at: int | None) -> Iterator[tuple[Knowledge, int, int]]:
    """What voters forecast an asset from, the world second now and that of `at`, 24 hours ahead without it.

    Raises InvalidRequest for another instant, ResourceNotFound or ServiceUnavailable where voters abstain.
    """
    web = services()
    now = web.world_now
    until = now + DAY if at is None else at
    if not now < until <= now + LONGEST_S:
        message = f"must be after {iso(now)}, at most 366 days"
        raise InvalidRequest("There is no forecast for this instant.", [FieldError("at", message, "out_of_range")])
    require_listed(asset)
    try:
        yield latest_knowledge(web.database, web.step), now, until
    except Abstention as reason:
        raise ServiceUnavailable(f"There is no forecast of {ASSETS[asset].name}: {reason}.") from None


def _at(asset: str, levels: Sequence[float] | None, at: int | None) -> Response:
    """P(above) of the levels at an instant, or the quantiles without levels, from what is known now."""
    newest = adapter(ForecastDocument).validate_json(latest(name_of(asset, None)).body)
    with _future(asset, at) as (knowledge, now, until):
        header = DocumentHeader(iso(now), newest.as_of, newest.stale_after, newest.world, newest.sources)
        if levels:
            document = price_forecasts.levels_document(knowledge, asset, now, until, levels, header)
            return page(document, FORECAST_MAX_AGE_S)
        horizon = {f"{(until - now) / HOUR:.4g}h": until - now}
        return page(price_forecasts.forecast_document(knowledge, asset, now, horizon, header), FORECAST_MAX_AGE_S)


def _recorded(asset: str, at: int) -> Response:
    """The forecasts of the hour that begins at or before a unix second, as they were recorded."""
    web = services()
    hour = at - at % HOUR
    with web.database.reading() as db:
        entries = ledger.entries(db, 1, 1, subject=subject_of(hour))
    body = recorded_document(entries[0], asset, web.clock.world) if entries else None
    if body is None:
        raise ResourceNotFound(f"The ledger has no forecasts of {ASSETS[asset].name} of {iso(hour)}.")
    return page(body, DAY)


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
