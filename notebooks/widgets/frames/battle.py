"""The six lanes of the Bot Battle as frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, Pages, pages_of

STATUS = "status:waiting|in_market|in_lp|harvesting|switching"

LANES = FrameSchema.of(
    "lane:text",
    f"label:text venue:cex|dex logic:text mode:text active:flag {STATUS}"
    " initial_capital capital pnl_usd pnl_pct benchmark_pnl_pct trades:count win_rate_pct apr_avg_pct net_apr_pct"
    " profit_factor harvest_count:count switch_count:count positions_count:count current_pool:text last_tick:time"
    " world:world",
)
LANE_HISTORY = FrameSchema.of("time:time", f"lane:text venue:cex|dex equity_usd pnl_pct {STATUS} world:world")
LANE_EQUITY = FrameSchema.of("time:time", f"lane:text equity_usd {STATUS} backfilled:flag world:world")
LANE_EVENTS = FrameSchema.of(
    "time:time",
    "lane:text kind:trade|harvest|switch subject:text note:text price value_usd cost_usd pnl_usd world:world",
)
POSITIONS = FrameSchema.of(
    "lane:text asset:text",
    "side:position quantity entry_price mark_price stop_price pnl_usd opened_at:time as_of:time world:world",
)
LIQUIDITY = FrameSchema.of(
    "lane:text",
    "pool:text range_low range_high price market_usd divergence_usd fees_usd uncollected_usd gas_usd swap_usd"
    " vs_hodl_pct in_range_pct as_of:time world:world",
)


def lanes(battle: Document) -> pd.DataFrame:
    """The present state of the lanes.

    Parameters
    ----------
    battle : the response of `client.battle()`

    Returns
    -------
    One row per lane, index `lane`. Capitals are USD, `_pct` are percentages, `last_tick` is the end of the last bar of
    the lane. Fields of liquidity lanes are missing for lanes on an exchange.
    """
    return LANES.frame(({**lane, "lane": lane["name"]} for lane in battle["lanes"]), world=battle["world"])


def lane_history(history: Document) -> pd.DataFrame:
    """The equity of the lanes over time in long form: one row per lane and instant.

    Parameters
    ----------
    history : the response of `client.battle_history()`

    Returns
    -------
    Index `time`, UTC, which repeats: lane after lane, each with its oldest point first. `equity_usd` is USD, `pnl_pct`
    a percentage of the initial capital of the lane, computed here.
    """
    points = (
        {**lane, **point, "lane": lane["name"], "pnl_pct": 100 * (point["equity_usd"] / lane["initial_capital"] - 1)}
        for lane in history["lanes"]
        for point in lane["points"]
    )
    return LANE_HISTORY.frame(points, world=history["world"])


def lane_equity(source: Pages) -> pd.DataFrame:
    """The equity of a lane at every bar, or of several lanes.

    Parameters
    ----------
    source : a page of `client.lane_equity(lane)`, or several pages; `Archive.lane_equity` downloads all of them

    Returns
    -------
    One row per lane and bar, index `time`, UTC, the oldest first in each lane. `equity_usd` is USD on paper;
    `backfilled` points were computed by the first start of the service.
    """
    return LANE_EQUITY.frame(
        {**point, "lane": page["lane"], "backfilled": point["time"] < page["live_since"], "world": page["world"]}
        for page in pages_of(source)
        for point in page["points"]
    )


def lane_events(source: Pages) -> pd.DataFrame:
    """The events of the lanes: trades, harvests and switches.

    Parameters
    ----------
    source : the response of `client.battle_history()`, which holds the last events of each lane; or a page of
        `client.lane_events(lane)`, or several pages; `Archive.lane_events` downloads all of them

    Returns
    -------
    One row per event, index `time`, UTC, which repeats, lane after lane in the order of the source. `subject` is
    the asset or the pool, `price` is USD, `value_usd` the volume, `cost_usd` its cost, and `pnl_usd` the result of a
    closed position after all its costs, missing if no position was closed.
    """
    return LANE_EVENTS.frame(row for page in pages_of(source) for row in _events(page))


def positions(battle: Document) -> pd.DataFrame:
    """The open positions of the lanes on an exchange.

    Parameters
    ----------
    battle : the response of `client.battle()`

    Returns
    -------
    One row per position, index `lane` and `asset`. Prices and `pnl_usd` are USD, `quantity` is in units of the asset,
    `stop_price` is missing without a stop.
    """
    return POSITIONS.frame(battle["venues"]["cex"]["positions"], as_of=battle["as_of"], world=battle["world"])


def liquidity(battle: Document) -> pd.DataFrame:
    """The parts of the result of each liquidity lane.

    Parameters
    ----------
    battle : the response of `client.battle()`

    Returns
    -------
    One row per lane, index `lane`. The range and `price` are USD, and missing outside of a pool. The PnL of the lane is
    `market_usd` + `divergence_usd` + `fees_usd` - `gas_usd` - `swap_usd`.
    """
    return LIQUIDITY.frame(battle["venues"]["dex"]["liquidity"], as_of=battle["as_of"], world=battle["world"])


def _events(page: Document) -> Iterator[dict[str, Any]]:
    constants = {"world": page["world"]}
    if "events" in page:
        yield from ({**event, **constants, "lane": page["lane"]} for event in page["events"])
        return
    for lane in page["lanes"]:
        yield from ({**event, **constants, "lane": lane["name"]} for event in lane["events"])
