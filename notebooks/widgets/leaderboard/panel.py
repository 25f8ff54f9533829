"""The strategies by rank, beside buy and hold and a coin flip; a click draws the equity of a strategy below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.base.chart_panel import selected
from notebooks.widgets.base.curves import INSIDE, CurveEnd, instants, labels, values
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import (
    LEGEND_GAP,
    Document,
    call_cost,
    escaped,
    minute,
    moment,
    number,
    shortened,
    unbroken,
    world,
)
from service.client import ASSETS

NORMAL_95 = 1.959964  # two-sided 95% of a normal distribution
SCOPES = {"all assets": "", **{asset: asset for asset in ASSETS}}
PARTS = {"top 15": slice(15), "bottom 15": slice(-15, None), "all strategies": slice(None)}
ROW_PX, CURVES_PX, BETWEEN_PX, TOP_PX, BOTTOM_PX = 21, 230, 90, 160, 40
RIGHT_END = 0.75  # of the horizontal axis
NARROW_ROW_PX = 38  # on a narrow page a name stands above its bar
LONGEST_NAME, NARROW_NAME = 60, 13  # characters of a name, also on a narrow page
HOVER = (
    "rank %{customdata[0]}: %{customdata[1]} (%{customdata[2]})<br>gain %{customdata[3]}, Sharpe ratio %{customdata[4]}"
    "<br>maximum drawdown %{customdata[5]}, win rate %{customdata[6]}, %{customdata[7]} trades<extra></extra>"
)
LATEST = 8  # closed trades shown
DAYS_A_YEAR = 365  # as in the Sharpe ratios of the service
SHARPE = "sharpe"
CATEGORIES = ("trend", "momentum", "reversion", "breakout", "volatility", "volume")
GREY_CATEGORY = "relative"  # the seventh category; the palette has six colours
YARDSTICKS = ("buy_and_hold", "coin_flip")  # buy and hold has no trades, so a win rate is compared with a coin flip


class LeaderboardPanel(RefreshingPanel):
    """Which strategies beat the ghosts, and the equity of one strategy."""

    TITLE = "the strategy leaderboard"
    FILE = "ninefold-leaderboard"
    EVERY_S = 900  # a refresh uses one of the key's daily calls; a click on a strategy does not

    def controls(self) -> Iterable[Widget]:
        self.asset = Dropdown(options=SCOPES, layout=Layout(width="110px"), tooltip="asset")
        metrics = {metric.label: name for name, metric in METRICS.items()}
        self.metric = Dropdown(options=metrics, layout=Layout(width="150px"), tooltip="metric")
        self.part = ToggleButtons(options=list(PARTS), value="top 15", style={"button_width": "108px"})
        self.asset.observe(self.request_refresh, "value")
        for control in (self.metric, self.part):
            control.observe(self.redraw, "value")
        return self.asset, self.metric, self.part

    def new_figure(self) -> Figure:
        figure = Figure(make_subplots(rows=2, specs=[[{"secondary_y": True}], [{}]]))
        self.bars = figure.new_bar(row=1, col=1, orientation="h", hovertemplate=HOVER)
        dots = {"mode": "lines", "line": {"dash": "dot"}, "hovertemplate": "%{text}<extra></extra>"}
        self._ghosts = figure.new_scatter(row=1, col=1, secondary_y=True, **dots)
        curve = {"mode": "lines", "hovertemplate": "%{meta}: %{y:,.0f} USD<br>%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"}
        self._equity = figure.new_scatter(row=2, col=1, line={"width": 2}, **curve)
        self._benchmark = figure.new_scatter(row=2, col=1, line={"width": 1.5, "dash": "dot"}, **curve)
        figure.update_layout(showlegend=False, hovermode="closest", bargap=0.3)
        figure.update_layout(margin={"t": TOP_PX, "b": BOTTOM_PX, "r": 110})
        figure.update_xaxes(domain=[0, 1])
        figure.update_yaxes(row=1, col=1, showgrid=False, zeroline=False)
        figure.update_yaxes(row=1, col=1, secondary_y=True, side="right")
        figure.update_yaxes(row=2, col=1, title={"text": "USD", "font": {"size": 13}})
        figure.on_pick(self.bars, self.pick)
        self.selection: str | None = None
        self._only_strategy = False
        return figure

    def fetch(self) -> dict[str, Document]:
        """The board, the quota of the key, and the selected strategy: at first the leader."""
        document, only_strategy, self._only_strategy = self.document, self._only_strategy, False
        asset = self.asset.value or None
        if only_strategy and self.selection and document and document["board"]["asset"] == asset:
            return {**document, "strategy": self.client.strategy(self.selection)}
        board = self.client.leaderboard(asset)
        key = self.selection or board["entries"][0]["key"]
        return {"board": board, "usage": self.client.usage(), "strategy": self.client.strategy(key)}

    def header(self, document: dict[str, Document]) -> Document:
        return document["board"]

    def note(self, document: dict[str, Document]) -> str:
        return call_cost(document["usage"])

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        return frames.leaderboard(document["board"])

    def draw(self, document: dict[str, Document]) -> None:
        board, strategy, metric = document["board"], document["strategy"], selected(self.metric, str)
        part = selected(self.part, str)
        rows = ranked(board["entries"], metric)[PARTS[part]]
        ghosts = [ghost for ghost in board["ghosts"] if ghost[metric] is not None]
        years = years_of(strategy)
        shows_luck = metric == SHARPE
        if shows_luck:
            ghosts.append(coin_flippers(len(board["entries"]), years))
        colours = category_colours(board["entries"], self.palette)
        self.bars.update(
            x=[row[metric] for row in rows],
            y=list(range(len(rows))),
            ids=[row["key"] for row in rows],
            customdata=[_hover(row) for row in rows],
            marker={"color": [colours[row["category"]] for row in rows], "line": {"width": 0}},
            error_x=whiskers(rows, self.palette) if shows_luck else {"visible": False},
        )
        self._draw_ghosts(ghosts, metric, len(rows))
        curve_labels = self._draw_strategy(strategy)
        layout = self.figure.layout
        layout.annotations = [*legend(colours, len(ghosts)), *_ghost_labels(ghosts, rows, metric), *curve_labels]
        layout.shapes = [usual_range(years, self.palette)] if shows_luck else []
        layout.title = _title(board, metric, part)
        self.figure.update_layout(**_axes(rows, metric, strategy["key"]))
        self.detail.value = facts(strategy, board)

    def pick(self, key: str) -> None:
        """Draw a strategy below and show its facts, also for each new document; free of charge."""
        with self._lock:
            self.selection, self._only_strategy = key, True
            self.request_refresh()

    def _draw_ghosts(self, ghosts: list[Document], metric: str, rows: int) -> None:
        """Draw a line across all rows for each ghost; one trace with gaps holds them all."""
        texts = [f"{escaped(ghost['name'])}: {formatted(ghost[metric], metric)}" for ghost in ghosts]
        self._ghosts.update(
            x=[value for ghost in ghosts for value in (ghost[metric], ghost[metric], None)],
            y=[value for _ghost in ghosts for value in (-0.6, rows - 0.4, None)],
            text=[value for text in texts for value in (text, text, None)],
            line={"color": self.palette.ink},
        )

    def _draw_strategy(self, strategy: Document) -> list[dict[str, Any]]:
        """Draw the equity of a strategy and of its benchmark, and return their labels."""
        points = strategy["equity"]
        equity, benchmark = values(points), values(points, "benchmark_usd")
        curves = (
            (self._equity, equity, "the strategy", self.palette.colour(0)),
            (self._benchmark, benchmark, "buy and hold", self.palette.ink),
        )
        ends, times = [], instants(points)
        for trace, usd, label, colour in curves:
            trace.update(x=times, y=usd, meta=label, line={"color": colour})
            ends += [CurveEnd(usd[-1], f"{usd[-1]:,.0f} USD<br>{label}", colour)] if points else []
        heights = np.append(equity, benchmark)
        place = {"xref": "paper", "x": 0, "yref": "y3 domain", "y": 1, "yanchor": "bottom", "showarrow": False}
        heading = f"<b>{escaped(strategy['name'])}</b> · PAPER, all its assets, as of {minute(strategy['as_of'])}"
        return [
            {**place, "text": heading, "yshift": 6},
            *({**label, "align": "left"} for label in labels(ends, heights, gap=0.22, axes="3")),
        ]


def _ghost_labels(ghosts: list[Document], rows: list[Document], metric: str) -> list[dict[str, Any]]:
    """The names of the ghosts above the rows, each on its own line because two ghosts may be close together.

    A name at the right end of the chart stands left of its line, so that no page cuts it.
    """
    common = {"xref": "x", "yref": "y domain", "y": 1, "yanchor": "bottom", "showarrow": False}
    texts = [f"{escaped(ghost['name'])} {formatted(ghost[metric], metric)}" for ghost in ghosts]
    reach = RIGHT_END * max([row[metric] or 0 for row in (*rows, *ghosts)], default=0)
    return [
        {**common, "x": ghost[metric], "yshift": 18 * line, "text": text}
        | ({"xanchor": "right"} if ghost[metric] > reach else {})
        for line, (ghost, text) in enumerate(zip(ghosts, texts, strict=True))
    ]


def _axes(rows: list[Document], metric: str, key: str) -> dict[str, Any]:
    """The axes and the height of the figure: every row has the same height, whether 15 rows are shown or all.

    Names and ranks are on the left, the strategy drawn below in bold; values are on the right, clear of the lines.
    """
    axis = {"tickvals": list(range(len(rows))), "range": [len(rows) - 0.4, -0.6]}
    above = {**INSIDE, "ticklabelshift": 2 * NARROW_ROW_PX // 5}
    narrow, wide = _heights(len(rows), NARROW_ROW_PX), _heights(len(rows), ROW_PX)
    return {
        **wide,
        "xaxis": {"ticksuffix": METRICS[metric].unit},
        "yaxis": {**axis, "ticktext": _row_names(rows, key), **wide["yaxis"]},
        "yaxis2": {**axis, "ticktext": [formatted(row[metric], metric) for row in rows]},
        "meta": {
            "narrow": {
                **narrow,
                "bargap": 0.65,
                "xaxis": {"nticks": 3},
                "yaxis": {**narrow["yaxis"], **above, "ticktext": _row_names(rows, key, NARROW_NAME)},
                "yaxis2": above,
                "yaxis3": {**narrow["yaxis3"], **INSIDE, "title": {"text": ""}},  # its labels state the unit
            }
        },
    }


def _heights(count: int, row_px: int) -> dict[str, Any]:
    """The height of the figure with so many rows, and the parts of it that the rows and the curves take."""
    inner = count * row_px + BETWEEN_PX + CURVES_PX
    rows, curves = [1 - count * row_px / inner, 1], [0, CURVES_PX / inner]
    return {"height": inner + TOP_PX + BOTTOM_PX, "yaxis": {"domain": rows}, "yaxis3": {"domain": curves}}


def _row_names(rows: list[Document], key: str, longest: int = LONGEST_NAME) -> list[str]:
    """The name and the rank of each row, in bold for the strategy that is drawn below."""
    names = [f"{escaped(shortened(row['name'], longest))}  {row['rank']}" for row in rows]
    return [f"<b>{name}</b>" if row["key"] == key else name for name, row in zip(names, rows, strict=True)]


def _title(board: Document, metric: str, part: str) -> dict[str, Any]:
    total = len(board["entries"])
    scope = f"{escaped(board['asset'])} only" if board["asset"] else "all assets"
    details = f"PAPER · {escaped(world(board))} · {scope} · n = {total}, {part} · beside a name: rank by gain · UTC"
    luck = f"The best of {total} looks good by luck alone: compare it with the dotted lines."
    if metric == SHARPE:
        luck += " Grey: 95% of coin flippers. Whiskers: 95% intervals."
    return {"text": verdict(board, metric), "subtitle": {"text": f"{details}<br>{luck}"}}


def _hover(row: Document) -> list[Any]:
    numbers = [formatted(row[name], name) for name in ("pnl_pct", "sharpe", "max_drawdown_pct", "win_rate_pct")]
    return [row["rank"], escaped(row["name"]), escaped(row["category"]), *numbers, row["trades"]]


def facts(strategy: Document, board: Document) -> str:
    """The rule of a strategy, its source, and its track record on paper, also on the asset of the board, as HTML."""
    rule = [
        Fact("rule", strategy["description"]),
        Fact("source", strategy["source"]),
        *(Fact(name, f"{value:g}") for name, value in strategy["parameters"].items()),
        Fact("assets", ", ".join(strategy["assets"])),
    ]
    tables = table(strategy["name"], rule), _asset_record(strategy["key"], board), _track_record(strategy)
    return "".join((*tables, _trades(strategy["recent_trades"])))


def _asset_record(key: str, board: Document) -> str:
    """The row of a strategy on a board of one asset; empty for all assets, and where the board lacks it."""
    row = next((entry for entry in board["entries"] if entry["key"] == key), None)
    if not board["asset"] or row is None:
        return ""
    metrics = [Fact(metric.label, formatted(row[name], name)) for name, metric in METRICS.items()]
    return table(f"{board['asset']} only (paper)", [Fact("rank", row["rank"]), *metrics, Fact("trades", row["trades"])])


def _track_record(strategy: Document) -> str:
    statistics, standing = strategy["statistics"], strategy["standing"]
    return table(
        f"track record over all its assets (paper), as of {minute(strategy['as_of'])}",
        [
            Fact("rank", standing["rank"]),
            Fact("gain", standing["pnl_pct"], "%", is_change=True),
            Fact("buy and hold of the same assets", standing["benchmark_pnl_pct"], "%", is_change=True),
            Fact("annualized Sharpe ratio, 95% interval", _sharpe(standing)),
            Fact("maximum drawdown", standing["max_drawdown_pct"], "%"),
            Fact("closed trades", statistics["count"]),
            Fact("win rate", statistics["win_rate_pct"], "%"),
            Fact("profit factor", statistics["profit_factor"]),
            Fact("mean win", statistics["average_win_usd"], " USD"),
            Fact("mean loss", statistics["average_loss_usd"], " USD"),
            Fact("mean holding time", statistics["average_hours"], " h"),
            Fact("fees", statistics["fees_usd"], " USD"),
            Fact("interest on shorts", statistics["borrow_usd"], " USD"),
        ],
    )


def _sharpe(standing: Document) -> str | None:
    if standing["sharpe"] is None:
        return None
    return f"{standing['sharpe']:.2f}, {standing['sharpe_low']:.2f} to {standing['sharpe_high']:.2f}"


def _trades(trades: list[Document]) -> str:
    rows = [
        [
            minute(trade["opened_at"]),
            minute(trade["closed_at"]),
            trade["side"],
            trade["asset"],
            trade["pnl_pct"],
            trade["pnl_usd"],
        ]
        for trade in trades[:LATEST]
    ]
    return grid("latest closed trades", ["opened", "closed", "side", "asset", "gain, %", "gain, USD"], rows)


def years_of(strategy: Document) -> float:
    """The length of a strategy's record in years, at least a day."""
    days = (moment(strategy["as_of"]) - moment(strategy["started_at"])).total_seconds() / 86_400
    return max(days, 1.0) / DAYS_A_YEAR


