"""The texts of apex, its layers and its fund."""

from __future__ import annotations

from typing import Any

from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.probability_rows import DIRECTIONS
from notebooks.widgets.base.wording import BACKFILLED, Document, escaped, minute, number, percent, shortened, world
from notebooks.widgets.frames.apex import FUSED

LONGEST = 28  # characters of a reason beside a layer
STANCES = {"BULLISH": "leans up", "BEARISH": "leans down", "NEUTRAL": "is neutral"}


def layers_of(apex: Document) -> list[dict[str, Any]]:
    """The fusion in the form of a layer, then the layers."""
    fused = {
        "name": FUSED,
        "p_up": apex["vote"]["p_up"],
        "direction": apex["vote"]["direction"],
        "weight": None,
        "reading": "All layers together.",
        "silent": None,
        "accuracy": apex["record"],
    }
    return [fused, *apex["layers"]]


def label(layer: Document) -> str:
    """The text to the right of the mark of a layer, for plotly."""
    if layer["silent"]:
        return escaped(shortened(f"silent: {layer['silent']}", LONGEST))
    weight = "" if layer["weight"] is None else f" · weight {layer['weight']:.2f}"
    weight = " · in-sample, not scored" if layer.get("in_sample") else weight
    unknown = "" if layer["direction"] in DIRECTIONS else f" · {escaped(str(layer['direction']))}"
    text = f"{100 * layer['p_up']:.1f}%{weight}{unknown}"
    return f"<b>{text}</b>" if layer["name"] == FUSED else text


def hover(layer: Document) -> str:
    """The reading of a layer and its accuracy, for plotly."""
    books = "<br>".join(_accuracy(book) for book in layer["accuracy"])
    return f"{escaped(layer['name'])}: {escaped(layer['silent'] or layer['reading'])}<br>{books}"


def layer_facts(layer: Document) -> str:
    """The reading of a layer and its accuracy in each book, as HTML."""
    books = [
        (
            "BACKFILLED" if book["backfilled"] else "live",
            book["n"],
            book["n_eff"],
            book["hit_rate_pct"],
            book["hit_rate_low_pct"],
            book["hit_rate_high_pct"],
            book["brier"] and f"{book['brier']:.4f}",
            book["verdict"],
        )
        for book in layer["accuracy"]
    ]
    columns = ("calls", "n", "independent", "correct, %", "95% low", "95% high", "Brier score", "verdict")
    rows = [
        Fact("P(up)", percent(layer["p_up"]), "%"),
        Fact("direction", layer["direction"]),
        Fact("weight", layer["weight"]),
        Fact("reading", layer["reading"] or None),
        Fact("reason for silence", layer["silent"]),
    ]
    return table(layer["name"], rows) + grid("track record", columns, books)


def trade_facts(trade: Document) -> str:
    """One rebalancing of the fund, as HTML."""
    return table(
        f"PAPER {trade['side']} at {minute(trade['time'])}",
        [
            Fact("quantity", f"{trade['quantity_btc']:.8f} BTC"),
            Fact("price after slippage", trade["price"], " USD"),
            Fact("value", trade["value_usd"], " USD"),
            Fact("fee", trade["fee_usd"], " USD"),
            Fact("bitcoin share before", trade["exposure_before_pct"], "%"),
            Fact("bitcoin share after", trade["exposure_after_pct"], "%"),
            Fact("P(up) of the call", percent(trade["p_up"]), "%"),
            Fact("origin", BACKFILLED if trade["backfilled"] else "live"),
        ],
    )


def title(apex: Document, fund: Document) -> str:
    """The call for the next day, and the gain of the fund beside that of a constant half in bitcoin."""
    vote = apex["vote"]
    special = ", special mode" if apex["special_mode"]["active"] else ""
    stance = STANCES.get(vote["direction"], escaped(str(vote["direction"])))
    call = f"P(up) {100 * vote['p_up']:.1f}%, confidence {apex['confidence']:.3f}{special}"
    gains = f"fund {number(fund['pnl_pct'], '+.1f')}%, half in bitcoin {number(fund['benchmark']['pnl_pct'], '+.1f')}%"
    return f"Apex {stance}: {call} · {gains}"


def subtitle(apex: Document, fund: Document) -> str:
    """The kind of the numbers, the time of the call, the size of the fund, and the symbols."""
    call = f"next {apex['horizon_hours']} h, called {minute(apex['called_at'])}"
    call += ", BACKFILLED" if apex["backfilled"] else ""
    size = f"fund of {fund['initial_capital']:,.0f} USD, n {fund['days']} days, {fund['trades_count']} trades"
    symbols = "▲ bullish ▼ bearish ● neutral ○ silent, size: weight · △ buy ▽ sell"
    return f"PAPER · {world(apex)}{_backfilled_until(fund)} · {call}<br>{size} · {symbols} · times UTC"


def _backfilled_until(fund: Document) -> str:
    times = [point["time"] for point in fund["equity"] if point["backfilled"]]
    return f" · fund BACKFILLED until {minute(times[-1])} (dotted)" if times else ""


def _accuracy(book: Document) -> str:
    kind = "backfilled" if book["backfilled"] else "live"
    if book["hit_rate_pct"] is None:
        return f"{kind}: n {book['n']}, {escaped(book['verdict'])}"
    interval = f"[{book['hit_rate_low_pct']:.0f}, {book['hit_rate_high_pct']:.0f}]"
    calls = f"n {book['n']:,}, equivalent to {book['n_eff']:.0f} independent calls"
    return f"{kind}: {book['hit_rate_pct']:.1f}% correct {interval}, {calls}: {escaped(book['verdict'])}"
