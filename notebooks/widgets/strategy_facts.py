"""The facts of one strategy in small tables, for whoever clicked on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebooks.widgets.tables import Row, grid, table

Document = Mapping[str, Any]

LATEST = 8  # of the trades it closed


def facts(strategy: Document) -> str:
    """What a strategy does, where that comes from, and what came of it on paper, as HTML."""
    rule = [
        Row("rule", strategy["description"]),
        Row("source", strategy["source"]),
        *(Row(name, f"{value:g}") for name, value in strategy["parameters"].items()),
        Row("assets", ", ".join(strategy["assets"])),
    ]
    return table(strategy["name"], rule) + _record(strategy) + _trades(strategy["recent_trades"])


def _record(strategy: Document) -> str:
    told, standing = strategy["statistics"], strategy["standing"]
    rows = [
        Row("rank", standing["rank"]),
        Row("gain", standing["pnl_pct"], " %"),
        Row("buying and holding the same", standing["benchmark_pnl_pct"], " %"),
        Row("Sharpe ratio of a year", standing["sharpe"]),
        Row("deepest fall", standing["max_drawdown_pct"], " %"),
        Row("trades closed", told["count"]),
        Row("won", told["win_rate_pct"], " %"),
        Row("profit factor", told["profit_factor"]),
        Row("mean win", told["average_win_usd"], " USD"),
        Row("mean loss", told["average_loss_usd"], " USD"),
        Row("mean length of a trade", told["average_hours"], " h"),
        Row("fees", told["fees_usd"], " USD"),
    ]
    return table("its record over all its assets (paper)", rows)


def _trades(trades: list[Document]) -> str:
    rows = [
        [
            _minute(one["opened_at"]),
            _minute(one["closed_at"]),
            one["side"],
            one["asset"],
            one["pnl_pct"],
            one["pnl_usd"],
        ]
        for one in trades[:LATEST]
    ]
    return grid("trades closed last", ["opened, UTC", "closed, UTC", "side", "asset", "gain, %", "gain, USD"], rows)


def _minute(instant: str) -> str:
    return instant[:16].replace("T", " ")
