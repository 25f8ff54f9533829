"""Apex, the forecast fused from eight layers, and the virtual fund that follows it."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import TypeAdapter

from service.api import files
from service.api.encoding import document
from service.api.operations import operation
from service.api.pages import WindowQuery, page, sequence_page
from service.api.services import services
from service.api.snapshots import latest
from service.forecasting.apex.call import Call
from service.forecasting.apex.document import ApexCallsDocument, ApexDocument, calls_document
from service.forecasting.backfill import ASSET
from service.market.assets import LONGEST_CLOSURE_S
from service.market.instants import HOUR
from service.store import bars, cursors
from service.store.cursors import PageKey
from service.store.plain import apex_calls
from service.trading.fund import FundDocument, FundTradesDocument, fund_table

apex = Blueprint("apex", __name__, url_prefix="/api/apex")

MAX_AGE_S = 30
FUND, FUND_TRADES = TypeAdapter(FundDocument), TypeAdapter(FundTradesDocument)


@apex.get("/status")
@operation(tag="Intelligence", limit="telemetry", returns=ApexDocument, cached=True)
def status() -> Response:
    """The fused forecast of bitcoin's next day from eight layers, and the accuracy of each layer.

    `p_up` is the probability (0-1) that the price is higher after 24 hours. A layer without data is `silent` and says
    why. `agreement` is the weight of the layers on the side of the forecast; `confidence` is that times twice the
    distance of `p_up` from one half. The special mode is on when all `conditions` hold: the distance is beyond 95% of
    those of the earlier forecasts, the agreement is at least their median, and every voting layer has 30 resolved
    forecasts. The `thresholds` are these quantiles, fixed at 0.15 and 0.75 until there are 60 forecasts. So the mode is
    rare by construction, and says nothing of how often such a forecast is right.

    A layer's `accuracy` is 1 minus its Brier score divided by 0.25: a coin flip has 0, perfect certainty has 1; `skill`
    is the same against the share of rises so far. All intervals are 95% ones, clustered by week. They are given for
    live forecasts and for `backfilled` ones, which are never pooled. Where a layer's constants were fitted on prices of
    the forecast's own time it is `in_sample`: it is shown, has no weight, and is left out of the record, which counts
    such forecasts as `in_sample`. A new forecast is made every four hours. The direction of a single day is close to a
    coin flip.
    """
    return document(latest("apex"), max_age=MAX_AGE_S)


@apex.get("/calls")
@operation(tag="Intelligence", limit="telemetry", returns=ApexCallsDocument, cached=True)
def calls(query: WindowQuery) -> Response:
    """Every forecast of apex as it was made, with its layers and its outcome, newest first, page by page.

    `outcome` is yes where bitcoin was higher a day later, null until the day is over. `backfilled` ones were made by
    the first start for a past instant, with what was known then.
    """
    parts = services()
    now = parts.clock.at(parts.now())
    scope, (since, until) = query.scope("calls"), query.span(now)
    if after := query.after(scope):
        until = min(until, int(after.value) - 1)
    with parts.database.reading() as db:
        stored = [Call.from_plain(plain) for plain in apex_calls.newest(db, since, until, query.limit + 1)]
        first = min((call.at for call in stored), default=now)
        hourly = bars.load(db, ASSET, first - LONGEST_CLOSURE_S, now, HOUR)
    next = cursors.following(scope, [PageKey(call.at, call.asset) for call in stored], query.limit)
    document = calls_document(stored[: query.limit], hourly, now, world=parts.clock.world, next=next)
    return page(document, next, MAX_AGE_S)


@apex.get("/fund")
@operation(
    tag="Intelligence",
    limit="telemetry",
    returns=FundDocument,
    also=files.described("point of `equity`"),
    cached=True,
)
def fund() -> Response:
    """A virtual fund of 1,000 USD that follows apex in bitcoin, with exchange fees. No order was placed.

    The fund holds bitcoin and cash: half in bitcoin at even odds. It trades when a forecast changes that share by more
    than 10 pp. `benchmark` keeps half in bitcoin all the time, at the same instants and costs. Points and trades before
    `live_since` are `backfilled`: computed from forecasts of past instants. `books` separates the results of the two
    periods, each relative to the fund's equity when it began. `sharpe` is annualised, with a 95% interval from
    `sharpe_low` to `sharpe_high`; where the interval contains 0 the result may well be luck.
    """
    return files.snapshot("apex-fund", FUND, fund_table, MAX_AGE_S)


@apex.get("/fund/trades")
@operation(tag="Intelligence", limit="telemetry", returns=FundTradesDocument, cached=True)
def fund_trades(query: WindowQuery) -> Response:
    """Every trade of the virtual fund, newest first, page by page. No order was placed.

    `p_up` is the call of apex that it follows. `backfilled` trades precede the first live call. `value_usd` is the
    value without the fee, so the cash changes by it and by `fee_usd`.
    """
    return sequence_page("fund_trades", query, FUND_TRADES, "fund-trades/1", "trades", MAX_AGE_S)
