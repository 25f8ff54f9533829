"""Apex: its forecast of the Bitcoin price, its virtual fund, and a change of the consensus."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.formats import (
    UNKNOWN,
    chance,
    direction_arrow,
    footer,
    instant,
    percent,
    plural,
    price,
    signed_percent,
    signed_points,
    usd,
    words,
)
from bot.messages.markup import escaped, message, table

TRADES_SHOWN = 4


def brain(status: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The forecast, every layer behind it, and the track record of such forecasts."""
    vote = status["vote"]
    silent = [layer for layer in status["layers"] if layer["silent"]]
    direction = f"{direction_arrow(vote['direction'])} {escaped(vote['direction'], 40)}"
    blocks = [
        f"<b>{direction}</b> · Bitcoin in {status['horizon_hours']} hours",
        f"Up {percent(vote['bull_probability'])} · down {percent(vote['bear_probability'])}",
        f"from {price(status['spot'])} USD",
        table([("", "layer", "up", "weight"), *map(_layer, status["layers"])], "<1", "<11", ">6", ">8"),
        *(f"{escaped(words(layer['name']), 60)}: {escaped(layer['silent'], 160)}" for layer in silent[:4]),
        *(_track_record(book) for book in status["record"][:2]),
        f"Forecast made at {instant(status['called_at'])}{' (backfilled)' if status['backfilled'] else ''}.",
        f"Next forecast at {instant(status['next_at'])}.",
    ]
    return message(blocks, footer(status, now))


def fund(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The virtual fund compared with a constant half in Bitcoin, with its live and its backfilled book."""
    benchmark, lead = document["benchmark"]["pnl_pct"], document["versus_benchmark_pct"]
    exposure, cash = percent(document["exposure_pct"], 0), usd(document["cash_usd"])
    blocks = [
        "<b>The apex fund</b>",
        f"<b>{usd(document['equity_usd'], 2)}</b> from {usd(document['initial_capital'])} · "
        f"{signed_percent(document['pnl_pct'])}",
        f"Always half in Bitcoin: {signed_percent(benchmark)}. The fund against that: {signed_points(lead)}",
        f"Now {exposure} in Bitcoin, {cash} in cash",
        f"Largest drawdown {percent(document['max_drawdown_pct'])}, fees {usd(document['fees_usd'], 2)}",
        _sharpe(document),
        *(_book(book) for book in document["books"][:2]),
        *_trades(document["trades"]),
        "A virtual 1,000 USD that follows apex. No real order is placed.",
    ]
    return message(blocks, footer(document, now, paper=True))


def flipped(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The consensus changed sides between two widgets."""
    old, new, bitcoin = before["consensus"], after["consensus"], after["btc"]
    blocks = [
        f"<b>{direction_arrow(new['direction'])} The consensus is now {escaped(new['direction'], 40)}</b>",
        f"It was {escaped(old['direction'], 40)} at {instant(old['voted_at'])}.",
        outlook(new),
        f"Bitcoin {price(bitcoin['price'])} USD, {signed_percent(bitcoin['change_24h_pct'])} in 24 hours",
        "/brain shows the reasons.",
    ]
    return message(blocks, footer(after))


def outlook(consensus: Mapping[str, Any]) -> str:
    """The consensus for its horizon, in one line."""
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    strength = escaped(words(consensus["strength"]).lower(), 40)
    return f"Next {consensus['horizon_hours']} hours: bull {bull}, bear {bear}, {strength}"


def _layer(layer: Mapping[str, Any]) -> tuple[str, ...]:
    if layer["silent"]:
        return "·", words(layer["name"]), UNKNOWN, "no vote"
    weight = "no score" if layer["in_sample"] else f"{layer['weight']:.2f}"
    return direction_arrow(layer["direction"]), words(layer["name"]), chance(layer["p_up"]), weight


def _track_record(book: Mapping[str, Any]) -> str:
    name = "Backfilled" if book["backfilled"] else "Live"
    if book["hit_rate_pct"] is None:
        return f"{name}: {plural(book['n'], 'forecast')} resolved, {escaped(book['verdict'], 120)}."
    low, high = percent(book["hit_rate_low_pct"], 0), percent(book["hit_rate_high_pct"], 0)
    basis = f"n = {book['n']:,}, equal to {book['n_eff']:,.0f} independent ones"
    rate = f"{percent(book['hit_rate_pct'], 0)} right ({basis}), 95% interval {low} to {high}"
    return f"{name}: {rate}: {escaped(book['verdict'], 120)}."


def _sharpe(document: Mapping[str, Any]) -> str:
    sharpe, low, high = document["sharpe"], document["sharpe_low"], document["sharpe_high"]
    if sharpe is None:
        return ""
    interval = "unknown" if low is None else f"{low:.1f} to {high:.1f}"
    return f"Sharpe ratio {sharpe:.2f} over {plural(document['days'], 'day')}, 95% interval {interval}"


def _book(book: Mapping[str, Any]) -> str:
    name = "Backfilled" if book["backfilled"] else "Live"
    gain = signed_percent(book["fund"]["pnl_pct"])
    return f"{name}: {gain} in {plural(book['days'], 'day')}, {plural(book['trades_count'], 'trade')}"


def _trades(trades: list[Mapping[str, Any]]) -> list[str]:
    if not trades:
        return ["No trades yet."]
    rows = [
        (trade["time"][5:10], trade["side"], f"{trade['exposure_after_pct']:.0f}%", price(trade["price"]))
        for trade in trades[:TRADES_SHOWN]
    ]
    return ["\nLast trades (date, side, share in Bitcoin, price):\n" + table(rows, "<5", "<4", ">5", ">8")]
