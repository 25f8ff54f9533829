"""The Bot Battle: six lanes as JSON and as a CSV file, and their history."""

from __future__ import annotations

from typing import Literal

from flask import Blueprint, Response
from pydantic import Field

from service.api.inputs import Query, WindowEnd, WindowStart, require_order
from service.api.operations import operation
from service.api.pages import HistoryListing, WindowQuery, page
from service.api.responses import document
from service.api.services import latest, services
from service.api.windows import charge_rows
from service.errors import FieldError, InvalidRequest, ResourceNotFound
from service.market.instants import DAY, iso, utc
from service.store import lanes as stored
from service.store.pages import PageKey
from service.trading import battle_history
from service.trading.battle import BattleDocument
from service.trading.battle_history import BattleHistory, LaneEquityDocument, LaneEventsDocument
from service.trading.lanes import LANES, LaneName

battle = Blueprint("battle", __name__, url_prefix="/api/v1")

MAX_AGE_S = 5
DEFAULT_SPAN_S = 7 * DAY
MOST_BARS = 60_480  # the maximum of bars in one answer, over all its lanes: 35 days of six lanes at five minutes
# Several times the events of a lane in any window of that length.
MOST_EVENTS = 2_000
MOST_POINTS = 10_000
EVENTS = HistoryListing(
    "events", lambda db, window, lane: stored.newest_events(db, lane, *window), lambda row, _: row[0]
)
EQUITY = HistoryListing(
    "equity",
    lambda db, window, lane: stored.lane_bars(db, lane, *window.rising, window.limit),
    lambda bar, lane: PageKey(bar.as_of, lane),
)


class ExportQuery(Query):
    """Which lanes the file contains."""

    venue: Literal["all", "cex", "dex"] = Field("all", description="the lanes of one venue, or all of them")


class HistoryQuery(Query):
    """Which lanes, from when to when."""

    lane: LaneName | None = Field(None, description="one lane; without it all six")
    since: WindowStart | None = Field(None, description="date or instant, ISO 8601; without it 7 days before the end")
    until: WindowEnd | None = Field(None, description="date or instant, ISO 8601; without it now")


class EquityQuery(WindowQuery):
    """Which bars of the lane, both ends of the window included."""

    limit: int = Field(1_000, ge=1, le=MOST_POINTS, description="bars on a page")


@battle.get("/bot-battle")
@operation(tag="Bot Battle", limit="telemetry", returns=BattleDocument, is_cached=True)
def lanes() -> Response:
    """Six lanes of paper trading: four on an exchange, two that provide liquidity.

    Computed once per bar. Every result stands beside `benchmark_pnl_pct`, that of buying and holding the same assets
    since the start. Shorts pay interest for each hour begun, at `borrow_rate_pct` a year (`BORROW_RATE_PCT`). `venues`
    has the open positions, and the sources of the result of each liquidity lane: about half of what lies in a pool is
    dollars, so `vs_hodl_pct` compares with holding exactly what was deposited. `rate_limit` is the limit of this
    endpoint; the headers have the remaining calls.
    """
    return document(latest("bot-battle"), max_age=MAX_AGE_S)


@battle.get("/bot-battle/export.csv")
@operation(tag="Bot Battle", limit="telemetry", returns=str, media="text/csv", is_cached=True)
def export(query: ExportQuery) -> Response:
    """The lanes as a CSV file (RFC 4180): the fields of a lane in their order, and the world.

    A header line, then a line for each lane; an unknown value is empty.
    """
    file = latest(f"bot-battle.csv/{query.venue}")
    response = document(file, max_age=MAX_AGE_S, media="text/csv; charset=utf-8")
    name = f"bot-battle-{query.venue}-{utc(file.as_of):%Y%m%dT%H%MZ}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@battle.get("/bot-battle/history")
@operation(tag="Bot Battle", limit="telemetry")
def history(query: HistoryQuery) -> BattleHistory:
    """The equity of the lanes at each bar, and every trade, harvest and switch.

    `since` and `until` are UTC unless they contain an offset; a date stands for the whole day. A curve of more than
    about 500 points is reduced to the last bar of each `step_s` seconds; points are never averaged. Request shorter
    windows for more detail. `drawdown_pct` is computed from every bar since the start, not only from the window. The
    error for a window that is too long states the maximum: with bars of five minutes 35
    days of all lanes, or 210 days of one.
    """
    parts = services()
    names = [query.lane] if query.lane else list(LANES)
    longest = MOST_BARS * parts.step // len(names)
    until = min(query.until or parts.world_now, parts.world_now)
    since = until - min(DEFAULT_SPAN_S, longest) if query.since is None else query.since
    if query.until is not None:
        require_order(since, query.until)
    if until - since > longest:
        raise _too_long(f"must be at most {longest / DAY:g} days before the end, which is {iso(until)}")
    with parts.database.reading() as db:
        bars = {name: stored.lane_bars(db, name, since, until, MOST_BARS) for name in names}
        events = {name: stored.lane_events(db, name, since, until, MOST_EVENTS + 1) for name in names}
        peaks = stored.equity_peaks(db, names, since)
    for name, rows in events.items():
        if len(rows) > MOST_EVENTS:
            raise _too_long(f"lane {name} has more than {MOST_EVENTS:,} events since then")
    charge_rows(sum(map(len, bars.values())))
    world = parts.clock.world
    return battle_history.history(bars, events, peaks, since=since, until=until, step=parts.step, world=world)


@battle.get("/bot-battle/<lane>/events")
@operation(tag="Bot Battle", limit="telemetry", returns=LaneEventsDocument, is_cached=True, raises=(ResourceNotFound,))
def events(lane: str, query: WindowQuery) -> Response:
    """Every trade, harvest and switch of a lane, newest first, page by page.

    What precedes `live_since` was computed by the first start of the service. Each is also a row of the ledger.
    """
    clock, name = services().clock, _lane(lane)
    rows, next = EVENTS.page(query, name)
    bodies = [body for _, body in rows]
    document = battle_history.events_document(name, bodies, live_since=clock.world_origin, world=clock.world, next=next)
    return page(document, MAX_AGE_S)


@battle.get("/bot-battle/<lane>/equity")
@operation(tag="Bot Battle", limit="telemetry", returns=LaneEquityDocument, is_cached=True, raises=(ResourceNotFound,))
def equity(lane: str, query: EquityQuery) -> Response:
    """The equity and the status of a lane at every bar, oldest first, page by page.

    Bars older than `LANE_BARS_KEPT_DAYS` (180 by default) are kept by the hour. What precedes `live_since` was computed
    by the first start of the service. `/api/v1/bot-battle/history` has the curves of all lanes with fewer points.
    """
    clock, name = services().clock, _lane(lane)
    bars, next = EQUITY.page(query, name)
    document = battle_history.equity_document(name, bars, live_since=clock.world_origin, world=clock.world, next=next)
    return page(document, MAX_AGE_S)


def _lane(name: str) -> str:
    """The name of a lane in any case of its letters; raises ResourceNotFound."""
    if name.lower() not in LANES:
        raise ResourceNotFound(f"Unknown lane; the lanes are {', '.join(LANES)}.")
    return name.lower()


def _too_long(message: str) -> InvalidRequest:
    return InvalidRequest("The window is too long for one answer.", [FieldError("since", message, "out_of_range")])
