"""The facts of one lane in a small table, for whoever clicked on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebooks.widgets.tables import Row, table

Document = Mapping[str, Any]

LATEST = 8  # of what a lane did


def facts(battle: Document, history: Document, name: str) -> str:
    """How a lane stands, what it holds and what it did last, as HTML."""
    lane = next(lane for lane in battle["lanes"] if lane["name"] == name)
    events = next((one["events"] for one in history["lanes"] if one["name"] == name), [])
    holds = _liquidity(battle, name) or _positions(battle, name)
    return table(f"{lane['label']} ({lane['mode']})", _standing(lane)) + holds + _did(events)


def _standing(lane: Document) -> list[Row]:
    rows = [
        Row("worth", lane["capital"], " USD"),
        Row("gain", lane["pnl_pct"], " %"),
        Row("trades", lane["trades"]),
        Row("won", lane["win_rate_pct"], " %"),
        Row("status", lane["status"]),
        Row("yearly rate, mean of its pools", lane["apr_avg_pct"], " %"),
        Row("harvests", lane["harvest_count"]),
        Row("pool switches", lane["switch_count"]),
    ]
    return [row for row in rows if row.value is not None]


def _positions(battle: Document, name: str) -> str:
    held = [one for one in battle["venues"]["cex"]["positions"] if one["lane"] == name]
    return table("holds", [Row(f"{one['side']} {one['asset']}", one["pnl_usd"], " USD") for one in held])


def _liquidity(battle: Document, name: str) -> str:
    told = next((one for one in battle["venues"]["dex"]["liquidity"] if one["lane"] == name), None)
    if told is None:
        return ""
    rows = [
        Row("range", f"{told['range_low']:,.2f} to {told['range_high']:,.2f}, price {told['price']:,.2f}"),
        Row("in range", told["in_range_pct"], " %"),
        Row("fees", told["fees_usd"], " USD"),
        Row("not collected yet", told["uncollected_usd"], " USD"),
        Row("lost to divergence", told["divergence_usd"], " USD"),
        Row("gas and swaps", told["gas_usd"] + told["swap_usd"], " USD"),
        Row("against holding", told["vs_hodl_pct"], " %"),
    ]
    return table(told["pool"], rows)


def _did(events: list[Document]) -> str:
    latest = [
        Row(f"{event['time'][:16].replace('T', ' ')} UTC", f"{event['subject']} {event['note']}")
        for event in events[: -LATEST - 1 : -1]
    ]
    return table("did last", latest)
