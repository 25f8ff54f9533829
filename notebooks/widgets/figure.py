"""A plotly figure that is built once, then changed, and that survives a reload of its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import plotly.graph_objects as go
import traitlets
from plotly.basewidget import BaseFigureWidget

# plotly.js would offer to upload the data to a third party.
CONFIG = {"showSendToCloud": False, "displaylogo": False, "responsive": True}

# anywidget drops every message to a widget whose script is not loaded after 2 seconds; plotly's has 5 MB, and a slow
# browser takes longer. This script is loaded at once, and loads plotly's before the first drawing. Of a change that is
# sent while the chart is drawn first, it gets only the last messages; where its curves then differ from the content,
# it is drawn anew.
LOADER = """
const load = async (model) => {
  const url = URL.createObjectURL(new Blob([model.get("_plotly")], { type: "text/javascript" }));
  const { default: create } = await import(url);
  URL.revokeObjectURL(url);
  return create;
};
const size = (values) => values?.shape?.[0] ?? values?.length ?? 0;
const sizes = (traces) => JSON.stringify((traces ?? []).map(({ x, y }) => [size(x), size(y)]));

function draw(create, model, el) {
  const calls = [];
  const own = new Proxy(model, {
    get(target, name) {
      if (name === "on") return (event, call) => { calls.push([event, call]); target.on(event, call); };
      return typeof target[name] === "function" ? target[name].bind(target) : target[name];
    },
  });
  const chart = document.createElement("div"), widget = create();
  el.replaceChildren(chart);
  widget.initialize({ model: own });
  const remove = widget.render({ model: own, el: chart });
  return { chart, close() { for (const call of calls) model.off(...call); remove(); } };
}

export default () => {
  let plotly = null;
  return {
    async render({ model, el }) {
      const create = await (plotly ??= load(model));
      let drawn = draw(create, model, el);
      const check = () => {
        if (sizes(drawn.chart.data) === sizes(model.get("_widget_data"))) return;
        drawn.close();
        drawn = draw(create, model, el);
      };
      model.on("change:_widget_data", check);
      return () => { model.off("change:_widget_data", check); drawn.close(); };
    },
  };
};
"""


class Figure(go.FigureWidget):
    """plotly's widget with its whole content in the traits that are synchronised with the browser.

    plotly sends changes as messages, which are lost on a page that is not open yet, and copies its content into the
    synchronised traits only when the figure is displayed on its own: inside a box it would be empty in Voila and blank
    after a reload in JupyterLab. Therefore every change happens within `changing`, which copies the content at the end.
    """

    _esm = LOADER
    _plotly = traitlets.Unicode(str(BaseFigureWidget._esm)).tag(sync=True)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._config = CONFIG

    def new_scatter(self, **options: Any) -> go.Scatter:
        """Add a scatter trace and return it."""
        self.add_scatter(**options)
        trace = self.data[-1]
        assert isinstance(trace, go.Scatter)
        return trace

    def new_bar(self, **options: Any) -> go.Bar:
        """Add a bar trace and return it."""
        self.add_bar(**options)
        trace = self.data[-1]
        assert isinstance(trace, go.Bar)
        return trace

    @contextmanager
    def changing(self) -> Iterator[Figure]:
        """Send all changes made inside as one message, so that the browser draws once."""
        with self.batch_update():
            yield self
        with self.hold_sync():
            self._widget_data = _copied(self._data)
            self._widget_layout = _copied(self._layout_obj._props)

    def _handler_js2py_traceDeltas(self, change: Any) -> None:  # noqa: N802
        """Ignore the defaults that plotly.js reports: plotly would remove them from the traces.

        That removed the points of a hidden trace. Nothing here reads those defaults.
        """

    def _handler_js2py_layoutDelta(self, change: Any) -> None:  # noqa: N802
        """Ignore the layout defaults as well."""

    def page(self, title: str) -> str:
        """The figure as a self-contained web page that loads nothing."""
        plain = go.Figure(self)
        plain.layout.width = None
        body = plain.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=CONFIG)
        head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
        paper = plain.layout["template"]["layout"]["paper_bgcolor"]
        return (
            f'<!doctype html><html lang="en"><head>{head}</head><body style="background:{paper}">{body}</body></html>'
        )


def pick_on_click(trace: go.Scatter | go.Bar, pick: Callable[[str], None]) -> None:
    """Call `pick` with the id of each clicked point of a trace that has `ids`."""
    trace.on_click(lambda trace, points, _state: [pick(trace.ids[index]) for index in points.point_inds[:1]])


def _copied(content: Any) -> Any:
    """A copy of the dictionaries and lists of a figure; arrays are shared, because plotly never changes them."""
    if isinstance(content, dict):
        return {name: _copied(value) for name, value in content.items()}
    return [_copied(value) for value in content] if isinstance(content, list) else content
