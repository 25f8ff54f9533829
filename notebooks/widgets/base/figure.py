"""A plotly figure and the widget that draws it.

The widget receives the whole figure as one text and the browser draws the last one it has. So a message that is lost,
late, or sent before the script is loaded or the page is open leaves nothing undrawn: plotly's own widget sends changes
one by one, and drew a part of them for good when they met its first drawing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape, unescape
from typing import Any

import anywidget
import pandas as pd
import plotly.graph_objects as go
import traitlets
from IPython.display import display
from plotly.offline import get_plotlyjs

from notebooks.widgets.base.theme import SIZE, SUBTITLE, TITLE

# plotly.js would offer to upload the data to a third party. Four of its buttons are left: more would cover the title.
HEIGHT = 450  # pixels of a figure that has none
SPARE_BUTTONS = ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"]
CONFIG = {"showSendToCloud": False, "displaylogo": False, "modeBarButtonsToRemove": SPARE_BUTTONS}

# plotly.js has 5 MB and is loaded once per page. A change of the content or of the width draws the chart anew, one
# drawing after another; uirevision keeps what the reader zoomed and hid.
SCRIPT = """
const load = async (source) => {
  const text = `const module = { exports: {} };\\n${source}\\nexport default module.exports;`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const { default: plotly } = await import(url);
  URL.revokeObjectURL(url);
  return plotly;
};

export default {
  render({ model, el }) {
    const chart = document.createElement("div");
    el.replaceChildren(chart);
    const loading = (globalThis.ninefoldPlotly ??= load(model.get("plotly")));
    let last = loading, waiting = false, drawn = false;

    const draw = async () => {
      waiting = false;
      if (!chart.clientWidth) return;
      const { data, layout } = JSON.parse(model.get("content"));
      const shown = { ...fitted(layout, chart.clientWidth), uirevision: true };
      const displayModeBar = chart.clientWidth < NARROW ? false : "hover";
      await (await loading).react(chart, data, shown, { ...model.get("config"), displayModeBar });
      if (drawn) return;
      drawn = true;
      chart.on("plotly_click", ({ points: [{ curveNumber, pointNumber }] }) => {
        model.send({ trace: curveNumber, point: pointNumber });
      });
    };
    const redraw = () => {
      if (waiting) return;
      waiting = true;
      last = last.then(draw).catch(console.error);
    };
    const sized = new ResizeObserver(redraw);
    sized.observe(el);
    model.on("change:content", redraw);
    return async () => {
      model.off("change:content", redraw);
      sized.disconnect();
      (await loading).purge(chart);
    };
  },
};
"""

# The sizes are those of the theme; the height and the margin are plotly's and the theme's where a figure has none.
# On a narrow chart the plot gets the width: what stood beside it stands inside, on paper that shows the curves, and no
# buttons cover the title. `layout.meta.narrow` is what it has instead of the same parts of the layout.
FIT = (
    f"const TITLE = {TITLE}, SUBTITLE = {SUBTITLE}, SIZE = {SIZE}, HEIGHT = {HEIGHT};"
    "const TOP = 76, AROUND = 20, BUTTONS = 130, NAMES = 180, NARROW = 500, EDGE = 10, AXIS = 84, LINE = 1.3;"
    + r"""
