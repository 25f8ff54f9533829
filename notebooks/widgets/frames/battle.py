"""The six lanes of the Bot Battle as frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import CLAIM, COUNT, INSTANT, NUMBER, POSITION, TEXT, WORLD, Table, one_of

VENUE = one_of("cex", "dex")
STATUS = one_of("waiting", "in_market", "in_lp", "harvesting", "switching")
EVENT = one_of("trade", "harvest", "switch")

LANES = Table(
    {"lane": TEXT},
    {
        "label": TEXT,
        "venue": VENUE,
        "logic": TEXT,
        "mode": TEXT,
        "active": CLAIM,
        "status": STATUS,
        "initial_capital": NUMBER,
        "capital": NUMBER,
        "pnl_usd": NUMBER,
        "pnl_pct": NUMBER,
        "trades": COUNT,
        "win_rate_pct": NUMBER,
        "apr_avg_pct": NUMBER,
        "harvest_count": COUNT,
        "switch_count": COUNT,
        "positions_count": COUNT,
        "current_pool": TEXT,
        "last_tick": INSTANT,
        "world": WORLD,
    },
)
LANE_HISTORY = Table(
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
LANE_EVENTS = Table(
    {"time": INSTANT},
    {
        "lane": TEXT,
        "venue": VENUE,
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
POSITIONS = Table(
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
LIQUIDITY = Table(
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


def lanes(battle: Mapping[str, Any]) -> pd.DataFrame:
    """How the lanes stand.

    Parameters
    ----------
    battle : the document of `client.battle()`

    Returns
    -------
    One row a lane, index `lane`. Capitals are USD, `_pct` percent, `last_tick` is the end of the last bar it saw.
    What only liquidity has is missing on an exchange.
    """
    return LANES.frame(({**lane, "lane": lane["name"]} for lane in battle["lanes"]), world=battle["world"])


def lane_history(history: Mapping[str, Any]) -> pd.DataFrame:
    """What the lanes were worth over time, long: one row a lane and instant.

    Parameters
    ----------
    history : the document of `client.battle_history()`

    Returns
    -------
    Index `time`, UTC, which repeats: the lanes one after the other, each oldest first. `equity_usd` in USD,
    `pnl_pct` in percent of the lane's initial capital, computed here.
    """
    points = (
        {**lane, **point, "lane": lane["name"], "pnl_pct": 100 * (point["equity_usd"] / lane["initial_capital"] - 1)}
        for lane in history["lanes"]
        for point in lane["points"]
    )
    return LANE_HISTORY.frame(points, world=history["world"])


def lane_events(history: Mapping[str, Any]) -> pd.DataFrame:
    """What the lanes did: trades, harvests and switches.

    Parameters
    ----------
    history : the document of `client.battle_history()`

    Returns
    -------
    Index `time`, UTC, which repeats: the lanes one after the other, each oldest first. `price` is USD, `subject`
    the asset or pool, `value_usd` what was moved, `cost_usd` what that cost, `pnl_usd` what a closed position made
    after all its costs, missing where none was closed.
    """
    events = ({**lane, **event, "lane": lane["name"]} for lane in history["lanes"] for event in lane["events"])
    return LANE_EVENTS.frame(events, world=history["world"])


def positions(battle: Mapping[str, Any]) -> pd.DataFrame:
    """What the lanes on an exchange hold.

    Parameters
    ----------
    battle : the document of `client.battle()`

    Returns
    -------
    One row a position, index `lane` and `asset`. Prices and `pnl_usd` are USD, `quantity` is units of the asset,
    `stop_price` is missing where there is no stop.
    """
    return POSITIONS.frame(battle["venues"]["cex"]["positions"], as_of=battle["as_of"], world=battle["world"])


def liquidity(battle: Mapping[str, Any]) -> pd.DataFrame:
    """Where the result of each liquidity lane comes from.

    Parameters
    ----------
    battle : the document of `client.battle()`

    Returns
    -------
    One row a lane, index `lane`. The range and `price` are USD and missing outside a pool. `market_usd`,
    `divergence_usd` and `fees_usd` less `gas_usd` and `swap_usd` are the lane's PnL.
    """
    return LIQUIDITY.frame(battle["venues"]["dex"]["liquidity"], as_of=battle["as_of"], world=battle["world"])
