"""The health of the strategies at the end of a month; a click shows the facts of a strategy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from statistics import median
from zlib import crc32

import pandas as pd
from ipywidgets import Dropdown, Layout, Widget
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.base.curves import INSIDE
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import LEGEND_GAP, Document, escaped, unbroken, world

# Index of the colour, symbol in the chart and symbol in the legend; from healthy to ill.
STATUSES = {
    "healthy": (2, "circle", "●"),
    "watch": (5, "triangle-up", "▲"),
    "sick": (1, "square", "■"),
    "critical": (4, "x", "✖"),
    "observation": (3, "diamond-open", "◇"),
}
UNKNOWN = ("star", "★")
ABOVE_PX = 26  # from the middle of a row to its name on a narrow page
JITTER = 0.6  # part of the height of a row within which marks of similar health are spread
HOVER = "%{customdata[0]}<br>%{customdata[1]}, score %{x:.1f}<br>recommended: %{customdata[2]}<extra></extra>"
LOWER_IS_BETTER = {"max_drawdown_pct", "trades_a_month"}
MEASURES = {
    "return_pct": "return over the window, %",
    "benchmark_return_pct": "buy and hold over the window, %",
    "month_return_pct": "return over the month, %",
    "sharpe": "annualized Sharpe ratio",
    "sharpe_low": "lower end of its 95% interval",
    "sharpe_high": "upper end of its 95% interval",
    "shrunken_sharpe": "Sharpe ratio drawn to its class",
    "trades_a_month": "trades a month in each asset",
    "max_drawdown_pct": "maximum drawdown, %",
    "win_rate_pct": "win rate, %",
    "profit_factor": "profit factor",
    "deflated_sharpe": "probability that it is better than luck",
    "turnover_score": "left of a year of trading costs, 0 to 1",
    "sharpe_score": "probability that the Sharpe ratio is above 0",
    "drawdown_score": "share of chance drawdowns that are deeper, 0 to 1",
}


class HospitalPanel(RefreshingPanel):
    """The health of each strategy at the end of a month, and the recommendations."""

    TITLE = "the strategy hospital"
    FILE = "ninefold-hospital"
    EVERY_S = 300

    def controls(self) -> Iterable[Widget]:
        self.month = Dropdown(options={"last month": ""}, layout=Layout(width="120px"), tooltip="month")
        statuses = {"all statuses": "", **{status: status for status in STATUSES}}
        self.status = Dropdown(options=statuses, layout=Layout(width="120px"), tooltip="status")
        self.month.observe(self.request_refresh, "value")
        self.status.observe(self.redraw, "value")
        return self.month, self.status

    def new_figure(self) -> Figure:
        figure = Figure(make_subplots(rows=2, row_heights=[0.06, 0.94], vertical_spacing=0.05))
        hover = "%{customdata}: %{x}<extra></extra>"
        self._counts = figure.new_bar(row=1, col=1, orientation="h", hovertemplate=hover)
        self._medians = figure.new_scatter(
            row=2,
            col=1,
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 34, "line": {"width": 3}},
            hoverinfo="skip",  # the tick lies over marks, whose names the reader looks for
        )
        self.changes = figure.new_scatter(row=2, col=1, mode="lines", hoverinfo="skip", line={"width": 1.5})
        self.marks = figure.new_scatter(row=2, col=1, mode="markers", hovertemplate=HOVER)
        figure.update_layout(height=680, showlegend=False, hovermode="closest", margin={"r": 30, "t": 116})
        figure.update_xaxes(row=1, col=1, visible=False)
        figure.update_yaxes(row=1, col=1, visible=False)
        figure.update_xaxes(row=2, col=1, range=[-2, 102], title="health score, 0 to 100")
        figure.update_yaxes(row=2, col=1, autorange="reversed", zeroline=False)
        figure.on_pick(self.marks, self.pick)
        self.months: dict[str, Document] = {}
        self.selection: str | None = None
        return figure

    def fetch(self) -> Document:
        return self.client.hospital(self.month.value or None)

    def header(self, document: Document) -> Document:
        """The document; a past month is final and does not become stale."""
        if document["snapshot_month"] < max(self.months, default=""):
            return {**document, "stale_after": None}
        return document

    def empty_reason(self, document: Document) -> str | None:
        month = document["snapshot_month"]
        if not document["strategies"]:
            return f"No strategy was examined in {month}. The next examination is at the end of the month."
        if not self._shown(document):
            return f"No strategy has the status {self.status.value} in {month}."
        return None

    def frame(self, document: Document) -> pd.DataFrame:
        return frames.hospital(document)

    def draw(self, document: Document) -> None:
        self.months[document["snapshot_month"]] = document
        self._offer_months(document)
        counts = Counter(strategy["status"] for strategy in document["strategies"])
        categories = self._draw_categories(document["strategies"])
        self._draw_counts({status: counts[status] for status in [*STATUSES, *counts] if counts[status]})
        self._draw_marks(self._shown(document), categories)
        self.figure.layout.title = self._title(document, counts)
        if self.selection:
            self.pick(self.selection)

    def pick(self, key: str) -> None:
        """Show the facts of a strategy below the chart, also for each month viewed from now on."""
        with self._lock:
            self.selection = key
            self.detail.value = facts(self.document, self.months, key)

    def _shown(self, document: Document) -> list[Document]:
        return [strategy for strategy in document["strategies"] if self.status.value in ("", strategy["status"])]

    def _offer_months(self, document: Document) -> None:
        """Offer all months seen so far, the newest first, and keep the selection."""
        months = sorted({*document["links"]["months"], *(self.month.options.values())} - {""}, reverse=True)
        options = {"last month": "", **{month: month for month in months}}
        if options != self.month.options:
            selection = self.month.value
            self.month.options = options
            self.month.value = selection

    def _draw_categories(self, strategies: list[Document]) -> list[str]:
        """Draw a row per category with its median, the healthiest on top, and return the categories in that order."""
        scores: dict[str, list[float]] = {}
        for strategy in strategies:
            scores.setdefault(strategy["category"], []).append(strategy["health_score"])
        categories = sorted(scores, key=lambda category: -median(scores[category]))
        rows = list(range(len(categories)))
        self._medians.update(
            x=[median(scores[category]) for category in categories],
            y=rows,
            marker={"color": self.palette.ink},
        )
        labels = [
            f"{escaped(category)} · {len(scores[category])}<br>median {median(scores[category]):.0f}"
            for category in categories
        ]
        above = {**INSIDE, "ticklabelshift": ABOVE_PX}
        in_line = [label.replace("<br>", ", ") for label in labels]
        narrow = {"yaxis2": {**above, "ticktext": in_line}, "xaxis2": {"dtick": 50}}
        self.figure.update_layout(yaxis2={"tickvals": rows, "ticktext": labels}, meta={"narrow": narrow})
        return categories

    def _draw_counts(self, counts: Mapping[str, int]) -> None:
        ends = list(accumulate(counts.values()))
        marks = {status: _mark(self.palette, status) for status in counts}
        self._counts.update(
            x=list(counts.values()),
            y=[0] * len(counts),
            base=[end - count for end, count in zip(ends, counts.values(), strict=True)],
            customdata=[escaped(status) for status in counts],
            marker={"color": [colour for colour, _symbol, _letter in marks.values()], "line": {"width": 0}},
        )
        legend = [
            f'<span style="color:{colour}">{unbroken(f"{letter} {escaped(status)} {counts[status]}")}</span>'
            for status, (colour, _symbol, letter) in marks.items()
        ]
        place = {"xref": "paper", "x": 0, "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
        self.figure.update_layout(xaxis={"range": [0, ends[-1] if ends else 1]})
        self.figure.layout.annotations = [{**place, "text": LEGEND_GAP.join(legend), "font": {"size": 14}}]

    def _draw_marks(self, strategies: list[Document], categories: list[str]) -> None:
        marks = [_mark(self.palette, strategy["status"]) for strategy in strategies]
        heights = [categories.index(strategy["category"]) + _jitter(strategy["key"]) for strategy in strategies]
        self._draw_changes(strategies, heights)
        self.marks.update(
            x=[strategy["health_score"] for strategy in strategies],
            y=heights,
            ids=[strategy["key"] for strategy in strategies],
            customdata=[
                [escaped(strategy[name]) for name in ("name", "status", "recommendation")] for strategy in strategies
            ],
            marker={
                "size": 11,
                "opacity": 0.85,
                "color": [colour for colour, _symbol, _letter in marks],
                "symbol": [symbol for _colour, symbol, _letter in marks],
            },
        )

    def _draw_changes(self, strategies: list[Document], heights: list[float]) -> None:
        """Draw a line from the score of each strategy a month before to its mark; one trace with gaps holds them all.

        The line of a strategy that was not examined then has no length.
        """
        scores = [strategy["health_score"] for strategy in strategies]
        before = [strategy["metrics"]["previous_score"] for strategy in strategies]
        self.changes.update(
            x=[
                x
                for last, score in zip(before, scores, strict=True)
                for x in (score if last is None else last, score, None)
            ],
            y=[y for height in heights for y in (height, height, None)],
            line={"color": self.palette.quiet},
            opacity=0.45,
        )

    def _title(self, document: Document, counts: Mapping[str, int]) -> dict[str, object]:
        summary, total = document["summary"], len(document["strategies"])
        advice = Counter(strategy["recommendation"] for strategy in document["strategies"]).most_common()
        changes = ", ".join(f"{escaped(action)} {count}" for action, count in advice if action != "keep")
        filter_note = f" · shown: {self.status.value}" if self.status.value else ""
        n = f"n = {total}, equivalent to {summary['effective_strategies']:.1f} independent strategies"
        month = f"month {escaped(document['snapshot_month'])}, UTC"
        return {
            "text": f"{counts['critical']} of {total} critical, {counts['healthy']} healthy; "
            f"recommended: {changes or 'keep all'}",
            "subtitle": {
                "text": f"PAPER · {escaped(world(document))} · {month} · {n}<br>tick: median · "
                f"line: from the month before{filter_note}<br>{escaped(summary['caveat'])}"
            },
        }


def _mark(palette: Palette, status: str) -> tuple[str, str, str]:
    """The colour, the symbol and the letter of a status; an unknown status stands out."""
    if status not in STATUSES:
        return palette.alarm, *UNKNOWN
    index, symbol, letter = STATUSES[status]
    return palette.colour(index), symbol, letter


def _jitter(key: str) -> float:
    """The offset of a mark from the middle of its row, always the same for a strategy."""
    return JITTER * (crc32(key.encode()) / 2**32 - 0.5)


def facts(document: Document, months: Mapping[str, Document], key: str) -> str:
    """The state of a strategy, its measures among those of all, and its scores in the months viewed, as HTML."""
    strategy = _strategy(document, key)
    if strategy is None:
        return table(key, [Fact("status", f"not examined in {document['snapshot_month']}")])
    return _state(document, strategy) + _measures(document["strategies"], strategy) + _history(months, key)


def _state(document: Document, strategy: Document) -> str:
    metrics = strategy["metrics"]
    return table(
        f"{strategy['name']}, {document['snapshot_month']} (paper)",
        [
            Fact("recommendation", strategy["recommendation"]),
            Fact("status", strategy["status"]),
            Fact("status one month before", metrics["previous_status"]),
            Fact("health score", strategy["health_score"]),
            Fact("change in one month", metrics["score_change"], is_change=True),
            Fact("category", strategy["category"]),
            Fact("assets", ", ".join(strategy["assets"])),
            Fact("days in the window", metrics["days"]),
            Fact("closed trades in the window", metrics["trades"]),
        ],
    )


def _measures(strategies: list[Document], strategy: Document) -> str:
    rows = []
    for name, label in MEASURES.items():
        if name not in strategy["metrics"]:
            continue  # a month that an earlier version of the service examined
        values = [other["metrics"][name] for other in strategies if other["metrics"][name] is not None]
        weakest, best = (min(values), max(values)) if values else (None, None)
        if name in LOWER_IS_BETTER:
            weakest, best = best, weakest
        rows.append([label, strategy["metrics"][name], weakest, median(values) if values else None, best])
    columns = ["", "this strategy", "worst", "median", "best"]
    return grid(f"its measures among all {len(strategies)} strategies", columns, rows)


def _history(months: Mapping[str, Document], key: str) -> str:
    columns = sorted(months)
    strategies = [_strategy(months[month], key) for month in columns]
    scores = ["health score", *(strategy and strategy["health_score"] for strategy in strategies)]
    statuses = ["status", *(strategy and strategy["status"] for strategy in strategies)]
    return grid("the months viewed", ["", *columns], [scores, statuses])


def _strategy(document: Document, key: str) -> Document | None:
    return next((strategy for strategy in document["strategies"] if strategy["key"] == key), None)
