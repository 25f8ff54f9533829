"""The paper fund of apex in a figure: its equity against holding bitcoin, its drawdown and its trades."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from notebooks.widgets.base.curves import CurveEnd, drawdowns_pct, instants, labels, values
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import Document, escaped, minute, number

SIDES = {"buy": "triangle-up-open", "sell": "triangle-down-open"}
UNKNOWN = "x"
# The drawn fields: index of the colour (None is quiet) and name in the label.
CURVES = {"equity_usd": (0, "fund"), "benchmark_usd": (None, "half in bitcoin")}
EQUITY_ROW, DRAWDOWN_ROW = 2, 3


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