const pen = document.createElement("canvas").getContext("2d");
const lengthOf = (line, size) => {
  pen.font = `${line.includes("<b>") ? "bold " : ""}${size}px system-ui, sans-serif`;
  return pen.measureText(line.replace(/<[^>]*>/g, "")).width;
};
// plotly does not break lines: titles, headings and legends get as many as they need, and the chart grows by those
// above it. NAMES is what the names of rows may take on the left of a heading.
const broken = (text, size, room) => {
  const lines = text.split("<br>").flatMap((line) => line.split(/ (?![^<]*>)/).reduce((done, word) => {
    const longer = done.length ? `${done.at(-1)} ${word}` : word;
    return done.length && lengthOf(longer, size) <= room ? [...done.slice(0, -1), longer] : [...done, word];
  }, []));
  return { text: lines.join("<br>"), more: (lines.length - text.split("<br>").length) * size * LINE };
};
const isHeading = ({ yref, x, y }) => x === 0 && y === 1 && /paper|domain/.test(yref);
const isBeside = ({ xref, x, xanchor }) => xref === "paper" && x === 1 && xanchor === "left";
const sizeOf = ({ font }) => font?.size ?? SIZE;
// How far it is from the left end of a heading's axis to the right end of the chart.
const roomOf = ({ xref }, layout, width) => {
  const axis = layout[xref.replace(/^x(\d*) domain$/, "xaxis$1")];
  const names = (layout.yaxis?.ticktext ?? []).flatMap((name) => name.split("<br>"));
  const longest = Math.max(0, ...names.map((name) => lengthOf(name, SIZE))) + (layout.margin?.r ?? 0) + AROUND;
  return (1 - (axis?.domain?.[0] ?? 0)) * (width - (width < NARROW ? AXIS : Math.max(NAMES, longest)));
};
const narrowed = (layout) => {
  const parts = Object.entries(layout.meta?.narrow ?? {});
  const paper = { xanchor: "right", xshift: -2, borderpad: 1, bgcolor: `${layout.template?.layout?.paper_bgcolor}c0` };
  const annotations = (layout.annotations ?? []).map((note) => (isBeside(note) ? { ...note, ...paper } : note));
  const changed = parts.map(([name, part]) => [name, typeof part === "object" ? { ...layout[name], ...part } : part]);
  return { ...layout, annotations, margin: { ...layout.margin, l: EDGE, r: EDGE }, ...Object.fromEntries(changed) };
};
// plotly would also keep the width of its first drawing.
const fitted = (original, width) => {
  const layout = width < NARROW ? narrowed(original) : original;
  const { title, height = HEIGHT, margin } = layout;
  if (!title?.text) return { ...layout, width };
  const first = broken(title.text, TITLE, width - (width < NARROW ? AROUND : BUTTONS));
  const second = broken(title.subtitle?.text ?? "", SUBTITLE, width - AROUND);
  let more = 0;
  const annotations = layout.annotations?.map((note) => {
    if (!isHeading(note)) return note;
    const heading = broken(note.text, sizeOf(note), roomOf(note, layout, width));
    if (note.yref === "paper") more = Math.max(more, heading.more);
    return { ...note, text: heading.text, align: "left" };
  });
  more += first.more + second.more;
  return {
    ...layout,
    annotations,
    width,
    height: height + more,
    margin: { ...margin, t: (margin?.t ?? TOP) + more },
    title: { ...title, text: first.text, subtitle: { ...title.subtitle, text: second.text } },
  };
};
"""
)

Trace = go.Scatter | go.Bar
Click = Callable[[int], None]
MOST_ROWS = 10


class Chart(anywidget.AnyWidget):
    """The drawing of a figure; `content` is the figure as JSON, `on_click` is called with the trace and the point."""

    _esm = FIT + SCRIPT
    plotly = traitlets.Unicode(get_plotlyjs()).tag(sync=True)
    config = traitlets.Dict(CONFIG).tag(sync=True)
    content = traitlets.Unicode().tag(sync=True)

    def __init__(self, content: str, on_click: Callable[[int, int], None]) -> None:
        super().__init__(content=content)
        self.on_msg(lambda _widget, message, _buffers: on_click(message["trace"], message["point"]))


class Figure(go.Figure):
    """A figure that is built once and then changed within `changing`; `widget` draws it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._clicks: list[tuple[Trace, Click]] = []
        self._widget = Chart(self._content(), self._on_click)

    def _ipython_display_(self) -> None:
        """Show the widget where a cell ends with a figure: plotly would load its script from elsewhere.

        Pages that draw no widgets show the title.
        """
        bundle, metadata = self._widget._repr_mimebundle_() or ({}, {})
        display({**bundle, **static_view(self.layout["title"], "", None)}, metadata=metadata, raw=True)

    @property
    def widget(self) -> Chart:
        return self._widget

    @property
    def traces(self) -> tuple[Any, ...]:
        """The traces in the order in which they were added."""
        return tuple(self.data)

    def new_scatter(self, **options: Any) -> go.Scatter:
        """Add a scatter trace and return it."""
        self.add_scatter(**options)
        return self.traces[-1]

    def new_bar(self, **options: Any) -> go.Bar:
        """Add a bar trace and return it."""
        self.add_bar(**options)
        return self.traces[-1]

    @contextmanager
    def changing(self) -> Iterator[Figure]:
        """Draw all changes made inside at once; after an error the last chart stays."""
        yield self
        self._widget.content = self._content()

    def on_click(self, trace: Trace, call: Click) -> None:
        """Call `call` with the number of each clicked point of a trace."""
        self._clicks.append((trace, call))

    def on_pick(self, trace: Trace, pick: Callable[[str], None]) -> None:
        """Call `pick` with the id of each clicked point of a trace that has `ids`."""
        self.on_click(trace, lambda point: pick(_ids(trace)[point]))

    def page(self, title: str) -> str:
        """The figure as a self-contained web page that loads nothing."""
        plain = go.Figure(self)
        plain.layout.width = None
        config = {**CONFIG, "responsive": True}
        body = plain.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=config)
        head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
        paper = plain.to_plotly_json()["layout"]["template"]["layout"]["paper_bgcolor"]
        return (
            f'<!doctype html><html lang="en"><head>{head}</head><body style="background:{paper}">{body}</body></html>'
        )

    def _content(self) -> str:
        return str(self.to_json())

    def _on_click(self, number: int, point: int) -> None:
        for trace, call in self._clicks:
            if self.data[number] is trace:
                call(point)


def _ids(trace: Any) -> Sequence[str]:
    return trace.ids


def static_view(title: Any, status: str, data: pd.DataFrame | None) -> dict[str, str]:
    """The title of a figure with its subtitle, a status line in HTML and some rows of data, as HTML and as plain text.

    Empty without a title, which a figure gets from its first document.
    """
    if not title.text:
        return {}
    conclusion = f"<b>{title.text}</b><br>{title.subtitle.text or ''}<br>{status}"
    table = "" if data is None else data.to_html(max_rows=MOST_ROWS, show_dimensions=True, border=0)
    return {"text/html": f"<div>{conclusion}</div>{table}", "text/plain": plain_text(conclusion)}


def plain_text(html: str) -> str:
    """HTML as plain text, a line for each of its lines.

    >>> plain_text("<b>A</b> &lt; B<br>C")
    'A < B\\nC'
    """
    return unescape(re.sub(r"<[^>]*>", "", html.replace("<br>", "\n")))
