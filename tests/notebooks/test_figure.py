"""A figure is made once, is there after a page was loaded again, and gives its data to nobody."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects as go
import pytest

from notebooks.widgets.figure import Figure


class Loaded(HTMLParser):
    """What a page loads, and its title."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str | None] = []
        self.heard: list[str] = []
        self.feed(page)

    def handle_starttag(self, _tag, attributes) -> None:
        self.heard.append(_tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "srcset", "data", "action")]


@pytest.fixture
def figure() -> Figure:
    figure = Figure()
    figure.add_scatter()
    return figure


def numbers(figure: go.FigureWidget) -> list[float]:
    """What a browser would be given that opens the page now."""
    return list((figure._widget_data or [{}])[0].get("y", []))


def test_a_page_that_is_loaded_again_is_given_the_numbers_drawn_last(figure):
    for drawn in ([1.0, 2.0], [5.0]):
        with figure.changing():
            figure.data[0].y = np.array(drawn)
            figure.layout.title.text = f"{len(drawn)} points"
        assert numbers(figure) == drawn
        assert figure._widget_layout["title"]["text"] == f"{len(drawn)} points"


def test_what_a_browser_was_given_does_not_change_behind_its_back(figure):
    with figure.changing():
        figure.data[0].y = np.array([1.0])
    given = figure._widget_data
    with figure.changing():
        figure.data[0].y = np.array([2.0])
    assert list(given[0]["y"]) == [1.0]


def test_plotly_itself_still_leaves_such_a_page_with_old_numbers():
    """Why `changing` copies; once this fails, plotly does it and `changing` may go."""
    plain = go.FigureWidget()
    plain.add_scatter()
    with plain.batch_update():
        plain.data[0].y = np.array([1.0, 2.0])
    assert numbers(plain) == []


def test_a_trace_is_moved_and_not_made_anew(figure):
    trace = figure.data[0]
    with figure.changing():
        trace.y = [3.0]
    assert figure.data == (trace,)


def test_a_chart_does_not_offer_to_upload_its_data(figure):
    page = figure.page("a chart")
    assert figure._config["showSendToCloud"] is False
    assert '"showSendToCloud": false' in page


def test_a_page_of_its_own_holds_plotly_and_loads_nothing(figure):
    page = figure.page("a chart")
    loaded = Loaded(page)
    assert loaded.addresses == []
    assert loaded.heard.count("script") >= 2
    assert "link" not in loaded.heard
    assert len(page) > 3_000_000


def test_the_title_of_a_page_is_no_html(figure):
    page = figure.page("<img src=x> & more")
    assert "<title>&lt;img src=x&gt; &amp; more</title>" in page
    assert "img" not in Loaded(page).heard


def filled_in(made: type[go.FigureWidget]) -> go.FigureWidget:
    """A figure after a browser told what plotly.js filled in, the points among it as it does of a hidden trace."""
    figure = made()
    figure.add_scatter(x=[1.0], y=[2.0])
    delta = {"uid": figure.data[0].uid, "x": [1.0], "y": [2.0], "opacity": 1}
    figure._js2py_traceDeltas = {"trace_deltas": [delta], "trace_edit_id": figure._last_trace_edit_id}
    figure._js2py_layoutDelta = {"layout_delta": {"width": 700}, "layout_edit_id": figure._last_layout_edit_id}
    return figure


def test_what_a_browser_fills_in_takes_nothing_away():
    figure = filled_in(Figure)
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([1.0], [2.0])


def test_plotly_itself_still_drops_what_a_browser_fills_in():
    """Why a figure does not listen; once this fails, it may."""
    assert filled_in(go.FigureWidget)._data[0].get("y") is None
