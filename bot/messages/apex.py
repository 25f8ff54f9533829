"""Apex: what it says of bitcoin's next day, its virtual fund, and that the consensus changed sides."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.figures import UNKNOWN, arrow, chance, change, counted, footer, instant, percent, price, usd, words
from bot.messages.writing import message, said, table

TRADES_SHOWN = 4


def brain(told: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The call, each layer behind it, and how good such calls were."""
    vote = told["vote"]
    silent = [one for one in told["layers"] if one["silent"]]
    blocks = [
        f"<b>{arrow(vote['direction'])} {said(vote['direction'], 40)}</b> · bitcoin in {told['horizon_hours']} hours",
        f"Up {percent(vote['bull_probability'])} · down {percent(vote['bear_probability'])}",
        f"from {price(told['spot'])} USD",
        table([("", "layer", "up", "weight"), *map(_layer, told["layers"])], "<1", "<11", ">6", ">8"),
        *(f"{said(words(one['name']), 60)}: {said(one['silent'], 160)}" for one in silent[:4]),
        *(_record(one) for one in told["record"][:2]),
        f"Called {instant(told['called_at'])}{' (backfilled)' if told['backfilled'] else ''}.",
        f"The next call is at {instant(told['next_at'])}.",
    ]
    return message(blocks, footer(told, now))


def fund(told: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The virtual fund beside holding, each book by itself."""
    blocks = [
        "<b>The fund of apex</b>",
        f"<b>{usd(told['equity_usd'], 2)}</b> of {usd(told['initial_capital'])} · {change(told['pnl_pct'])}",
        f"Holding made {change(told['benchmark']['pnl_pct'])}: {change(told['versus_hold_pct'])} against holding",
        f"{percent(told['exposure_pct'], 0)} in bitcoin now, {usd(told['cash_usd'])} in cash",
        f"Deepest fall {percent(told['max_drawdown_pct'])}, fees {usd(told['fees_usd'], 2)}",
        _sharpe(told),
        *(_book(book) for book in told["books"][:2]),
        *_trades(told["trades"]),
        "A virtual 1,000 USD that follows apex. No order was placed.",
    ]
    return message(blocks, footer(told, now, paper=True))


def flipped(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The consensus changed sides between two widgets."""
    was, now_is = before["consensus"], after["consensus"]
    bitcoin = after["btc"]
    blocks = [
        f"<b>{arrow(now_is['direction'])} The consensus turned {said(now_is['direction'], 40)}</b>",
        f"It was {said(was['direction'], 40)} at {instant(was['voted_at'])}.",
        outlook(now_is),
        f"Bitcoin {price(bitcoin['price'])} USD, {change(bitcoin['change_24h_pct'])} in 24 hours",
        "/brain shows why.",
    ]
    return message(blocks, footer(after))


def outlook(consensus: Mapping[str, Any]) -> str:
    """What the consensus gives for its horizon, in a line."""
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    strength = said(words(consensus["strength"]).lower(), 40)
    return f"Next {consensus['horizon_hours']} hours: bull {bull}, bear {bear}, {strength}"


def _layer(one: Mapping[str, Any]) -> tuple[str, ...]:
    if one["silent"]:
        return "·", words(one["name"]), UNKNOWN, "silent"
    return arrow(one["direction"]), words(one["name"]), chance(one["p_up"]), f"{one['weight']:.2f}"


def _record(one: Mapping[str, Any]) -> str:
    name = "Backfilled" if one["backfilled"] else "Live"
    if one["hit_rate_pct"] is None:
        return f"{name}: {counted(one['n'], 'call')} resolved, {said(one['verdict'], 120)}."
    low, high = percent(one["hit_rate_low_pct"], 0), percent(one["hit_rate_high_pct"], 0)
    basis = f"n = {one['n']:,}, worth {one['n_eff']:.0f} independent ones"
    rate = f"{percent(one['hit_rate_pct'], 0)} right ({basis}), 95% interval {low} to {high}"
    return f"{name}: {rate}: {said(one['verdict'], 120)}."


def _sharpe(told: Mapping[str, Any]) -> str:
    if told["sharpe"] is None:
        return ""
    between = f"{told['sharpe_low']:.1f} to {told['sharpe_high']:.1f}" if told["sharpe_low"] is not None else "unknown"
    return f"Sharpe {told['sharpe']:.2f} over {counted(told['days'], 'day')}, 95% interval {between}"


def _book(book: Mapping[str, Any]) -> str:
    name = "Backfilled" if book["backfilled"] else "Live"
    made = book["fund"]["pnl_pct"]
    return f"{name}: {change(made)} in {counted(book['days'], 'day')}, {counted(book['trades_count'], 'trade')}"


def _trades(trades: list[Mapping[str, Any]]) -> list[str]:
    if not trades:
        return ["It has not traded yet."]
    rows = [
        (one["time"][5:10], one["side"], f"{one['exposure_after_pct']:.0f}%", price(one["price"]))
        for one in trades[:TRADES_SHOWN]
    ]
    return ["\nLast trades, and what was in bitcoin then:\n" + table(rows, "<5", "<4", ">5", ">8")]
