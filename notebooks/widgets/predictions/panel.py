"""AI versus market: the track record on resolved markets, and the open markets where the two disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget

from notebooks.widgets import frames
from notebooks.widgets.base.chart_panel import selected
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.wording import BOOKS, Document, book_of, call_cost
from notebooks.widgets.predictions import open_markets, track_record
from notebooks.widgets.predictions.track_record import decomposition

VIEWS = {"track record": "record", "open markets": "open"}
ASSETS, CATEGORIES = {"all assets": open_markets.NO_FILTER}, {"all categories": open_markets.NO_FILTER}
# The axes by number: three charts of the track record, and the open markets over the whole figure.
DOMAINS = {"": ([0, 0.44], [0, 1]), "2": ([0.56, 1], [0.45, 1]), "3": ([0.56, 1], [0, 0.22]), "4": ([0, 1], [0, 1])}
# On a narrow page the charts of the track record are below each other.
NARROW_PX = 980
NARROW_DOMAINS = {"": [0.66, 1], "2": [0.31, 0.54], "3": [0, 0.14]}
OPEN_AXES = "4"


class PredictionsPanel(RefreshingPanel):
    """The track record of the AI against external markets, and both probabilities of the open markets."""

    TITLE = "AI versus market"
    FILE = "ninefold-predictions"
    EVERY_S = 900  # a refresh of the open markets uses one of the key's daily calls

    def controls(self) -> Iterable[Widget]:
        self.view = ToggleButtons(options=VIEWS, value="record", style={"button_width": "120px"})
        self.book = ToggleButtons(options=BOOKS, value=True, style={"button_width": "90px"})
        self.asset = Dropdown(options=ASSETS, layout=Layout(width="110px", display="none"), tooltip="asset")
        self.category = Dropdown(options=CATEGORIES, layout=Layout(width="130px", display="none"), tooltip="category")
        self.view.observe(self._change_view, "value")
        for control in (self.book, self.asset, self.category):
            control.observe(self.redraw, "value")
        return self.view, self.book, self.asset, self.category

    def new_figure(self) -> Figure:
        figure = Figure()
        self.record = track_record.TrackRecordTraces(figure)
        self.markets = open_markets.OpenMarketTraces(figure, self.pick)
        self.selection: str | None = None
        for number, (x, y) in DOMAINS.items():
            figure.layout[f"xaxis{number}"] = {"domain": x, "anchor": f"y{number}"}
            figure.layout[f"yaxis{number}"] = {"domain": y, "anchor": f"x{number}"}
        percentages = {"ticksuffix": "%", "range": [0, 100]}
        figure.update_layout(
            height=600,
            hovermode="closest",
            margin={"t": 120, "r": 30},
            # The fourth chart lies over the others: with a background of its own it would hide them.
            plot_bgcolor="rgba(0,0,0,0)",
            xaxis={"ticksuffix": "%", "title": "forecast P(YES)"},
            yaxis={"ticksuffix": "%", "title": "observed YES"},
            xaxis3={"title": "negative: the AI is better", "zeroline": True, "rangemode": "tozero"},
            yaxis3={"visible": False, "range": [-1, 1], "fixedrange": True},
            xaxis4={**percentages, "title": "P(YES) of the market"},
            yaxis4={**percentages, "title": "P(YES) of the AI"},
            legend={"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0},
        )
        return figure

    def fetch(self) -> dict[str, Document | None]:
        record = self.client.ai_vs_market()
        if self.document is None:
            self.book.value = not book_of(record, backfilled=False)["n"]
        last = self.document or {"open": None, "usage": None}
        if self.view.value != "open":
            return {**last, "record": record}
        markets = self.client.predictions()
        self._offer_filters(markets)
        return {"record": record, "open": markets, "usage": self.client.usage()}

    def header(self, document: dict[str, Document]) -> Document:
        return document["open"] if self._shows_open(document) else document["record"]

    def note(self, document: dict[str, Document]) -> str | None:
        return call_cost(document["usage"]) if self._shows_open(document) else None

    def empty_reason(self, document: dict[str, Document]) -> str | None:
        if not self._shows_open(document):
            notice = "Loading the open markets …" if self.view.value == "open" else None
            return notice or track_record.shortage(self._book(document))
        if document["open"]["markets"]:
            return None
        return "No market is open. New markets open daily at 12:00 UTC."

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        if self._shows_open(document):
            markets = frames.markets(document["open"])
            ids = [market["id"] for market in self._open_markets(document)]
            return markets.loc[markets.index.isin(ids)]
        scores = frames.scoreboard(document["record"])
        return scores.xs(self.book.value, level="backfilled", drop_level=False)

    def draw(self, document: dict[str, Document]) -> None:
        shows_open = self._shows_open(document)
        book, layout = self._book(document), self.figure.layout
        numbers = [OPEN_AXES] if shows_open else track_record.charts(book)
        for number in DOMAINS:
            layout[f"xaxis{number}"].visible = number in numbers
            layout[f"yaxis{number}"].visible = number in numbers and number != "3"
        self.record.draw(book, self.palette)
        markets = self._open_markets(document) if shows_open else []
        self.markets.draw(markets, self.palette)
        # Once per trace: inside `changing` plotly ignores the second change of a property.
        for trace in self.record.traces:
            trace.visible = not shows_open and bool(numbers)
        self.markets.diagonal.visible = shows_open
        for trace in (self.record.diagonal, self.record.coin_flip, self.markets.diagonal):
            trace.update(line={"color": self.palette.quiet})
        layout["xaxis"].range, layout["yaxis"].range = track_record.reliability_ranges(book)
        self.detail.value = self._market_facts(document) if shows_open else decomposition(book)
        layout.showlegend = shows_open
        layout.meta = None if shows_open else {"narrow": _narrow()}
        layout.annotations = [] if shows_open else track_record.headings(book)
        layout.title = self._open_title(document, markets) if shows_open else self._record_title(document, book)

    def pick(self, market_id: str) -> None:
        """Show the facts of an open market below the chart, also for each new document."""
        with self._lock:
            self.selection = market_id
            self.detail.value = self._market_facts(self.document)

    def _market_facts(self, document: Document) -> str:
        """The facts of the selected market while it is open."""
        markets = [market for market in document["open"]["markets"] if market["id"] == self.selection]
        return "".join(map(open_markets.facts, markets))

    def _shows_open(self, document: Mapping[str, Any]) -> bool:
        return self.view.value == "open" and document["open"] is not None

    def _open_title(self, document: Document, markets: list[Document]) -> dict[str, Any]:
        text = open_markets.subtitle(document["open"], markets)
        return {"text": open_markets.title(markets), "subtitle": {"text": text}}

    def _record_title(self, document: Document, book: Document) -> dict[str, Any]:
        text = track_record.subtitle(document["record"], book, self.palette)
        return {"text": track_record.title(book), "subtitle": {"text": text}}

    def _book(self, document: Document) -> Document:
        return book_of(document["record"], selected(self.book, bool))

    def _open_markets(self, document: Document) -> list[Document]:
        return open_markets.filtered(document["open"], selected(self.asset, str), selected(self.category, str))

    def _change_view(self, change: Mapping[str, Any]) -> None:
        shows_open = change["new"] == "open"
        self.book.layout.display = "none" if shows_open else None
        self.asset.layout.display = self.category.layout.display = None if shows_open else "none"
        self.selection = None
        self.redraw()
        if shows_open and self.document and self.document["open"] is None:
            self.request_refresh()

    def _offer_filters(self, document: Document) -> None:
        """Offer the assets and categories of the open markets, and keep a selection that is still among them."""
        for control, field, defaults in ((self.asset, "asset", ASSETS), (self.category, "category", CATEGORIES)):
            selection, names = control.value, sorted({market[field] for market in document["markets"]})
            control.options = {**defaults, **{name: name for name in names}}
            control.value = selection if selection in names else open_markets.NO_FILTER


def _narrow() -> dict[str, Any]:
    """The height and the axes of the track record on a narrow page."""
    axes: dict[str, Any] = {f"yaxis{number}": {"domain": domain} for number, domain in NARROW_DOMAINS.items()}
    return {"height": NARROW_PX, **axes, **{f"xaxis{number}": {"domain": [0, 1]} for number in NARROW_DOMAINS}}
