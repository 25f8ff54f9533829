"""Strategies: the leaderboard, one strategy, and the hospital."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.languages import translate, translate_plural
from bot.languages.punctuation import bracketed, ended, enumerated, labelled
from bot.messages.formats import (
    UNKNOWN,
    asset,
    change_arrow,
    day_and_month,
    decimal,
    footer,
    instant,
    percent,
    signed_percent,
    signed_usd,
    term,
    trades_won,
    words,
)
from bot.messages.markup import REST, escaped, message, pages, table

MAX_ENTRIES = 10
MAX_TRADES = 4
A_PAGE = 15  # strategies
STATUSES = ("healthy", "watch", "sick", "critical", "observation")
MARKS = {"healthy": "▲", "watch": "■", "sick": "▼", "critical": "✗", "observation": "·"}
MAX_CHANGES = 8


def top(leaderboard: Mapping[str, Any], asset_key: str | None = None, *, now: datetime | None = None) -> str:
    """The ten best over all assets or in one, next to the unranked comparisons: holding and a coin flip."""
    key = leaderboard["asset"] or asset_key
    entries = leaderboard["entries"]
    rows = [(signed_percent(entry["pnl_pct"]), entry["key"]) for entry in entries[:MAX_ENTRIES]]
    ghosts = [(signed_percent(ghost["pnl_pct"]), words(ghost["key"])) for ghost in leaderboard["ghosts"][:4]]
    count = leaderboard["count"]
    blocks = [
        f"<b>{_title(count, key)}</b>",
        table(rows, ">6", "<27") if rows else translate("No strategy has traded yet."),
        *_first(entries),
        translate("For comparison, not ranked:") + "\n" + table(ghosts, ">6", "<27") if ghosts else "",
        translate("With {n} strategies, the best one can look good by chance alone.", n=count),
        translate("Send /strategy KEY to see one."),
    ]
    return message(blocks, footer(leaderboard, now, paper=True))


def strategy(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """One strategy: its rule, its result compared with holding, and its last trades."""
    standing, statistics = document["standing"], document["statistics"]
    gain, holding = signed_percent(standing["pnl_pct"]), signed_percent(standing["benchmark_pnl_pct"])
    sharpe, profit_factor = _sharpe(standing), _number(statistics["profit_factor"])
    blocks = [
        f"<b>{change_arrow(standing['pnl_pct'])} {escaped(document['name'], 120)}</b>",
        f"{escaped(document['category'], 60)} · {_rank(standing)}",
        escaped(document["description"], 500),
        translate("Source: {source}", source=escaped(document["source"], 200)),
        "",
        enumerated([f"{gain} ({signed_usd(standing['pnl_usd'])})", translate("holding {gain}", gain=holding)]),
        _trades_and_drawdown(standing),
        translate("Sharpe ratio {sharpe}, profit factor {factor}", sharpe=sharpe, factor=profit_factor),
        *_last_trades(document["recent_trades"]),
    ]
    since = translate("Since {instant}.", instant=instant(document["started_at"]))
    return message(blocks, f"<i>{since}</i>\n{footer(document, now, paper=True)}")


def _title(count: int, asset_key: str | None) -> str:
    if asset_key:
        return translate("Best of {n} strategies: {asset}", n=count, asset=asset(asset_key))
    return translate("Best of {n} strategies over all assets", n=count)


def _first(entries: list[Mapping[str, Any]]) -> list[str]:
    """The number of trades of the best entry: a high return from few trades says little."""
    return [translate("First place: {result}.", result=_trades_and_drawdown(entries[0]))] if entries else []


def _rank(standing: Mapping[str, Any]) -> str:
    return translate("rank {n}", n=standing["rank"]) if standing["rank"] else translate("not ranked")


def _trades_and_drawdown(standing: Mapping[str, Any]) -> str:
    trades = trades_won(standing["win_rate_pct"], standing["trades"])
    drawdown = percent(standing["max_drawdown_pct"])
    return translate("{trades}, largest drawdown {drawdown}", trades=trades, drawdown=drawdown)


def _sharpe(standing: Mapping[str, Any]) -> str:
    """The ratio with its interval."""
    if standing["sharpe"] is None:
        return UNKNOWN
    low, high = (decimal(standing[end], 1) for end in ("sharpe_low", "sharpe_high"))
    return decimal(standing["sharpe"], 2) + bracketed(translate("95% interval {low} to {high}", low=low, high=high))


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else decimal(value, 2)


def _last_trades(trades: list[Mapping[str, Any]]) -> list[str]:
    if not trades:
        return [translate("No closed trades yet.")]
    rows = [
        (day_and_month(trade["closed_at"]), trade["asset"], term(trade["side"]), signed_percent(trade["pnl_pct"]))
        for trade in trades[:MAX_TRADES]
    ]
    return [f"\n{translate('Last closed trades:')}\n{table(rows, '<5', '<6', '<5', '>7')}"]


def hospital(document: Mapping[str, Any], category: str | None = None, *, now: datetime | None = None) -> list[str]:
    """The strategies of all categories or of one, the healthiest first, with the number in each status."""
    category = category and category.strip().lower()
    strategies = document["strategies"]
    entries = [strategy for strategy in strategies if category in (None, strategy["category"])]
    if not entries:
        categories = sorted({strategy["category"] for strategy in strategies})
        choices = "\n".join(f"/hospital {escaped(choice, 60)}" for choice in categories[:20])
        return [message([translate("There is no such category. Send one of these:"), choices])]
    entries = sorted(entries, key=lambda strategy: (strategy["health_score"] is None, -(strategy["health_score"] or 0)))
    chosen = f" · {escaped(category, 60)}" if category else ""
    head = f"<b>{translate('Hospital {month}', month=escaped(document['snapshot_month'], 40))}{chosen}</b>"
    counts = _counts(Counter(strategy["status"] for strategy in entries))
    tail = f"{counts}\n{_caveat()}\n{footer(document, now, paper=True)}"
    tables = [table(map(_row, entries[at : at + A_PAGE]), "<1", ">3", "<27") for at in range(0, len(entries), A_PAGE)]
    return pages(tables, 1, head, tail)


def snapshot(document: Mapping[str, Any]) -> str:
    """An alert about a new month: the number in each status, and the strategies whose status changed."""
    summary = document["summary"]
    changes = summary["changes"]
    rows = [(MARKS.get(change["now"], "?"), change["key"]) for change in changes[:MAX_CHANGES]]
    rest = len(changes) - MAX_CHANGES
    blocks = [
        translate("<b>New hospital snapshot: {month}</b>", month=escaped(document["snapshot_month"], 40)),
        ended(
            labelled(
                translate_plural("{n} strategy", "{n} strategies", summary["strategies"]), _counts(summary["status"])
            )
        ),
        translate("Status changes ({n}):", n=len(changes)) if changes else translate("No status changed."),
        table(rows, "<1", "<30") if rows else "",
        translate(REST, n=rest) if rest > 0 else "",
        translate("/hospital shows all of them."),
        _caveat(),
    ]
    return message(blocks, footer(document, paper=True))


def _row(strategy: Mapping[str, Any]) -> tuple[str, ...]:
    score = strategy["health_score"]
    return MARKS.get(strategy["status"], "?"), UNKNOWN if score is None else decimal(score, 0), strategy["key"]


def _counts(counts: Mapping[str, int]) -> str:
    """The number in each status, from healthy to critical; an unknown status keeps its own name."""
    names = [*(name for name in STATUSES if counts.get(name)), *(name for name in counts if name not in STATUSES)]
    return enumerated(f"{MARKS.get(name, '?')} {counts[name]} {escaped(term(name), 40)}" for name in names[:8])


def _caveat() -> str:
    """What a score does not say; the service writes it in English only."""
    return translate("A score describes the 90 days before the end of the month. It is a weak guide to later results.")
