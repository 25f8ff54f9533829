"""The six lanes of the Bot Battle as frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import (
    COUNT,
    FLAG,
    INSTANT,
    NUMBER,
    POSITION,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    Pages,
    one_of,
    pages_of,
)

VENUE = one_of("cex", "dex")
STATUS = one_of("waiting", "in_market", "in_lp", "harvesting", "switching")
EVENT = one_of("trade", "harvest", "switch")

LANES = FrameSchema(
    {"lane": TEXT},
    {
        "label": TEXT,
        "venue": VENUE,
        "logic": TEXT,
        "mode": TEXT,
        "active": FLAG,
        "status": STATUS,
        "initial_capital": NUMBER,
        "capital": NUMBER,
        "pnl_usd": NUMBER,
        "pnl_pct": NUMBER,
        "benchmark_pnl_pct": NUMBER,
        "trades": COUNT,
        "win_rate_pct": NUMBER,
        "apr_avg_pct": NUMBER,
        "net_apr_pct": NUMBER,
        "profit_factor": NUMBER,
        "harvest_count": COUNT,
        "switch_count": COUNT,
        "positions_count": COUNT,
        "current_pool": TEXT,
        "last_tick": INSTANT,
        "world": WORLD,
    },
)
LANE_HISTORY = FrameSchema(
    {"time": INSTANT},
    {
        "lane": TEXT,
        "venue": VENUE,
        "equity_usd": NUMBER,
        "pnl_pct": NUMBER,
        "status": STATUS,
        "world": WORLD,
    },
)
LANE_EQUITY = FrameSchema(
    {"time": INSTANT},
    {"lane": TEXT, "equity_usd": NUMBER, "status": STATUS, "backfilled": FLAG, "world": WORLD},
)
LANE_EVENTS = FrameSchema(
    {"time": INSTANT},
    {
        "lane": TEXT,
        "kind": EVENT,
        "subject": TEXT,
        "note": TEXT,
        "price": NUMBER,
        "value_usd": NUMBER,
        "cost_usd": NUMBER,
        "pnl_usd": NUMBER,
        "world": WORLD,
    },
)
POSITIONS = FrameSchema(
    {"lane": TEXT, "asset": TEXT},
    {
        "side": POSITION,
        "quantity": NUMBER,
        "entry_price": NUMBER,
        "mark_price": NUMBER,
        "stop_price": NUMBER,
        "pnl_usd": NUMBER,
        "opened_at": INSTANT,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
LIQUIDITY = FrameSchema(
    {"lane": TEXT},
    {
        "pool": TEXT,
        "range_low": NUMBER,
        "range_high": NUMBER,
        "price": NUMBER,
        "market_usd": NUMBER,
        "divergence_usd": NUMBER,
        "fees_usd": NUMBER,
        "uncollected_usd": NUMBER,
        "gas_usd": NUMBER,
        "swap_usd": NUMBER,
        "vs_hodl_pct": NUMBER,
        "in_range_pct": NUMBER,
        "as_of": INSTANT,
        "world": WORLD,
    },
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