def best_by_luck(count: int, years: float) -> float:
    """The median of the best Sharpe ratio among `count` coin flippers: all are below it in half of all histories."""
    return NormalDist().inv_cdf(0.5 ** (1 / count)) / sqrt(years)


def whiskers(rows: list[Document], palette: Palette) -> dict[str, Any]:
    """The error bars of rows with a Sharpe ratio, which may be missing: half of its 95% interval."""
    halves = [0.0 if row[SHARPE] is None else row["sharpe_high"] - row[SHARPE] for row in rows]
    return {"visible": True, "array": halves, "color": palette.ink, "thickness": 1.2, "width": 0}


def coin_flippers(count: int, years: float) -> dict[str, Any]:
    """The best of `count` coin flippers, as a row beside the ghosts of the leaderboard."""
    return {"name": f"Best of {count} coin flippers", SHARPE: best_by_luck(count, years)}


def usual_range(years: float, palette: Palette) -> dict[str, Any]:
    """The shape behind the bars in which 95% of coin flippers lie."""
    half = NORMAL_95 / sqrt(years)
    place = {"type": "rect", "xref": "x", "x0": -half, "x1": half, "yref": "y domain", "y0": 0, "y1": 1}
    return {**place, "layer": "below", "fillcolor": palette.grid, "line": {"width": 0}}


