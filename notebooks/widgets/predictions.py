"""AI against market: the record of what resolved, and the open markets where the two disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget

from notebooks.widgets import frames
from notebooks.widgets import predictions_open as opened
from notebooks.widgets import predictions_record as resolved
from notebooks.widgets.figure import Figure
from notebooks.widgets.panel import Panel
from notebooks.widgets.wording import price

Document = Mapping[str, Any]

VIEWS = {"record": "record", "open markets": "open"}
BOOKS = {"live": False, "backfilled": True}
# Where the charts stand: three of the record side by side, and the open markets over all of it.
DOMAINS = {"": ([0, 0.44], [0, 1]), "2": ([0.56, 1], [0.45, 1]), "3": ([0.56, 1], [0, 0.22]), "4": ([0, 1], [0, 1])}
OF_THE_OPEN = "4"


class PredictionsPanel(Panel):
    """How the pool does against outside markets, and what both say of the markets that are open."""

    TITLE = "AI against market"
    FILE = "ninefold-predictions"
    EVERY_S = 900  # a look at the open markets is one of the key's calls

    def controls(self) -> Iterable[Widget]:
        self.view = ToggleButtons(options=VIEWS, value="record", style={"button_width": "120px"})
        self.book = ToggleButtons(options=BOOKS, value=True, style={"button_width": "90px"})
        self.asset = Dropdown(options=[opened.ANY], layout=Layout(width="110px", display="none"), tooltip="asset")
        self.category = Dropdown(options=[opened.ANY], layout=Layout(width="110px", display="none"), tooltip="category")
        self.view.observe(self._turned, "value")
        for control in (self.book, self.asset, self.category):
            control.observe(lambda _change: self.redraw(), "value")
        return self.view, self.book, self.asset, self.category

    def figure_of(self) -> Figure:
        figure = Figure()
        self.record = resolved.Record(figure)
        self.markets = opened.OpenMarkets(figure, self.pick)
        for number, (x, y) in DOMAINS.items():
            figure.layout[f"xaxis{number}"] = {"domain": x, "anchor": f"y{number}"}
            figure.layout[f"yaxis{number}"] = {"domain": y, "anchor": f"x{number}"}
        percent = {"ticksuffix": " %", "range": [0, 100]}
        # The fourth chart lies over the others: with a ground of its own it would hide them.
        figure.update_layout(height=600, hovermode="closest", margin={"t": 120, "r": 30}, plot_bgcolor="rgba(0,0,0,0)")
        figure.layout.xaxis.update(percent, title="forecast of YES")
        figure.layout.yaxis.update(percent, title="YES came")
        figure.layout.yaxis2.title = "Brier"
        figure.layout.xaxis3.update(title="negative: the AI is better", zeroline=True)
        figure.layout.yaxis3.update(visible=False, range=[-1, 1], fixedrange=True)
        figure.layout.xaxis4.update(percent, title="the market's P(YES)")
        figure.layout.yaxis4.update(percent, title="the AI's P(YES)")
        figure.layout.legend.update(orientation="h", y=1.01, yanchor="bottom", x=0)
        return figure

    def fetch(self) -> dict[str, Document | None]:
        record = self.client.ai_vs_market()
        if self.document is None:
            self.book.value = not resolved.book_of(record, backfilled=False)["n"]
        last = self.document or {"open": None, "usage": None}
        if self.view.value != "open":
            return {**last, "record": record}
        markets = self.client.predictions()
        self._offer(markets)
        return {"record": record, "open": markets, "usage": self.client.usage()}

    def told(self, document: dict[str, Document]) -> Document:
        return document["open"] if self._shows_open(document) else document["record"]

    def noted(self, document: dict[str, Document]) -> str | None:
        return price(document["usage"]) if self._shows_open(document) else None

    def missing(self, document: dict[str, Document]) -> str | None:
        if not self._shows_open(document):
            wanted = "Asking for the open markets …" if self.view.value == "open" else None
            return wanted or resolved.lacking(self._book(document))
        if document["open"]["markets"]:
            return None
        return "No market is open. New ones open every day at 12:00 UTC."

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        if self._shows_open(document):
            markets = frames.markets(document["open"])
            return markets[markets.index.isin([market["id"] for market in self._markets(document)])]
        pairs = frames.resolved_pairs(document["record"])
        return pairs[pairs["backfilled"] == self.book.value]

    def draw(self, document: dict[str, Document]) -> None:
        shows_open = self._shows_open(document)
        book, layout = self._book(document), self.figure.layout
        seen = [OF_THE_OPEN] if shows_open else resolved.charts(book)
        for number in DOMAINS:
            layout[f"xaxis{number}"].visible = number in seen
            layout[f"yaxis{number}"].visible = number in seen and number != "3"
        self.record.draw(book, self.look)
        markets = self._markets(document) if shows_open else []
        self.markets.draw(markets, self.look)
        # Each once: a figure that takes changes forgets the second where the first was new.
        for trace in self.record.traces:
            trace.visible = not shows_open and bool(seen)
        self.markets.even.visible = shows_open
        self.record.even.line.color = self.record.coin.line.color = self.markets.even.line.color = self.look.quiet
        layout.showlegend = shows_open
        layout.annotations = [] if shows_open else resolved.heads(book)
        title = opened.title(markets) if shows_open else resolved.title(book)
        layout.title = {"text": title, "subtitle": {"text": self._told_of(document, book, markets)}}

    def pick(self, market_id: str) -> None:
        """Tell below the chart all that is known of an open market."""
        markets = {market["id"]: market for market in self.document["open"]["markets"]}
        self.detail.value = opened.facts(markets[market_id])

    def _shows_open(self, document: Document) -> bool:
        return self.view.value == "open" and document["open"] is not None

    def _told_of(self, document: Document, book: Document, markets: list[Document]) -> str:
        if self._shows_open(document):
            return opened.subtitle(document["open"], markets)
        return resolved.subtitle(document["record"], book, self.look)

    def _book(self, document: Document) -> Document:
        return resolved.book_of(document["record"], self.book.value)

    def _markets(self, document: Document) -> list[Document]:
        return opened.filtered(document["open"], self.asset.value, self.category.value)

    def _turned(self, change: Mapping[str, Any]) -> None:
        opens = change["new"] == "open"
        self.book.layout.display = "none" if opens else None
        self.asset.layout.display = self.category.layout.display = None if opens else "none"
        self.detail.value = ""
        self.redraw()
        if opens and self.document and self.document["open"] is None:
            self.want()

    def _offer(self, document: Document) -> None:
        """Let the filters name what there is; a choice that is still there stays."""
        for control, field in ((self.asset, "asset"), (self.category, "category")):
            chosen = control.value
            control.options = [opened.ANY, *sorted({market[field] for market in document["markets"]})]
            control.value = chosen if chosen in control.options else opened.ANY
