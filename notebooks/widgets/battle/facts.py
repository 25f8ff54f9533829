"""The facts of one lane as small tables, shown after a click on it."""

from __future__ import annotations

from notebooks.widgets.base.html_tables import Fact, table
from notebooks.widgets.base.wording import Document, minute

LATEST = 8  # events shown


def facts(battle: Document, history: Document, name: str) -> str:
    """The state of a lane, its positions and its latest events, as HTML."""
    lane = next(lane for lane in battle["lanes"] if lane["name"] == name)
    events = next((lane["events"] for lane in history["lanes"] if lane["name"] == name), [])
    holdings = _liquidity(battle, name) or _positions(battle, name)
    return table(f"{lane['label']} ({lane['mode']})", _state(lane)) + holdings + _events(events)


def _state(lane: Document) -> list[Fact]:
    facts = [
        Fact("equity", lane["capital"], " USD"),
        Fact("gain", lane["pnl_pct"], "%", is_change=True),
        Fact("buy and hold of its assets", lane["benchmark_pnl_pct"], "%", is_change=True),
        Fact("trades", lane["trades"]),
        Fact("win rate", lane["win_rate_pct"], "%"),
        Fact("status", lane["status"]),
        Fact("profit factor", lane["profit_factor"]),
        Fact("average APR of its pools, gross", lane["apr_avg_pct"], "%"),
        Fact("net of divergence, gas and swaps", lane["net_apr_pct"], "%"),
        Fact("harvests", lane["harvest_count"]),
        Fact("pool switches", lane["switch_count"]),
    ]
    return [fact for fact in facts if fact.value is not None]


def _positions(battle: Document, name: str) -> str:
    positions = [position for position in battle["venues"]["cex"]["positions"] if position["lane"] == name]
    return table(
        "open positions",
        [
            Fact(f"{position['side']} {position['asset']}", position["pnl_usd"], " USD", is_change=True)
            for position in positions
        ],
    )


def _liquidity(battle: Document, name: str) -> str:
    pool = next((pool for pool in battle["venues"]["dex"]["liquidity"] if pool["lane"] == name), None)
    if pool is None:
        return ""
    facts = [
        Fact("range", f"{pool['range_low']:,.2f} to {pool['range_high']:,.2f}, price {pool['price']:,.2f}"),
        Fact("time in range", pool["in_range_pct"], "%"),
        Fact("fees", pool["fees_usd"], " USD"),
        Fact("uncollected fees", pool["uncollected_usd"], " USD"),
        Fact("divergence PnL", pool["divergence_usd"], " USD", is_change=True),
        Fact("gas and swap costs", pool["gas_usd"] + pool["swap_usd"], " USD"),
        Fact("compared with holding", pool["vs_hodl_pct"], "%", is_change=True),
    ]
    return table(pool["pool"], facts)


def _events(events: list[Document]) -> str:
    latest = events[: -LATEST - 1 : -1]
    return table(
        "latest events", [Fact(minute(event["time"]), f"{event['subject']} {event['note']}") for event in latest]
    )
