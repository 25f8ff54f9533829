"""The leaderboard's best strategies, and one strategy in full."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.formats import (
    UNKNOWN,
    asset,
    change_arrow,
    footer,
    instant,
    percent,
    signed_percent,
    signed_usd,
    trades_won,
    words,
)
from bot.messages.markup import escaped, message, table

SHOWN = 10
TRADES_SHOWN = 4
LUCK = "With {:,} strategies, the best one can look good by chance alone."


def top(leaderboard: Mapping[str, Any], asset_key: str | None = None, *, now: datetime | None = None) -> str:
    """The ten best over all assets or in one, next to the unranked comparisons: holding and a coin flip."""
    key = leaderboard["asset"] or asset_key
    entries = leaderboard["entries"]
    rows = [(signed_percent(entry["pnl_pct"]), entry["key"]) for entry in entries[:SHOWN]]
    ghosts = [(signed_percent(ghost["pnl_pct"]), words(ghost["key"])) for ghost in leaderboard["ghosts"][:4]]
    blocks = [
        f"<b>Best of {leaderboard['count']:,} strategies {'in ' + asset(key) if key else 'over all assets'}</b>",
        table(rows, ">6", "<27") if rows else "No strategy has traded yet.",
        *_first(entries),
        "For comparison, not ranked:\n" + table(ghosts, ">6", "<27") if ghosts else "",
        LUCK.format(leaderboard["count"]),
        "Send /strategy KEY to see one.",
    ]
    return message(blocks, footer(leaderboard, now, paper=True))


def strategy(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """One strategy: its rule, its result compared with holding, and its last trades."""
    standing, statistics = document["standing"], document["statistics"]
    gain, holding = signed_percent(standing["pnl_pct"]), signed_percent(standing["benchmark_pnl_pct"])
    sharpe, profit_factor = _number(standing["sharpe"]), _number(statistics["profit_factor"])
    blocks = [
        f"<b>{change_arrow(standing['pnl_pct'])} {escaped(document['name'], 120)}</b>",
        f"{escaped(document['category'], 60)} · {_rank(standing)}",
        escaped(document["description"], 500),
        f"Source: {escaped(document['source'], 200)}",
        "",
        f"{gain} ({signed_usd(standing['pnl_usd'])}), holding {holding}",
        _trades_and_drawdown(standing),
        f"Sharpe ratio {sharpe}, profit factor {profit_factor}",
        *_last_trades(document["recent_trades"]),
    ]
    since = f"<i>Since {instant(document['started_at'])}.</i>"
    return message(blocks, f"{since}\n{footer(document, now, paper=True)}")


def _first(entries: list[Mapping[str, Any]]) -> list[str]:
    """The number of trades of the best entry: a high return from few trades says little."""
    return [f"First place: {_trades_and_drawdown(entries[0])}."] if entries else []


def _rank(standing: Mapping[str, Any]) -> str:
    return f"rank {standing['rank']}" if standing["rank"] else "not ranked"


def _trades_and_drawdown(standing: Mapping[str, Any]) -> str:
    trades = trades_won(standing["win_rate_pct"], standing["trades"])
    return f"{trades}, largest drawdown {percent(standing['max_drawdown_pct'])}"


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"


def _last_trades(trades: list[Mapping[str, Any]]) -> list[str]:
    if not trades:
        return ["No closed trades yet."]
    rows = [
        (trade["closed_at"][5:10], trade["asset"], trade["side"], signed_percent(trade["pnl_pct"]))
        for trade in trades[:TRADES_SHOWN]
    ]
    return ["\nLast closed trades:\n" + table(rows, "<5", "<6", "<5", ">7")]
