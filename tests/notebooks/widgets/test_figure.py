"""A figure is built once, survives a reload of its page, and sends its data nowhere."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects as go
import pytest

from notebooks.widgets.figure import Figure


class ParsedPage(HTMLParser):
    """The tags of a page and the addresses that it loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str | None] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes) -> None:
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "srcset", "data", "action")]


@pytest.fixture
def figure() -> Figure:
    figure = Figure()
    figure.add_scatter()
    return figure


def sent(figure: go.FigureWidget) -> list[float]:
    """The numbers that a page receives when it opens now."""
    return list((figure._widget_data or [{}])[0].get("y", []))


def test_a_reloaded_page_receives_the_last_numbers(figure):
    for numbers in ([1.0, 2.0], [5.0]):
        with figure.changing():
            figure.data[0].y = np.array(numbers)
            figure.layout.title.text = f"{len(numbers)} points"
        assert sent(figure) == numbers
        assert figure._widget_layout["title"]["text"] == f"{len(numbers)} points"


def test_a_change_leaves_the_content_sent_before(figure):
    """Otherwise traitlets would see no difference and send nothing."""
    with figure.changing():
        figure.data[0].y = np.array([1.0])
    before = figure._widget_data
    with figure.changing():
        figure.data[0].y = np.array([2.0])
    assert list(before[0]["y"]) == [1.0]


def test_plotly_still_sends_old_numbers_after_a_reload():
    """The reason why `changing` copies. When this fails, plotly copies and `changing` can go."""
    plain = go.FigureWidget()
    plain.add_scatter()
    with plain.batch_update():
        plain.data[0].y = np.array([1.0, 2.0])
    assert sent(plain) == []


def test_a_change_keeps_the_trace(figure):
    trace = figure.data[0]
    with figure.changing():
        trace.y = [3.0]
    assert figure.data == (trace,)


def test_a_new_trace_is_returned():
    figure = Figure()
    scatter, bar = figure.new_scatter(name="a"), figure.new_bar(name="b")
    assert figure.data == (scatter, bar)
    assert [trace.name for trace in figure.data] == ["a", "b"]


def test_a_chart_does_not_offer_to_upload_its_data(figure):
    page = figure.page("a chart")
    assert figure._config["showSendToCloud"] is False
    assert '"showSendToCloud": false' in page


def test_a_page_contains_plotly_and_loads_nothing(figure):
    page = figure.page("a chart")
    parsed = ParsedPage(page)
    assert parsed.addresses == []
    assert parsed.tags.count("script") >= 2
    assert "link" not in parsed.tags
    assert len(page) > 3_000_000


def test_the_title_of_a_page_is_escaped(figure):
    page = figure.page("<img src=x> & more")
    assert "<title>&lt;img src=x&gt; &amp; more</title>" in page
    assert "img" not in ParsedPage(page).tags


def with_defaults(figure_class: type[go.FigureWidget]) -> go.FigureWidget:
    """A figure after a browser reported the defaults of plotly.js, among them the points, as for a hidden trace."""
    figure = figure_class()
    figure.add_scatter(x=[1.0], y=[2.0])
    delta = {"uid": figure.data[0].uid, "x": [1.0], "y": [2.0], "opacity": 1}
    figure._js2py_traceDeltas = {"trace_deltas": [delta], "trace_edit_id": figure._last_trace_edit_id}
    figure._js2py_layoutDelta = {"layout_delta": {"width": 700}, "layout_edit_id": figure._last_layout_edit_id}
    return figure


def test_defaults_of_a_browser_remove_no_points():
    figure = with_defaults(Figure)
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([1.0], [2.0])


def test_plotly_still_removes_points_reported_as_defaults():
    """The reason why a figure ignores them. When this fails, the two handlers can go."""
    assert with_defaults(go.FigureWidget)._data[0].get("y") is None


def test_the_script_that_must_load_in_time_is_small(figure):
    """anywidget drops messages to a widget whose script took longer than 2 seconds to load; plotly's has 5 MB."""
    assert len(figure._esm) < 3_000
    assert len(figure._plotly) > 1_000_000
