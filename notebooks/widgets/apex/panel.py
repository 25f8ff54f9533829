"""Apex: its call for the next day of bitcoin with the eight layers behind it, and the paper fund that follows it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.apex.facts import hover, label, layer_facts, layers_of, subtitle, title, trade_facts
from notebooks.widgets.apex.fund import FundTraces
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.probability_rows import EVEN, category_axis, direction_mark, draw_stems, row_label
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.wording import Document, escaped

NARROWEST = 10.0  # percentage points on either side of 50%: a narrower axis would magnify noise
MARK_PX, FUSED_PX = 13, 18


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
                "x0": EVEN,
                "x1": EVEN,
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
        percentages = [EVEN if layer["p_up"] is None else 100 * layer["p_up"] for layer in layers]
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
        reach = max(NARROWEST, 1.1 * max(abs(percentage - EVEN) for percentage in percentages))
        self.figure.update_layout(xaxis={"range": [EVEN - reach, EVEN + reach]}, yaxis=category_axis(names))


def _size(layer: Document) -> float:
    """The size of a mark: its area is the weight; a silent layer has no weight and still has a mark."""
    if layer["weight"] is None:
        return FUSED_PX
    return MARK_PX * (layer["weight"] if layer["weight"] > 0 else 1) ** 0.5
