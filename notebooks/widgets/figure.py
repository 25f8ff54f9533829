"""A figure that is made once and then changed, and is there after a page was loaded again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import plotly.graph_objects as go

# plotly.js would offer to upload the data to a third party.
CONFIG = {"showSendToCloud": False, "displaylogo": False, "responsive": True}


class Figure(go.FigureWidget):
    """plotly's widget with its whole content in the traits that a browser is given.

    plotly tells a browser of changes by messages, which are lost on a page that is not there yet, and copies its
    content into the synchronised traits only when it is displayed by itself: inside a box it would be empty in Voila
    and blank after a reload in JupyterLab. So it is changed within `changing`, which copies at the end.
    """

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, **options)
        self._config = CONFIG

    @contextmanager
    def changing(self) -> Iterator[Figure]:
        """One message and one redrawing for all that is changed inside."""
        with self.batch_update():
            yield self
        with self.hold_sync():
            self._widget_data = _copied(self._data)
            self._widget_layout = _copied(self._layout_obj._props)

    def _handler_js2py_traceDeltas(self, _told: Any) -> None:  # noqa: N802
        """A browser tells what plotly.js filled in; the widget would drop from the traces what it finds there.

        That took the points of a trace that had been hidden. Nothing here asks for what was filled in.
        """

    def _handler_js2py_layoutDelta(self, _told: Any) -> None:  # noqa: N802
        """As with the traces."""

    def page(self, title: str) -> str:
        """The figure as a web page that holds all it needs and loads nothing."""
        plain = go.Figure(self)
        plain.layout.width = None
        body = plain.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=CONFIG)
        head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
        paper = self.layout.template.layout.paper_bgcolor
        return (
            f'<!doctype html><html lang="en"><head>{head}</head><body style="background:{paper}">{body}</body></html>'
        )


def _copied(held: Any) -> Any:
    """The dictionaries and lists of a figure anew around the same arrays, which plotly never changes in place."""
    if isinstance(held, dict):
        return {name: _copied(value) for name, value in held.items()}
    return [_copied(value) for value in held] if isinstance(held, list) else held
