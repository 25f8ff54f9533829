"""Apex: its call for the next day of bitcoin with the eight layers behind it, and the paper fund that follows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.base.curves import CurveEnd, drawdowns_pct, instants, labels, values
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.probability_rows import (
    DIRECTIONS,
    MIDDLE,
    category_axis,
    direction_mark,
    draw_stems,
    row_label,
)
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import BACKFILLED, Document, escaped, minute, number, percent, shortened, world
from notebooks.widgets.frames.apex import FUSION

NARROWEST = 10.0  # percentage points on either side of 50%: a narrower axis would magnify noise
MARK_PX, FUSED_PX = 13, 18
LONGEST = 28  # characters of a reason beside a layer
STANCES = {"BULLISH": "leans up", "BEARISH": "leans down", "NEUTRAL": "is neutral"}
SIDES = {"buy": "triangle-up-open", "sell": "triangle-down-open"}
UNKNOWN = "x"
# The drawn fields: index of the colour (None is quiet) and name in the label.
CURVES = {"equity_usd": (0, "fund"), "benchmark_usd": (None, "half in bitcoin")}
EQUITY_ROW, DRAWDOWN_ROW = 2, 3


class ApexPanel(RefreshingPanel):
    """The call of apex with its layers, and its fund against holding bitcoin."""

    TITLE = "apex and its fund"
    FILE = "ninefold-apex"
    EVERY_S = 300

    def new_figure(self) -> Figure:
        figure = Figure(make_subplots(rows=3, row_heights=[0.5, 0.32, 0.18], vertical_spacing=0.09))
        self._stems = figure.new_scatter(row=1, col=1, mode="lines", hoverinfo="skip")
        hovertemplate = "%{customdata}<extra></extra>"
        self.marks = figure.new_scatter(row=1, col=1, mode="markers", cliponaxis=False, hovertemplate=hovertemplate)
        figure.on_pick(self.marks, self.pick)
        self.fund = FundTraces(figure, self.pick_trade)
        figure.update_layout(height=820, showlegend=False, hovermode="closest", margin={"t": 100, "r": 200})
        figure.update_xaxes(row=1, col=1, ticksuffix="%", title="P(up), bars from 50%")
        figure.update_yaxes(row=1, col=1, showgrid=False, type="category")
        figure.update_yaxes(row=2, col=1, title="USD")
        figure.update_yaxes(row=3, col=1, title="drawdown", ticksuffix="%")
        figure.update_xaxes(row=2, col=1, matches="x3", showticklabels=False)
        return figure

    def fetch(self) -> dict[str, Document]:
        return {"apex": self.client.apex(), "fund": self.client.fund()}

    def header(self, document: dict[str, Document]) -> Document:
        return document["apex"]

    def note(self, document: dict[str, Document]) -> str | None:
        if document["fund"]["equity"]:
            return None
        return "The fund has no curve yet: it starts with the first call. Apex makes a call every four hours."

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        return frames.fund_equity(document["fund"])

    def draw(self, document: dict[str, Document]) -> None:
        apex, fund = document["apex"], document["fund"]
        layers = layers_of(apex)
        self._draw_layers(layers)
        fund_labels = self.fund.draw(fund, self.palette)
        layout = self.figure.layout
        layout.annotations = [*(row_label(escaped(layer["name"]), label(layer)) for layer in layers), *fund_labels]
        layout.shapes = [
            {
                "type": "line",
                "x0": MIDDLE,
                "x1": MIDDLE,
                "yref": "y domain",
                "y0": 0,
                "y1": 1,
                "layer": "below",
                "line": {"color": self.palette.quiet, "width": 1},
            }
        ]
        layout.title = {"text": title(apex, fund), "subtitle": {"text": subtitle(apex, fund)}}

    def pick(self, name: str) -> None:
        """Show the accuracy of a layer below the chart; `apex` is the fusion."""
        layers = {layer["name"]: layer for layer in layers_of(self.document["apex"])}
        self.detail.value = layer_facts(layers[name])

    def pick_trade(self, time: str) -> None:
        """Show the trade of the fund at an instant, as the API writes it, below the chart."""
        trades = {trade["time"]: trade for trade in self.document["fund"]["trades"]}
        self.detail.value = trade_facts(trades[time])

    def _draw_layers(self, layers: Sequence[Document]) -> None:
        names = [escaped(layer["name"]) for layer in layers]
        percentages = [MIDDLE if layer["p_up"] is None else 100 * layer["p_up"] for layer in layers]
        silent = (self.palette.quiet, "circle-open")
        marks = [silent if layer["silent"] else direction_mark(layer["direction"], self.palette) for layer in layers]
        draw_stems(self._stems, names, percentages, self.palette)
        self.marks.update(
            x=percentages,
            y=names,
            ids=[layer["name"] for layer in layers],
            customdata=[hover(layer) for layer in layers],
            marker={
                "size": [_size(layer) for layer in layers],
                "symbol": [symbol for _colour, symbol in marks],
                "color": [colour for colour, _symbol in marks],
                "line": {"width": 1, "color": self.palette.paper},
                "opacity": 1,
            },
        )
        reach = max(NARROWEST, 1.1 * max(abs(percentage - MIDDLE) for percentage in percentages))
        self.figure.update_layout(xaxis={"range": [MIDDLE - reach, MIDDLE + reach]}, yaxis=category_axis(names))


def _size(layer: Document) -> float:
    """The size of a mark: its area is the weight; a silent layer has no weight and still has a mark."""
    if layer["weight"] is None:
        return FUSED_PX
    return MARK_PX * (layer["weight"] if layer["weight"] > 0 else 1) ** 0.5


def layers_of(apex: Document) -> list[dict[str, Any]]:
    """The fusion in the form of a layer, then the layers."""
    fusion = {
        "name": FUSION,
        "p_up": apex["vote"]["p_up"],
        "direction": apex["vote"]["direction"],
        "weight": None,
        "reading": "All layers together.",
        "silent": None,
        "accuracy": apex["record"],
    }
    return [fusion, *apex["layers"]]


def label(layer: Document) -> str:
    """The text to the right of the mark of a layer, for plotly."""
    if layer["silent"]:
        return escaped(shortened(f"silent: {layer['silent']}", LONGEST))
    weight = "" if layer["weight"] is None else f" · weight {layer['weight']:.2f}"
    weight = " · in-sample, not scored" if layer.get("in_sample") else weight
    unknown = "" if layer["direction"] in DIRECTIONS else f" · {escaped(str(layer['direction']))}"
    text = f"{100 * layer['p_up']:.1f}%{weight}{unknown}"
    return f"<b>{text}</b>" if layer["name"] == FUSION else text


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


class FundTraces:
    """The traces of the fund in the second and third row of a figure; a click on a trade calls `pick` with its time."""

    def __init__(self, figure: Figure, pick: Callable[[str], None]) -> None:
        options = {"mode": "lines", "hovertemplate": "%{meta} %{y:,.2f}<br>%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"}
        # Backfilled points are dotted and live points solid; a plotly line has one dash style, so each has a trace.
        self.curves = {
            (row, field, backfilled): figure.new_scatter(
                row=row, col=1, meta=_meta(row, name), line={"dash": "dot" if backfilled else "solid"}, **options
            )
            for row in (EQUITY_ROW, DRAWDOWN_ROW)
            for field, (_, name) in CURVES.items()
            for backfilled in (True, False)
        }
        self.trades = figure.new_scatter(row=EQUITY_ROW, col=1, mode="markers", hovertemplate="%{text}<extra></extra>")
        figure.on_pick(self.trades, pick)

    def draw(self, fund: Document, palette: Palette) -> list[dict[str, Any]]:
        """Update the traces to a document, and return the labels at the ends of the curves."""
        points = fund["equity"]
        times, backfilled = instants(points), np.array([point["backfilled"] for point in points], bool)
        ends: dict[int, list[CurveEnd]] = {EQUITY_ROW: [], DRAWDOWN_ROW: []}
        for field, (index, name) in CURVES.items():
            colour, usd = palette.colour(index), values(points, field)
            for row, heights in ((EQUITY_ROW, usd), (DRAWDOWN_ROW, drawdowns_pct(usd))):
                self._draw_curve((row, field), times, heights, backfilled, colour)
                if points:
                    ends[row].append(CurveEnd(heights[-1], _end_text(row, field, name, fund), colour))
        self._draw_trades(fund["trades"], points, palette)
        usd = np.concatenate([values(points, field) for field in CURVES])
        falls = np.concatenate([drawdowns_pct(values(points, field)) for field in CURVES])
        return [
            *labels(ends[EQUITY_ROW], usd, gap=0.09, axes="2"),
            *labels(ends[DRAWDOWN_ROW], falls, gap=0.16, axes="3"),
        ]

    def _draw_curve(
        self, curve: tuple[int, str], times: pd.DatetimeIndex, heights: np.ndarray, backfilled: np.ndarray, colour: str
    ) -> None:
        """Draw the backfilled and the live part of a curve; the live part starts at the last backfilled point."""
        is_live = ~backfilled
        live = is_live | np.roll(is_live, -1) if is_live.any() else is_live
        for is_backfilled, part in ((True, backfilled), (False, live)):
            self.curves[*curve, is_backfilled].update(x=times[part], y=heights[part], line={"color": colour})

    def _draw_trades(self, trades: list[Document], points: list[Document], palette: Palette) -> None:
        trade_times, times = instants(trades), instants(points)
        self.trades.update(
            x=trade_times,
            y=np.interp(trade_times.asi8, times.asi8, values(points)) if points else [None] * len(trades),
            ids=[trade["time"] for trade in trades],
            text=[
                f"{escaped(trade['side'])} {trade['value_usd']:,.2f} USD at {trade['price']:,.2f}<br>"
                f"{minute(trade['time'])}"
                for trade in trades
            ],
            marker={
                "symbol": [SIDES.get(trade["side"], UNKNOWN) for trade in trades],
                "size": 11,
                "color": palette.ink,
            },
        )


def _meta(row: int, name: str) -> str:
    return f"{name}, USD" if row == EQUITY_ROW else f"{name}, % below its highest value"


def _end_text(row: int, field: str, name: str, fund: Document) -> str:
    """The numbers of the service, which are computed from more points than are drawn."""
    totals = fund if field == "equity_usd" else fund["benchmark"]
    if row == EQUITY_ROW:
        return f"{name} {totals['equity_usd']:,.0f} USD"
    return f"{name}, worst {number(-totals['max_drawdown_pct'], '.1f')}%"
