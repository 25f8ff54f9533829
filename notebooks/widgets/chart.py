"""A chart with its controls, a line that says how it stands, and files to take away; a class brings the documents.

The figure is made once. A class says what it looks like and how a document moves it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from html import escape
from typing import Any

import pandas as pd
from ipywidgets import HTML, Dropdown, HBox, Layout, VBox, Widget

from notebooks.widgets.download import Download, File
from notebooks.widgets.figure import Figure
from notebooks.widgets.fitting import Fitting
from notebooks.widgets.theme import LOOKS, Look, Theme, look, style, template
from notebooks.widgets.wording import standing
from service.client import Client, ClientError, Unauthorized

log = logging.getLogger(__name__)

WITH_A_KEY = " Set ORACLE_KEY to that key and run the notebook again."


class Chart(VBox):
    """A chart of what `client` answers.

    `theme` is light or dark, `now` tells the time in UTC. `document` is what was drawn last, `fault` what went wrong
    since. `close` takes it off the page.
    """

    TITLE: str
    FILE: str  # what the files it hands over are called

    def __init__(
        self, client: Client, *, theme: Theme = "light", now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        # First, for what cannot be made is closed as well.
        self._lock, self._closing = threading.RLock(), threading.Event()
        self.client, self.now = client, now
        self.document: Any = None
        self.fault: ClientError | None = None
        self.look: Look = look(theme)
        self.figure = self._made(theme)
        self._style = HTML(style(theme), layout=Layout(display="none"))
        self.state = HTML()
        self.detail = HTML()
        self.theme = Dropdown(options=list(LOOKS), value=theme, layout=Layout(width="80px"), tooltip="theme")
        self.csv = Download("CSV", "what is drawn, as a table", self.table)
        self.html = Download("HTML", "the chart as a page that needs no network", self.page)
        bar = [*self.controls(), *self.steering(), self.theme, self.csv, self.html]
        bar = HBox(bar, layout=Layout(flex_flow="row wrap"))
        super().__init__([self._style, bar, self.state, *self.body(), Fitting()])
        self.add_class(f"ninefold-{theme}")
        self.theme.observe(self._dressed, "value")

    # What a class says.

    def controls(self) -> Iterable[Widget]:
        """Its own controls, made here; they stand before those that every chart has."""
        return ()

    def steering(self) -> Iterable[Widget]:
        """The controls of how it comes by a document, made here; they stand behind its own."""
        return ()

    def body(self) -> Iterable[Widget]:
        """What stands below the line of state."""
        return (self.figure, self.detail)

    def figure_of(self) -> Figure:
        """The figure with all its traces, empty."""
        raise NotImplementedError

    def draw(self, document: Any) -> None:
        """Move the figure to a document; called while the figure takes changes."""
        raise NotImplementedError

    def missing(self, _document: Any) -> str | None:
        """Why there is nothing to see in a document and when there will be, or None."""
        return None

    def told(self, document: Any) -> Mapping[str, Any]:
        """The part of a document that says of which world and when it is."""
        return document

    def noted(self, _document: Any) -> str | None:
        """What else is to be said in the line of state, such as what a look costs, or None."""
        return None

    def frame(self, document: Any) -> pd.DataFrame:
        """What is drawn, as a table."""
        raise NotImplementedError

    def retrying(self) -> str:
        """When it is tried again after a fault, as a sentence with a space before it; nothing where nobody knows."""
        return ""

    # What every chart does.

    def redraw(self) -> None:
        """Draw the last document again, as a control asks for."""
        with self._lock:
            if self.document is None:
                return
            with self.figure.changing():
                self.draw(self.document)
            missing = self.missing(self.document)
            self._say(" · ".join(filter(None, [missing or self._stands(), self.noted(self.document)])))

    def table(self) -> File | None:
        """What is drawn as a CSV file; None before anything is."""
        with self._lock:
            if self.document is None:
                return None
            return File(f"{self.FILE}.csv", "text/csv", self.frame(self.document).to_csv())

    def page(self) -> File | None:
        """The chart as a page of its own; None before anything is drawn."""
        with self._lock:
            if self.document is None:
                return None
            return File(f"{self.FILE}.html", "text/html", self.figure.page(self.TITLE))

    @contextmanager
    def telling(self) -> Iterator[None]:
        """What the service refuses or cannot answer inside is told above the last chart, which stays."""
        try:
            yield
        except ClientError as fault:
            with self._lock:
                self.fault = fault
                self._say(self._faulty(fault), alarm=True)
        # An answer of another version, say: the looking goes on, and nobody takes the chart for a new one.
        except Exception as fault:
            log.exception("%s cannot be drawn", self.TITLE)
            with self._lock:
                what = f"What the service answered cannot be drawn ({type(fault).__name__}: {fault})."
                self._say(f"{what} Is it of another version? What is below is older.", alarm=True)

    def _dressed(self, change: Mapping[str, Any]) -> None:
        with self._lock:
            self.remove_class(f"ninefold-{change['old']}")
            self.add_class(f"ninefold-{change['new']}")
            self._style.value = style(change["new"])
            self.look = look(change["new"])
            with self.figure.changing():
                self.figure.layout.template = template(change["new"])
                if self.document is not None:
                    self.draw(self.document)

    def _made(self, theme: Theme) -> Figure:
        figure = self.figure_of()
        with figure.changing():
            figure.layout.template = template(theme)
        return figure

    def _faulty(self, fault: ClientError) -> str:
        again = WITH_A_KEY if isinstance(fault, Unauthorized) else self.retrying()
        if self.document is None:
            return f"Nothing to show yet: {fault}{again}"
        return f"No new data since {standing(self.told(self.document), self.now(), brief=True)}: {fault}{again}"

    def _stands(self) -> str:
        return standing(self.told(self.document), self.now())

    def _say(self, text: str, alarm: bool = False) -> None:
        self.state.value = f'<span class="{"alarm" if alarm else "quiet"}" role="status">{escape(text)}</span>'
