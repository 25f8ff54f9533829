"""The best of the strategies, and one of them in full."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.figures import UNKNOWN, asset, change, footer, gain, instant, moved, percent, won, words
from bot.messages.writing import message, said, table

SHOWN = 10
TRADES_SHOWN = 4
LUCK = "With {} tries the best looks good by chance too."


def top(leaderboard: Mapping[str, Any], asset_key: str | None = None, *, now: datetime | None = None) -> str:
    """The ten best over all their assets, or in one, beside what luck and holding made."""
    where = leaderboard["asset"] or asset_key
    head = f"<b>Best of {leaderboard['count']} strategies {'in ' + asset(where) if where else 'over all assets'}</b>"
    rows = [(change(one["pnl_pct"]), one["key"]) for one in leaderboard["entries"][:SHOWN]]
    ghosts = [(change(one["pnl_pct"]), words(one["key"])) for one in leaderboard["ghosts"][:4]]
    blocks = [
        head,
        table(rows, ">6", "<27") if rows else "No strategy has traded yet.",
        *_first(leaderboard["entries"]),
        "For comparison, not ranked:\n" + table(ghosts, ">6", "<27") if ghosts else "",
        LUCK.format(leaderboard["count"]),
        "/strategy KEY shows one.",
    ]
    return message(blocks, footer(leaderboard, now, paper=True))


def strategy(told: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """One strategy: its rule, how it stands against holding, its last trades."""
    standing, numbers = told["standing"], told["statistics"]
    blocks = [
        f"<b>{moved(standing['pnl_pct'])} {said(told['name'], 120)}</b>",
        f"{said(told['category'], 60)} · {_rank(standing)}",
        said(told["description"], 500),
        f"Source: {said(told['source'], 200)}",
        "",
        f"{change(standing['pnl_pct'])} ({gain(standing['pnl_usd'])}), holding {change(standing['benchmark_pnl_pct'])}",
        f"{_traded(standing)}, deepest fall {percent(standing['max_drawdown_pct'])}",
        f"Sharpe {_number(standing['sharpe'])}, profit factor {_number(numbers['profit_factor'])}",
        *_last(told["recent_trades"]),
    ]
    since = f"<i>Since {instant(told['started_at'])}.</i>"
    return message(blocks, f"{since}\n{footer(told, now, paper=True)}")


def _first(entries: list[Mapping[str, Any]]) -> list[str]:
    """The best one's trades, so that nobody reads a few as many."""
    if not entries:
        return []
    best = entries[0]
    return [f"First: {_traded(best)}, deepest fall {percent(best['max_drawdown_pct'])}."]


def _rank(standing: Mapping[str, Any]) -> str:
    return f"rank {standing['rank']}" if standing["rank"] else "not ranked"


def _traded(one: Mapping[str, Any]) -> str:
    return won(one["win_rate_pct"], one["trades"])


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"


def _last(trades: list[Mapping[str, Any]]) -> list[str]:
    if not trades:
        return ["No trade is closed yet."]
    rows = [
        (one["closed_at"][5:10], one["asset"], one["side"], change(one["pnl_pct"])) for one in trades[:TRADES_SHOWN]
    ]
    return ["\nLast trades closed:\n" + table(rows, "<5", "<6", "<5", ">7")]
