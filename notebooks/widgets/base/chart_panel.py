"""A chart with its controls, a status line and download buttons; a subclass provides the documents.

The figure is built once. A subclass says what it looks like and how a document updates it.
"""

from __future__ import annotations

import threading
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import Any, NamedTuple, Protocol, TypeVar

import anywidget
import pandas as pd
import traitlets
from IPython.core.getipython import get_ipython
from ipywidgets import HTML, Dropdown, HBox, Layout, ToggleButtons, VBox, Widget
from traitlets import MetaHasTraits

from notebooks.widgets.base.figure import Figure, static_view
from notebooks.widgets.base.theme import PALETTES, Theme, palette_of, style, template
from notebooks.widgets.base.wording import Document, provenance

T = TypeVar("T")

WATCH = """
const PLACED_MS = 100;

function render({ model, el }) {
  el.style.display = "none";
  const view = Math.random().toString(36).slice(2);
  let intersects = false, sent = null, waiting = null;
  const isDark = ({ dataset, classList }) => dataset.jpThemeLight === "false" || classList.contains("vscode-dark");
  const report = (isLeaving) => {
    const is_shown = !isLeaving && intersects && document.visibilityState === "visible";
    const message = { view, is_shown, theme: isDark(document.body) ? "dark" : "light" };
    if (JSON.stringify(message) === sent) return;
    sent = JSON.stringify(message);
    model.send(message);
  };
  const look = () => report(false), leave = () => report(true);
  const placed = new IntersectionObserver((entries) => {
    intersects = entries.at(-1).isIntersecting;
    look();
  });
  const themed = new MutationObserver(look);
  // A view is drawn before it is placed on its page.
  const begin = () => {
    const box = el.closest(".widget-vbox");
    if (box) placed.observe(box);
    else waiting = setTimeout(begin, PLACED_MS);
  };
  begin();
  themed.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  document.addEventListener("visibilitychange", look);
  window.addEventListener("pagehide", leave);
  return () => {
    clearTimeout(waiting);
    placed.disconnect();
    themed.disconnect();
    document.removeEventListener("visibilitychange", look);
    window.removeEventListener("pagehide", leave);
    leave();
  };
}
export default { render };
"""
BUTTON = """
function render({ model, el }) {
  const button = document.createElement("button");
  button.className = "jupyter-button";
  button.textContent = model.get("label");
  button.title = model.get("hint");
  button.onclick = () => model.send({ pressed: true });
  model.on("msg:custom", ({ name, type }, buffers) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([buffers[0]], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
  el.append(button);
}
export default { render };
"""


class AbstractWidget(ABCMeta, MetaHasTraits):
    """The metaclass of a widget with abstract methods."""