class Metric(NamedTuple):
    """The label and the number format of a metric, and whether a higher value is better."""

    label: str
    form: str
    unit: str = ""
    higher_is_better: bool = True


METRICS = {
    "pnl_pct": Metric("gain", "+.1f", "%"),
    "sharpe": Metric("Sharpe ratio", ".2f"),
    "max_drawdown_pct": Metric("maximum drawdown", ".1f", "%", higher_is_better=False),
    "win_rate_pct": Metric("win rate", ".1f", "%"),
}


def ranked(entries: Sequence[Document], metric: str) -> list[Document]:
    """The entries with the best first; entries without the metric come last."""
    sign = -1 if METRICS[metric].higher_is_better else 1
    return sorted(entries, key=lambda entry: (entry[metric] is None, sign * (entry[metric] or 0), entry["rank"]))


def formatted(value: float | None, metric: str) -> str:
    """A value with its unit; a dash for a missing value."""
    return "–" if value is None else f"{number(value, METRICS[metric].form)}{METRICS[metric].unit}"


def verdict(board: Document, metric: str) -> str:
    """How many strategies beat the first yardstick that has the metric; without a yardstick, the leader."""
    ghosts = {ghost["key"]: ghost for ghost in board["ghosts"] if ghost[metric] is not None}
    yardstick = next((ghosts[key] for key in YARDSTICKS if key in ghosts), None)
    label, entries = METRICS[metric].label, board["entries"]
    if yardstick is None:
        return f"{escaped(ranked(entries, metric)[0]['name'])} leads by {label}"
    better = sum(_beats(entry[metric], yardstick[metric], metric) for entry in entries)
    verb = "beats" if better == 1 else "beat"
    reference = f"{escaped(yardstick['name']).lower()} ({formatted(yardstick[metric], metric)})"
    return f"{better} of {len(entries)} {verb} {reference} by {label}"


