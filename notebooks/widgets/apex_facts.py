"""What apex, its layers and its fund say in words; pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebooks.widgets.tables import Row, grid, table
from notebooks.widgets.wording import minute, moment, plain, world

Document = Mapping[str, Any]

FUSED = "apex"
SIDES = {"BULLISH": "leans up", "BEARISH": "leans down", "NEUTRAL": "takes no side"}


def layers_of(apex: Document) -> list[Document]:
    """The fusion as a layer, then the layers it is made of."""
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


def beside(layer: Document, longest: int) -> str:
    """What stands right of a layer's mark."""
    if layer["silent"]:
        return plain(_short(f"silent: {layer['silent']}", longest))
    weight = "" if layer["weight"] is None else f" · weight {layer['weight']:.2f}"
    return f"{100 * layer['p_up']:.1f} %{weight}"


def hover(layer: Document) -> str:
    """A layer with how good it was, for plotly."""
    records = "<br>".join(_record(book) for book in layer["accuracy"])
    return f"{plain(layer['name'])}: {plain(layer['silent'] or layer['reading'])}<br>{records}"


def layer_facts(layer: Document) -> str:
    """A layer's reading and how good it was, each book by itself, as HTML."""
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
    columns = ("calls", "n", "worth independent ones", "right %", "95 % from", "to", "Brier", "verdict")
    said = [
        Row("P(up)", None if layer["p_up"] is None else 100 * layer["p_up"], " %"),
        Row("direction", layer["direction"]),
        Row("weight", layer["weight"]),
        Row("reading", layer["reading"] or None),
        Row("silent, because", layer["silent"]),
    ]
    return table(layer["name"], said) + grid("how good it was", columns, books)


def trade_facts(trade: Document) -> str:
    """One rebalancing of the fund, as HTML."""
    made = "BACKFILLED: made for the past at the first start" if trade["backfilled"] else "live"
    return table(
        f"PAPER {trade['side']} at {minute(moment(trade['time']))}",
        [
            Row("quantity", f"{trade['quantity_btc']:.8f} BTC"),
            Row("price after slippage", trade["price"], " USD"),
            Row("value", trade["value_usd"], " USD"),
            Row("fee", trade["fee_usd"], " USD"),
            Row("in bitcoin before", trade["exposure_before_pct"], " %"),
            Row("in bitcoin after", trade["exposure_after_pct"], " %"),
            Row("P(up) of the call", 100 * trade["p_up"], " %"),
            Row("made", made),
        ],
    )


def title(apex: Document, fund: Document) -> str:
    """What apex says of the next day and what following it brought, beside holding."""
    vote = apex["vote"]
    special = ", special mode" if apex["special_mode"]["active"] else ""
    side = SIDES.get(vote["direction"], plain(str(vote["direction"])))
    chance = f"up {100 * vote['p_up']:.1f} %, confidence {apex['confidence']:.3f}{special}"
    return f"Apex {side}: {chance} · fund {fund['pnl_pct']:+.1f} %, holding {fund['benchmark']['pnl_pct']:+.1f} %"


def subtitle(apex: Document, fund: Document) -> str:
    """What kind of numbers these are."""
    called = f"for {apex['horizon_hours']} h, called {minute(moment(apex['called_at']))}"
    called += ", BACKFILLED" if apex["backfilled"] else ""
    fund_said = f"fund of {fund['initial_capital']:,.0f} USD, n {fund['days']} days, {fund['trades_count']} trades"
    shapes = "▲ bullish ▼ bearish ● neutral ○ silent, size: weight · △ bought ▽ sold"
    return f"PAPER · {world(apex)}{_backfilled(fund)} · {called}<br>{fund_said} · {shapes} · times UTC"


def _backfilled(fund: Document) -> str:
    ends = [point["time"] for point in fund["equity"] if point["backfilled"]]
    return f" · fund BACKFILLED until {minute(moment(ends[-1]))} (dotted)" if ends else ""


def _record(book: Document) -> str:
    kind = "backfilled" if book["backfilled"] else "live"
    if book["hit_rate_pct"] is None:
        return f"{kind}: n {book['n']}, {plain(book['verdict'])}"
    interval = f"[{book['hit_rate_low_pct']:.0f}, {book['hit_rate_high_pct']:.0f}]"
    worth = f"n {book['n']:,}, worth {book['n_eff']:.0f} independent ones"
    return f"{kind}: {book['hit_rate_pct']:.1f} % right {interval}, {worth}: {plain(book['verdict'])}"


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