class ChartPanel(VBox, metaclass=AbstractWidget):
    """A chart of a document.

    `theme` is light or dark; without it the panel follows its page. `now` returns the time in UTC. `document` is the
    document drawn last. `close` removes the panel from the page; a cell that runs again
    closes the panels of its last run.
    """

    TITLE: str
    FILE: str  # name of the downloads, without the suffix

    def __init__(
        self,
        *,
        theme: Theme | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        # First, because a panel that fails to open is closed as well.
        self._lock, self._end = threading.RLock(), threading.Event()
        self.now = now
        self.document: Any = None
        self._follows_page, theme = theme is None, theme or "light"
        self.palette = palette_of(theme)
        self.figure = self._build_figure(theme)
        self._style = HTML(style(theme), layout=Layout(display="none"))
        self.status_line = HTML()
        self.detail = HTML()
        self.theme = Dropdown(options=list(PALETTES), value=theme, layout=Layout(width="80px"), tooltip="theme")
        self.csv = DownloadButton("CSV", "download the data of the chart as a table", self.table)
        self.html = DownloadButton("HTML", "download the chart as a page that works offline", self.page)
        bar = [*self.controls(), *self.refresh_controls(), self.theme, self.csv, self.html]
        bar = HBox(bar, layout=Layout(flex_flow="row wrap"))
        self.host_page = HostPage()
        super().__init__([self._style, bar, self.status_line, *self.body(), self.host_page])
        self.add_class(f"ninefold-{theme}")
        self.theme.observe(self._change_theme, "value")
        self.host_page.observe(self._follow_page, "theme")
        CELL_PANELS.add(self, current_run())

    # What a subclass defines.

    @abstractmethod
    def new_figure(self) -> Figure:
        """Build the figure with all its traces, empty."""

    @abstractmethod
    def draw(self, document: Any) -> None:
        """Update the figure to a document; called inside `changing`."""

    @abstractmethod
    def frame(self, document: Any) -> pd.DataFrame:
        """The data of the chart as a table."""

    def controls(self) -> Iterable[Widget]:
        """Build the controls of this panel; they stand before the controls that every panel has."""
        return ()

    def refresh_controls(self) -> Iterable[Widget]:
        """Build the controls that refresh the document; they stand after `controls`."""
        return ()

    def body(self) -> Iterable[Widget]:
        """The widgets below the status line."""
        return (self.figure.widget, self.detail)

    def empty_reason(self, _document: Any) -> str | None:
        """Why a document has nothing to draw and when that changes, or None."""
        return None

    def header(self, document: Any) -> Document:
        """The part of a document that states its world and its time."""
        return document

    def origin(self, document: Any) -> str:
        """Where the data is from, and its time."""
        return provenance(self.header(document), self.now())

    def note(self, _document: Any) -> str | None:
        """An addition to the status line, such as the cost of a refresh, or None."""
        return None

    # What every panel does.

    def redraw(self, _change: Any = None) -> None:
        """Draw the last document again, for example after a change of a control."""
        with self._lock:
            if self.document is None:
                return
            with self.figure.changing():
                self.draw(self.document)
            status = self.empty_reason(self.document) or self.origin(self.document)
            self._set_status(" · ".join(filter(None, [status, self.note(self.document)])))

    def table(self) -> DownloadFile | None:
        """The data of the chart as a CSV file; None before the first document."""
        with self._lock:
            if self.document is None:
                return None
            return DownloadFile(f"{self.FILE}.csv", "text/csv", self.frame(self.document).to_csv())

    def page(self) -> DownloadFile | None:
        """The chart as a self-contained page; None before the first document."""
        with self._lock:
            if self.document is None:
                return None
            return DownloadFile(f"{self.FILE}.html", "text/html", self.figure.page(self.TITLE))

    def close(self) -> None:
        """Remove the panel from the page, with every widget in it: a model that stays open stays in the browser too."""
        for widget in [*_parts(self)]:
            widget.close()
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The widget, and its conclusion and data for pages that draw no widgets."""
        with self._lock:
            data = None if self.document is None else self.frame(self.document)
            view = static_view(self.figure.layout["title"], self.status_line.value, data)
            return {**(super()._repr_mimebundle_(**options) or {}), **view}

    def _follow_page(self, change: Mapping[str, Any]) -> None:
        """Take the theme of the page, unless the reader selected the other one."""
        if self._follows_page:
            self.theme.value = change["new"]

    def _change_theme(self, change: Mapping[str, Any]) -> None:
        with self._lock:
            self._follows_page = change["new"] == self.host_page.theme
            self.remove_class(f"ninefold-{change['old']}")
            self.add_class(f"ninefold-{change['new']}")
            self._style.value = style(change["new"])
            self.palette = palette_of(change["new"])
            with self.figure.changing():
                self.figure.layout.template = template(change["new"])
                if self.document is not None:
                    self.draw(self.document)

    def _build_figure(self, theme: Theme) -> Figure:
        figure = self.new_figure()
        with figure.changing():
            figure.layout.template = template(theme)
        return figure

    def _set_status(self, text: str, is_alarm: bool = False) -> None:
        self.status_line.value = f'<span class="{"alarm" if is_alarm else "quiet"}" role="status">{escape(text)}</span>'


def _parts(widget: Widget) -> Iterator[Widget]:
    """The widgets in a widget, such as its children, layout and style, and those in them."""
    for name in widget.keys:
        value = getattr(widget, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Widget):
                yield from _parts(part)
                yield part


def selected(control: Dropdown | ToggleButtons, kind: type[T]) -> T:
    """The selected value of a control whose options are all of one type."""
    value = control.value
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return value


class Closable(Protocol):
    """What can be closed."""

    def close(self) -> None: ...


class CellRun(NamedTuple):
    """One run of a cell."""

    cell_id: str
    message_id: str


@dataclass
class CellPanels:
    """The panels that the last run of each cell has made."""

    _panels: dict[str, tuple[CellRun, list[Closable]]] = field(default_factory=dict)

    def add(self, panel: Closable, run: CellRun | None) -> None:
        """Add a panel made in `run`, and close those of an earlier run of the same cell; None is outside of a cell."""
        if run is None:
            return
        last, panels = self._panels.get(run.cell_id, (None, []))
        if last != run:
            for predecessor in panels:
                predecessor.close()
            panels = []
        self._panels[run.cell_id] = (run, [*panels, panel])


CELL_PANELS = CellPanels()


def current_run() -> CellRun | None:
    """The run in which this is called; None outside of a notebook, and where the front end names no cell."""
    kernel: Any = getattr(get_ipython(), "kernel", None)
    request: dict[str, Any] = kernel.get_parent() if kernel else {}
    cell_id = request.get("metadata", {}).get("cellId")
    return CellRun(cell_id, request["header"]["msg_id"]) if cell_id else None


class HostPage(anywidget.AnyWidget):
    """An invisible widget that observes the page of the box it is in.

    `is_shown` says whether any view of the box is on a screen: a hidden tab, a notebook in the background and a box
    scrolled away are not. It is true until a browser reports, because a program may use a panel without one. `theme` is
    light or dark, as JupyterLab and VS Code say it; None until a browser reports.
    """

    _esm = WATCH
    is_shown = traitlets.Bool(True)
    theme = traitlets.Unicode(None, allow_none=True)

    def __init__(self) -> None:
        super().__init__()
        self._views: dict[str, bool] = {}
        self.on_msg(self._on_report)

    def _on_report(self, _widget: Any, report: dict[str, Any], _buffers: Any) -> None:
        self._views[report["view"]] = report["is_shown"]
        self.is_shown = any(self._views.values())
        self.theme = report["theme"]


class DownloadFile(NamedTuple):
    """A file to download: its name, media type and content."""

    name: str
    type: str
    content: str


class DownloadButton(anywidget.AnyWidget):
    """A button with a `label`; a press calls `build`, which returns None while there is nothing to download."""

    _esm = BUTTON
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)

    def __init__(self, label: str, hint: str, build: Callable[[], DownloadFile | None]) -> None:
        super().__init__(label=label, hint=hint)
        self._build = build
        self.on_msg(self._on_press)

    def _on_press(self, _widget: Any, _message: Any, _buffers: Any) -> None:
        file = self._build()
        if file:
            self.send({"name": file.name, "type": file.type}, [file.content.encode()])
