"""The strategies by what they made, beside buying and holding and a coin; a click draws one's equity below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.curves import End, instants, labels
from notebooks.widgets.figure import Figure
from notebooks.widgets.panel import Panel
from notebooks.widgets.ranking import METRICS, coloured, legend, ranked, said, verdict
from notebooks.widgets.strategy_facts import facts
from notebooks.widgets.wording import plain, price, world

Document = Mapping[str, Any]

ASSETS = {"all assets": "", **{asset: asset for asset in ("btc", "eth", "sol", "bnb", "gold", "silver")}}
PARTS = {"top 15": slice(15), "bottom 15": slice(-15, None), "all": slice(None)}
ROW_PX, CURVES_PX, BETWEEN_PX, TOP_PX, BOTTOM_PX = 21, 230, 70, 160, 40
HOVER = (
    "rank %{customdata[0]}: %{customdata[1]} (%{customdata[2]})<br>gain %{customdata[3]}, Sharpe ratio %{customdata[4]}"
    "<br>deepest fall %{customdata[5]}, won %{customdata[6]} of %{customdata[7]} trades<extra></extra>"
)


class LeaderboardPanel(Panel):
    """Which strategies do better than doing nothing clever, and how one of them came there."""

    TITLE = "the leaderboard of strategies"
    FILE = "ninefold-leaderboard"
    EVERY_S = 900  # a look costs a call of the key's day; a click on a strategy does not

    def controls(self) -> Iterable[Widget]:
        self.asset = Dropdown(options=ASSETS, layout=Layout(width="110px"), tooltip="which accounts")
        self.metric = Dropdown(options={METRICS[name].label: name for name in METRICS}, layout=Layout(width="130px"))
        self.part = ToggleButtons(options=list(PARTS), value="top 15", style={"button_width": "92px"})
        self.asset.observe(self.want, "value")
        for control in (self.metric, self.part):
            control.observe(lambda _change: self.redraw(), "value")
        return self.asset, self.metric, self.part

    def figure_of(self) -> Figure:
        figure = Figure(make_subplots(rows=2, specs=[[{"secondary_y": True}], [{}]]))
        figure.add_bar(row=1, col=1, orientation="h", hovertemplate=HOVER)
        told = "%{meta}: %{y:,.0f} USD<br>%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"
        lines = {"mode": "lines", "line": {"dash": "dot"}, "hovertemplate": "%{text}<extra></extra>"}
        figure.add_scatter(row=1, col=1, secondary_y=True, **lines)
        figure.add_scatter(row=2, col=1, mode="lines", hovertemplate=told, line={"width": 2})
        figure.add_scatter(row=2, col=1, mode="lines", hovertemplate=told, line={"width": 1.5, "dash": "dot"})
        figure.update_layout(showlegend=False, hovermode="closest", bargap=0.3)
        figure.update_layout(margin={"t": TOP_PX, "b": BOTTOM_PX, "r": 150})
        figure.update_xaxes(domain=[0, 1])
        figure.update_yaxes(row=1, col=1, showgrid=False, zeroline=False)
        figure.update_yaxes(row=1, col=1, secondary_y=True, side="right")
        figure.update_yaxes(row=2, col=1, title={"text": "USD", "font": {"size": 13}})
        self._bars, self._ghosts, self._equity, self._held = figure.data
        self._bars.on_click(self._clicked)
        self.picked: str | None = None
        self._only_strategy = False
        return figure

    def fetch(self) -> dict[str, Document]:
        """The board, what is left of the key's day and one strategy, at first the leader."""
        drawn, only_strategy, self._only_strategy = self.document, self._only_strategy, False
        if only_strategy and drawn and drawn["board"]["asset"] == (self.asset.value or None):
            return {**drawn, "strategy": self.client.strategy(self.picked)}
        board = self.client.leaderboard(self.asset.value or None)
        key = self.picked or board["entries"][0]["key"]
        return {"board": board, "usage": self.client.usage(), "strategy": self.client.strategy(key)}

    def told(self, document: dict[str, Document]) -> Document:
        return document["board"]

    def noted(self, document: dict[str, Document]) -> str:
        return price(document["usage"])

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        return frames.leaderboard(document["board"])

    def draw(self, document: dict[str, Document]) -> None:
        board, metric = document["board"], self.metric.value
        rows = self._shown(board)
        colours = coloured(board["entries"], self.look)
        self._bars.update(
            x=[row[metric] for row in rows],
            y=list(range(len(rows))),
            customdata=[_hovered(row) for row in rows],
            marker={"color": [colours[row["category"]] for row in rows], "line": {"width": 0}},
        )
        ghosts = [ghost for ghost in board["ghosts"] if ghost[metric] is not None]
        self._haunt(ghosts, len(rows))
        curves = self._trace(document["strategy"])
        self.figure.layout.annotations = [*legend(colours, len(ghosts)), *self._ghost_labels(ghosts), *curves]
        self._name(rows, document["strategy"]["key"])
        self._lay_out(len(rows))
        self._entitle(document)
        self.detail.value = facts(document["strategy"])

    def pick(self, key: str) -> None:
        """Draw one strategy below and tell its facts, from now on of each document; costs no call of the key's day."""
        self.picked, self._only_strategy = key, True
        self.want()

    def _clicked(self, _trace: Any, points: Any, _state: Any) -> None:
        with self._lock:
            for place in points.point_inds[:1]:
                self.pick(self._shown(self.document["board"])[place]["key"])

    def _shown(self, board: Document) -> list[Document]:
        return ranked(board["entries"], self.metric.value)[PARTS[self.part.value]]

    def _haunt(self, ghosts: list[Document], rows: int) -> None:
        """A line across all rows for each ghost; they stand in one curve with gaps."""
        metric = self.metric.value
        told = [f"{plain(ghost['name'])}: {said(ghost[metric], metric)}" for ghost in ghosts]
        self._ghosts.update(
            x=[value for ghost in ghosts for value in (ghost[metric], ghost[metric], None)],
            y=[value for _ghost in ghosts for value in (-0.6, rows - 0.4, None)],
            text=[value for text in told for value in (text, text, None)],
            line={"color": self.look.ink},
        )

    def _ghost_labels(self, ghosts: list[Document]) -> list[dict[str, Any]]:
        """Above the rows, each on a line of its own: two ghosts may lie close together."""
        metric = self.metric.value
        common = {"xref": "x", "yref": "y domain", "y": 1, "yanchor": "bottom", "showarrow": False}
        return [
            {
                **common,
                "x": ghost[metric],
                "yshift": 18 * place,
                "text": f"{plain(ghost['name'])} {said(ghost[metric], metric)}",
            }
            for place, ghost in enumerate(ghosts)
        ]

    def _trace(self, strategy: Document) -> list[dict[str, Any]]:
        """Draw what a strategy was worth; gives the labels of its curves."""
        points, name = strategy["equity"], plain(strategy["name"])
        times, ends = instants(points), []
        curves = ((self._equity, "equity_usd", "the strategy", 0), (self._held, "benchmark_usd", "buy and hold", None))
        for trace, field, label, place in curves:
            colour = self.look.ink if place is None else self.look.colour(place)
            worth = [point[field] for point in points]
            trace.update(x=times, y=worth, meta=label, line={"color": colour})
            ends += [End(worth[-1], f"{worth[-1]:,.0f} USD<br>{label}", colour)] if worth else []
        values = [point[field] for point in points for field in ("equity_usd", "benchmark_usd")]
        apart = (max(values) - min(values)) / 4 if values else 1
        head = {"xref": "paper", "x": 0, "yref": "y3 domain", "y": 1, "yanchor": "bottom", "showarrow": False}
        text = f"<b>{name}</b> · all its assets together, from {strategy['started_at'][:10]} on, PAPER"
        return [
            {**head, "text": text, "yshift": 6},
            *({**label, "align": "left"} for label in labels(ends, apart=apart, axes="3")),
        ]

    def _name(self, rows: list[Document], drawn: str) -> None:
        """Names on the left, the one that is drawn below in bold; values on the right, where no line crosses them."""
        names = [f"{plain(row['name'])}  {row['rank']}" for row in rows]
        names = [f"<b>{name}</b>" if row["key"] == drawn else name for name, row in zip(names, rows, strict=True)]
        axis = {"tickvals": list(range(len(rows))), "range": [len(rows) - 0.4, -0.6]}
        values = [said(row[self.metric.value], self.metric.value) for row in rows]
        self.figure.layout.yaxis.update(axis, ticktext=names)
        self.figure.layout.yaxis2.update(axis, ticktext=values)

    def _lay_out(self, rows: int) -> None:
        """Give every row its height whether there are fifteen or all."""
        inner = rows * ROW_PX + BETWEEN_PX + CURVES_PX
        layout = self.figure.layout
        layout.height = inner + TOP_PX + BOTTOM_PX
        layout.yaxis.domain = [1 - rows * ROW_PX / inner, 1]
        layout.yaxis3.domain = [0, CURVES_PX / inner]
        layout.xaxis.ticksuffix = METRICS[self.metric.value].unit

    def _entitle(self, document: dict[str, Document]) -> None:
        board = document["board"]
        where = f"in {plain(board['asset'])} alone" if board["asset"] else "over all assets"
        many = len(board["entries"])
        n = f"n = {many}, {self.part.value}"
        told = f"PAPER · {plain(world(board))} · {where} · {n} · beside a name: its rank by gain · times UTC"
        luck = f"The best of {many} looks good by luck alone: measure it by the dotted lines."
        self.figure.layout.title = {
            "text": verdict(board, self.metric.value),
            "subtitle": {"text": f"{told}<br>{luck}"},
        }


def _hovered(row: Document) -> list[Any]:
    numbers = [said(row[name], name) for name in ("pnl_pct", "sharpe", "max_drawdown_pct", "win_rate_pct")]
    return [row["rank"], plain(row["name"]), plain(row["category"]), *numbers, row["trades"]]
