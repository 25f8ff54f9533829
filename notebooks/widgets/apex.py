"""Apex: what it and each of its eight layers say of bitcoin's next day, and the paper fund that follows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.apex_facts import FUSED, beside, hover, layer_facts, layers_of, subtitle, title, trade_facts
from notebooks.widgets.apex_fund import Fund
from notebooks.widgets.figure import Figure
from notebooks.widgets.panel import Panel
from notebooks.widgets.wording import plain

Document = Mapping[str, Any]

EVEN = 50.0
NARROWEST = 10.0  # points either side of even: less would make noise look like a call
LIGHT_PX, FUSED_PX = 13, 18
LONGEST = 32  # characters of a reason beside a layer
DIRECTIONS = {"BULLISH": (0, "triangle-up"), "BEARISH": (1, "triangle-down"), "NEUTRAL": (None, "circle")}
UNKNOWN = (3, "x")


class ApexPanel(Panel):
    """The call of apex with its layers, and its fund against holding bitcoin."""

    TITLE = "apex and its fund"
    FILE = "ninefold-apex"
    EVERY_S = 300

    def figure_of(self) -> Figure:
        figure = Figure(make_subplots(rows=3, row_heights=[0.5, 0.32, 0.18], vertical_spacing=0.09))
        self._stems = figure.add_scatter(row=1, col=1, mode="lines", hoverinfo="skip").data[-1]
        self._marks = figure.add_scatter(row=1, col=1, mode="markers", cliponaxis=False).data[-1]
        self._marks.hovertemplate = "%{customdata}<extra></extra>"
        self._marks.on_click(lambda trace, points, _state: [self.pick(trace.ids[at]) for at in points.point_inds[:1]])
        self._fund = Fund(figure, self.pick_trade)
        figure.update_layout(height=820, showlegend=False, hovermode="closest", margin={"t": 100, "r": 230})
        figure.update_xaxes(row=1, col=1, ticksuffix=" %", title="P(bitcoin is higher), bars begin at even odds")
        figure.update_yaxes(row=1, col=1, showgrid=False, type="category")
        figure.update_yaxes(row=2, col=1, title="USD")
        figure.update_yaxes(row=3, col=1, title="drawdown", ticksuffix=" %")
        figure.update_xaxes(row=2, col=1, matches="x3", showticklabels=False)
        return figure

    def fetch(self) -> dict[str, Document]:
        return {"apex": self.client.apex(), "fund": self.client.fund()}

    def told(self, document: dict[str, Document]) -> Document:
        return document["apex"]

    def noted(self, document: dict[str, Document]) -> str | None:
        if document["fund"]["equity"]:
            return None
        return "The fund has no curve yet: it begins with the first call, every four hours."

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        return frames.fund_equity(document["fund"])

    def draw(self, document: dict[str, Document]) -> None:
        apex, fund = document["apex"], document["fund"]
        layers = layers_of(apex)
        self._draw_layers(layers)
        ends = self._fund.draw(fund, self.look)
        said = [self._beside(layer) for layer in layers]
        self.figure.layout.annotations = [*said, *ends]
        self.figure.layout.shapes = [
            {"type": "line", "x0": EVEN, "x1": EVEN, "yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
            | {"line": {"color": self.look.quiet, "width": 1}}
        ]
        self.figure.layout.title = {"text": title(apex, fund), "subtitle": {"text": subtitle(apex, fund)}}

    def pick(self, name: str) -> None:
        """Tell below the chart how good a layer was; `apex` is all of them together."""
        layers = {layer["name"]: layer for layer in layers_of(self.document["apex"])}
        self.detail.value = layer_facts(layers[name])

    def pick_trade(self, time: str) -> None:
        """Tell below the chart of the fund's trade at an instant, as the API writes it."""
        trades = {trade["time"]: trade for trade in self.document["fund"]["trades"]}
        self.detail.value = trade_facts(trades[time])

    def _draw_layers(self, layers: list[Document]) -> None:
        names = [plain(layer["name"]) for layer in layers]
        chances = [EVEN if layer["p_up"] is None else 100 * layer["p_up"] for layer in layers]
        marks = [(None, "circle-open") if layer["silent"] else self._mark_of(layer) for layer in layers]
        self._stems.update(
            x=[at for chance in chances for at in (EVEN, chance, None)],
            y=[at for name in names for at in (name, name, None)],
            line={"color": self.look.grid, "width": 4},
        )
        self._marks.update(
            x=chances,
            y=names,
            ids=[layer["name"] for layer in layers],
            customdata=[hover(layer) for layer in layers],
            marker={
                "size": [_size(layer) for layer in layers],
                "symbol": [symbol for _, symbol in marks],
                "color": [self.look.quiet if place is None else self.look.colour(place) for place, _ in marks],
                "line": {"width": 1, "color": self.look.paper},
                "opacity": 1,
            },
        )
        reach = max(NARROWEST, 1.1 * max(abs(chance - EVEN) for chance in chances))
        self.figure.layout.xaxis.range = [EVEN - reach, EVEN + reach]
        self.figure.layout.yaxis.update(
            categoryorder="array", categoryarray=names[::-1], range=[-0.6, len(names) - 0.4]
        )

    def _mark_of(self, layer: Document) -> tuple[int | None, str]:
        return DIRECTIONS.get(layer["direction"], UNKNOWN)

    def _beside(self, layer: Document) -> dict[str, Any]:
        """What a layer says, right of the chart, where nothing is drawn."""
        known = layer["silent"] or layer["direction"] in DIRECTIONS
        text = beside(layer, LONGEST) + ("" if known else f" · {plain(str(layer['direction']))}")
        at = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 12, "yref": "y", "showarrow": False}
        return {**at, "y": plain(layer["name"]), "text": f"<b>{text}</b>" if layer["name"] == FUSED else text}


def _size(layer: Document) -> float:
    """By weight, so that its area is the weight; a silent layer weighs nothing and is still seen."""
    if layer["weight"] is None:
        return FUSED_PX
    return LIGHT_PX * (layer["weight"] if layer["weight"] > 0 else 1) ** 0.5
