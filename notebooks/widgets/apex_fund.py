"""The curves of the paper fund that apex steers: its worth against holding, its drawdown, its trades."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from notebooks.widgets.curves import End, drawdowns_pct, instants, labels
from notebooks.widgets.figure import Figure
from notebooks.widgets.theme import Look
from notebooks.widgets.wording import plain

Document = Mapping[str, Any]

SIDES = {"buy": "triangle-up-open", "sell": "triangle-down-open"}
UNKNOWN = "x"
# What is drawn: the column, its colour's place in the palette (None is quiet), its name at the right end.
CURVES = {"equity_usd": (0, "fund"), "benchmark_usd": (None, "holding")}


class Fund:
    """The traces of the fund in the second and third row of a figure; a click on a trade calls `picked`."""

    def __init__(self, figure: Figure, picked: Callable[[str], None]) -> None:
        said = {"mode": "lines", "hovertemplate": "%{meta} %{y:,.2f}<br>%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"}
        # What was backfilled is dotted and what is live solid: a line has one dash.
        self.curves = {
            (row, field, backfilled): figure.add_scatter(
                row=row, col=1, meta=_meta(row, name), line={"dash": "dot" if backfilled else "solid"}, **said
            ).data[-1]
            for row in (2, 3)
            for field, (_, name) in CURVES.items()
            for backfilled in (True, False)
        }
        self.trades = figure.add_scatter(row=2, col=1, mode="markers", hovertemplate="%{text}<extra></extra>").data[-1]
        self.trades.on_click(lambda trace, points, _state: [picked(trace.ids[at]) for at in points.point_inds[:1]])

    def draw(self, fund: Document, look: Look) -> list[dict[str, Any]]:
        """Move the traces to a document; gives the labels at the curves' right ends."""
        points = fund["equity"]
        times = instants(points)
        backfilled = np.array([point["backfilled"] for point in points], bool)
        ends: dict[int, list[End]] = {2: [], 3: []}
        for field, (place, name) in CURVES.items():
            colour = look.quiet if place is None else look.colour(place)
            worth = [point[field] for point in points]
            fall = drawdowns_pct([{"equity_usd": usd} for usd in worth], fund["initial_capital"])
            for row, values in ((2, np.array(worth, float)), (3, fall)):
                self._draw(row, field, (times, values, backfilled), colour)
                if len(values):
                    ends[row].append(End(values[-1], _ending(row, field, name, fund), colour))
        self._draw_trades(fund["trades"], points, look)
        return [*labels(ends[2], apart=_apart(ends[2]), axes="2"), *labels(ends[3], apart=6, axes="3")]

    def _draw(self, row: int, field: str, told: tuple[Any, np.ndarray, np.ndarray], colour: str) -> None:
        times, values, backfilled = told
        # The last backfilled point also begins the live line, so that there is no gap.
        live = ~backfilled | np.roll(~backfilled, -1) if (~backfilled).any() else ~backfilled
        for past, chosen in ((True, backfilled), (False, live)):
            self.curves[row, field, past].update(x=times[chosen], y=values[chosen], line={"color": colour})

    def _draw_trades(self, trades: list[Document], points: list[Document], look: Look) -> None:
        times, at = instants(trades), instants(points)
        worth = [point["equity_usd"] for point in points]
        self.trades.update(
            x=times,
            y=np.interp(times.asi8, at.asi8, worth) if len(points) else [None] * len(trades),
            ids=[trade["time"] for trade in trades],
            text=[
                f"{plain(trade['side'])} {trade['value_usd']:,.2f} USD at {trade['price']:,.2f}<br>"
                f"{trade['time'][:16].replace('T', ' ')} UTC"
                for trade in trades
            ],
            marker={"symbol": [SIDES.get(trade["side"], UNKNOWN) for trade in trades], "size": 11, "color": look.ink},
        )


def _meta(row: int, name: str) -> str:
    return f"{name}, USD" if row == 2 else f"{name}, % below its highest"


def _ending(row: int, field: str, name: str, fund: Document) -> str:
    """What the service says of the curve: it sees more points than are drawn."""
    told = fund if field == "equity_usd" else fund["benchmark"]
    return f"{name} {told['equity_usd']:,.0f} USD" if row == 2 else f"{name}, deepest -{told['max_drawdown_pct']:.1f} %"


def _apart(ends: list[End]) -> float:
    return max(15.0, 0.02 * max((end.value for end in ends), default=0))