def category_colours(entries: Sequence[Document], palette: Palette) -> dict[str, str]:
    """The colour of each category among the entries, in a fixed order; an unknown category stands out."""
    present = dict.fromkeys(entry["category"] for entry in entries)
    colours = {category: palette.colour(index) for index, category in enumerate(CATEGORIES)}
    colours[GREY_CATEGORY] = palette.quiet
    return {category: colours.get(category, palette.alarm) for category in (*colours, *present) if category in present}


def legend(colours: Mapping[str, str], lines: int) -> list[dict[str, Any]]:
    """The categories in their colours, above the chart and the `lines` of labels over it."""
    names = [
        f'<span style="color:{colour}">{unbroken(f"{_symbol(category)} {escaped(category)}")}</span>'
        for category, colour in colours.items()
    ]
    place = {"xref": "paper", "x": 0, "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    return [{**place, "yshift": 18 * lines + 6, "text": LEGEND_GAP.join(names)}]


def _symbol(category: str) -> str:
    return "■" if _is_known(category) else "★"


def _is_known(category: str) -> bool:
    return category in CATEGORIES or category == GREY_CATEGORY


def _beats(value: float | None, other: float, metric: str) -> bool:
    if value is None:
        return False
    return value > other if METRICS[metric].higher_is_better else value < other
